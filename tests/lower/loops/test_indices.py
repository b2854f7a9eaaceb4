"""Indices that native loops read from arrays or compute: each is counted, or refused, as Python does it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.frontend.loops.jitted import check
from tests.frontend.loops.native import begin

LEAST, MOST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


def gathered(x: Any, at: Any, out: Any) -> float:
    total = 0.0
    for i in range(len(at)):
        total += x[at[i]]
        out[at[i] - 1] = total
    return total


@pytest.mark.parametrize("last", [0, 3, -1, -4, 4, -5, LEAST, LEAST + 4, MOST, MOST - 4])
def test_an_index_that_is_read_or_computed(last: int) -> None:
    check(gathered, np.arange(4.0), np.array([1, -2, 3, last]), np.zeros(5))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64])
@pytest.mark.parametrize("last", [3, 4])
def test_an_index_of_any_width(dtype: Any, last: int) -> None:
    check(gathered, np.arange(4.0), np.array([1, 2, last], dtype), np.zeros(5))


def test_an_index_into_nothing() -> None:
    check(gathered, np.zeros(0), np.array([0]), np.zeros(5))
    check(gathered, np.zeros(0), np.array([-1]), np.zeros(5))


def counted_items(x: Any, counts: Any) -> Any:
    for i in x:
        counts[i] += 1


@pytest.mark.parametrize("last", [0, 3, -1, -5, 5])
def test_a_place_that_is_read_and_stored_is_checked_once(last: int) -> None:
    x, counts = np.array([1, 2, 1, -3, last]), np.zeros(5, int)
    check(counted_items, x, counts)
    text = begin(counted_items, x[:1], counts).loop.source.text
    assert text.count("npl::misses") == 5  # in a trip by itself, and in each of four that are done at once
