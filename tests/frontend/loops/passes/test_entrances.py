"""Loops of which a trip gives a name another type: each version is entered at its header alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npcompile.lower.loops.codegen.nesting import natural_loops
from tests.frontend.loops.native import check


def least_cost(a: Any, x: Any) -> None:
    for i in range(len(x)):
        best, at = 1 << 60, -1
        for k in range(len(x)):
            cost = a[i, k] + x[k]
            if cost < best:
                best = cost
                at = k
        x[i] = best + at


def last_above(a: Any, x: Any) -> Any:
    found, place = None, 0
    for i in range(len(x)):
        if x[i] > 2:
            found = x[i]
            if found > 5:
                place = a[i, i]
            elif i == 4:
                break
        else:
            x[i] += 1
    return found, place


def turned(a: Any, x: Any) -> None:
    best, i = 0, 0
    while i < len(x):
        if x[i] > best:
            best = x[i]
        elif a[i, 0] > 3:
            best = 0
        i += 1


@pytest.mark.parametrize("function", [least_cost, last_above, turned])
@pytest.mark.parametrize("shift", [0, 3, -9])
def test_versions_of_a_loop(function: Callable[..., Any], shift: int) -> None:
    a = np.array([[(3 * i + 5 * j) % 7 for j in range(6)] for i in range(6)])
    check(function, a + shift, np.array([4, 1, 3, 0, 6, 2]) + shift)


def test_each_version_is_a_loop_without_checks() -> None:
    a = np.array([[(3 * i + 5 * j) % 7 for j in range(6)] for i in range(6)])
    region = check(least_cost, a, np.arange(6)).loop.region
    inner = [block for block in region.fast_loops if block.source != region.entry.source]
    assert len(inner) == 2
    assert all(len(natural_loops(region)[block]) > 3 for block in inner), region


def smoothed(a: Any, x: Any) -> None:
    for i in range(len(x) - 2):
        s = 0.0
        for j in range(x[i] % 3):
            for k in range(x[i + 1] % 4):
                s += a[i + j, k] * x[k]
        x[i] = s


def stopped(a: Any, x: Any) -> None:
    best = 0
    for i in range(len(x)):
        j = 0
        while j < len(x):
            k = 0
            while k < j:
                if a[i, k] == 6:
                    best = 0
                elif a[j, k] > best:
                    best = a[j, k]
                k += 1
            if best > 5:
                break
            j += 1
        x[i] = best + j


@pytest.mark.parametrize("function", [smoothed, stopped])
@pytest.mark.parametrize("shift", [0, 3, -9])
def test_versions_of_loops_around_others(function: Callable[..., Any], shift: int) -> None:
    a = np.array([[(3 * i + 5 * j) % 7 for j in range(6)] for i in range(6)])
    check(function, a + shift, np.array([4, 1, 3, 0, 6, 2]) + shift)
    check(function, a * 0.5 + shift, np.array([4, 1, 3, 0, 6, 2]) + shift)


def test_loops_around_others_have_headers_of_their_own() -> None:
    a = np.array([[(3 * i + 5 * j) % 7 for j in range(6)] for i in range(6)])
    loops = natural_loops(check(smoothed, a, np.arange(6)).loop.region)
    around = {
        block.source for block, blocks in loops.items() if any(one in loops for one in blocks - {block})
    }
    assert len(around) == 2  # those of `i` and of `j`
