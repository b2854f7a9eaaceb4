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


CALLS: dict[str, Callable[[], None]] = {
    function.__name__.upper(): function
    for function in (no_signature, signatures, of_no_use, traced, errstate_around)
}
