"""The interface by which guards and reads write their part of a replay: the writer names objects for them."""

from __future__ import annotations

from typing import Any, Protocol


class ReplayText(Protocol):
    """The writer of a replay function, as far as guards and reads need it."""

    def constant(self, value: Any, name: str = ...) -> str:
        """Return a new name that stands for an object in the text; it begins with `name`."""

    def arg(self, value: Any) -> str:
        """Return a value as text: a literal where Python has one, else the name of a constant."""
