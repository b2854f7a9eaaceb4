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
