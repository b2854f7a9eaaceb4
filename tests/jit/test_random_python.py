"""Random whole Python programs (see `random_python.py`): every call is what plain Python makes of it."""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import pytest

from tests.jit.python_grower import PRELUDE, PythonGrower
from tests.jit.random_python import check

PROGRAMS = 300
PARTS = 10


@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs_are_pythons(part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    replayed = 0
    for seed in range(part, PROGRAMS, PARTS):
        source = PythonGrower(random.Random(seed)).source
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # uncompiled functions say so
                stats = check(source, tmp_path, seed).stats
        except Exception as wrong:
            text = source.removeprefix(PRELUDE)
            raise AssertionError(f"seed {seed}: {type(wrong).__name__}: {wrong}\n{text}") from wrong
        replayed += stats.programs > 0
    assert replayed > PROGRAMS // PARTS // 2, "hardly anything is replayed: nothing has been tested"
