"""Searches of sorted lists and arrays by `bisect` become native, and find what Python finds."""

from __future__ import annotations

import bisect
from bisect import bisect_left, insort
from typing import Any

import numpy as np
import pytest

from tests.frontend.loops.jitted import Programs

program = Programs()


@program([0.5, 0.25, 0.75, 0.1, -0.0, 0.0])
@program([5, 3, 5, 1 << 40, -3])
def running_median(xs):
    ordered, out = [], []
    for x in xs:
        insort(ordered, x)
        middle = len(ordered) // 2
        out.append(ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2)
    return ordered, out


@program(np.array([0.1, 0.25, 0.99, 1.5, np.nan]), np.linspace(0, 1, 5))
@program(np.array([3, 0, 9]), np.array([0, 3, 3, 9]))
def bins(x, edges):
    counts = np.zeros(len(edges) + 1, int)
    ends = edges.tolist()
    for v in x:
        counts[bisect.bisect(ends, v)] += 1
        counts[bisect.bisect_left(edges, v)] += 10
    return counts


@program([3, 1, 4, 1, 5, 9, 2, 6, 5])
def longest_increasing(xs):
    tails = []
    for x in xs:
        place = bisect_left(tails, x)
        if place == len(tails):
            tails.append(x)
        else:
            tails[place] = x
    return tails


@program([4, 2, 2, 9, 7, 1, 4], 3)
def window_of_pairs(xs, n):
    window, out = [], []
    for i in range(len(xs)):
        bisect.insort_left(window, (xs[i], i))
        if i >= n:
            del window[bisect_left(window, (xs[i - n], i - n))]
        out.append(window[len(window) // 2])
    return out


@program([1.5, 2.5, float("nan"), 0.5])
def ints_and_floats(xs):
    ordered = []
    for i in range(len(xs)):
        insort(ordered, xs[i])
        insort(ordered, i)
    return ordered


@program([0, 3, 6, 9], 12)
@program([0, 3, 6, 9], 20, native=None)
def parts_of_a_list(xs, n):
    out = []
    for i in range(n):
        out.append(bisect.bisect_right(xs, i, 1))
        out.append(bisect.bisect_left(xs, i, lo=1, hi=3))
        out.append(bisect.bisect_left(xs, i, hi=4 if i < 15 else 9))
        out.append(bisect.bisect_left(xs, i, 12 - n))
    return out


@program([1, 2, 3], [2, 1 << 70, 1j], native=None)
def items_without_order(ordered, xs):
    for x in xs:
        insort(ordered, x)
    return ordered


@pytest.mark.parametrize("name", program.cases)
def test_searches_find_what_python_finds(name: str, jitted: dict[str, tuple[Any, list[Any]]]) -> None:
    program.check(name, *jitted[name])
