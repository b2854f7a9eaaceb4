"""Functions whose arrays have the sizes that numbers among the arguments say, called with several."""

from __future__ import annotations

import numpy as np
import pytest

import npcompile
from tests.checker import same


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


def heated(n, trips):
    h = 1.0 / (n - 1)
    u = np.zeros((n, n))
    x = np.linspace(0, 1, n)
    u[0] = x * h
    for _ in range(trips):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    v = np.ones(n) * h
    return u, v @ u


def test_blocks_before_and_after_a_loop_are_replayed_at_eight_sizes() -> None:
    jitted = npcompile.jit(heated)
    sizes = (5, 7, 9, 12, 6, 14, 10, 8)
    for n in sizes * 2:
        same(jitted(n, 3), heated(n, 3), ulp=4)
    before = jitted.stats.recordings
    for n in sizes:
        same(jitted(n, 5), heated(n, 5), ulp=4)
    assert jitted.stats.recordings == before, jitted.stats
    assert not jitted.stats.reasons, jitted.stats.reasons
