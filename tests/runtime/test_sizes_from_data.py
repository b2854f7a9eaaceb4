"""Sizes that come from what is in arrays: counts, places and sums, as they are and in arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

# A number that data decide. Of each, `k` is 2 and `a` says so many more.
SIZES: dict[str, Callable[[Any, Any], Any]] = {
    "picked": lambda a, k: a[a > 0].size,
    "picked and more": lambda a, k: a[a > 0].size + k,
    "picked, by steps": lambda a, k: (len(a[a > 0]) + k) * 2 - k,
    "places": lambda a, k: np.nonzero(a)[0].size + k,
    "count": lambda a, k: np.count_nonzero(a) + k,
    "sum": lambda a, k: int(a.sum()) + k,
    "first": lambda a, k: int(np.argmax(a == 0)) + k,
}


def store(b, v):
    b[v:] = b[1, 1]


def store_row(b, v):
    b[:v] = b[1]


def store_itself(b, v):
    b[:v] = b[:v] * 2


# Arrays of that size, or that begin or end there.
USES: dict[str, Callable[[Any, Any], Any]] = {
    "read": lambda b, v: b[v:] * 2,
    "store": store,
    "store a row": store_row,
    "store itself": store_itself,
    "fill": lambda b, v: b[v:].fill(b[1, 1]),
    "copyto": lambda b, v: np.copyto(b[v:], b[1, 1]),
    "out": lambda b, v: np.add(b[:v], 1, out=b[:v]),
    "zeros": lambda b, v: np.zeros(v) + b[0, 0],
    "full": lambda b, v: np.full(v, b[1, 1]),
    "repeat": lambda b, v: np.repeat(b[1], v),
    "arange": lambda b, v: np.arange(v) * b[1, 1],
    "broadcast_to": lambda b, v: np.broadcast_to(b[1, 1], (v, 3)).sum(),
    "two axes": lambda b, v: b[v:].T + b[:, v:].sum(),
    "a number too": lambda b, v: b[:v] * v,
}
CALLS = [(9, 4), (9, 3), (9, 2), (9, 5), (7, 3), (7, 2), (12, 5), (9, 0), (5, 1), (31, 7), (31, 3), (9, 1)]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("size", SIZES)
def test_sizes_from_data(size: str, use: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    number, of_that_size = SIZES[size], USES[use]

    def function(a, b, k):
        v = number(a, k)
        return v, of_that_size(b, v), b

    jitted = npcompile.jit(function, wait=True)
    for length, count in CALLS:
        a = np.zeros(length, int)
        a[:count] = 1
        b = np.arange(length * length).reshape(length, length) * 1.5
        ours = b.copy()
        same(jitted(a, ours, 2), function(a, b, 2), where=f"{length}, {count}")
        same(ours, b)
