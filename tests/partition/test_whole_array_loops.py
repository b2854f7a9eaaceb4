"""Loops whose trips are work on whole arrays: native where that takes less time than their blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.partition.whole_array_loop import LARGEST, WholeArrayLoop
from npcompile.tiering import loop_contest
from tests.checker import same
from tests.loops.random_check import compile_loops_alone
from tests.programs.jit_lane import sharing

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")


@pytest.fixture(autouse=True)
def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_loops_alone(monkeypatch)
    monkeypatch.setattr("npcompile.partition.native_code.are_held", lambda: True)


def smooth(a, b, steps):
    for _ in range(steps):
        b[1:-1] = 0.5 * (a[:-2] + a[2:])
        a[1:-1] = 0.5 * (b[:-2] + b[2:])
    return a


def moves_up(a, b, steps):
    for _ in range(steps):
        a[1:] = a[:-1]
        b[:-1] += b[1:]
        a[::-1] += a
    return a, b


def swaps(a, b, steps):
    for _ in range(steps):
        b[1:-1] = a[:-2] - a[2:]
        a, b = b, a
    return a, b


def converges(a, b, steps):
    trips, change = 0, b[0] + 1.0
    while change > 1e-3 * steps:
        new = a.copy()
        new[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3
        change = np.abs(new - a).max()
        a = new
        trips += 1
    return a, trips, change


def returns(a, b, steps):
    a *= 50
    while True:
        a[1:] = 0.5 * a[1:] + 0.25 * b[:-1]
        total = a[1:].sum()
        if total < steps + 2:
            return total


def breaks(a, b, steps):
    trip = 0
    for _ in range(100):
        trip += 1
        a[:] = a / 2
        if a[2:].max() < 0.01 * steps:
            break
    return trip, a


def rounds(a, b, steps):
    whole = a.astype(np.int8)
    small = b.astype(np.float32)
    for _ in range(steps):
        whole[:] = whole * 3 + 1
        small[:-1] = small[1:] * 0.1 + 1
        whole[::2] -= whole[::-2]
    return whole, small


def misfits(a, b, steps):
    for _ in range(steps):
        b[1:] = b[:-1]
        a[1:] = b[1:] + 1
        a[:-1] = b[: steps + 3]
    return a


def counts(a, b, steps):
    grid = (a.reshape(2, -1) > 0.5).astype(np.int64)
    for _ in range(steps):
        near = np.zeros_like(grid)
        near[:, 1:-1] = grid[:, :-2] + grid[:, 2:] + grid[::-1, 1:-1]
        grid = np.where((near == 2) | ((grid == 1) & (near == 1)), 1, 0)
    return grid


PROGRAMS = [smooth, moves_up, swaps, converges, returns, breaks, rounds, misfits, counts]


def outcome(function: Callable[..., Any], call: int) -> tuple[Any, ...]:
    """Return what a call gives or raises, and its arguments as it leaves them."""
    rng = np.random.default_rng(call)
    arguments = rng.random(12 + 4 * call), rng.random(12 + 4 * call), 3 + call
    try:
        result, raised = function(*arguments), None
    except ValueError as error:
        result, raised = None, str(error)
    return result, raised, arguments, sharing(result, list(arguments))


def test_native_answers_are_numpys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_contest.LoopContest, "verdict", lambda self, sizes: True)
    jitted = {program: npcompile.jit(program) for program in PROGRAMS}
    for call in range(5):
        for program, ours in jitted.items():
            got, want = outcome(ours, call), outcome(program, call)
            assert got[1] == want[1] and got[3] == want[3], program
            same(got[0], want[0], where=program.__name__)
            same(got[2], want[2], where=program.__name__)
        if call == 1:  # native code has been asked for
            for ours in jitted.values():
                ours.wait()
    assert [program.__name__ for program, ours in jitted.items() if ours.stats.loop_entries != 3] == []
    assert [ours.stats.native_loops for ours in jitted.values()] == [1] * len(jitted)


class Clock:
    """A clock that only loops move on: native ones and those by blocks, each by their own seconds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, native: float, blocks: float) -> None:
        self.now = 0.0
        run, done = WholeArrayLoop._run, WholeArrayLoop.cut_done

        def moved_natively(loop: WholeArrayLoop, *args: Any) -> Any:
            self.now += native
            return run(loop, *args)

        def moved_by_blocks(loop: WholeArrayLoop) -> None:
            self.now += blocks
            done(loop)

        monkeypatch.setattr(loop_contest, "clock", lambda: self.now)
        monkeypatch.setattr(WholeArrayLoop, "_run", moved_natively)
        monkeypatch.setattr(WholeArrayLoop, "cut_done", moved_by_blocks)


