"""Loops are native though names that they read may have no value where they begin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.frontend.loops.jitted import check


@pytest.fixture(autouse=True)
def _native(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.setenv("NPCOMPILE_CONTESTS", "0")
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")


def of_an_inner_loop(x: Any, n: int) -> Any:
    out = np.zeros(n)
    for i in range(n):
        total, hit = 0.0, False
        for k in range(int(x[i])):
            before = total * 2.0 + k
            total += x[i]
            if total > 1.5:
                hit = True
                break
        if hit:
            out[i] = before
    return out, before


def of_one_way(x: Any, n: int) -> Any:
    total = 0.0
    for i in range(n):
        if x[i] > 3:
            last = x[i]
        if i > 3:
            total += last
    return total, last


def of_an_earlier_trip(x: Any, n: int) -> Any:
    total = 0.0
    for i in range(n):
        if i % 2 == 0:
            before = x[i] * 2
        total += before
    return total, before


def after_a_leave(x: Any, n: int) -> Any:
    total = 0.0
    for i in range(n):
        for k in range(i):
            value = x[k] * i
        if i > 0:
            total += value
        if i == 5:
            total += len(str(int(value)))
    return total, value, k


PROGRAMS = [of_an_inner_loop, of_one_way, of_an_earlier_trip, after_a_leave]


@pytest.mark.parametrize("function", PROGRAMS)
@pytest.mark.parametrize("n", [9, 3])
def test_as_python(function: Callable[..., Any], n: int) -> None:
    check(function, np.array([2.0, 0.0, 5.0, 1.0, 4.0, 0.0, 7.0, 3.0, 1.0]), n)


@pytest.mark.parametrize("function", PROGRAMS)
def test_names_that_never_have_values(function: Callable[..., Any]) -> None:
    check(function, np.zeros(9), 9)


def test_the_outermost_loop_is_native() -> None:
    stats = check(of_an_inner_loop, np.full(9, 3.0), 9)
    assert stats.loop_leaves == 0
    assert stats.native_loops <= 2
