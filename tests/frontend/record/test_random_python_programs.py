"""Random whole Python programs: every call is what plain Python makes of it."""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from tests.programs.python_program_generator import PRELUDE, PythonGrower
from tests.programs.random_python_programs import check

PROGRAMS = 300
PARTS = 10  # tests that run side by side


@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs_are_pythons(part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    replayed: list[bool] = []

    @seed(part)
    @settings(max_examples=PROGRAMS // PARTS, derandomize=False, suppress_health_check=list(HealthCheck))
    @given(rng=st.randoms(use_true_random=False), number=st.integers(0, 2**32))
    def run(rng: random.Random, number: int) -> None:
        source = PythonGrower(rng).source
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # uncompiled functions say so
                stats = check(source, tmp_path, number).stats
        except Exception as wrong:
            text = source.removeprefix(PRELUDE)
            raise AssertionError(f"seed {number}: {type(wrong).__name__}: {wrong}\n{text}") from wrong
        replayed.append(stats.programs > 0)

    run()
    assert sum(replayed) > PROGRAMS // PARTS // 2, "hardly anything is replayed: nothing has been tested"
