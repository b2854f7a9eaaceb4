"""Random array programs have NumPy's answers, effects and sharing, recorded and replayed."""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.programs.array_program_generator import PRELUDE, Grower
from tests.programs.random_array_programs import check

replayed: list[bool] = []


@settings(max_examples=300, suppress_health_check=list(HealthCheck))
@given(rng=st.randoms(use_true_random=False), seed=st.integers(0, 2**32))
def run_one(folder: Path, rng: random.Random, seed: int) -> None:
    program = Grower(rng).grow()
    text = program.source.removeprefix(PRELUDE)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # uncompiled functions say so
            jitted = check(program, folder, seed)
    except Exception as wrong:
        raise AssertionError(f"{type(wrong).__name__}: {wrong}\n{text}{program.arguments}") from wrong
    replayed.append(jitted.stats.replays > 0)


def test_random_programs_are_numpys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    replayed.clear()
    run_one(tmp_path)
    assert sum(replayed) > 100, "hardly a program is replayed: nothing has been tested"
