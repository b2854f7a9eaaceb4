"""Knows calls in a row that are the plain function's, as the one before was, by their arguments alone.

`RecordedFunction` asks here until the native runtime is there, which has the same (lower/native/passing.h).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npcompile.runtime.specialization import Specialization

MOST = 256  # calls before a signature is looked at again
_BY_TYPE = frozenset([float, int, np.float64])
_ITEMS = (list, tuple, dict, set, frozenset)  # their items may be others


class PlainStreak:
    """Counts down calls with arguments of certain kinds, which are not looked at."""

    __slots__ = ("_kind_of", "_kinds", "_types", "left", "lender")

    def __init__(self) -> None:
        self.left = 0
        self.lender: Specialization | None = None  # whose rest these calls are taken from
        self._types: tuple[type, ...] = ()
        self._kinds: list[Any] | None = []  # None: the types say it all
        self._kind_of = _kind

    def begin(self, args: tuple[Any, ...], calls: int, any_lengths: bool = False) -> bool:
        """Leave so many calls with such arguments to the plain function. False: arguments say too little.

        any_lengths: arrays of the same dtype and rank are alike.
        """
        self.left = 0
        self._kind_of = _kind_of_any_length if any_lengths else _kind
        kinds = [*map(self._kind_of, args)]
        if any(kind is None for kind in kinds):
            return False
        self._types = tuple(map(type, args))
        self._kinds = None if _BY_TYPE.issuperset(self._types) else kinds
        self.left = calls
        return True

    def give_back(self) -> None:
        """Give what is left back to the state, as a call is another than these."""
        if self.lender is not None:
            self.lender.rest += self.left
            self.left, self.lender = 0, None

    def takes(self, args: tuple[Any, ...]) -> bool:
        """Tell if a call is one of them, and count it."""
        if self.left <= 0 or tuple(map(type, args)) != self._types:
            return False
        if self._kinds is not None and [*map(self._kind_of, args)] != self._kinds:
            return False
        self.left -= 1
        return True


def _kind(arg: Any) -> Any:
    """A float or an int by its type, an array by its dtype and shape, others by being the same object. None:
    that says too little."""
    kind = type(arg)
    if kind in _BY_TYPE:
        return kind
    if kind is np.ndarray:
        return arg.dtype, arg.shape
    return None if isinstance(arg, _ITEMS) else _Same(arg)


def _kind_of_any_length(arg: Any) -> Any:
    return (arg.dtype, arg.ndim) if type(arg) is np.ndarray else _kind(arg)


class _Same:
    """An object, equal to itself alone."""

    __slots__ = ("_held",)

    def __init__(self, held: Any) -> None:
        self._held = held

    def __eq__(self, other: object) -> bool:
        return type(other) is _Same and other._held is self._held

    __hash__ = None  # type: ignore[assignment]
