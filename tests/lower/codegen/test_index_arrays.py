"""Index arrays beside integers, as compiled: one kernel each, whatever axes the indices have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

FORMS: list[Callable[[Any, Any], Any]] = [
    lambda a, i: a[i, 1] * 2,
    lambda a, i: a[1, i] * 2,
    lambda a, i: a[i, -1, 0] + a[0, 1, i],
    lambda a, i: a[i[:, None], 1, [0, 2]] - 1,
    lambda a, i: a[i, :, 1].sum(),
    lambda a, i: a[..., i, 2] * a[i[:2], 0, 1],
]


def every(a, i):
    return [form(a, i) for form in FORMS]


def test_index_arrays_beside_integers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    jitted = npcompile.jit(every, wait=True)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        a, i = rng.integers(-9, 9, (4, 4, 4)) / 4, rng.integers(-4, 4, 2)
        same(jitted(a, i), every(a, i))
    assert (jitted.stats.replays, jitted.stats.kernels, jitted.stats.host_calls) == (2, 1, 0), jitted.stats


def filled(a, i):
    v = np.empty((4, 4, 4))
    v.fill(2)
    return v


def made_of(part: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    """An array that is written whole, from something smaller."""

    def base(a, i):
        v = np.empty((4, 4, 4))
        v[...] = part(a * 2)
        return v

    return base


# Arrays whose values are fewer than their elements, and what writes some of those elements.
BASES = [filled, made_of(lambda a: a[0, 0, 0]), made_of(lambda a: a[0]), made_of(lambda a: a[0][:, :1])]


def store(v, a, i):
    v[i] = a[0]


def add(v, a, i):
    v[i] += a[0]


def add_at(v, a, i):
    np.add.at(v, i, a[0])


def store_mask(v, a, i):
    v[a > 0] = 7


def store_points(v, a, i):
    v[i, :, i] = a[0, 0]


def put(v, a, i):
    np.put(v, i, [5, 6])


def put_along(v, a, i):
    np.put_along_axis(v, i[:, None, None], 8, 0)


def store_part(v, a, i):
    v[1:3] = a[0]


WRITES = [store, add, add_at, store_mask, store_points, put, put_along, store_part]


@pytest.mark.parametrize("base", range(len(BASES)))
def test_writes_into_what_is_made_of_fewer(base: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """torch's compiler would write into the one element, in place."""
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    make = BASES[base]

    def written(a, i):
        results = []
        for write in WRITES:
            v = make(a, i)
            write(v, a, i)
            results.append(v)
        return results

    jitted = npcompile.jit(written, wait=True)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        a, i = rng.integers(-9, 9, (4, 4, 4)) / 4, rng.permutation(4)[:2]
        same(jitted(a, i), written(a, i))
    assert jitted.stats.replays == 2 and jitted.stats.kernels > 0, jitted.stats
