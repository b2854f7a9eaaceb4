"""Extremes of a value and of its sum with an int of the trip before are Python's, also where sums wrap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.frontend.loops.native import begin, check, run_natively

MOST = 2**63 - 1


def largest(a: Any, s: Any) -> Any:
    for i in range(len(a)):
        s = max(a[i], s + a[i])
        a[i] = s


def largest_of_sum_first(a: Any, s: Any) -> Any:
    for v in a:
        s = max(v + s, v)


def smallest(a: Any, s: Any) -> Any:
    t = s
    for i in range(len(a)):
        s = min(s + a[i], a[i])
        t = max(t, s)


def smallest_of_ints(a: Any, s: Any) -> Any:
    for i in range(len(a)):
        v = int(a[i])
        s = min(v, s + v)


def largest_of_ints(a: Any, s: Any) -> Any:
    for i in range(len(a)):
        v = int(a[i])
        s = max(s + v, v)


OF_NUMPY = (largest, largest_of_sum_first, smallest)
OF_INTS = (smallest_of_ints, largest_of_ints)


@pytest.mark.parametrize("program", OF_NUMPY)
@pytest.mark.filterwarnings("ignore:overflow")
def test_numpy_integers_wrap(program: Callable[..., Any]) -> None:
    assert "_with_sum(" in begin(program, np.arange(9), np.int64(0)).loop.source.text
    draws = np.random.default_rng(3)
    for first in (0, 5, -5, MOST, -MOST - 1):
        check(program, draws.integers(-10, 10, 40), np.int64(first))
        check(program, draws.integers(-MOST, MOST, 40), np.int64(first))


@pytest.mark.parametrize("program", OF_INTS)
def test_python_ints(program: Callable[..., Any]) -> None:
    assert " 0 ? " in begin(program, np.arange(9), 0).loop.source.text
    draws = np.random.default_rng(3)
    for first in (0, 5, -5):
        check(program, draws.integers(-10, 10, 40), first)


@pytest.mark.parametrize("program", OF_INTS)
@pytest.mark.parametrize("sign", [1, -1])
def test_sums_beyond_64_bits_are_left_to_python(program: Callable[..., Any], sign: int) -> None:
    run = run_natively(program, np.array([3, 2**62 + 9, 2**62 + 9, 5]) * sign, sign)
    s = sign
    for v in (3 * sign, (2**62 + 9) * sign):
        s = min(v, s + v) if program is smallest_of_ints else max(v, s + v)
    assert not run.is_done and run.names["i"] == 2 and run.names["s"] == s


def of_items_alone(a: Any, s: Any) -> Any:
    for i in range(len(a)):
        a[i] = max(a[i], a[i] + s)


def test_other_sums_are_vectorised() -> None:
    assert "_with_sum(" not in begin(of_items_alone, np.arange(9), np.int64(3)).loop.source.text
    check(of_items_alone, np.arange(-20, 20), np.int64(3))
