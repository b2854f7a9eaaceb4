"""Describes the outcome of running a loop region, natively or in Python: its names, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Outcome:
    """The state after a region, or after a part of its trips.

    Parameters
    ----------
    names
        The values of the user's names that the region binds and that have a value.
    rest
        The iterator over the trips of the outermost loop that are left; None once the region is done. Of a
        `while` loop: True where it is to go on.
    returns
        True if the region has returned from the function, with `value`.
    error
        The exception that it raised, at line `line` of the user's file.
    """

    names: dict[str, Any] = field(default_factory=dict)
    rest: Any = None
    returns: bool = False
    value: Any = None
    error: BaseException | None = None
    line: int = 0
