"""Random loops within loops, of which trips give names other types, do natively what plain Python does."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.frontend.loops.jitted import assert_same, outcome
from tests.loops.random_check import compile_loops_alone, module_of
from tests.loops.random_versions import program

PROGRAMS = 10
CALLS = 6


def arguments(call: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(call)
    a = rng.integers(-5, 9, (5, 5)) if call % 3 else rng.random((5, 5)) * 9 - 3
    x = rng.integers(-3, 9, 6) if call % 2 else rng.random(6)
    data = np.frombuffer(bytes(rng.integers(40, 60, 4).tolist()), np.uint8)
    return a, data, x, int(rng.integers(1, 5)), int(rng.integers(0, 9))


def test_loops_of_several_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_loops_alone(monkeypatch)
    plain = [module_of(program(random.Random(seed)), tmp_path, f"loop_{seed}") for seed in range(PROGRAMS)]
    jitted = [npcompile.jit(module.program) for module in plain]
    for call in range(CALLS):
        for seed, (module, function) in enumerate(zip(plain, jitted, strict=True)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                want = outcome(module.program, arguments(call))
                got = outcome(function, arguments(call))
            assert_same(got, want, f"seed {seed}, call {call}")
        for function in jitted:
            function.wait()
    assert all(function.stats.loop_entries for function in jitted)
