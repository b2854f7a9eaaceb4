"""Indices that are sums of an item and NumPy integers: checked before the loop, as those that cannot wrap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.frontend.loops.jitted import assert_same, outcome
from tests.frontend.loops.jitted import check as check_calls
from tests.frontend.loops.native import begin, check


def reached(can: Any, v: Any, target: int) -> None:
    for s in range(target, int(v) - 1, -1):
        if can[s - v]:
            can[s] = True


def counted(ways: Any, v: Any, target: int) -> None:
    for s in range(target + 1):
        if s >= v:
            ways[s] = ways[s] * 3 + ways[s - v]


def shifted(x: Any, v: Any, n: int) -> Any:
    total = np.float64(0)
    for i in range(n):
        total += x[i + v - 1]
    return total


def numbered(x: Any, v: Any, n: int) -> Any:
    total = np.float64(0)
    for k, one in enumerate(x):
        total += one * x[k + v]
    return total


def weights(best: Any, w: Any, n: int) -> None:
    for v in w:
        for s in range(n, 0, -1):
            if v <= s and best[s - v] + 1 > best[s]:
                best[s] = best[s - v] + 1


def by_large_steps(x: Any, v: Any, n: int) -> Any:
    total = np.float64(0)
    for i in range(0, n, 1 << 40):
        total += x[i + v]
    return total


def by_products(x: Any, v: Any, n: int) -> Any:
    total = np.float64(0)
    for i in range(n):
        total += x[v - i * 4]
    return total


def of_trips(x: Any, v: Any, n: int) -> Any:
    total = np.float64(0)
    for i in range(n):
        total += x[i + v]
        v = v + 1
    return total


HOISTED = [(reached, 2), (counted, 2), (shifted, 1), (numbered, 1)]
ARRAYS = {reached: np.arange(30) % 7 == 0, counted: np.arange(30), shifted: np.arange(30.0)}


def array(function: Callable[..., Any]) -> Any:
    return ARRAYS.get(function, np.arange(30.0)).copy()


@pytest.mark.parametrize(("function", "items"), HOISTED)
def test_sums_are_checked_before_the_loop(function: Callable[..., Any], items: int) -> None:
    region = begin(function, array(function), np.int64(3), 20).loop.region
    (loop,) = region.fast_loops.values()
    assert len({str(node.indices) for node in loop.unchecked}) == items


@pytest.mark.parametrize("function", [by_large_steps, by_products, of_trips])
def test_other_indices_are_checked_at_each_trip(function: Callable[..., Any]) -> None:
    region = begin(function, array(function), np.int64(3), 20).loop.region
    assert not any(loop.unchecked for loop in region.fast_loops.values())


def same(function: Callable[..., Any], v: int, n: int) -> None:
    """Assert that a native run, with Python's after it where it leaves, does what Python does."""
    jitted = npcompile.jit(function)
    for _ in range(3):
        given, plain = array(function), array(function)
        got, want = (outcome(one, (x, np.int64(v), n)) for one, x in ((jitted, given), (function, plain)))
        assert_same(got, want, f"{v}, {n}")
        jitted.wait()


@pytest.mark.parametrize("function", [one for one, _ in HOISTED] + [by_large_steps, by_products, of_trips])
def test_values_and_exceptions(function: Callable[..., Any]) -> None:
    check(function, array(function), np.int64(3 if function is not numbered else 0), 7)
    largest = np.iinfo(np.int64).max
    for v in (0, 1, 5, 29, 30, 31, -1, -2, -29, -31, largest, largest - 3, -largest - 1, 7 - largest):
        for n in (0, 1, 7, 29, 30, 40):
            same(function, v, n)


def test_within_other_loops() -> None:
    for w in ([3, 5, 7], [1], [0, 40, 2], [-1, 3], [np.iinfo(np.int64).min, 2]):
        check_calls(weights, np.zeros(41, int), np.array(w), 40)
        check_calls(weights, np.zeros(82, int)[::2], np.array(w), 40)
        check_calls(weights, np.zeros(30, int), np.array(w), 40)
