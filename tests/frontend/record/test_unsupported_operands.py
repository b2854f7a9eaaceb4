"""Operators that no operand does: errors name the operator as written, and users' methods run once."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile

X = np.linspace(0.0, 1.0, 5)


class Counting:
    """Counts the calls of its methods, which do no operator."""

    def __init__(self) -> None:
        self.calls = 0

    def __repr__(self) -> str:
        return type(self).__name__

    def __radd__(self, other: Any) -> Any:
        self.calls += 1
        return NotImplemented


class Forward(Counting):
    def __add__(self, other: Any) -> Any:
        self.calls += 1
        return NotImplemented


class InPlace(Forward):
    def __iadd__(self, other: Any) -> Any:
        self.calls += 1
        return NotImplemented


class Raising(Counting):
    def __radd__(self, other: Any) -> Any:
        self.calls += 1
        raise TypeError("unsupported operand type(s) for +: mine")


class Universal(Counting):
    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        self.calls += 1
        return NotImplemented


class Converted(Counting):
    __radd__ = None

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        self.calls += 1
        return np.array(["a"])


class Inherits(int):
    pass


def added(start: Any, x: Any, other: Any) -> Any:
    t = start
    y = x * 2
    t += other
    return t, y


def of_an_element(_: Any, x: Any, other: Any) -> Any:
    t = x[0]
    t += other
    return t


def of_a_sum(_: Any, x: Any, other: Any) -> Any:
    t = x.sum()
    t += other
    return t


def outcome(function: Callable[..., Any], start: Any, other: Any) -> Any:
    """Return the answer or the error of a call, and the calls of the user's methods."""
    items = list(other) if isinstance(other, np.ndarray) else [other]
    try:
        answer: Any = repr(function(copy.copy(start), X, other))
    except Exception as error:
        answer = type(error), str(error)
    return answer, [getattr(item, "calls", None) for item in items]


def summed(start: Any, x: Any, other: Any) -> Any:
    y = x * 2
    return start + other, y


def reversed_sum(start: Any, x: Any, other: Any) -> Any:
    y = x * 2
    return other + start, y


def of_objects(kind: Callable[[], Any]) -> Any:
    made = np.empty(2, object)
    made[:] = [kind(), kind()]
    return made


STARTS = [0, 1.5, [1], InPlace(), True, "text", None, (1, 2)]
OTHERS: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "str": lambda: "a",
    "dict": dict,
    "Inherits": lambda: Inherits(3),
    "Counting": Counting,
    "Forward": Forward,
    "Raising": Raising,
    "Universal": Universal,
    "Converted": Converted,
    "objects": lambda: of_objects(Counting),
    "raising_objects": lambda: of_objects(Raising),
}


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("start", STARTS, ids=str)
@pytest.mark.parametrize(
    "function", [added, of_an_element, of_a_sum, summed, reversed_sum], ids=lambda f: f.__name__
)
def test_errors_are_pythons_and_users_methods_run_once(
    function: Callable[..., Any], start: Any, other: str
) -> None:
    jitted = npcompile.jit(function, wait=True)
    for _ in range(3):
        assert outcome(jitted, start, OTHERS[other]()) == outcome(function, start, OTHERS[other]())
