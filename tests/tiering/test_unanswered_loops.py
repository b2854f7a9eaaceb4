"""Loops whose blocks no kernel answers go on as they were written, and try their blocks again later."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile import Jitted
from npcompile.frontend.rewrite.dual_loops import IDLE
from npcompile.lower.loops.service.compiler import Job
from npcompile.partition import callees
from npcompile.partition.partitioned import PartitionedFunction
from npcompile.runtime.recorded_program import RecordedProgram
from npcompile.tiering import deferred_calls
from tests.checker import same

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")

TRIPS = 1000


class Later:
    """What is to be called later is called when a test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.due: list[Callable[[], None]] = []
        monkeypatch.setattr(deferred_calls, "later", self.add)
        monkeypatch.setattr(callees, "PATIENCE", 1e9)

    def add(self, seconds: float, function: Callable[[], None]) -> Callable[[], None]:
        self.due.append(function)
        return lambda: None

    def go_on(self) -> None:
        due, self.due = self.due, []
        for function in due:
            function()


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Later:
    return Later(monkeypatch)


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels, and native code of loops, are being compiled for ever."""
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.setattr(RecordedProgram, "start", lambda self: setattr(self, "parked", False))
    monkeypatch.setattr(RecordedProgram, "done", property(lambda self: False))
    monkeypatch.setattr(Job, "done", property(lambda self: False))


def blocks_called(jitted: Jitted, *args: Any) -> int:
    """How many calls of blocks a call makes."""
    before = jitted.npcompile_root().block_stats.calls
    same(jitted(*args), jitted.__wrapped__(*args))
    return int(jitted.npcompile_root().block_stats.calls - before)


def stepping(x: np.ndarray, trips: int, log: list[int]) -> np.ndarray:
    for i in range(trips):
        x = np.abs(x * 0.5 - 0.25) * 0.75 + np.abs(x * 0.25 - 0.125)
        log.append(i)
    return x


def nested(x: np.ndarray, trips: int, log: list[int]) -> np.ndarray:
    for i in range(trips):
        for _ in range(3):
            x = np.abs(x * 0.5 - 0.25) * 0.75 + np.abs(x * 0.25 - 0.125)
            log.append(i)
        log.append(-i)
    return x


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("fn", [stepping, nested])
def test_few_blocks_are_called(fn: Any, later: Later) -> None:
    jitted = npcompile.jit(fn)
    x = np.linspace(0, 1, 50)
    blocks_called(jitted, x, 8, [])  # cut and recorded
    blocks_called(jitted, x, 8, [])
    assert blocks_called(jitted, x, TRIPS, []) <= IDLE + 3
    assert len(later.due) == 1


def growing_text(x: np.ndarray, trips: int, log: list[int]) -> Any:
    text = ""
    for i in range(trips):
        text += "+" if i % 3 else "-"
        log.append(i)
    return text, x.sum()


def seldom(x: np.ndarray, trips: int, log: list[int]) -> np.ndarray:
    for i in range(trips):
        if i % 900 == 1:
            x = np.abs(x * 0.5 - 0.25) * 0.75 + np.abs(x * 0.25 - 0.125)
        log.append(i)
    return x


def halved(x: np.ndarray) -> np.ndarray:
    return np.abs(x * 0.5 - 0.25) * 0.75 + np.abs(x * 0.25 - 0.125)


def by_a_callee(x: np.ndarray, trips: int, log: list[int]) -> np.ndarray:
    for i in range(trips):
        x = halved(x)
        log.append(i)
    return x


def in_turn(x: np.ndarray, trips: int, log: list[int]) -> np.ndarray:
    for i in range(trips):
        for _ in range(2):
            log.append(i)
            log.append(-i)
        while len(log) % 3:
            log.append(1)
    return x


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("fn", [growing_text, seldom, by_a_callee, in_turn])
def test_little_is_asked_in_a_loop_of_which_nothing_comes(
    fn: Any, later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    jitted = npcompile.jit(fn)
    x = np.linspace(0, 1, 50)
    for _ in range(2):
        blocks_called(jitted, x, 8, [])
    asked = 0

    def enter(self: PartitionedFunction, function: Any) -> Any:
        nonlocal asked
        asked += 1
        return of(self, function)

    of = PartitionedFunction.enter
    monkeypatch.setattr(PartitionedFunction, "enter", enter)
    for _ in range(3):
        asked = 0
        assert blocks_called(jitted, x, TRIPS, []) <= 2 * IDLE
        assert asked <= 6 * IDLE


class Log(list):  # type: ignore[type-arg]
    """Calls what is to be done at a trip."""

    def __init__(self, todo: dict[int, Callable[[], None]]) -> None:
        super().__init__()
        self.todo = todo

    def append(self, trip: int) -> None:
        super().append(trip)
        self.todo.get(trip, int)()


def test_blocks_are_tried_again(later: Later, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(stepping)
    x = np.linspace(0, 1, 50)
    for _ in range(2):
        blocks_called(jitted, x, 8, Log({}))
    (cut,) = (state.partitioned for state in jitted.npcompile_root().by_signature.values())
    assert cut is not None

    def idle() -> None:
        cut.unanswered = IDLE
        cut.idles()

    before = jitted.npcompile_root().block_stats.replays
    same(jitted(x, TRIPS, Log({0: idle, 300: later.go_on})), stepping(x, TRIPS, Log({})))
    assert jitted.npcompile_root().block_stats.replays - before == 1 + TRIPS - 301


@pytest.mark.parametrize("function", [stepping, by_a_callee])
def test_what_kernels_answer_counts_for_nothing(
    function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, later: Later
) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(function)
    x = np.linspace(0, 1, 50)
    for _ in range(2):
        blocks_called(jitted, x, 8, [])
    assert blocks_called(jitted, x, TRIPS, []) == TRIPS
    assert not later.due
