"""Notices to users from the lower layers, which cannot warn: the top layer passes them on as warnings."""

from __future__ import annotations

from collections.abc import Callable

_told: set[str] = set()
_listener: Callable[[str], None] | None = None


def listen(listener: Callable[[str], None]) -> None:
    """Have this called with each notice."""
    global _listener
    _listener = listener


def tell(text: str) -> None:
    """A notice, once in a process. Raises nothing that the listener does not."""
    if text not in _told and _listener is not None:
        _told.add(text)
        _listener(text)
