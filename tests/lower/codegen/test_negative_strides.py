"""Arguments that lie backwards in memory, of each dtype: read, and written in place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.frontend.ops.table import TORCH
from tests.checker import same


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


def shifted(x, y):
    y[1:] = x[:-1]
    y[0] = x[-1]
    return x == y, y[::2]


@pytest.mark.parametrize("dtype", TORCH, ids=str)
@pytest.mark.parametrize("index", [np.s_[::-1], np.s_[::-2], np.s_[:, ::-1]], ids=str)
def test_backwards(dtype: np.dtype[Any], index: Any) -> None:
    jitted = npcompile.jit(shifted)
    for seed in range(3):
        made = np.random.default_rng(seed).integers(0, 99, (8, 3)).astype(dtype)
        x, y = made.copy(), np.zeros_like(made)
        want_y = y.copy()
        want, got = shifted(made[index], want_y[index]), jitted(x[index], y[index])
        same(got, want)
        same(y, want_y)
    assert (jitted.stats.replays, jitted.stats.host_calls) == (2, 0), jitted.stats
