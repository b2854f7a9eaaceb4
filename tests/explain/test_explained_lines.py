"""`npcompile.explain` names the right file and line, says what to write instead of what is left to Python,
and times the call that was asked for."""

from __future__ import annotations

import importlib.util
import inspect
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.diagnostics.reason import Cause
from npcompile.explain import sampling
from npcompile.explain.blocks import LeftToPython
from npcompile.lower.loops.service.compiler import _Compiler

HELPERS = """import numpy as np
# line 2
def soft(x):
    return np.tanh(x) * 2
def late(x):
    k = np.random.default_rng(0).permuted(x)
    return k * 2 if k[0] > 1 else k
def relax(x):
    for i in range(1, len(x)):
        x[i] += 0.5 * x[i - 1]
    return repr(x[-1])
"""


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


@pytest.fixture
def helpers(tmp_path: Path) -> ModuleType:
    """A module of the user's in another file."""
    path = tmp_path / "far_away.py"
    path.write_text(HELPERS)
    spec = importlib.util.spec_from_file_location("far_away", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def line_of(fn: Callable[..., Any], text: str) -> int:
    lines, first = inspect.getsourcelines(fn)
    return next(first + place for place, line in enumerate(lines) if text in line)


def test_steps_in_another_file_name_it_and_the_line_that_led_there(helpers: ModuleType) -> None:
    def outer(x):
        y = helpers.soft(x)
        return y + 1

    found = npcompile.explain(outer, np.arange(9.0))
    tanh = next(step for step in found.steps if "np.tanh(" in step.text)
    assert tanh.elsewhere == f"{helpers.__file__}:4" and tanh.line == line_of(outer, "soft")
    assert "far_away.py:4  tanh = np.tanh(x)" in found.text("program")
    added = next(step for step in found.steps if "+ 1" in step.text)
    assert (added.line, added.elsewhere) == (line_of(outer, "y + 1"), "")
    lines = {line for program in found.programs for kernel in program.kernels for line in kernel.lines}
    assert lines == {tanh.line, added.line}


def test_reasons_that_lie_in_another_file_name_it(helpers: ModuleType) -> None:
    def outer(x):
        y = x + 1
        return helpers.late(y)

    found = npcompile.explain(outer, np.arange(9.0))
    assert f"(at {helpers.__file__}:6)" in found.why_cut
    assert found.why_cut.startswith(f"line {line_of(outer, 'late')}: ")


class Holder:
    pass


def test_stores_have_the_line_on_which_they_are_done() -> None:
    def stored(x, holder):
        holder.a = x * 3
        holder.b = np.sum(x)
        return x + 1

    found = npcompile.explain(stored, np.arange(9.0), Holder())
    lines = {step.text: step.line for step in found.steps if step.became == "store"}
    assert lines == {
        "holder.a = multiply": line_of(stored, "holder.a"),
        "holder.b = sum_1": line_of(stored, "holder.b"),
    }
    ends = [kernel.ended for program in found.programs for kernel in program.kernels]
    assert not any(end.startswith(("a comes", "b comes")) for end in ends)


def rows(m, holder):
    out = np.empty(len(m))
    for i, row in enumerate(m + 1):
        out[i] = np.sqrt((row * row).sum())
    return out


def test_blocks_that_come_with_the_next_call_are_not_said_to_be_not_reached() -> None:
    found = npcompile.explain(rows, np.ones((40, 50)), Holder())  # not timed, so not called again
    assert {block.way.partition(":")[0] for block in found.blocks} == {"recorded from the next call on"}
    assert found.why_cut.startswith(f"line {line_of(rows, 'for i')}: a loop of more than")


PARTS = {"quarter": object()}  # no native loop holds a dict of objects


def elements(x):
    y = np.zeros_like(x)
    for i in range(1, len(x)):
        y[i] = y[i - 1] * PARTS.get("half", 1) + x[i]
    return y


def native_elements(x):
    y = np.zeros_like(x)
    for i in range(1, len(x)):
        y[i] = y[i - 1] * 0.5 + x[i]
    return y


def test_a_native_loop_is_shown_with_its_types(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    found = npcompile.explain(npcompile.jit(native_elements, wait=True), np.ones(300))
    (loop,) = found.loops
    assert loop.way == "native" and loop.entries > 0 == loop.leaves
    assert loop.types == {"i": ("int",), "x": ("float64[:]",), "y": ("float64[:]",)}
    assert loop.without_checks == (line_of(native_elements, "for i"),)
    assert "npc_loop" in found.source
    assert all(part.lines[0] < loop.lines[0] for part in found.left)
    assert "native, entered" in found.text("program")


def test_the_time_of_a_native_loop_stands_at_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """No sample meets it, as it keeps the interpreter's lock; and most calls of a short one run no Python."""
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.setattr(sampling, "clock", time.process_time)  # the time of other processes is none of its
    x = np.ones(100_000)
    jitted = npcompile.jit(native_elements, wait=True)
    for _ in range(50):
        jitted(x)
    line = line_of(native_elements, "for i")
    with npcompile.profile() as profile:
        for _ in range(300):
            jitted(x)
    found = npcompile.explain(jitted, x)
    for report in (found.report, profile.explanations[0].report):
        times = {each.number: each.seconds or 0.0 for each in report.lines}
        assert report.times["native loop"] > 0.2 and max(times, key=times.__getitem__) in (line, line + 1)


def rows_of_sums(x):
    y = np.zeros((len(x), len(x)))
    for k in range(2):
        for i in range(len(x)):
            for j in range(1, len(x)):
                y[i, j] = y[i, j - 1] * 0.5 + x[j] + k
    return y


def marks_of(loop: Any, line: int) -> tuple[str, ...]:
    return next(one.marks for one in loop.code if one.line == line)


def test_loops_that_threads_share_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.setattr("npcompile.frontend.loop_pipeline.thread_count", lambda: 2)
    found = npcompile.explain(npcompile.jit(rows_of_sums, wait=True), np.ones(30))
    (loop,) = found.loops
    outer, inner = line_of(rows_of_sums, "for k"), line_of(rows_of_sums, "for i")
    assert loop.shared == (inner,)
    assert loop.unshared == ((outer, "other trips may use what a trip stores to `y`"),)
    assert marks_of(loop, inner) == ("threads share the trips",)
    assert f"{inner}      for i in range(len(x)):" in found.text(
        "program"
    ) and "threads share the trips" in found.text("program")
    assert f"one thread does the trips of line {outer}: other trips" in found.text("program")


def mixed(x, n, by):
    total = 0
    for i in range(n):
        total += x[i] / by
        j = i
        while j > 0:
            j //= by
    return total


def test_a_native_loop_is_shown_as_its_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """Types stand where they are new, checks of innermost loops where they are made."""
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")
    (loop,) = npcompile.explain(npcompile.jit(mixed, wait=True), np.ones(30), 30, 2).loops
    beside = [line.partition("# ")[2] for line in loop.listing.splitlines()]
    assert beside == [
        "i: int",
        "x: float64[:]; by: int; total: int or np.float64",
        "j: int",
        "",
        "checks for division by zero",
    ]
    assert textwrap.indent(loop.listing, "  ") in str(loop)
    assert loop.code[1].types["total"] == ("int", "np.float64")


def scaled(x, y, n):
    for _ in range(n):
        for i in range(len(x)):
            y[i] = x[i] * 0.5 + y[i]
        y[0] = y[-1]
    return y


def test_vectorised_loops_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The C++ compiler tells; what it said is kept with the library."""
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.delenv("NPCOMPILE_OPTIMIZE_LOOPS", raising=False)
    line = line_of(scaled, "for i")
    for _ in range(2):
        monkeypatch.setattr(
            "npcompile.lower.loops.service.compiler._compiler", _Compiler()
        )  # another process
        (loop,) = npcompile.explain(npcompile.jit(scaled, wait=True), np.ones(30), np.ones(30), 3).loops
        assert loop.vectorised == (line,)
        assert marks_of(loop, line)[-1] == "vectorised"


def long_loop(x, n):
    a = b = c = d = 0.0
    for i in range(n):
        a = b + 1.0
        #
        #
        #
        #
        #
        #
        #
        #
        #
        #
        #
        #
        #
        b = c + x[i]
        c = d
        d = a
    return a + b + c + d


def test_long_loops_are_shown_in_few_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")
    (loop,) = npcompile.explain(npcompile.jit(long_loop, wait=True), np.ones(30), 30).loops
    assert len(str(loop).splitlines()) < 12 and "     ..." in str(loop)
    assert len(loop.listing.splitlines()) == len(loop.code) == 18


LOCK = threading.Lock()


def locks(x):
    total = 0.0
    for i in range(len(x)):
        with LOCK:
            total += 1 / int(x[i] + 1)
    return total


def makes_functions(x):
    total = 0.0
    for i in range(len(x)):
        double = lambda y: y * 2  # noqa: E731
        total += double(x[i])
    return total


@pytest.mark.parametrize(
    "function, text, reason, write",
    [
        (locks, "with LOCK:", "`LOCK`, a lock", "enter the context manager around the loop"),
        (makes_functions, "lambda", "a `lambda` made in the loop", "define the function before the loop"),
    ],
)
def test_a_loop_that_is_not_native_says_why(
    function: Any, text: str, reason: str, write: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    jitted = npcompile.jit(function, wait=True)
    for _ in range(3):
        found = npcompile.explain(jitted, np.arange(30.0))
    (loop,), line = found.loops, line_of(function, text)
    assert loop.way == f"left to Python: {reason} (line {line})" and loop.entries == 0
    assert loop.why is not None and (loop.why.line, loop.why.reason, loop.why.write) == (line, reason, write)
    assert f"instead: {write}" in str(loop)


def test_timing_counts_no_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")
    jitted = npcompile.jit(mixed, wait=True)
    found = npcompile.explain(jitted, np.ones(30), 30, 2)
    assert found.seconds.replay is not None
    assert jitted.stats.loop_entries == found.loops[0].entries <= 2


def test_a_loop_over_elements_says_what_to_write_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND")  # too little work for kernels
    jitted = npcompile.jit(elements)
    for _ in range(2):
        found = npcompile.explain(jitted, np.ones(300))
    (left,) = [part for part in found.left if part.lines[0] == line_of(elements, "y[i - 1]")]
    line = line_of(elements, "PARTS")
    assert left.reason == f"the loop is left to Python: `PARTS`, an object of the class dict (line {line})"
    assert left.write == Cause.LOOP_LEFT.advice == "change that line, or take it out of the loop"
    assert f"instead: {left.write}" in found.text("program")


def with_text(x):
    total = 0.0
    for i in range(len(x)):
        one = x[i] * 2.0
        total += len(repr(one))
    return total


def test_lines_of_a_loop_tell_of_the_one_that_keeps_it_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND")  # too little work for kernels
    jitted = npcompile.jit(with_text)
    for _ in range(3):
        found = npcompile.explain(jitted, np.ones(300))
        jitted.wait()
    (loop,) = found.loops
    line = line_of(with_text, "repr")
    assert loop.is_left and loop.why is not None and loop.why.line == line
    first, last = found.left
    assert (first.reason, first.write) == (f"the loop is {loop.way}", loop.why.write)
    assert loop.way == f"left to Python: calls of `repr` (line {line})"
    assert last.lines == (line, line) and last.reason == "len() of a str"


def test_what_need_not_be_written_otherwise_has_no_advice() -> None:
    assert (
        str(LeftToPython((3, 3), "n += 1", "arithmetic on numbers"))
        == "line 3: n += 1: arithmetic on numbers"
    )
    text = str(LeftToPython((3, 5), "f(", "why", "what", "far.py"))
    assert text == "lines 3-5 of far.py: f(: why\n    instead: what"


def test_a_loop_test_is_a_block_on_its_own_line() -> None:
    def until(x):
        n = 0
        while np.abs(x).max() > 0.01:
            x = x * 0.7
            n += 1
        return x, n

    found = npcompile.explain(until, np.ones(20_000))
    line = line_of(until, "while")
    assert (line, line) in {block.lines for block in found.blocks}
    assert found.copies.in_loops and "at each trip counts once" in found.text("program")


def test_what_is_timed_finds_what_the_call_found() -> None:
    """Not what it has left: a list that has grown is another signature, and was no call of the user's."""

    def kept(x, history):
        y = x * 2 + 1
        history.append(y.sum())
        z = np.sqrt(np.abs(y))
        history.append(z.sum())
        return z

    history: list[Any] = []
    found = npcompile.explain(kept, np.ones(20_000), history)
    assert len(history) == 2
    assert not found.recompilations


def test_a_decorator_decides_nothing_about_effects() -> None:
    def plain(mark):
        return lambda fn: fn

    @plain(lambda: 1)
    def steps(u, n):
        v = u * 0.5
        for _ in range(n):
            v = v + 0.1 * (u - v)
        return v

    assert npcompile.explain(steps, np.arange(20_000.0), 40).seconds.numpy is not None


def test_programs_of_which_one_answers_are_not_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND")

    @npcompile.jit
    def chosen(x):
        if x.sum() > 0:
            return x * 2
        return x - 1

    chosen(np.arange(4.0))
    found = npcompile.explain(chosen, -np.arange(4.0))
    each = [program.bytes_written for program in found.programs]
    assert len(each) == 2 and found.copies.bytes_written == max(each)


def test_signatures_of_objects_and_of_nothing() -> None:
    found = npcompile.explain(
        lambda o, x: (o, x + 1), np.array([1, None and 2, 3], object)[::2], np.ones((0, 3))
    )
    assert found.programs[0].signature == "o: array[2] (strides 2), x: float64[0, 3]"


def test_native_loops_of_functions_that_are_called_name_their_file(
    helpers: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND")
    monkeypatch.setenv("NPCOMPILE_CONTESTS", "0")

    @npcompile.jit
    def outer(x):
        log = []
        for k in range(30):
            log.append(f"{k}: {helpers.relax(x)}")
        return log

    x = np.ones(300)
    for _ in range(4):
        outer(x)
        outer.wait(120)
    found = npcompile.explain(outer, x)
    (loop,) = (loop for loop in found.loops if loop.entries)
    assert (loop.lines, loop.elsewhere) == ((9, 10), helpers.__file__)
    assert f"lines 9-10 of {helpers.__file__}: native" in found.text("program")
    assert found.report is not None
    (function,) = (one for one in found.report.functions if one.file == helpers.__file__)
    native = [(line.number, line.reason) for line in function.lines if line.kinds == ("native loop",)]
    assert native == [(9, ""), (10, "")]
