"""The interface between a program and its replay: guards and reads write their part of the text through it.

The writers in `frontend/replay/` provide `ReplayText`. Everything that a replay calls to see whether it may
go on is a `ReplayCheck`, and the native runtime takes the place of those that it has a form of.
"""

from __future__ import annotations

from typing import Any, Protocol


class ReplayText(Protocol):
    """The writer of a replay function, as far as guards, reads and stores need it."""

    def constant(self, value: Any, name: str = ...) -> str:
        """Return a new name that stands for an object in the text; it begins with `name`."""

    def arg(self, value: Any) -> str:
        """Return a value as text: a literal where Python has one, else the name of a constant."""

    def leaf(self, value: Any) -> str:
        """Return a value as text, where it leaves the replay: it is returned, or stored outside."""


class ReplayCheck:
    """A check that a replay calls: True where the replay may go on. Base class of guards and the like."""

    def native(self, module: Any) -> Any:
        """Return the check as the native runtime makes it; itself where that has no form of it."""
        return self
