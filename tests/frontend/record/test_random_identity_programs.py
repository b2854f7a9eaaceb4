"""Random programs that ask which object a value is have plain Python's answers, at six calls."""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from tests.programs.identity_program_generator import PRELUDE, IdentityGrower, check
from tests.programs.identity_scenarios import VALUES

PROGRAMS = 500
PARTS = 10  # tests that run side by side


@pytest.mark.parametrize("part", range(PARTS))
def test_values_are_the_objects_that_python_has(
    part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")

    @seed(part)
    @settings(max_examples=PROGRAMS // PARTS, derandomize=False, suppress_health_check=list(HealthCheck))
    @given(
        rng=st.randoms(use_true_random=False),
        kind=st.sampled_from(sorted(VALUES)),
        number=st.integers(0, 2**32),
    )
    def run(rng: random.Random, kind: str, number: int) -> None:
        source = IdentityGrower(rng, kind).source
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # uncompiled functions say so
                check(source, kind, rng, tmp_path, number)
        except Exception as wrong:
            text = source.removeprefix(PRELUDE)
            raise AssertionError(f"{kind}: {type(wrong).__name__}: {wrong}\n{text}") from wrong

    run()
