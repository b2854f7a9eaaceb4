"""A function's blocks are compared with the plain function on calls that measure them."""

from __future__ import annotations

import ast
import contextlib
import itertools
from types import SimpleNamespace
from typing import Any

import pytest

from npcompile.tiering import block_contest
from npcompile.tiering.contest import TURN


class Cut:
    """A function that was cut, whose calls take seconds of a clock that stands still otherwise."""

    def __init__(self, slow: int, types: bool, records: bool = False) -> None:
        self.root = SimpleNamespace(block_stats=SimpleNamespace(recordings=0), callees={}, worked=0.0)
        self.reaches_loops = self.is_native = self.compiles_loops = self.is_within = False
        self.typed, self.lacks, self.rest, self.as_written = 0, False, 0, 0.0
        self.now = 0.0
        self.runs = 0
        # The run that takes long, and if it types a loop, or records a block.
        self._slow, self._types, self._records = slow, types, records

    def run(self, args: Any, kwargs: Any) -> None:
        self.runs += 1
        if self.runs == self._slow:
            self.typed += self._types
            self.root.block_stats.recordings += self._records
            self.now += 0.1
        self.now += 0.001

    def plain(self, args: Any, kwargs: Any) -> None:
        self.now += 0.005

    def current(self) -> tuple[()]:
        return ()