def called(jitted: npcompile.Jitted, count: int, items: int = 30) -> list[int]:
    """Call a function so often; return how often native code was entered in each call."""
    entries = []
    for _ in range(count):
        before = jitted.stats.loop_entries
        mine, theirs = (np.linspace(0.0, 1.0, items) for _ in range(2)), np.linspace(0.0, 1.0, items)
        same(jitted(*mine, 4), smooth(theirs, theirs.copy(), 4))
        jitted.wait()
        entries.append(jitted.stats.loop_entries - before)
    return entries


def test_small_arrays_are_native_where_that_takes_less_time(monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch, native=1e-5, blocks=5e-5)
    jitted = npcompile.jit(smooth)
    entries = called(jitted, 16)
    assert entries[0] == 0, "blocks are recorded first"
    assert 0 in entries[1:12] and entries[-2:] == [1, 1]
    (loop,) = npcompile.explain(jitted, np.ones(30), np.ones(30), 4).loops
    assert loop.way == "native"


def test_blocks_go_on_where_they_take_less_time(monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch, native=5e-5, blocks=1e-5)
    jitted = npcompile.jit(smooth)
    entries = called(jitted, 16)
    assert 1 in entries and entries[-3:] == [0, 0, 0]
    (loop,) = npcompile.explain(jitted, np.ones(30), np.ones(30), 4).loops
    assert loop.way == "left to Python: its blocks take less time"


def test_no_call_is_a_measure_while_both_are_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A contest with the plain function would measure the turns of blocks, and give up native code."""
    Clock(monkeypatch, native=1e-5, blocks=5e-5)
    met: list[WholeArrayLoop] = []
    enter = WholeArrayLoop.enter
    monkeypatch.setattr(WholeArrayLoop, "enter", lambda loop, *args: met.append(loop) or enter(loop, *args))
    jitted = npcompile.jit(smooth)
    pending = []
    for _ in range(16):
        called(jitted, 1)
        pending.append(met[-1].is_pending)
    first, count = pending.index(True), pending.count(True)
    assert pending[first : first + count] == [True] * count
    assert first < 3 < count < 13
    assert met[-1].contest.verdicts


def test_nothing_is_compiled_for_loops_over_large_arrays() -> None:
    jitted = npcompile.jit(smooth)
    assert called(jitted, 4, items=LARGEST // 8 + 1) == [0] * 4
    assert jitted.stats.native_loops == 0


def prints(a, b, steps):
    for trip in range(steps):
        a[1:] = a[:-1] + b[1:]
        if trip == 2:
            print(a[:2])
    return a


def test_loops_that_native_code_leaves_for_long_are_blocks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NPCOMPILE_OVERHEAD", "limited")
    monkeypatch.setattr("npcompile.tiering.leave_budget.FIRST", -1.0)
    monkeypatch.setattr(loop_contest.LoopContest, "verdict", lambda self, sizes: True)
    jitted = npcompile.jit(prints)
    for call in range(6):
        want, got = outcome(prints, 1), outcome(jitted, 1)
        same(got[0], want[0], where=str(call))
        mine, theirs = np.array_split(capsys.readouterr().out.splitlines(), 2)
        assert [*mine] == [*theirs]
        jitted.wait()
    assert jitted.stats.loop_entries == 1
