"""Random functions on Python ints around 64 bits do natively what plain Python does."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.frontend.loops.jitted import assert_same, outcome
from tests.loops.random_check import compile_loops_alone, module_of
from tests.loops.random_wide_ints import source_of

FUNCTIONS = 8
STARTS = (
    (1, 2, 3, 0.5),
    ((1 << 64) - 1, 1 << 63, (1 << 63) - 1, np.float64(0.1)),
    (-5, 1 << 45, 0, 2.0**63),
)


def arguments(start: tuple[Any, ...], code: str) -> tuple[Any, ...]:
    some = [0, 1, 5, 255, 1 << 31, (1 << 53) + 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]
    u = np.array(some, np.uint64)
    s = np.array([0, -1, 5, -255, 1 << 31, -(1 << 53) - 1, (1 << 63) - 1, -(1 << 63), 3], np.int64)
    return u, s, np.zeros(len(u), code), len(u), *start


def test_functions_of_wide_ints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_loops_alone(monkeypatch)
    compared(0, FUNCTIONS, tmp_path)


def compared(seed: int, count: int, folder: Path) -> list[Any]:
    """Call random functions plain and jitted, and compare; return the jitted ones."""
    source, names = source_of(seed, count)
    plain, ours = module_of(source, folder, "plain"), module_of(source, folder, "ours")
    jitted = {name: npcompile.jit(getattr(ours, name)) for name in names}
    entered = 0
    for call in range(3):
        for start in STARTS:
            given = arguments(start, "i8" if call == 1 else "u8")
            for name in names:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    want = outcome(getattr(plain, name), given)
                    got = outcome(jitted[name], given)
                assert_same(got, want, f"seed {seed}, {name}, {start}, call {call}")
        for function in jitted.values():
            function.wait()
    entered = sum(function.stats.loop_entries > 0 for function in jitted.values())
    assert entered > count // 2, f"{entered} of {count} entered native code"
    return list(jitted.values())
