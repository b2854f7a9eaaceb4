"""Contests between native code of loops over whole arrays and their blocks."""

from __future__ import annotations

import threading

import pytest

from npcompile.tiering import loop_contest
from npcompile.tiering.loop_contest import MOST_UNDECIDED, UNTIMED, LoopContest


class Loops:
    """Loops that take seconds of a clock of their own: natively, and by blocks."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, native: float, blocks: float, steady: bool) -> None:
        self.now, self.native, self.blocks = 0.0, native, blocks
        self.contest = LoopContest(steady)
        self.turns: list[bool] = []
        monkeypatch.setattr(loop_contest, "clock", lambda: self.now)

    def run(self, *sizes: int) -> None:
        ours = self.contest.verdict(sizes)
        ours = self.contest.begin(sizes) if ours is None else ours
        self.turns.append(ours)
        self.now += self.native if ours else self.blocks
        self.contest.end()


@pytest.mark.parametrize("steady", [True, False])
@pytest.mark.parametrize("native", [1e-4, 4e-4])
def test_who_takes_less_time_wins(monkeypatch: pytest.MonkeyPatch, native: float, steady: bool) -> None:
    loops = Loops(monkeypatch, native, 2e-4, steady)
    for _ in range(20):
        loops.run(30, 100)
    wins = native < 2e-4
    assert loops.contest.verdict((30, 100)) is wins
    assert loops.contest.is_lost is not wins
    assert {*loops.turns[:4]} == {True, False}
    assert {*loops.turns[-6:]} == {wins}


@pytest.mark.parametrize("native", [3e-3, 6e-3])
def test_two_of_each_decide_where_loops_are_long(monkeypatch: pytest.MonkeyPatch, native: float) -> None:
    loops = Loops(monkeypatch, native, 4e-3, True)
    loops.blocks = 2 * loops.native if native < 4e-3 else loops.native / 2
    for _ in range(UNTIMED + 4):
        assert loops.contest.verdict((30, 100)) is None
        loops.run(30, 100)
    assert loops.contest.verdict((30, 100)) is (native < 4e-3)


def test_a_contest_is_under_way_until_it_is_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    loops = Loops(monkeypatch, 1e-4, 2e-4, True)
    assert not loops.contest.is_under_way
    while loops.contest.verdict((30, 100)) is None:
        loops.run(30, 100)
        assert loops.contest.is_under_way is (loops.contest.verdict((30, 100)) is None)
    assert 1 < len(loops.turns) < MOST_UNDECIDED


def test_no_contest_of_changing_sizes_is_under_way_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    loops = Loops(monkeypatch, 1e-4, 2e-4, True)
    for size in range(MOST_UNDECIDED):
        loops.run(1 + size, 2 + size)
    assert not loops.contest.is_under_way


def test_scales_have_contests_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    loops = Loops(monkeypatch, 1e-4, 2e-4, True)
    for _ in range(20):
        loops.run(30, 100)
    loops.native = 4e-4
    for _ in range(20):
        loops.run(3000, 100)
    assert loops.contest.verdicts == {(5, 7): True, (12, 7): False}
    assert loops.contest.verdict((17, 64)) and not loops.contest.is_lost


def test_only_loops_of_equal_sizes_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    loops = Loops(monkeypatch, 1e-4, 2e-4, True)
    loops.run(16, 100)
    for size in range(17, 32):
        loops.run(size, 100)
    assert loops.contest.verdict((16, 100)) is None
    assert loops.turns == [False] * 16


def test_loops_of_other_threads_are_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    loops = Loops(monkeypatch, 1e-4, 2e-4, True)
    for _ in range(20):
        loops.contest.begin((30, 100))
        other = threading.Thread(target=loops.contest.end)
        other.start()
        other.join()
    assert loops.contest.verdict((30, 100)) is None
