"""Partial unrolling of loops that store items at places which data tell: each step does what Python does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.frontend.loops.native import begin, check, run_natively

LENGTHS = (1, 3, 7, 8, 9, 23)


def counted(a: Any, b: Any, n: int) -> Any:
    for i in range(n):
        b[a[i]] += 1
    return b


def counted_items(a: Any, b: Any, n: int) -> Any:
    for x in a:
        b[x] += x
    return b, x


def distributed(a: Any, b: Any, n: int) -> Any:
    count = np.arange(20)
    for i in range(n):
        k = a[i] & 7
        b[count[k]] = a[i]
        count[k] += 1
    return b, count


def stored_in_order(a: Any, b: Any, n: int) -> Any:
    for i in range(n):
        j = i
        b[j] = a[i]
    return b


@pytest.mark.parametrize("program", [counted, counted_items, distributed])
def test_stores_at_places_that_data_tell(program: Callable[..., Any]) -> None:
    for n in LENGTHS:
        a = np.arange(n) * 7 % 13
        assert "4 trips at once" in str(begin(program, a, np.zeros(40, int), n).loop.region)
        check(program, a, np.zeros(40, int), n)


@pytest.mark.parametrize("wrong", range(1, 12))
@pytest.mark.parametrize("program", [counted, counted_items])
def test_scatters_end_where_a_place_is_beyond(program: Callable[..., Any], wrong: int) -> None:
    a, b = np.arange(12) % 5, np.zeros(5, int)
    a[wrong] = 5
    run = run_natively(program, a, b, 12)
    want = np.zeros(5, int)
    np.add.at(want, a[:wrong], a[:wrong] if program is counted_items else 1)
    assert not run.is_done and b.tolist() == want.tolist()


def test_stores_in_order_are_left_to_be_vectorised() -> None:
    assert not begin(stored_in_order, np.arange(9), np.zeros(9, int), 9).loop.region.recurrences
