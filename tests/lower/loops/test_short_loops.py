"""`while` loops that take a bit from an int in each trip: they neither poll nor count their trips."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npcompile.lower.loops.codegen.short_loops import short_loops
from tests.frontend.loops.native import check


def ones(n: int, out: Any) -> int:
    c = 0
    for i in range(n):
        x = i * 77773
        while x:
            x &= x - 1
            c += 1
        out[i % 8] = c
    return c


def bits(n: int, out: Any) -> int:
    c = 0
    for i in range(n):
        x = i * 1234567
        while x > 0:
            if x & 1:
                out[i % 8] += x
            x >>= 1
            c += 2
    return c


def digits(n: int, out: Any) -> int:
    c = 0
    for i in range(n):
        x = i * i
        while x != 0:
            c += x % 10
            x //= 10
            if c == 77:
                break
    return c


def below_zero(n: int, out: Any) -> int:
    c = 0
    for i in range(n):
        x = 5 - i
        while x > 0:
            x //= 3
            c += x
    return c


@pytest.mark.parametrize("function", [ones, bits, digits, below_zero])
def test_loops_of_few_trips(function: Callable[..., Any]) -> None:
    region = check(function, 40, np.zeros(8, np.int64)).loop.region
    assert len(short_loops(region)) == 1, region


def by_a_name(n: int, k: int) -> int:
    c = 0
    for i in range(n):
        x = i
        while x > 0:
            x >>= k
            c += 1
    return c


def in_some_trips(n: int, k: int) -> int:
    c = 0
    for i in range(n):
        x = i
        while x > 0:
            c += 1
            if c % 2:
                x //= 2
    return c


def grows_again(n: int, k: int) -> int:
    c = 0
    for i in range(n):
        x = i
        while x > 1:
            x //= 2
            if c % 3 == 0:
                x += 1
            c += 1
    return c


def of_any_sign(n: int, k: int) -> int:
    c = 0
    for i in range(n):
        x = k - i
        while x:
            x //= 2
            c += 1
            if c > 100:
                c = 0
                break
    return c


def by_one(n: int, k: int) -> int:
    c = 0
    for i in range(n):
        x = i
        while x > 0:
            x //= 1
            c += 1
            if c % 5 == 0:
                break
    return c


@pytest.mark.parametrize("function", [by_a_name, in_some_trips, grows_again, of_any_sign, by_one])
def test_loops_that_may_have_many_trips(function: Callable[..., Any]) -> None:
    region = check(function, 40, 1).loop.region
    assert not short_loops(region), region
