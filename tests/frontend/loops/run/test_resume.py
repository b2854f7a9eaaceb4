"""Regions that native code leaves at any step go on in Python to the answers of the function itself."""

from __future__ import annotations

import ast
import functools
import gc
import inspect
import random
import signal
import traceback
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from npcompile.frontend.loops.run import resume as resuming
from npcompile.frontend.loops.run.resume import resume
from npcompile.frontend.loops.run.scope import Scope
from npcompile.frontend.rewrite.source import compile_in_place
from tests.frontend.loops.run.resumed_programs import PROGRAMS, Made
from tests.frontend.loops.run.stepping import Region, Unplayed, by_turns, in_parts, region
from tests.frontend.loops.source.protected_programs import PROGRAMS as PROTECTED
from tests.loops import outcomes
from tests.loops.programs import PROGRAMS as CORPUS
from tests.loops.random_check import module_of
from tests.loops.random_programs import program_source

# -- comparing ---------------------------------------------------------------------------------------------


def state(value: Any) -> Any:
    """Return a value as something to compare."""
    match value:
        case np.ndarray():
            return "array", value.dtype.str, value.shape, value.tobytes()
        case np.generic() | float() | complex() | int() | str():
            return type(value), repr(value)
        case list() | tuple():
            return type(value), [state(one) for one in value]
        case dict():
            return {key: state(one) for key, one in value.items()}
        case set():
            return value
        case BaseException():
            return described(value)
        case None:
            return None
    return type(value), state(vars(value)) if hasattr(value, "__dict__") else ""


def described(error: BaseException | None) -> Any:
    """Return the kind, text and helpers' lines of an exception, and those of the exceptions behind it."""
    if error is None:
        return None
    links = described(error.__cause__), described(error.__context__), error.__suppress_context__
    return type(error), str(error), *links


def places(error: BaseException) -> list[tuple[str, int, str]]:
    return [(one.filename, one.lineno or 0, one.name) for one in traceback.extract_tb(error.__traceback__)]


def plainly(function: Any, make: Made) -> Any:
    """Return the state after the function itself: names, how it ended, its arguments."""
    arguments = make()
    try:
        value = function(**arguments)
    except Exception as error:
        entry = error.__traceback__
        while entry is not None and entry.tb_frame.f_code is not function.__code__:
            entry = entry.tb_next
        assert entry is not None
        names = state(dict(entry.tb_frame.f_locals))
        line = entry.tb_lineno
        error.__traceback__ = entry.tb_next
        return "raised", without(names, function), described(error), line, places(error), state(arguments)
    if isinstance(value, dict):
        return "done", without(state(value), function), state(arguments)
    return "returned", state(value), state(arguments)


def without(names: dict[str, Any], function: Any) -> dict[str, Any]:
    """Return names without those of functions around, and without mangling."""
    return {
        name.removeprefix("_Account"): value
        for name, value in names.items()
        if name not in function.__code__.co_freevars
    }


def resumed(of: Region, make: Made, steps: int) -> tuple[Any, int]:
    arguments = make()
    names, outcome, turns = by_turns(of, arguments, steps)
    if outcome.error is not None:
        error = outcome.error
        return (
            ("raised", state(names), described(error), outcome.line, places(error), state(arguments)),
            turns,
        )
    if outcome.returns:
        return ("returned", state(outcome.value), state(arguments)), turns
    return ("done", state(names), state(arguments)), turns


@pytest.mark.parametrize(("function", "make"), PROGRAMS + PROTECTED)
def test_python_goes_on_from_any_step(function: Any, make: Made) -> None:
    of, expected = region(function), plainly(function, make)
    for steps in range(1, 80):
        found, turns = resumed(of, make, steps)
        assert found == expected, steps
        if turns == 1 and steps > 40:
            break


# The method that they call raises after it has changed something: native code never goes into it.
RAISES_HALF_WAY = frozenset((("steps_of_an_object", "array_state"), ("statistics_by_a_method", "none")))
CASES = [
    pytest.param(one.function, name, make, id=f"{one.area}-{one.name}-{name}")
    for one in CORPUS
    for name, make in one.judged().items()
    if name != f"size {one.sizes[-1]}" and (one.name, name) not in RAISES_HALF_WAY
]


