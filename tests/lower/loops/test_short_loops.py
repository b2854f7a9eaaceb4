"""`while` loops that take a bit from an int in each trip: they neither poll nor count their trips."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npcompile.lower.loops.codegen.short_loops import short_loops
from tests.frontend.loops.native import begin, check


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


def by_table(n: int, out: Any) -> Any:
    x, c = out + 77773, 0
    for i in range(len(x)):
        k = x[i]
        while k > 0:
            c += out[k & 7]
            k >>= 8
        out[i] += c
    return c


def of_unsigned(n: int, out: Any) -> Any:
    x, c = out.astype(np.uint16) - np.uint16(1), 0
    for i in range(len(x)):
        k = x[i]
        while k:
            k &= k - 1
            c += 1
        out[i] += c
    return c


def of_bytes(n: int, out: Any) -> Any:
    x, c = np.arange(-128, 128).astype(np.int8), 0
    for i in range(len(x)):
        k = x[i]
        while k >= 1:
            k //= 3
            c += 1
        out[i % 8] += c
    return c


def ones_of_either_sign(n: int, out: Any) -> Any:
    x, c = np.append(out, [-5, -(1 << 63), (1 << 63) - 1]), 0
    for i in range(len(x)):
        k = x[i]
        while k:
            k &= k - 1
            c += 1
    return c


def ones_of_bytes(n: int, out: Any) -> Any:
    x, c = np.arange(-128, 128).astype(np.int8), 0
    for i in range(len(x)):
        k = x[i]
        while k != 0:
            k = (k - 1) & k
            c += 1
        out[i % 8] += c
    return c


@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize("function", [by_table, of_unsigned, of_bytes, ones_of_either_sign, ones_of_bytes])
def test_loops_of_few_trips_of_numpys_integers(function: Callable[..., Any]) -> None:
    region = check(function, 40, np.arange(8)).loop.region
    assert short_loops(region), region


def of_either_sign(n: int, out: Any) -> Any:
    c = 0
    for i in range(n):
        k = out[i % 8]
        while k:
            k >>= 1
            c += 1
    return c


def test_an_integer_of_numpys_that_may_be_negative_takes_any_number_of_trips() -> None:
    assert not short_loops(check(of_either_sign, 40, np.arange(8)).loop.region)


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


@pytest.mark.parametrize("function", [by_a_name, in_some_trips, grows_again, by_one])
def test_loops_that_may_have_many_trips(function: Callable[..., Any]) -> None:
    region = check(function, 40, 1).loop.region
    assert not short_loops(region), region


def ones_of_items(n: int, a: Any) -> int:
    c = 0
    for i in range(n):
        x = int(a[i])
        while x != 0:
            x &= x - 1
            c += 1
    return c


def test_the_sign_of_an_int_of_any_value_is_asked_before_its_loop() -> None:
    (begun,) = short_loops(region := check(of_any_sign, 40, 1).loop.region)
    assert sum(block.source == begun.source and block.is_header for block in region.blocks) == 2
    rng = np.random.default_rng(3)
    run = check(ones_of_items, 40, rng.integers(0, 1 << 62, 40))
    assert len(short_loops(run.loop.region)) == 1


def test_a_negative_int_is_left_to_python() -> None:
    """Python's int has more and more bits then: -5, -6, -8, -16 and so on."""
    run = begin(ones_of_items, 3, np.array([7, -5, 1])).run()
    assert not run.is_done
    assert (run.names["x"], run.names["c"]) == (-(1 << 63), 3 + 62)


def halves_of_items(n: int, a: Any) -> int:
    c = 0
    for i in range(n):
        x = int(a[i])
        while x:
            x //= 2
            c += x & 3
            if c > 1000:
                c -= 999
                if x < 0:
                    break
    return c


def test_both_versions_give_the_same() -> None:
    numbers = np.array([7, -5, 1, 0, -(1 << 63), (1 << 63) - 1, -1, 12345678901], np.int64)
    run = check(halves_of_items, len(numbers), numbers)
    assert len(short_loops(run.loop.region)) == 1
