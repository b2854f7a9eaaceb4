"""Calls for causes of the catalog that lie in how a jitted function is called: by cause, what calls it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import npcompile

X = np.arange(1.0, 5.0)


class NoHash(type):
    __hash__ = None  # type: ignore[assignment]


class OfNoHash(metaclass=NoHash):
    pass


def add(x: Any, y: Any) -> Any:
    return x + 1 if y is None or type(y) is str else x + y


def second(x: Any, y: Any) -> Any:
    return x + 1


def count(x: Any, y: Any) -> Any:
    return x + len(y)


def chosen(x: Any) -> Any:
    return x + list(range(100))[int(x[0])]


def strides(x: Any) -> Any:
    return x + x.strides[0]


def added(arrays: Any) -> Any:
    total = 0.0
    for x in arrays:
        y = np.sin(x) * 2 + np.cos(x)
        print(end="")
        total = total + (np.sqrt(y * y + 1) * 3).sum()
    return total


def no_signature() -> None:
    npcompile.jit(second)(X, OfNoHash)


def signatures() -> None:
    jitted = npcompile.jit(add)
    for number in range(80):
        jitted(X, f"n{number}")


def of_no_use() -> None:
    jitted = npcompile.jit(add)
    for number in range(1, 2000):
        jitted(np.ones((2,) * (number % 20) + (3,) * (number // 20)), None)
        if jitted.stats.reasons:
            return


def traced() -> None:
    before = sys.gettrace()
    sys.settrace(lambda *_: None)
    try:
        npcompile.jit(add)(X, None)
    finally:
        sys.settrace(before)


def errstate_around() -> None:
    jitted = npcompile.jit(add)
    with np.errstate(all="raise"):
        npcompile.explain(jitted, X, None)


def other_ways() -> None:
    jitted = npcompile.jit(count)
    for number in range(1, 60):
        jitted(X, set(range(number)))


def ways() -> None:
    jitted = npcompile.jit(chosen)
    for number in range(30):
        jitted(np.full(4, float(number)))


def no_order() -> None:
    jitted = npcompile.jit(strides)
    for number in range(2, 60):
        jitted(np.ones((2, number, 3)).transpose(1, 0, 2))


def other_sizes() -> None:
    arrays = [np.ones((2,) * axes + (size,)) for axes in range(8) for size in range(1000, 1008)]
    for _ in range(3):
        npcompile.jit(added)(arrays)


CALLS: dict[str, Callable[[], None]] = {
    function.__name__.upper(): function
    for function in (
        no_signature,
        signatures,
        of_no_use,
        traced,
        errstate_around,
        other_ways,
        ways,
        no_order,
        other_sizes,
    )
}
