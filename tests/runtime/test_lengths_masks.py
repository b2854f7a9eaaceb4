"""Updates under masks of arrays that are longer or shorter at each call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.programs.jit_lane import judge


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


def clipped(x):
    x[x > 1] *= 0.5
    x[x < 0] += 1
    return x


def copied(x):
    y = x.copy()
    above = y > 0
    y[above] -= y[above].mean()
    y[~above] **= 2
    return y


def rows_of(x):
    X = np.stack([x, x * 2], axis=1)
    X[x > 0] *= [0.5, 2.0]
    X[X < 0] /= 3
    return X


def given_out(x):
    y = x[x > 0]
    np.clip(y, 0, 1, out=y)
    x[x > 0] = y
    return x, y.mean()


@pytest.mark.parametrize("fn", [clipped, copied, rows_of, given_out], ids=lambda fn: fn.__name__)
def test_updates_at_fifty_lengths(fn: Callable[..., Any]) -> None:
    """No program for each: the shape of what was written had been a constant in them."""
    jitted = npcompile.jit(fn)
    for n in range(50, 100):
        judge(jitted, fn, (np.random.default_rng(n).standard_normal(n),), ulp=64)
    assert (jitted.stats.programs, jitted.stats.replays, jitted.stats.reasons) == (3, 47, [])
