"""Each loop program of the corpus answers four calls as plain Python does, while its parts get compiled.

Plain Python on arguments of its own says what each call shall return, raise and leave in the arguments.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import pytest

import npcompile
from tests.loops.outcomes import Outcome, compare, moved, outcome
from tests.loops.programs import PROGRAMS, LoopProgram

CALLS = 4
COMPILING = 120.0  # seconds to wait for a program's kernels at most

# The quick tier runs the largest size of each area's first program.
FIRST = {program.area: program for program in reversed(PROGRAMS)}


def cases() -> Iterator[Any]:
    for program in PROGRAMS:
        for case in program.judged():
            is_quick = FIRST[program.area] is program and case == f"size {program.sizes[-1]}"
            marks = [pytest.mark.quick] if is_quick else []
            yield pytest.param(program, case, id=f"{program.area}-{program.name}-{case}", marks=marks)


@pytest.mark.parametrize(("program", "case"), list(cases()))
def test_four_calls_answer_as_plain_python(
    program: LoopProgram, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, make = program.function, program.judged()[case]
    want = outcome(plain, make)

    @functools.cache
    def rounded(trial: int) -> Outcome:
        return moved(plain, make, trial)

    jitted = npcompile.jit(plain)
    for call in range(CALLS):
        with monkeypatch.context() as patch:
            # As after `@npcompile.jit`: a program that calls itself calls the jitted function.
            if getattr(program.module, program.name, None) is plain:
                patch.setattr(program.module, program.name, jitted)
            got = outcome(jitted, make)
        try:
            compare(got, want, None if program.exact else rounded)
        except AssertionError as wrong:
            raise AssertionError(f"call {call + 1}: {wrong}") from None
        jitted.wait(COMPILING)


@pytest.mark.quick
def test_programs_have_names_of_their_own() -> None:
    names = [program.name for program in PROGRAMS]
    assert sorted(names) == sorted(set(names))
