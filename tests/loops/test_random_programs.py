"""Random loop programs answer four calls as plain Python does: values, types, exceptions, effects.

`python -m tests.fuzz loop --seed N` runs the program of a seed again. Programs are checked in batches, whose
kernels are compiled together.
"""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import pytest

from tests.loops import random_check
from tests.loops.random_check import Different, check, compile_loops_alone, reduced
from tests.loops.random_programs import MEANINGFUL, first_error, program_source

PROGRAMS = 1200
BATCH = 50  # programs of a test
QUICK = 12  # programs of the quick tier


def run(seeds: range, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_loops_alone(monkeypatch)
    sources = [program_source(random.Random(seed)) for seed in seeds]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # uncompiled functions say so
        try:
            jitted = check(sources, folder)
        except Different as wrong:
            again = f"again: python -m tests.fuzz loop --seed {seeds[wrong.index]}"
            print(f"{wrong}\n{again}", flush=True)  # before the reduction, which may not end well
            source = reduced(sources[wrong.index], folder, wrong.want)
            raise AssertionError(f"{wrong}\n{source}\n{again}") from wrong
    assert any(function.stats.loop_entries for function in jitted), "no native code was entered"


@pytest.mark.quick
def test_a_few_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(range(PROGRAMS, PROGRAMS + QUICK), tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, PROGRAMS, BATCH))
def test_programs(first: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(range(first, first + BATCH), tmp_path, monkeypatch)


@pytest.mark.quick
def test_most_programs_run_and_some_raise() -> None:
    errors = [first_error(program_source(random.Random(seed))) for seed in range(200)]
    raised = [error for error in errors if error is not None]
    assert 10 <= len(raised) <= 60
    assert len({type(error) for error in raised}) >= 3
    assert sum(isinstance(error, MEANINGFUL) for error in raised) > len(raised) * 0.8


@pytest.mark.quick
def test_a_program_that_differs_is_reduced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    source = program_source(random.Random(4))
    differing = source.replace("    n = len(a)\n", "    n = len(a)\n    raise ValueError(__file__)\n")
    program = reduced(differing, tmp_path, ValueError).partition("def program")[2].partition("\n\n")[0]
    assert program.splitlines()[1:] == ["    raise ValueError(__file__)"]


@pytest.mark.quick
def test_a_reduction_ends_where_a_loop_without_its_count_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    monkeypatch.setattr(random_check, "REDUCING", 0.5)
    source = program_source(random.Random(4))
    lines = "    t = 0\n    while t < 3:\n        t += 1\n    raise ValueError(__file__ * t)\n"
    differing = source.replace("    n = len(a)\n", f"    n = len(a)\n{lines}")
    program = reduced(differing, tmp_path, ValueError).partition("def program")[2].partition("\n\n")[0]
    assert "raise ValueError(__file__ * t)" in program and "t += 1" in program
