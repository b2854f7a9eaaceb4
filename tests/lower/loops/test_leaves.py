"""Names that native code does not write back where it leaves: nobody reads them there."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.lower.loops.codegen.leave_code import unread_temporaries
from tests.frontend.loops.jitted import Programs
from tests.frontend.loops.native import begin

programs = Programs()


def middles(x: Any, out: Any) -> None:
    for i in range(1, len(x) - 1):
        a, b, c = x[i - 1], x[i], x[i + 1]
        if a > b:
            a, b = b, a
        if b > c:
            b = c
        if a > b:
            b = a
        out[i] = b


def test_a_temporary_of_a_block_without_exits_is_unread() -> None:
    region = begin(middles, np.arange(9.0), np.zeros(9)).loop.region
    temporaries = {name for name in region.stored if re.fullmatch(r"\.t\d+", name)}
    places = {step.place for block in region.blocks for step in block.steps if "[" in str(step)}
    swapped = {name for name in temporaries if not _has_exit(region, name, places)}
    assert len(swapped) == 2
    assert unread_temporaries(region, places) == swapped


def _has_exit(region: Any, name: str, places: set[Any]) -> bool:
    left = {place.block for place in places}
    return any(
        getattr(step, "name", None) == name and step.place.block in left
        for block in region.blocks
        for step in block.steps
    )


def test_a_swap_in_a_branch_is_vectorised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.delenv("NPCOMPILE_OPTIMIZE_LOOPS", raising=False)
    jitted = npcompile.jit(middles, wait=True)
    (loop,) = npcompile.explain(jitted, np.arange(99.0), np.zeros(99)).loops
    assert loop.vectorised


@programs(np.arange(9.0) % 4, 7)
def a_swap_that_leaves_between(x, n):
    s = 0.0
    for k in range(n):
        x[k], x[k + 3] = x[k + 3], x[k]  # out of bounds at last
        s += x[k]
    return s


@programs(np.arange(12) % 5, 0)
def a_rotation_that_overflows(x, big):
    a, b = 1, 2
    for k in range(len(x)):
        if x[k] > 2:
            a, b = b, a + b
        if k == 9:
            big = (1 << 62) * int(x[k])
            a, b = b, big + big
    return a, b, big


@programs(np.arange(30.0) % 7)
def a_name_of_one_way(x):
    t = -1.0
    for k in range(len(x) - 1):
        if x[k] > x[k + 1]:
            t = x[k]
            x[k] = x[k + 1]
            x[k + 1] = t
    return x


@programs(np.arange(30.0) % 7)
def a_name_that_is_returned_beside(x):
    t, u = -1.0, 3
    for k in range(len(x) - 1):
        if x[k] > x[k + 1]:
            t = x[k]
            u = k
    return t, u


@programs(np.arange(30.0) % 7, 40)
def an_exception_with_numbers(x, n):
    t = 0.0
    try:
        for k in range(n):
            if x[k] > 3:
                t = x[k] + k
    except IndexError:
        return t, k
    return -t, k


class Counter:
    total = 0
    last = 0.5

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other)


@programs(Counter(), np.arange(30.0))
def attributes_are_kept(counter, x):
    for k in range(len(x)):
        if x[k] > 20:
            counter.total += 1
            counter.last = x[k]
    found = counter.total, counter.last
    counter.total = 0
    counter.last = 0.5
    return found


def counting(x):
    count = 0

    def visit(k):
        nonlocal count
        if x[k] > 3:
            count += 1

    for k in range(len(x)):
        visit(k)
    return count


programs(np.arange(40.0) % 9)(counting)


@programs(np.arange(40) % 9)
def lists_beside_numbers(x):
    found, last = [], 0
    for k in range(len(x)):
        if x[k] > 6:
            last = int(x[k])
            found.append(last)
    return found


@pytest.fixture(scope="module")
def called() -> dict[str, tuple[Any, list[Any]]]:
    return programs.called()


@pytest.mark.parametrize("name", programs.cases)
def test_program(name: str, called: dict[str, tuple[Any, list[Any]]]) -> None:
    jitted, outcomes = called[name]
    programs.check(name, jitted, outcomes)
