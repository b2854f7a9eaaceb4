"""Nests of loops whose bounds are checked before their first trip: each item is that of Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.lower.loops.nest_ir import LoopNest
from tests.frontend.loops.jitted import assert_same, outcome
from tests.frontend.loops.native import begin, check


def windows(a: Any, kernel: Any, out: Any) -> None:
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = 0.0
            for k in range(kernel.shape[0]):
                for m in range(kernel.shape[1]):
                    total += a[i + k, j + m] * kernel[k, m]
            out[i, j] = total


def padded(a: Any, kernel: Any, out: Any) -> None:
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = 0.0
            for k in range(kernel.shape[0]):
                for m in range(kernel.shape[1]):
                    y = i + k - 1
                    x = j + m - 1
                    if 0 <= y < a.shape[0] and x >= 0 and x < a.shape[1]:
                        total += a[y, x] * kernel[k, m]
            out[i, j] = total


def torus(a: Any, kernel: Any, out: Any) -> None:
    n, m = a.shape[0], a.shape[1]
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = 0.0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    total += a[(i + di) % n, (j + dj) % m]
            out[i, j] = total + kernel[0, 0]


def backward(a: Any, kernel: Any, out: Any) -> None:
    for i in range(out.shape[0] - 1, -1, -1):
        for j in range(0, out.shape[1], 2):
            for k in range(kernel.shape[0] - 1, -1, -1):
                out[i, j] += a[i - k, -1] * kernel[k, -1]


def triangle(a: Any, kernel: Any, out: Any) -> None:
    for i in range(out.shape[0]):
        for j in range(i, out.shape[1]):
            for k in range(max(0, j - 2), min(j + 1, a.shape[1])):
                out[i, j] += a[j - i, k]


def moved(a: Any, kernel: Any, out: Any) -> None:
    shift = -1
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            for _ in range(2):
                out[i, j] += a[i, j + shift]
            shift = 0 if j < 1 else 1


def grown(a: Any, kernel: Any, out: Any) -> Any:
    last = -1
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = 0
            for di in range(-1, 2):
                if i + di < 0:
                    continue
                for dj in range(1, -2, -2):
                    if j + dj < 0:
                        break
                    total += np.int8(di) + kernel.dtype.itemsize
                    last = a[i + di, j + dj] + dj
            out[i, j] = total
    return last, di, dj


PROGRAMS: list[Callable[..., Any]] = [windows, padded, torus, backward, triangle, moved]


def nests_in(function: Callable[..., Any], *args: Any) -> int:
    found = begin(function, *args).loop.region.nests.values()
    return sum(isinstance(one, LoopNest) for one in found)


def arrays(rows: int, columns: int, size: int, more: int) -> tuple[Any, ...]:
    a = np.arange(float(rows * columns)).reshape(rows, columns)
    return a, np.arange(1.0, 1 + size * size).reshape(size, size), np.zeros((rows + more, columns + more))


@pytest.mark.parametrize("function", PROGRAMS)
def test_places_are_checked_before_the_nest(function: Callable[..., Any]) -> None:
    assert nests_in(function, *arrays(7, 6, 3, -2)) == 1


@pytest.mark.parametrize("function", PROGRAMS)
def test_items_and_exceptions_are_those_of_python(function: Callable[..., Any]) -> None:
    jitted = npcompile.jit(function)
    for _ in range(3):
        jitted(*arrays(7, 6, 3, -2))
        jitted.wait()
    for size in (3, 0, 1):
        for more in (-2, 0, 1):
            want, plain = outcome(function, arrays(7, 6, size, more))
            got, mine = outcome(jitted, arrays(7, 6, size, more))
            assert_same(got, want, f"{size}, {more}")
            assert_same(mine, plain, f"the arguments of {size}, {more}")
    assert jitted.stats.loop_entries > 0


def test_a_name_has_the_value_that_it_had_before_the_nest() -> None:
    def late(a: Any, out: Any, k: int) -> None:
        for i in range(3):
            for j in range(2):
                out[i, j] = a[k]
                k = j

    check(late, np.arange(4.0), np.zeros((3, 2)), 3)
    check(late, np.arange(4.0), np.zeros((3, 2)), -1)


def test_items_at_places_that_trips_read_are_checked_at_each_trip() -> None:
    def chosen(a: Any, rows: Any, out: Any) -> None:
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                out[i, j] = a[rows[i], j]

    a = np.arange(12.0).reshape(4, 3)
    check(chosen, a, np.array([3, 0, -1]), np.zeros((3, 3)))


def test_an_array_that_a_trip_binds_anew_has_its_checks_in_the_trip() -> None:
    def swapped(a: Any, b: Any, n: int) -> None:
        for _ in range(n):
            for i in range(1, a.shape[0] - 1):
                for j in range(1, a.shape[1] - 1):
                    b[i, j] = a[i - 1, j] + a[i, j + 1]
            a, b = b, a

    assert nests_in(swapped, np.ones((5, 4)), np.ones((5, 4)), 3) == 1
    check(swapped, np.ones((5, 4)), np.ones((5, 4)), 3)
    check(swapped, np.ones((4, 4)), np.ones((5, 4)), 1)