@pytest.mark.parametrize(("function", "name", "make"), CASES)
def test_programs_of_the_corpus_run_in_parts(function: Any, name: str, make: Any) -> None:
    want = outcomes.outcome(function, make)
    try:
        got = outcomes.outcome(in_parts(function, 17), make)
    except Unplayed:
        pytest.skip("has functions or returns within other statements")
    assert (got.raised and got.raised[:2]) == (want.raised and want.raised[:2])
    got.raised = want.raised  # the line is that of the region's caller
    outcomes.compare(got, want)


@pytest.mark.parametrize("first", range(0, 100, 25))
def test_random_programs_run_in_parts(first: int, tmp_path: Path) -> None:
    played = 0
    for seed in range(first, first + 25):
        module = module_of(program_source(random.Random(seed)), tmp_path, f"parts_{seed}")
        for steps in (2, 9, 40):
            for call in (0, 2):
                make = functools.partial(module.arguments, call)
                want = outcomes.outcome(module.program, make)
                try:
                    got = outcomes.outcome(in_parts(module.program, steps), make)
                except Unplayed:
                    break
                played += 1
                assert (got.raised and got.raised[:2]) == (want.raised and want.raised[:2]), seed
                outcomes.compare(got, want)
    assert played > 40


def every_traceback(error: BaseException | None) -> list[str]:
    """Return the files of the frames of an exception and of those behind it."""
    if error is None:
        return []
    return [file for file, _, _ in places(error)] + every_traceback(error.__context__)


@pytest.mark.parametrize("name", ["exception_in_context", "exception_while_handling"])
def test_tracebacks_of_contexts_show_the_function(name: str) -> None:
    (function,) = (one.values[0] for one in PROGRAMS if one.id == name)
    _, outcome, _ = by_turns(region(function), {"a": [1, 2, 0, 4]}, 3)
    assert outcome.error is not None
    assert set(every_traceback(outcome.error)) == {function.__code__.co_filename}
    assert places(outcome.error) == []
    context = outcome.error.__context__
    assert context is not None
    assert [(line, name) for _, line, name in places(context)] == [(outcome.line - 2, function.__name__)]


def in_inner_loop(n: Any, hook: Any) -> Any:
    total = 0
    for i in range(n):
        for j in range(n):
            total += j
            if i == 1:
                hook(total)
    return locals()


def interrupts(total: int) -> None:
    if total == 4:
        signal.raise_signal(signal.SIGINT)


def test_an_interrupt_leaves_the_names_as_they_are() -> None:
    _, outcome, _ = by_turns(region(in_inner_loop), {"n": 3, "hook": interrupts}, 2)
    assert type(outcome.error) is KeyboardInterrupt
    assert outcome.names == {"i": 1, "j": 1, "total": 4}
    assert outcome.line == in_inner_loop.__code__.co_firstlineno + 6


def recurses(value: Any) -> Any:
    return recurses(value)


def test_too_deep_a_recursion_is_the_users() -> None:
    _, outcome, _ = by_turns(region(in_inner_loop), {"n": 3, "hook": recurses}, 2)
    assert type(outcome.error) is RecursionError
    assert outcome.names == {"i": 1, "j": 0, "total": 3}


def test_exceptions_have_the_context_around_the_region() -> None:
    try:
        raise LookupError("around")
    except LookupError as around:
        _, outcome, _ = by_turns(region(in_inner_loop), {"n": 3, "hook": 5}, 2)
        assert outcome.error is not None
        assert outcome.error.__context__ is around


def test_warnings_name_the_line_of_the_step() -> None:
    def divides(a: Any) -> Any:
        for _ in range(3):
            for j in range(3):
                a = a / (j - 1)
        return locals()

    with pytest.warns(RuntimeWarning) as caught:
        by_turns(region(divides), {"a": np.float64(1)}, 3)
    at = divides.__code__.co_filename, divides.__code__.co_firstlineno + 3
    assert {(one.filename, one.lineno) for one in caught} == {at}


