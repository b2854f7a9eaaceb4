"""Sums of items that are taken to be small, and are not: each value is Python's, wherever they begin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npcompile.lower.loops.guess_ir import GuessedLoop
from tests.frontend.loops.jitted import check as check_calls
from tests.frontend.loops.native import begin, check


def total(x: Any, y: Any) -> Any:
    s = 0
    for i in range(len(x)):
        s += int(x[i])
    return s


def total_of_items(x: Any, y: Any) -> Any:
    s = 7
    for v in x:
        s -= int(v)
    return s, v


def products(x: Any, y: Any) -> Any:
    s = 0
    for i in range(len(x)):
        a = int(x[i])
        b = int(y[i])
        s += a * b - 3 * (a - b)
    return s, a, b, i


def chosen(x: Any, y: Any) -> Any:
    n = 0
    s = 0
    for v in x:
        if v > 100:
            n += 1
            s += int(v)
        else:
            s -= abs(int(v))
    return n, s


def ended(x: Any, y: Any) -> Any:
    s = 0
    at = -1
    for i in range(1, len(x), 2):
        s += int(x[i])
        if s > 200 or x[i] == -5:
            at = i
            break
    return s, at, i


def rows(x: Any, y: Any) -> Any:
    out = []
    for k in range(6):
        s = k
        for i in range(k, len(x)):
            s += int(x[i]) * 2
        out.append(s)
    return out


def low_digits(x: Any, y: Any) -> Any:
    s = 0
    for i in range(len(x)):
        s += (int(x[i]) + int(y[i])) % 10 + (int(x[i]) >> 3)
    return s


GUESSED = [total, total_of_items, products, chosen, ended, low_digits]


def stored(x: Any, y: Any) -> None:
    s = 0
    for i in range(len(x)):
        s += int(x[i])
        y[i] = i


def divided(x: Any, y: Any) -> None:
    s = 0
    for i in range(len(x)):
        a = int(x[i])
        s += 100 // (a * a + 1) + a


def printed(x: Any, y: Any) -> None:
    s = 0
    for i in range(len(x)):
        s += int(x[int(y[i])])


@pytest.mark.parametrize("function", [*GUESSED, stored, divided, printed])
def test_loops_that_guess_have_no_effect_and_no_other_exits(function: Callable[..., Any]) -> None:
    region = begin(function, np.arange(9), np.arange(9)).loop.region
    found = any(isinstance(loop, GuessedLoop) for loop in region.fast_loops.values())
    assert found == (function in GUESSED), region


@pytest.mark.parametrize("function", [*GUESSED, rows])
def test_large_items_wherever_they_are(function: Callable[..., Any]) -> None:
    small = np.arange(-20, 20) * 7
    check_calls(function, small, small[::-1])
    check_calls(function, small[::3], small[1::3])
    for large in ((1 << 15), -(1 << 31), -(1 << 31) - 1, (1 << 63) - 1, -(1 << 63)):
        for places in ([39], [1, 2], [*range(40)]):
            x = small.copy()
            x[places] = large
            check_calls(function, x, small[::-1])
            check_calls(function, x, x)


def test_a_guess_that_was_wrong_leaves_no_trace() -> None:
    x = np.arange(40)
    x[30] = 1 << 40
    for function in (total, total_of_items, chosen, ended):
        check(function, x, x)


def from_before(x: Any, s: Any) -> Any:
    for i in range(len(x)):
        s += int(x[i])
    return s, i


def test_sums_that_are_large_before() -> None:
    x = np.arange(40) << 20
    for s in (2**62 - 1, 2**62, 2**63 - 1 - int(x.sum()), 2**63 - int(x.sum())):
        check_calls(from_before, x, s)
        check_calls(from_before, -x, -s)
