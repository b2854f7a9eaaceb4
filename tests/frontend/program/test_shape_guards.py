"""What is done depends on how long a slice is: programs for many lengths check it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same


def squeezed(x, k):
    return np.squeeze(x[k : k + 2, 0])


def squeezed_and_used(x, k):
    a = x[k : k + 2].squeeze()
    return a * 2, a.ndim, a.sum(axis=0)


def squeezed_by_data(x, k):
    at = int(np.argmax(x[:, 0]))
    return np.squeeze(x[at : at + 2]).shape


def squeezed_by_length(x, k):
    return np.squeeze(x[: len(x) // 20, 0])


def flags(x, k):
    a = x[k : k + 3].T
    return a.flags.c_contiguous, a.flags.f_contiguous, (a * 2).flags.c_contiguous


def flags_by_data(x, k):
    at = int(np.argmax(x[:, 0]))
    a = x[at : at + 3].T
    return a.flags.c_contiguous, a @ a.T


def in_order(x, k):
    return np.ascontiguousarray(x[k:, :1])


def facts(x, k):
    a = x[k : k + 3]
    return a.nbytes, a.copy().T.strides, a.T.nbytes


def items(x, k):
    return list(x[k : k + 2, 0]), sum(x[k : k + 3, 0]), min(x[k : k + 3, 0], default=None)


def pairs(x, k):
    return [a * b for a, b in zip(x[k : k + 3, 0], x[:k, 1], strict=False)]


def trips(x, k):
    n = 0
    for row in x[k : k + 3]:
        n += 1
        x[0] += row
    return n


def cast_to_its_own(x, k):
    a = x[k : k + 3].astype(x.dtype, copy=False)
    a += 1
    return a


def cast_in_order(x, k):
    a = x[:, :k].astype(float, order="C", copy=False)
    a += 1
    return a, np.astype(x[k:], float, copy=False) * 2


FUNCTIONS: list[Callable[..., Any]] = [
    *(squeezed, squeezed_and_used, squeezed_by_data, squeezed_by_length, flags, flags_by_data),
    *(in_order, facts, items, pairs, trips, cast_to_its_own, cast_in_order),
]
LENGTHS = [*range(1, 30), 63, 64, 40, 41, 70]


def arguments(n: int, call: int) -> tuple[Any, int]:
    rng = np.random.default_rng((n, call))
    k = int(rng.choice([0, 1, 2, 3, 5, 8, n // 2, n - 1, n, n + 2]))
    return rng.integers(-20, 20, (n, 3)) / 4, k


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
@pytest.mark.parametrize(
    "lengths", [LENGTHS, LENGTHS[::-1], [20, 30, 41, 9, 20, 10, 17, 33, 2, 3, 12, 40] * 5]
)
def test_shapes_are_checked(fn, lengths: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn, wait=True)
    for place, n in enumerate(lengths):
        for call in range(place, place + 3):
            mine, theirs = arguments(n, call), arguments(n, call)
            where = f"n = {n}, k = {theirs[1]}"
            got, want = jitted(*mine), fn(*theirs)
            same(got, want, ulp=16, where=where)
            same(mine, theirs, where=where)
            if isinstance(want, np.ndarray):
                assert np.may_share_memory(got, mine[0]) == np.may_share_memory(want, theirs[0]), where


def test_a_cast_that_hands_the_array_back_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(cast_to_its_own)
    for call in range(4):
        same(jitted(np.full((6, 3), call), 2), cast_to_its_own(np.full((6, 3), call), 2))
    assert (jitted.stats.recordings, jitted.stats.host_calls) == (1, 0), jitted.stats
