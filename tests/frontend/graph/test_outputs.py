"""Outputs that are given by their place among the arguments, where NumPy takes them so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.programs.jit_lane import judge

CALLS: dict[str, Callable[..., Any]] = {
    "conjugate": lambda a, out, row, places: (a.conjugate(out), out),
    "conj": lambda a, out, row, places: (a.conj(out), out),
    "round": lambda a, out, row, places: (a.round(1, out), out),
    "clip": lambda a, out, row, places: (a.clip(1, 2, out), out),
    "sum": lambda a, out, row, places: (a.sum(0, None, row), row),
    "mean": lambda a, out, row, places: (a.mean(0, None, row), row),
    "std": lambda a, out, row, places: (a.std(0, None, row), row),
    "cumsum": lambda a, out, row, places: (a.cumsum(0, None, out), out),
    "max": lambda a, out, row, places: (a.max(0, row), row),
    "argmax": lambda a, out, row, places: (a.argmax(0, places), places),
    "dot": lambda a, out, row, places: (a.dot(a, out), out),
    "take": lambda a, out, row, places: (a.take([0, 1, 2], 0, out), out),
    "compress": lambda a, out, row, places: (a.compress([True] * 3, 0, out), out),
    "np.round": lambda a, out, row, places: (np.round(a, 1, out), out),
    "np.sum": lambda a, out, row, places: (np.sum(a, 0, None, row), row),
    "np.argmax": lambda a, out, row, places: (np.argmax(a, 0, places), places),
    "np.concatenate": lambda a, out, row, places: (np.concatenate((a[:1], a[1:]), 0, out), out),
    "np.median": lambda a, out, row, places: (np.median(a, 0, row), row),
    "np.nansum": lambda a, out, row, places: (np.nansum(a, 0, None, row), row),
    "reduce": lambda a, out, row, places: (np.add.reduce(a, 0, None, row), row),
    "accumulate": lambda a, out, row, places: (np.add.accumulate(a, 0, None, out), out),
    "reduceat": lambda a, out, row, places: (np.add.reduceat(a, [0, 1, 2], 0, None, out), out),
    "one of one": lambda a, out, row, places: (np.sin(a, out), out),
    "two of two": lambda a, out, row, places: (np.divmod(a, 2, out, a)[0], out, a),
    "one of two": lambda a, out, row, places: (np.divmod(a, 2, out), out),
    "none of two": lambda a, out, row, places: np.divmod(a, 2, None, None),
    "the first of a pair": lambda a, out, row, places: (np.frexp(a, out), out),
    "the second of a pair": lambda a, out, row, places: (np.modf(a, None, out), out),
    "matmul": lambda a, out, row, places: (np.matmul(a, a, out), out),
    "dots": lambda a, out, row, places: np.add(a, out, ...),  # type: ignore[call-overload]
    "too many": lambda a, out, row, places: np.sin(a, out, out),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_by_place(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(CALLS[name])
    for seed in range(4):
        rng = np.random.default_rng(seed)
        args = rng.random((3, 3)) * 3 - 1, rng.random((3, 3)), rng.random(3), np.zeros(3, int)
        judge(jitted, CALLS[name], args)
