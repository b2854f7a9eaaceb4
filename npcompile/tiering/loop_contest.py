"""Compares native code of loops over whole arrays with the blocks of their trips.

`partition/whole_array_loop.py` has one object for each such loop. Loops are timed that are done anyway.
Native code mostly wins on small arrays, as a trip costs nothing beside its work, and blocks on large ones.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from npcompile.tiering.contest import EQUAL_WORK, Contest, Rules
from npcompile.tiering.turns import are_ours

clock = time.thread_time

# Loops that take LONG seconds are decided by two of each way, if one takes CLEARLY times as long.
LONG, CLEARLY = 2e-3, 1.3
# The first loops that are not timed, by turns: kernels are linked then, and memory is met for the first time.
UNTIMED = 2
# After this many loops of contests none is taken to be decided soon: loops of changing sizes may never be.
MOST_UNDECIDED = 32
# Loops of equal sizes whose number of trips is decided by data: their times count together.
UNKNOWN_TRIPS = Rules(fewest=4, most=12, clearly_faster=0.8, clearly_slower=1.25, time_of=sum, in_pairs=True)


@dataclass
class _Trial:
    """The contest at one scale, of loops of equal sizes."""

    sizes: Sequence[int]
    contest: Contest
    untimed: int = UNTIMED


class LoopContest:
    """The contests of one loop, one for each scale of its sizes: a power of two for each.

    steady: the number of trips is known as the loop begins. verdicts: if native code won, by scale.
    """

    def __init__(self, steady: bool) -> None:
        self._rules = EQUAL_WORK if steady else UNKNOWN_TRIPS
        self.verdicts: dict[tuple[int, ...], bool] = {}
        self._trials: dict[tuple[int, ...], _Trial] = {}
        self._measured: tuple[Any, ...] | None = None  # the loop that is being timed
        self._begun = 0  # loops of contests

    def verdict(self, sizes: Sequence[int]) -> bool | None:
        """Tell if native code is to do a loop of such sizes; None while that is not known."""
        return self.verdicts.get(_scale(sizes))

    @property
    def is_under_way(self) -> bool:
        """Tell if it is to be decided soon who does loops of sizes that were met."""
        return bool(self._trials) and self._begun < MOST_UNDECIDED

    def begin(self, sizes: Sequence[int]) -> bool:
        """Begin to time a loop; tell if native code is to do it. Only loops of equal sizes are compared."""
        self._measured = None
        if are_ours():
            return True
        self._begun += 1
        trial = self._trials.setdefault(_scale(sizes), _Trial(sizes, Contest(self._rules, first=1)))
        if trial.sizes != sizes:
            return False
        if trial.untimed:
            trial.untimed -= 1
            return trial.untimed == 0
        ours = trial.contest.is_our_turn
        self._measured = threading.get_ident(), _scale(sizes), ours, clock()
        return ours

    def end(self) -> None:
        """Note that the loop that was begun last is done, if this is that loop."""
        end, measured, self._measured = clock(), self._measured, None
        if measured is None or measured[0] != threading.get_ident():
            return
        _, scale, ours, start = measured
        contest = self._trials[scale].contest
        contest.note(ours, end - start)
        slower = contest.is_ours_slower()
        if slower is None and min(len(contest.ours), len(contest.numpys)) > 1:
            slower = _clearly_slower(min(contest.ours), min(contest.numpys))
        if slower is not None:
            self.verdicts[scale] = not slower
            del self._trials[scale]

    def drop(self) -> None:
        """Forget the loop that is being timed."""
        self._measured = None

    @property
    def is_lost(self) -> bool:
        """Tell if native code has lost, and has won at no scale."""
        return bool(self.verdicts) and not any(self.verdicts.values())


def _scale(sizes: Sequence[int]) -> tuple[int, ...]:
    return tuple(size.bit_length() for size in sizes)


def _clearly_slower(ours: float, others: float) -> bool | None:
    """Tell if ours is slower, where two of each are enough to know."""
    if min(ours, others) < LONG or max(ours, others) < CLEARLY * min(ours, others):
        return None
    return ours > others
