"""Each loop program of the corpus answers four calls as plain Python does, while its loops get compiled.

Plain Python on arguments of its own says what each call shall return, raise and leave in the arguments. Loops
are compiled without optimization, those of all programs of an area together; for a program of each area all
is compiled as it is for users.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.loops.outcomes import Outcome, compare, moved, outcome
from tests.loops.programs import PROGRAMS, LoopProgram
from tests.loops.random_check import compile_loops_alone

CALLS = 4

# The quick tier runs each area's first program.
FIRST = {program.area: program for program in reversed(PROGRAMS)}


def programs() -> Iterator[Any]:
    for program in PROGRAMS:
        marks = [pytest.mark.quick] if FIRST[program.area] is program else []
        yield pytest.param(program, id=f"{program.area}-{program.name}", marks=marks)


class Judged:
    """One argument set of a program: the jitted function, and what plain Python gives."""

    def __init__(self, program: LoopProgram, case: str) -> None:
        self.program, self.case = program, case
        self.make = program.judged()[case]
        self.want = outcome(program.function, self.make)
        self.jitted = npcompile.jit(program.function)
        self.rounded = functools.cache(self._rounded)

    def _rounded(self, trial: int) -> Outcome:
        return moved(self.program.function, self.make, trial)

    def call(self, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
        """Call the jitted function and compare."""
        program = self.program
        with monkeypatch.context() as patch:
            # As after `@npcompile.jit`: a program that calls itself calls the jitted function.
            if getattr(program.module, program.name, None) is program.function:
                patch.setattr(program.module, program.name, self.jitted)
            got = outcome(self.jitted, self.make)
        try:
            compare(got, self.want, None if program.exact else self.rounded)
        except AssertionError as wrong:
            raise AssertionError(f"{self.case}, call {number + 1}: {wrong}") from None


def judge(sets: list[Judged], monkeypatch: pytest.MonkeyPatch) -> dict[str, Exception]:
    """Call each jitted function four times; what the calls of one round need is compiled together.

    Returns the first error of each program that has one.
    """
    wrong: dict[str, Exception] = {}
    for number in range(CALLS):
        for judged in sets:
            try:
                judged.call(number, monkeypatch)
            except Exception as error:
                wrong.setdefault(judged.program.name, error)
        for judged in sets:
            judged.jitted.wait()
    return wrong


@pytest.fixture(scope="module")
def wrong(request: pytest.FixtureRequest) -> Callable[[str], dict[str, Exception]]:
    """Judges the programs of an area, of those that are to run here."""
    items = [item for item in request.session.items if isinstance(item, pytest.Function)]
    chosen = [
        item.callspec.params["program"]
        for item in items
        if item.function is test_four_calls_answer_as_plain_python
    ]

    @functools.cache
    def of(area: str) -> dict[str, Exception]:
        sets = [
            Judged(program, case) for program in chosen if program.area == area for case in program.judged()
        ]
        with pytest.MonkeyPatch.context() as patch:
            compile_loops_alone(patch)
            return judge(sets, patch)

    return of


# It comes first: what a process has compiled serves for equal loops, whatever flags later tests ask for.
@pytest.mark.parametrize("program", FIRST.values(), ids=FIRST)
def test_compiled_as_for_users_too(program: LoopProgram, monkeypatch: pytest.MonkeyPatch) -> None:
    assert judge([Judged(program, f"size {program.sizes[-1]}")], monkeypatch) == {}


@pytest.mark.parametrize("program", list(programs()))
def test_four_calls_answer_as_plain_python(
    program: LoopProgram, wrong: Callable[[str], dict[str, Exception]]
) -> None:
    if (error := wrong(program.area).get(program.name)) is not None:
        raise error


@pytest.mark.quick
def test_programs_have_names_of_their_own() -> None:
    names = [program.name for program in PROGRAMS]
    assert sorted(names) == sorted(set(names))


def filled(make: Callable[..., Any], byte: int) -> Callable[..., Any]:
    """Return a function that makes new arrays as another does, with that byte all over their memory."""

    def make_filled(*args: Any, **settings: Any) -> Any:
        made = make(*args, **settings)
        made[...] = np.full(made.nbytes, byte, np.uint8).view(made.dtype).reshape(made.shape)
        return made

    return make_filled


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: f"{program.area}-{program.name}")
def test_plain_answers_do_not_hold_what_new_memory_held(
    program: LoopProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    for make in program.judged().values():
        outcomes: list[Outcome] = []
        for byte in (0, 1):
            with monkeypatch.context() as patch:
                patch.setattr(np, "empty", filled(np.empty, byte))
                patch.setattr(np, "empty_like", filled(np.empty_like, byte))
                outcomes.append(outcome(program.function, make))
        compare(*outcomes, None)
