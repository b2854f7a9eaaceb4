"""Affine recurrences of integers, several trips at once: each step does what Python does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.frontend.loops.native import begin, check, run_natively

LENGTHS = (0, 1, 3, 7, 8, 9, 23, 1024, 1041)
MASK = 0x7FFFFFFF


def congruential(a: Any, x: Any, n: int) -> Any:
    for _ in range(n):
        x = (1103515245 * x + 12345) & 0x7FFFFFFF
    return x


def by_a_remainder(a: Any, x: Any, n: int) -> Any:
    for _ in range(n):
        x = (12345 - x * 1103515245) % 2**31
    return x


def of_two_statements(a: Any, x: Any, n: int) -> Any:
    for i in range(n):
        x = x * 1103515245 + i
        x &= 2**48 - 1
    return x


def of_64_bits(a: Any, x: Any, n: int) -> Any:
    for _ in range(n):
        x = (6364136223846793005 * x + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
    return x


def stored(a: Any, x: Any, n: int) -> Any:
    k = 0
    for i in range(n):
        x = (0xFFFF & x * 75) + 74 & 0xFFFF
        a[i] += x
        k += x ^ i
    return x, k


def twice_a_trip(a: Any, x: Any, n: int) -> Any:
    k = 0
    for _ in range(n):
        x = (69069 * x + 1) & 0xFFFFFFFF
        u = x
        x = (69069 * x + k) & 0xFFFFFFFF
        k = u >> 3 ^ x
    return x, k


def of_items(a: Any, x: Any, n: int) -> Any:
    for v in a:
        x = (x * 33 + int(v)) & 0xFFFFFFFF
    return x, v


def by_a_shift(a: Any, x: Any, n: int) -> Any:
    for i in range(len(a) - 1, -1, -1):
        x = (x << 5) - x + int(a[i]) & 0xFFFFFFFF
    return x


def of_two_ints(a: Any, x: Any, n: int) -> Any:
    y = 1
    for _, v in enumerate(a):
        x = (x * 31 + y) & 0xFFFFFF
        y = (-y * 7 + x + int(v)) & 0xFFFF
    return x, y


def of_a_text(a: Any, x: Any, n: int) -> Any:
    for c in b"The quick brown fox jumps over the lazy dog, and over the next one, too.":
        x = (x * 33 + c) & 0xFFFFFFFF
    return x


def below(a: Any, x: Any, n: int) -> Any:
    low = high = 0
    for i in range(n):
        x = (1103515245 * x + 12345) & 0x7FFFFFFF
        if x < 1 << 30:
            low += x
            continue
        high += i
        if x & 1023 == 0:
            a[0] = i
            break
    return x, low, high, i


def within_others(a: Any, x: Any, n: int) -> Any:
    k = 0
    for i in range(len(a)):
        for j in range(n % 50):
            x = (69069 * x + j) & 0xFFFFFFFF
            if x & 64:
                a[i] += x >> 7
            else:
                k ^= x
    return x, k


def with_one_of_some_ways(a: Any, x: Any, n: int) -> Any:
    y = 1
    for i in range(n):
        x = (69069 * x + 5) & 0xFFFFFFFF
        if x & 64:
            y = (y * 3 + x) & 0xFF
        a[i] = y
    return x, y


PROGRAMS = (
    *(congruential, by_a_remainder, of_two_statements, of_64_bits, stored, twice_a_trip, of_items),
    *(by_a_shift, of_two_ints, of_a_text, below, within_others, with_one_of_some_ways),
)


@pytest.mark.parametrize("program", PROGRAMS)
def test_python_ints(program: Callable[..., Any]) -> None:
    assert begin(program, np.arange(9), 1, 9).loop.region.recurrences
    for n in LENGTHS if program is not of_a_text else (0,):
        for x in (0, 12345, -98765, 2**39 + 7):
            a = np.arange(n) * 1000003 - 5
            if n or program not in (of_items, below):
                check(program, a, x, n)


def of_numpy(a: Any, x: Any, n: int) -> Any:
    factor = x * x + x
    for i in range(n):
        x = x * factor + a[i]
        a[i] = x
    return x


def of_many_numpy(a: Any, x: Any, n: int) -> Any:
    for v in a:
        x = (x << 3) - x * 5 + v
    return x


@pytest.mark.parametrize("code", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
@pytest.mark.parametrize("program", [of_numpy, of_many_numpy])
def test_integers_of_numpy_wrap(program: Callable[..., Any], code: str) -> None:
    kind = np.dtype(code)
    x = kind.type(7)
    assert begin(program, np.arange(9).astype(kind), x, 9).loop.region.recurrences
    for n in LENGTHS[1:]:
        a = (np.arange(n) * 1000003 - 5).astype(kind)
        check(program, a, x, n)
        check(program, a[::-1][: n // 2], x, n // 2)


def mixed(a: Any, x: Any, n: int) -> Any:
    y = np.uint8(3)
    for _ in range(n):
        x = (x * 5 + int(y)) & 0xFF
        y = y * np.uint8(7) + np.uint8(x)
    return x, y


def test_types_side_by_side() -> None:
    for n in LENGTHS:
        check(mixed, None, 7, n)


def all_digits(a: Any, x: Any, n: int) -> Any:
    for _ in range(n):
        x = x * 3 + 1
    return x


def by_high_bits(a: Any, x: Any, n: int) -> Any:
    for _ in range(n):
        x = (x * 5 + (x >> 7)) & 0xFFFF
    return x


def kept_within(a: Any, x: Any, n: int) -> Any:
    for _ in range(n):
        x = ((x * 5 & 0xFF) + 3) & 0xFFFF
    return x


def of_other_bits(a: Any, x: Any, n: int) -> Any:
    for _ in range(n):
        x = (x * 5 + 3) & 0xFF0F
    return x


def of_two_sizes(a: Any, x: Any, n: int) -> Any:
    for _ in range(n):
        x = (x * 5 + 3) & 0xFF
        a[0] = x
        x = (x * 5 + 3) & 0xFFFF
    return x


def of_a_product(a: Any, x: Any, n: int) -> Any:
    for _ in range(n):
        x = (x * x + 3) & 0xFFFF
    return x


def by_changing_factors(a: Any, x: Any, n: int) -> Any:
    for i in range(n):
        x = (x * i + 3) & 0xFFFF
    return x


def only_sums(a: Any, x: Any, n: int) -> Any:
    for i in range(n):
        x = (x + i) & 0xFFFF
    return x


def seen_before_the_mask(a: Any, x: Any, n: int) -> Any:
    x &= 0xFFFF
    for i in range(n):
        x = x * 3 + 1
        x = (x + int(a[i])) & 0xFFFF
    return x


def with_a_branch_first(a: Any, x: Any, n: int) -> Any:
    for i in range(n):
        if a[i] > 3:
            x = (x * 5 + 3) & 0xFFFF
    return x


@pytest.mark.parametrize(
    "program",
    [
        *(all_digits, by_high_bits, kept_within, of_other_bits, of_two_sizes, of_a_product),
        *(by_changing_factors, only_sums, with_a_branch_first, seen_before_the_mask),
    ],
)
def test_other_recurrences_are_done_trip_by_trip(program: Callable[..., Any]) -> None:
    assert not begin(program, np.arange(9), 1, 9).loop.region.recurrences
    for n in (0, 1, 9, 23):
        check(program, np.arange(23), 77, n)


def stored_beyond(a: Any, x: Any, n: int) -> Any:
    for i in range(n):
        x = (x * 75 + 74) & 0xFFFF
        a[i + 2] = x


def stored_beyond_by_a_branch(a: Any, x: Any, n: int) -> Any:
    for i in range(n):
        x = (x * 75 + 74) & 0xFFFF
        if x >= 0 and i >= 0 and a[0] == 0:
            a[i + 2] = x


@pytest.mark.parametrize("length", [2, 3, 9, 10, 14, 18, 19])
@pytest.mark.parametrize("program", [stored_beyond, stored_beyond_by_a_branch])
def test_names_have_their_values_where_a_trip_leaves(program: Callable[..., Any], length: int) -> None:
    a = np.zeros(length, np.int64)
    assert begin(program, a, 1, 40).loop.region.recurrences
    run = run_natively(program, a, 1, 40)
    x, want = 1, []
    for _ in range(length - 1):
        x = (x * 75 + 74) & 0xFFFF
        want.append(x)
    assert run.names["x"] == x and run.names["i"] == length - 2
    assert a[2:].tolist() == want[:-1]
