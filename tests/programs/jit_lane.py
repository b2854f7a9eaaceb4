"""A function in a jit lane: called twice on fresh arguments, the replayed answer too judged against NumPy."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

import npcompile
from tests.checker import same


def outcome(fn: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, Any]:
    """What a call returns (or raises) and what it leaves in its arguments."""
    try:
        result = fn(*args)
    except Exception as error:
        return type(error), args
    return result, args


def sharing(result: Any, args: Any) -> list[bool]:
    """Which arrays of the result share memory with which of the arguments and of each other."""
    found: list[np.ndarray] = []

    def walk(value: Any) -> None:
        if isinstance(value, np.ndarray):
            found.append(value)
        elif isinstance(value, list | tuple):
            for item in value:
                walk(item)
        elif isinstance(value, dict):
            walk(list(value.values()))

    walk((result, args))
    return [np.may_share_memory(a, b) for i, a in enumerate(found) for b in found[i + 1 :]]


def judge(jitted: Any, plain: Any, args: tuple[Any, ...], ulp: float = 4) -> None:
    """One call is NumPy's: value, types, effects on the arguments, aliasing, exception type."""
    want, after = outcome(plain, copy.deepcopy(args))
    got, left = outcome(jitted, args)
    same(got, want, ulp=ulp, scale=1.0)
    same(left, after, ulp=ulp, scale=1.0)
    assert sharing(got, left) == sharing(want, after)


def twice(
    fn: Any, make: Callable[[np.random.Generator], tuple[Any, ...]], ulp: float = 4, **options: Any
) -> Any:
    """Judge the recorded call and one replay on other values; returns the jitted function."""
    jitted = npcompile.jit(fn, **options)
    judge(jitted, fn, make(np.random.default_rng(1)), ulp)
    jitted.wait()
    judge(jitted, fn, make(np.random.default_rng(2)), ulp)
    assert jitted.stats.replays == 1, jitted.stats
    return jitted
