"""Sums that loops over small items make in parts of few bits: each value is Python's, however many trips."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.frontend.loops.jitted import check as check_calls
from tests.frontend.loops.native import begin, check


def total(x: Any, y: Any, s: Any) -> Any:
    for i in range(len(x)):
        s += int(x[i])
    return s, i


def total_of_items(x: Any, y: Any, s: Any) -> Any:
    for v in x:
        s -= int(v)
    return s, v


def unequal(x: Any, y: Any, s: Any) -> Any:
    for i in range(len(x)):
        if x[i] != y[i]:
            s += 1
    return s


def unequal_side_by_side(x: Any, y: Any, s: Any) -> Any:
    for a, b in zip(x, y, strict=False):
        if a != b:
            s += 1
    return s


def far(x: Any, y: Any, s: Any) -> Any:
    n = 0
    for i in range(len(x) - 1, -1, -1):
        d = int(x[i]) - int(y[i])
        if d > 3:
            n += 3
        s += abs(d)
    return s, n, i


def products(x: Any, y: Any, s: Any) -> Any:
    for i in range(1, len(x), 2):
        s += int(x[i]) * int(y[i]) - 7
    return s


def counted(x: Any, y: Any, s: Any) -> Any:
    small = large = 0
    for _, v in enumerate(x):
        if 20 <= v < 90:
            small += 1
        elif v > 110 or v < 5:
            large += 2
            s -= 1
    return small, large, s


def stored(x: Any, y: Any, s: Any) -> Any:
    for i in range(len(x)):
        if x[i] < 9:
            s += 1
        y[i] = x[i]
    return s


def rows(x: Any, y: Any, s: Any) -> Any:
    found = 0
    for k in range(5):
        n = 0
        for i in range(k * 100, len(x)):
            if x[i] == y[i]:
                n += 1
                s += int(x[i])
        found = max(found, n)
    return found, s


PARTIAL = [total, total_of_items, unequal, unequal_side_by_side, far, products, counted, stored, rows]


def used(x: Any, y: Any, s: Any) -> Any:
    top = 0
    for i in range(len(x)):
        s += int(x[i])
        if s > 1000:
            top = s
    return s, top


def ended(x: Any, y: Any, s: Any) -> Any:
    for i in range(len(x)):
        s += int(x[i])
        if x[i] == 77:
            break
    return s, i


def by_number(x: Any, y: Any, s: Any) -> Any:
    for i in range(len(x)):
        if (i & 3) == 2:
            s += int(x[i])
    return s


def by_itself(x: Any, y: Any, s: Any) -> Any:
    for i in range(len(x)):
        s = s + 1 if s > int(x[i]) else s + 2
    return s


def parts(function: Callable[..., Any], x: Any, y: Any) -> set[str]:
    """Return the C++ types of the parts of a function's first loop."""
    return {*re.findall(r"(\w+) part_\d+ = 0;", begin(function, x, y, 0).loop.source.text)}


@pytest.mark.parametrize("function", PARTIAL)
def test_sums_of_bytes_are_made_in_parts(function: Callable[..., Any]) -> None:
    x = np.arange(9, dtype=np.uint8)
    assert parts(function, x, x) == {"int32_t" if function is products else "int16_t"}


@pytest.mark.parametrize("function", [used, ended, by_number, by_itself])
def test_loops_that_use_a_sum_or_end_early_have_no_parts(function: Callable[..., Any]) -> None:
    x = np.arange(9, dtype=np.uint8)
    assert not parts(function, x, x)


def test_parts_have_the_bits_of_the_items() -> None:
    for kind, expected in (("i1", "int16_t"), ("u2", "int16_t"), ("i4", "int32_t"), ("f4", "int32_t")):
        assert parts(unequal, np.ones(9, kind), np.ones(9, kind)) == {expected}
    assert parts(total, np.ones(9, "u2"), np.ones(9)) == {"int32_t"}
    for kind in ("i8", "u8", "f8", "c16"):
        assert not parts(unequal, np.ones(9, kind), np.ones(9, kind))


@pytest.mark.parametrize("function", [*PARTIAL, used, ended, by_number, by_itself])
def test_values_at_the_ends_of_parts(function: Callable[..., Any]) -> None:
    random = np.random.default_rng(3)
    for kind in ("u1", "i1", "?", "u2", "i2", "i4", "u4", "f4"):
        for length in (0, 1, 127, 128, 129, 500, 40_000):
            x = random.integers(0, 128, length).astype(kind)
            y = np.where(random.random(length) < 0.5, x, x[::-1]).astype(kind)
            if length:
                check(function, x, y, 3)
    full = np.full(40_000, 255, np.uint8)
    check(function, full, np.zeros_like(full), -(1 << 40))
    check(function, np.full(70_000, -128, np.int8), np.full(70_000, 127, np.int8), 1)
    check_calls(function, full[::3], full[::-3], 5)
    check_calls(function, full[:0], full[:0], 5)


@pytest.mark.parametrize("function", [total, unequal, rows])
def test_sums_that_are_large_before(function: Callable[..., Any]) -> None:
    x, y = np.full(1000, 255, np.uint8), np.zeros(1000, np.uint8)
    added = int(function(x, y, 0)[0] if function is total else 1000 if function is unequal else 0)
    for s in (2**62 - 1, 2**62, 2**63 - 1 - added, 2**63 - added, -(2**62)):
        check_calls(function, x, y, s)
