"""Notices to users from `lower/`, which cannot warn by itself: `diagnostics/` passes them on as warnings."""

from __future__ import annotations

from collections.abc import Callable

_told: set[str] = set()
_listener: Callable[[str], None] | None = None


def listen(listener: Callable[[str], None]) -> None:
    """Call this function with each notice from now on."""
    global _listener
    _listener = listener


def tell(text: str) -> None:
    """Give a notice, once in a process. Raises whatever the listener raises."""
    if text not in _told and _listener is not None:
        _told.add(text)
        _listener(text)
