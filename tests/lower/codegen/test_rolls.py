"""Rolled and tiled arrays in compiled code: vectors loaded whole, and those that begin anew within."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npcompile
from tests.programs.jit_lane import judge

LENGTHS = (40, 41, 17, 100, 33, 15, 16, 2, 1, 130)


@pytest.fixture(autouse=True)
def compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)


def _turned(x: Any, y: Any) -> Any:
    both = np.roll(x, 1, 1) - np.roll(x, -3, 1) + np.roll(np.roll(x, 5, 0), -1, 1)
    tiles = np.tile(x, (1, 3)) + 1, np.tile(y, 2) ^ True
    return both, np.roll(x, 7) * 2, np.roll(y, 1) & y, np.roll(x, 2, axis=1).sum(axis=1), tiles


@pytest.mark.parametrize("kind", ["f8", "f2", "u1"])
def test_at_any_length(kind: str) -> None:
    jitted = npcompile.jit(_turned, wait=True)
    rng = np.random.default_rng(0)
    for length in LENGTHS:
        judge(
            jitted, _turned, (rng.integers(0, 9, (7, length)).astype(kind), rng.random(length) < 0.5), ulp=0
        )
    assert jitted.stats.replays >= len(LENGTHS) - 4, jitted.stats


def test_vectors_are_loaded_whole() -> None:
    jitted = npcompile.explain(_turned, np.ones((20, 100)), np.ones(100, bool))
    (program,) = jitted.programs
    texts = [line for kernel in program.kernels for line in kernel.source.splitlines()]
    whole = sum(
        "% " in line and line.strip().startswith("if (") and "return at::vec" in line for line in texts
    )
    assert whole >= 6, whole