def answered(cut: Any, calls: int, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the signature's state after so many calls."""
    monkeypatch.setattr(block_contest, "clock", lambda: cut.now)
    contest, state = block_contest.BlockContest(), SimpleNamespace(rest=0)
    for _ in range(calls):
        with contextlib.suppress(IndexError):
            contest.answer(cut, state, (), {})  # type: ignore[arg-type]
    return state


def plain_calls(cut: Any, calls: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how many of so many calls the plain function answers."""
    before = cut.runs
    answered(cut, calls, monkeypatch)
    return calls - (cut.runs - before)


def raising(cut: Cut, often: int, seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have each so-many-th call of a function raise, at once by the plain function, else after seconds."""
    calls = itertools.count(1)
    run, plain = cut.run, cut.plain

    def by_blocks(args: Any, kwargs: Any) -> None:
        if next(calls) % often:
            return run(args, kwargs)
        cut.runs += 1
        cut.now += seconds
        raise IndexError

    def by_python(args: Any, kwargs: Any) -> None:
        if next(calls) % often:
            return plain(args, kwargs)
        raise IndexError

    monkeypatch.setattr(cut, "run", by_blocks)
    monkeypatch.setattr(cut, "plain", by_python)


@pytest.mark.parametrize("slow", [0, 1, 2])
def test_typing_a_loop_is_no_measure(slow: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cut = Cut(slow, types=True)
    assert answered(cut, 30, monkeypatch).rest == 0
    assert cut.runs > 20


@pytest.mark.parametrize("slow", [1, 2])
def test_recording_a_block_is_no_measure(slow: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cut = Cut(slow, types=False, records=True)
    assert answered(cut, 30, monkeypatch).rest == 0
    assert cut.runs > 20


def test_a_call_that_leaves_something_to_record_is_no_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    cut = Cut(0, types=False)
    run = cut.run

    def later(args: Any, kwargs: Any) -> None:
        run(args, kwargs)
        cut.lacks = cut.runs < block_contest.UNJUDGED
        cut.now += 0.1 * cut.lacks

    monkeypatch.setattr(cut, "run", later)
    assert answered(cut, 30, monkeypatch).rest == 0
    assert cut.runs > 20


def test_recording_at_every_call_is(monkeypatch: pytest.MonkeyPatch) -> None:
    cut = Cut(0, types=False)
    run, counts = cut.run, cut.root.block_stats

    def recording(args: Any, kwargs: Any) -> None:
        run(args, kwargs)
        counts.recordings += 1
        cut.now += 0.1

    monkeypatch.setattr(cut, "run", recording)
    assert answered(cut, 1 + block_contest.UNJUDGED + 1, monkeypatch).rest > 0


def test_a_slow_first_run_loses_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    assert answered(Cut(1, types=False), 2, monkeypatch).rest > 0


def test_calls_are_compared_where_all_raise(monkeypatch: pytest.MonkeyPatch) -> None:
    cut = Cut(0, types=False)
    raising(cut, 1, 1e-5, monkeypatch)
    assert answered(cut, 60, monkeypatch).rest > 0


@pytest.mark.parametrize("often", [2, 3, 5])
def test_calls_that_raise_among_others_are_no_measure(often: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cut = Cut(0, types=False)
    raising(cut, often, 1e-5, monkeypatch)
    assert answered(cut, 60, monkeypatch).rest == 0
    assert cut.runs > 40


def test_loops_may_be_reached_while_the_plain_function_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    cut = Cut(0, types=False)
    plain = cut.plain

    def calling_itself(args: Any, kwargs: Any) -> None:
        plain(args, kwargs)
        cut.reaches_loops = True

    monkeypatch.setattr(cut, "plain", calling_itself)
    assert answered(cut, 30, monkeypatch).rest == 0
    assert cut.runs > 20


@pytest.mark.parametrize("part", [0.0, 0.5])
def test_long_calls_are_in_doubt_where_native_code_does_little(
    part: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut = Cut(0, types=False)
    cut.reaches_loops = True
    run = cut.run

    def slowly(args: Any, kwargs: Any) -> None:
        run(args, kwargs)
        cut.now += 0.1
        cut.root.worked += part * 0.1

    monkeypatch.setattr(cut, "run", slowly)
    assert (answered(cut, 30, monkeypatch).rest > 0) == (part == 0.0)


def test_loops_of_callees_that_are_being_compiled_are_to_be_waited_for() -> None:
    cut, callee = Cut(0, types=False), Cut(0, types=False)
    state = SimpleNamespace(partitioned=callee, pending=[], trial=None)
    cut.root.callees["function"] = SimpleNamespace(by_signature={"signature": state})
    assert block_contest.is_settled(cut)  # type: ignore[arg-type]
    callee.compiles_loops = True
    assert not block_contest.is_settled(cut)  # type: ignore[arg-type]


def test_no_contest_counts_that_began_while_kernels_were_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[bool] = []
    monkeypatch.setattr(block_contest, "is_settled", lambda cut: bool(compiled))
    cut = Cut(0, types=False)
    run = cut.run

    def slow(args: Any, kwargs: Any) -> None:
        run(args, kwargs)
        cut.now += 0.0 if cut.runs > 4 else 0.1
        compiled.extend([True] * (cut.runs == 4))

    monkeypatch.setattr(cut, "run", slow)
    assert answered(cut, 60, monkeypatch).rest <= block_contest.FEW
    assert cut.runs > 20


def test_ours_wins_a_contest_that_began_while_kernels_were_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those to come are faster still."""
    cut = Cut(0, types=False)
    cut.reaches_loops = True
    monkeypatch.setattr(block_contest, "is_settled", lambda cut: cut.now > 0.005)  # from the plain call on
    answered(cut, 40, monkeypatch)
    assert cut.runs == 39


@pytest.mark.parametrize("as_written", [0.0, 1.0])
def test_a_call_that_nothing_answered_is_a_measure_of_much_faster_loops(
    as_written: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut = Cut(0, types=False)
    cut.reaches_loops, cut.as_written = True, as_written
    answered(cut, block_contest.FIRST, monkeypatch)
    assert cut.runs == block_contest.FIRST - (as_written == 0.0)
    assert plain_calls(cut, 2 * block_contest.FIRST, monkeypatch) == 1  # later ones may be shorter


@pytest.mark.parametrize("seconds", [0.005, 0.1, 1.0])
def test_turns_of_a_slow_plain_function_take_a_part_of_the_time(
    seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut = Cut(0, types=False)
    cut.reaches_loops = True
    monkeypatch.setattr(cut, "plain", lambda args, kwargs: setattr(cut, "now", cut.now + seconds))
    calls = 4 * block_contest.RARE
    spent = plain_calls(cut, calls, monkeypatch) * seconds
    assert spent <= seconds + 2 * TURN * 0.001 * calls


def test_a_loop_is_settled_when_its_own_blocks_are(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = ast.parse("for i in range(3):\n    x = x + 1").body[0]

    def block(within: bool, trial: Any) -> Any:
        states = {0: SimpleNamespace(pending=[], trial=trial)}
        return SimpleNamespace(by_signature=states, inside=None, is_in=lambda one: within and one is loop)

    cut: Any = Cut(0, types=False)
    outside, inside = block(False, object()), block(True, None)
    monkeypatch.setattr(cut, "current", lambda: (outside, inside))
    assert block_contest.is_settled(cut, loop) and not block_contest.is_settled(cut)
    inside.by_signature[0].trial = object()
    assert not block_contest.is_settled(cut, loop)


def test_a_native_function_is_settled_whatever_its_blocks_wait_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its blocks are called no more: contests that waited for them would have the plain function called."""
    cut: Any = Cut(0, types=False)
    states = {0: SimpleNamespace(pending=[], trial=object())}
    monkeypatch.setattr(cut, "current", lambda: (SimpleNamespace(by_signature=states, inside=None),))
    cut.is_native = True
    plain, calls = cut.plain, []
    monkeypatch.setattr(cut, "plain", lambda *args: calls.append(plain(*args)))
    answered(cut, 400, monkeypatch)
    assert len(calls) <= 3 * block_contest.FEW
