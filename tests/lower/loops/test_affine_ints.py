"""Sums and products of an int and constants, which are checked at once, and floats that become ints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.frontend.loops.jitted import check
from tests.frontend.loops.native import begin

LEAST, MOST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


def threefold(values: Any, out: Any) -> int:
    last = 0
    for i in range(len(values)):
        x = int(values[i])
        last = 3 * x + 1
        out[i] = last % 1000
    return last


def mirrored(values: Any, out: Any) -> int:
    last = 0
    for i in range(len(values)):
        x = int(values[i])
        last = 7 - (x * -2 - 5) * 3
        out[i] = last % 1000
    return last


def halved(values: Any, out: Any) -> int:
    x, count = int(values[-1]), 0
    for _ in range(70):
        if x % 2 == 0:
            x //= 2
        else:
            x = 3 * x + 1
        count += x % 7
    return count


def ends(factor: int, shift: int) -> list[int]:
    """The ints beside the least and the greatest for which `factor * x + shift` has 64 bits."""
    near = [(end - shift) // factor + d for end in (LEAST, MOST) for d in (-1, 0, 1, 2)]
    return [x for x in near if LEAST <= x <= MOST]


@pytest.mark.parametrize("last", [*ends(3, 1), *ends(6, 22), *ends(6, 15), *ends(-2, -5), 0, LEAST, MOST])
def test_ints_about_the_greatest(last: int) -> None:
    values = np.array([1, -5, 12, last], np.int64)
    check(threefold, values, np.zeros(4, np.int64))
    check(mirrored, values, np.zeros(4, np.int64))
    if last != LEAST:  # an int at the entry, which is Python's then
        check(halved, values, np.zeros(4, np.int64))


@pytest.mark.parametrize("function", [threefold, mirrored])
def test_one_check_for_all_operations(function: Any) -> None:
    text = begin(function, np.arange(4), np.zeros(4, np.int64)).loop.source.text
    assert text.count("npl::beyond(") == 2  # in each of the loop's versions
    assert "npl::int_multiply(" not in text and "npl::int_add(" not in text


def parsed(values: Any, data: Any) -> int:
    v = 0
    for i in range(len(values)):
        v = int(values[i])
        for j in range(len(data)):
            v = v * 10 + int(data[j]) - 48
        v -= 5 * (7 - int(data[0]) - v)
        values[i] = v % 1000
    return v


@pytest.mark.parametrize("last", [-1, 922337203685477580, -922337203685477580, 153722867280912930])
@pytest.mark.parametrize("near", [*range(-40, 41, 8), 1])
def test_a_term_of_known_bounds(last: int, near: int) -> None:
    data = np.frombuffer(b"7", np.uint8)
    check(parsed, np.array([1, -5, 12, last + near, 3]), data)
    check(parsed, np.array([1, -5, 12, last // 10 + near, 3]), np.frombuffer(b"\xff\x00", np.uint8))


def test_one_check_for_a_term_of_known_bounds() -> None:
    text = begin(parsed, np.arange(4), np.frombuffer(b"7", np.uint8)).loop.source.text
    assert "npl::int_multiply(" not in text and "npl::int_add(" not in text


def rest(values: Any, by: int) -> int:
    last = 0
    for i in range(len(values)):
        x = int(values[i])
        last = (x - 3) % by + (x + by) % 7 + x % by + x // by
        values[i] = last
    return last


@pytest.mark.parametrize("by", [1, -1, 7, -7, 2**32 - 1, 2**32, -(2**32), 2**62, -(2**62), 0])
def test_rests_and_quotients(by: int) -> None:
    ends = [0, 1, 2, 3, 2**31, 2**32 - 1, 2**32, 2**32 + 2, 2**40, 2**62, MOST - 2**62 - 9]
    check(rest, np.array([*ends, *(-x for x in ends)]), by)


def placed(values: Any, out: Any) -> int:
    last = 0
    for i in range(len(values)):
        last = int(np.floor(values[i])) + 1
        out[i] = last % 1000
    return last


FLOATS = [0.5, -0.5, -1e-300, 2.0**53, 2.0**63, -(2.0**63), 2.0**63 - 1024, -(2.0**63) - 2048, 1e300]


@pytest.mark.parametrize("last", [*FLOATS, float("nan"), float("inf"), -float("inf")])
def test_a_float_that_becomes_an_int(last: float) -> None:
    check(placed, np.array([1.5, -2.5, last]), np.zeros(3, np.int64))


def test_an_int_of_a_float_has_room_for_one_more() -> None:
    text = begin(placed, np.array([1.5, -2.5]), np.zeros(2, np.int64)).loop.source.text
    assert "npl::int_add(" not in text and "npl::int_add_unchecked(" in text