def test_the_frames_that_a_helper_sees_are_the_users() -> None:
    seen = []

    def notes(total: int) -> None:
        frame = inspect.currentframe()
        assert frame is not None and frame.f_back is not None
        caller = frame.f_back
        seen.append((caller.f_code.co_filename, caller.f_code.co_qualname, caller.f_lineno))
        assert caller.f_globals is globals()

    by_turns(region(in_inner_loop), {"n": 3, "hook": notes}, 5)
    code = in_inner_loop.__code__
    assert set(seen) == {(code.co_filename, code.co_qualname, code.co_firstlineno + 6)}


# -- how much is compiled ----------------------------------------------------------------------------------


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The functions that are compiled, as text."""
    texts: list[str] = []

    def noting(node: Any, *rest: Any) -> Any:
        texts.append(ast.unparse(node))
        return compile_in_place(node, *rest)

    monkeypatch.setattr(resuming, "compile_in_place", noting)
    return texts


def test_the_trips_left_of_an_inner_loop_are_one_function(compiled: list[str]) -> None:
    of = region(in_inner_loop)
    for size in (5, 50):
        _, outcome, _ = by_turns(of, {"n": size, "hook": len}, 6)
        assert outcome.error is not None  # `len` of a number
    calls = []
    by_turns(of, {"n": 100, "hook": calls.append}, 6)
    assert len(calls) == 100
    assert len(compiled) == 3, compiled
    assert len([text for text in compiled if "for j in .iterator1" in text]) == 1


def test_straight_steps_are_one_function(compiled: list[str]) -> None:
    def straight(a: Any) -> Any:
        total = 0
        for i in range(20):
            total += a[i]
            total = total * 2
            if i < 0:
                total = 0
            a[i] = total
        return locals()

    by_turns(region(straight), {"a": np.ones(20)}, 3)
    assert len(compiled) == 2, compiled  # up to the branch, and after it


def test_functions_of_one_code_share_what_is_compiled(compiled: list[str]) -> None:
    def outer(by: Any) -> Any:
        def inner(n: Any) -> Any:
            x = 0
            for _ in range(n):
                x = [x + by]
                x = x[0]
            return locals()

        return inner

    of = region(outer(2))
    sums = []
    for by in (2, 5):
        names = {".iterator0": iter(range(3)), ".item0": 0, "x": 1}
        outcome = resume(of.flow, (of.flow.blocks[1], 0), names, Scope(outer(by)))
        sums.append(outcome.names["x"])
    assert sums == [3, 6]
    assert len(compiled) == 1


def test_what_is_compiled_goes_with_the_graph() -> None:
    of = region(in_inner_loop)
    by_turns(of, {"n": 3, "hook": str}, 4)
    kept = weakref.ref(of.flow)
    del of
    gc.collect()
    assert kept() is None


def test_an_exception_keeps_nothing_of_the_region_alive() -> None:
    class Big:
        def __add__(self, other: Any) -> Any:
            raise ValueError

    def adds(box: Any) -> Any:
        for i in range(3):
            x = box + i
        return locals()

    box = Big()
    names = {".iterator0": iter(range(3)), ".item0": 0, "box": box}
    of = region(adds)
    gc.disable()
    try:
        outcome = resume(of.flow, (of.flow.blocks[1], 0), names, of.scope)
        assert outcome.error is not None
        kept = weakref.ref(box)
        error = outcome.error
        del box, names, outcome
        error.__traceback__ = None
        assert kept() is None
    finally:
        gc.enable()


def test_the_outermost_header_is_left_to_the_caller() -> None:
    of = region(in_inner_loop)
    iterator = iter(range(3))
    outcome = resume(of.flow, (of.flow.blocks[0], 0), {".iterator0": iterator, "total": 1}, of.scope)
    assert outcome.rest is iterator and outcome.names == {"total": 1}
