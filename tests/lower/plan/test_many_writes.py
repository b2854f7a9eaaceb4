"""Many writes into overlapping slices of one array: a few compilations, whatever the factors."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

STATEMENTS = """
    u[1:-1] += 0.{k} * (v[2:] - v[:-2])
    u[2:] -= u[:-2] * -{k}.5e-2
    u[:-1] = u[1:] * 0.5 + v[1:] / {k}.0
"""
TIMES = 16


def updates(folder: Path) -> Any:
    lines = "".join(STATEMENTS.format(k=k) for k in range(1, TIMES + 1))
    file = folder / "many_updates.py"
    file.write_text(f"def updates(u, v):{lines}    return u.sum()\n")
    spec = importlib.util.spec_from_file_location("many_updates", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.updates


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16"])
def test_factors_are_handed_on(dtype: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    fn = updates(tmp_path)
    jitted = npcompile.jit(fn, wait=True)
    for n in (30, 30, 31, 32, 33, 34):
        mine, theirs = [
            [np.linspace(0, 1, n).astype(dtype), np.cos(np.arange(n)).astype(dtype)] for _ in "ab"
        ]
        same(jitted(*mine), fn(*theirs), ulp=32, scale=8.0)
        same(mine, theirs, ulp=8, scale=1.0)
    assert jitted.stats.recordings <= 3 and jitted.stats.plain_calls == 0, jitted.stats


def test_statements_that_differ_in_numbers_share_their_kernels(tmp_path: Path) -> None:
    fn = updates(tmp_path)
    jitted = npcompile.jit(fn, wait=True)
    for _ in range(3):
        mine, theirs = [[np.linspace(0, 1, 50), np.cos(np.arange(50.0))] for _ in "ab"]
        same(jitted(*mine), fn(*theirs), ulp=32, scale=8.0)
        same(mine, theirs, ulp=8, scale=1.0)
    assert jitted.stats.replays == 2 and jitted.stats.segments > 2 * TIMES
    assert jitted.stats.compilations <= 6, jitted.stats
