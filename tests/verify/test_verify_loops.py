"""`npcompile.verify` compares native loops with Python, and names the first trip and name that differ."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile import Verification, verify
from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen import emitter
from npcompile.lower.loops.types import INT
from npcompile.verify.loop_check import LoopDifference
from tests.checker import same


@pytest.fixture(autouse=True)
def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")


@contextmanager
def adding_one(monkeypatch: pytest.MonkeyPatch, name: str, value: int) -> Iterator[None]:
    """Native code whose sums of floats are too large by one where a name has a value."""
    rule = emitter._expressions[ir.Apply]

    def broken(writer: Any, node: Any) -> str:
        text = rule(writer, node)
        if "npl::add<double>" not in node.operation.function or (name, INT) not in writer.variables:
            return text
        return writer.hold(node.type, f"{text} + ({writer.variable(name, INT)} == {value})")

    with monkeypatch.context() as patch:
        patch.setitem(emitter._expressions, ir.Apply, broken)
        yield


def found(outcome: Verification, function: Callable[..., Any], text: str) -> LoopDifference:
    """Return the difference, after making sure that it stands on this line."""
    assert not outcome.ok and isinstance(outcome.difference, LoopDifference), str(outcome)
    lines, first = inspect.getsourcelines(function)
    assert outcome.file == __file__ and outcome.line is not None
    assert text in lines[outcome.line - first], str(outcome)
    return outcome.difference


def running(x: Any, seen: list[int]) -> Any:
    y = np.zeros_like(x)
    total = 0.0
    for k in range(len(x)):
        part = 0.0
        for i in range(k):
            part += x[i] * y[i]
        if part > 2:
            seen.append(k)
        total = total + part
        y[k] = part - x[k]
    return y, total


def test_loops_agree_and_happen_once() -> None:
    x = np.linspace(-1.0, 1.0, 12)
    seen: list[int] = []
    plain: list[int] = []
    outcome = verify(running, x, seen)
    assert outcome.ok and outcome.loops == 1, str(outcome)
    assert str(outcome) == f"all {outcome.checked} operations agree with NumPy, and 1 native loop with Python"
    same(outcome.result, running(x, plain))
    assert seen == plain


def test_the_first_wrong_trip_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.linspace(-1.0, 1.0, 12)
    with adding_one(monkeypatch, "k", 3):
        outcome = verify(running, x, [])
    difference = found(outcome, running, "part += x[i] * y[i]")
    assert (difference.trip, difference.name, difference.what) == (4, "part", "value")
    first = inspect.getsourcelines(running)[1]
    assert difference.lines == (first + 3, first + 10)
    assert (
        f"`part` differs from Python's in value after trip 4 of the native loop of lines {first + 3}-"
        in str(outcome)
    )
    same(outcome.result, running(x, []))  # Python's


def until(x: Any, printed: Callable[[Any], None]) -> Any:
    n = 0
    while n < 9:
        if n % 4 == 2:
            printed(n)
        n += 1
        x = x + 0.5
    return x


def test_trips_that_native_code_leaves_are_python_s_alone() -> None:
    """A `while` loop, with a call that native code does not know: the other trips are compared."""
    seen: list[int] = []
    outcome = verify(until, np.float64(1.0), seen.append)
    assert outcome.ok and outcome.loops == 1 and seen == [2, 6], str(outcome)


def views(a: Any, items: Any) -> Any:
    last = a
    queue = [0]
    for place in items:
        last = a[place:]
        last[0] += 2
        queue.append(place)
        a = last
    return last, queue


def test_arrays_share_memory_as_they_do_in_python() -> None:
    a = np.arange(12.0)
    outcome = verify(views, a, [1, 0, 2])
    assert outcome.ok and outcome.loops == 1, str(outcome)
    last, queue = views(want := np.arange(12.0), [1, 0, 2])
    same(a, want)
    same(outcome.result, (last, queue))
    assert np.shares_memory(outcome.result[0], a)


def drawn(generator: Any, n: int) -> int:
    inside = 0
    for _ in range(n):
        inside += generator.random() < np.random.rand()
    return inside


def test_numbers_are_drawn_once() -> None:
    ends = []
    for call in (lambda *args: verify(drawn, *args).result, drawn):
        generator = np.random.default_rng(1)
        np.random.seed(3)
        ends.append((call(generator, 40), generator.random(), np.random.rand()))
    assert ends[0] == ends[1]


def test_exceptions_are_python_s() -> None:
    def beyond(x: Any) -> Any:
        for i in range(len(x) + 1):
            x[i] += 1.0
        return x

    x = np.zeros(3)
    with pytest.raises(IndexError, match="index 3 is out of bounds"):
        verify(beyond, x)
    same(x, np.ones(3))


def test_a_run_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """With `NPCOMPILE_VERIFY=1` Python does the first loop of each native code's, and it is compared."""
    monkeypatch.setenv("NPCOMPILE_VERIFY", "1")
    x = np.linspace(-1.0, 1.0, 12)
    jitted = npcompile.jit(running)
    entries = []
    for _ in range(4):
        same(jitted(x, []), running(x, []))
        jitted.wait()
        entries.append(jitted.stats.loop_entries)
    assert entries[0] == 0 < entries[-1]
    with adding_one(monkeypatch, "k", 3):
        jitted = npcompile.jit(running)
        with pytest.warns(npcompile.DifferenceWarning, match="`part` differs .* after trip 4 of") as told:
            same(jitted(x, []), running(x, []))
    first = inspect.getsourcelines(running)[1]
    assert [(one.filename, one.lineno) for one in told] == [(__file__, first + 6)]


def drawing(rng: np.random.Generator, n: int) -> tuple[float, float]:
    x, total = 0.0, 0.0
    for _ in range(n):
        proposal = x + rng.uniform(-1.0, 1.0)
        if rng.random() < np.exp(-0.5 * (proposal * proposal - x * x)):
            x = proposal
        total += x + np.random.rand()
    return total, rng.standard_normal()


def test_random_numbers_are_drawn_once() -> None:
    np.random.seed(3)
    want = drawing(np.random.default_rng(3), 50), np.random.rand()
    np.random.seed(3)
    outcome = verify(drawing, np.random.default_rng(3), 50)
    assert outcome.ok and outcome.loops == 1, str(outcome)
    assert (outcome.result, np.random.rand()) == want


def guarded(x: Any) -> tuple[float, int]:
    total, bad = 0.0, 0
    for i in range(len(x)):
        try:
            total += 1 / float(x[i])
        except ZeroDivisionError:
            bad += 1
    return total, bad


def test_loops_with_handlers_agree() -> None:
    x = np.arange(-3.0, 5)
    outcome = verify(guarded, x)
    assert outcome.ok and outcome.loops == 1, str(outcome)
    assert outcome.result == guarded(x)
