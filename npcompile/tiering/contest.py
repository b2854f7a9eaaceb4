"""Contests measure two ways to answer calls, in turn, on calls that are made anyway: which takes less?

Those held are: replays against NumPy on calls of one signature (`runtime/specialization.py`), functions cut
into blocks against the plain function (`block_contest.py`), kernels found anew for each call's sizes against
NumPy (`runtime/shape_sharing.py`, `partition/partitioned.py`), a device against the host
(`device_contest.py`), and native loops against the blocks of their trips (`loop_contest.py`). Others may
load the machine: where calls do equal work the least of several times counts, and of the calling thread's own
time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from npcompile.diagnostics.settings import config
from npcompile.tiering.turns import are_ours

# The fewest and the most calls of each that are measured where calls do equal work.
FEWEST, MOST = 3, 8
# Ours is given up where it takes this many times as long as NumPy.
SLOWER = 1.04
# Where NumPy takes less than SHORT seconds, ours is given up unless it takes less than FASTER of that: times
# differ as much from call to call, and the plain function is called without a look at its arguments.
# It has to win WINS contests, since a winner is not measured again and may have won by chance.
SHORT, FASTER, WINS = 2e-6, 0.9, 3
INSTANT = 1e-9  # seconds: no call is taken to take less
TURN = 1 / 20  # of the time of a winner's calls: the loser's turn between them takes at most so much
COMPUTING = 0.5  # of the time of a call by the wall: no call is taken to compute for less


def are_held() -> bool:
    """Tell if contests are held. Tests that count replays pin the answer: NPCOMPILE_CONTESTS=0."""
    return config.backend != "interpreter" and config.contests


def calls_between_turns(winners: float, losers: float, most: int) -> int:
    """Return the calls of a winner between a loser's turns, by the seconds that a call of each takes."""
    return min(int(losers / max(winners, INSTANT) / TURN), most)


@dataclass(frozen=True)
class Rules:
    """The rules by which a contest is decided.

    Parameters
    ----------
    fewest, most
        The fewest and the most calls of each way that are measured.
    clearly_faster, clearly_slower
        Ratios of our time to NumPy's, past which fewer than the most calls are enough.
    time_of
        The time that counts, of those measured: the least, or their sum where calls do different work.
    in_pairs
        Turns come in pairs, not one by one: where calls differ by turns themselves.
    """

    fewest: int
    most: int
    clearly_faster: float
    clearly_slower: float
    time_of: Callable[[Sequence[float]], float]
    in_pairs: bool = False


# Calls of one signature.
EQUAL_WORK = Rules(FEWEST, MOST, clearly_faster=0.8, clearly_slower=1.5, time_of=min)
# Calls at sizes that change from call to call.
CHANGING_WORK = Rules(fewest=24, most=24, clearly_faster=1.0, clearly_slower=1.0, time_of=sum, in_pairs=True)


class Contest:
    """Times of our way and of NumPy's on calls that are made anyway, until it is known which is less.

    Parameters
    ----------
    rules
        The rules that decide.
    clear
        Seconds below which ours is not in doubt: NumPy is not asked then.
    numpys
        Times of NumPy's that are known already.
    first
        The number of calls that are ours at first.
    taken
        The seconds of each time that are those of taking it.
    wins
        The contests before this one, all of which ours has won.
    """

    def __init__(
        self,
        rules: Rules = EQUAL_WORK,
        clear: float = 0.0,
        numpys: Sequence[float] = (),
        first: int | None = None,
        taken: float = 0.0,
        wins: int = 0,
    ) -> None:
        self.rules = rules
        self.clear = clear
        self.taken = taken
        self.wins = wins
        self.first = rules.fewest if first is None else first
        self.ours: list[float] = []
        self.numpys = [*numpys]

    @property
    def is_our_turn(self) -> bool:
        """Tell whose turn the next call is."""
        if are_ours():
            return True
        if self.rules.in_pairs:
            calls = len(self.ours) + len(self.numpys)
            return (calls ^ (calls >> 1)) % 2 == 0
        return len(self.ours) < self.first or len(self.ours) <= len(self.numpys)

    def note(self, ours: bool, seconds: float) -> None:
        """Add the time of a call."""
        if are_ours():
            return
        (self.ours if ours else self.numpys).append(seconds)

    def is_ours_slower(self) -> bool | None:
        """Tell if ours takes longer than NumPy does; None: it is not known yet."""
        rules = self.rules
        if len(self.ours) < rules.fewest:
            return None
        mine = rules.time_of(self.ours)
        if mine <= self.clear:
            return False
        count = min(len(self.ours), len(self.numpys))
        if count < rules.fewest or len(self.ours) < self.first:
            return None
        theirs = max(rules.time_of(self.numpys), INSTANT)
        if rules.clearly_faster < mine / theirs < rules.clearly_slower and count < rules.most:
            return None
        taken = min(self.taken, 0.9 * mine, 0.9 * theirs)
        return mine - taken > (FASTER if self.is_short else SLOWER) * (theirs - taken)

    @property
    def is_short(self) -> bool:
        """Tell if NumPy's calls take hardly longer than measuring them does."""
        return self.taken > 0.0 and min(self.numpys, default=math.inf) - self.taken < SHORT

    def again(self) -> Contest | None:
        """Return the contest after this one, which ours has won; None where this one is enough."""
        if not self.is_short or self.wins + 1 >= WINS:
            return None
        return Contest(self.rules, self.clear, taken=self.taken, wins=self.wins + 1)


class CrowdedSignatures:
    """Leaves calls at new lengths to NumPy where that takes less time than finding kernels.

    They are calls of a function of which as many signatures are known as are kept: kernels are found anew for
    each, which takes as long as hundreds of small calls.
    """

    # Lengths that come so often, while no more than so many others do, are to be kept in place of the oldest.
    OFTEN, OTHERS = 8, 512

    def __init__(self) -> None:
        # None: while a call is measured, and where it is known.
        self.contest: Contest | None = Contest(CHANGING_WORK)
        self.slower = False  # finding kernels takes longer than NumPy does
        self._met: dict[Any, int] = {}

    def is_numpys(self, key: Any) -> bool:
        """Tell if a call is to be left to NumPy."""
        if not self.slower:
            return False
        count = self._met.get(key, 0) + 1
        if count == 1 and len(self._met) >= self.OTHERS:
            self._met = {}
        self._met[key] = count
        if count >= self.OFTEN:
            del self._met[key]
        return count < self.OFTEN


def computing_seconds(own: float, wall: float) -> float:
    """Return the seconds of a call that its parts are compared with.

    own: of a processor, for the calling thread. wall: from the beginning to the end. In a call that waits for
    most of its time, what the waits themselves take of a processor would be large beside all else.
    """
    return max(own, COMPUTING * wall)


def costly_parts(
    calls: Sequence[tuple[float, dict[Any, float]]], part: float, seconds: float
) -> list[tuple[Any, float]]:
    """Return the things that take more than a part of the time of calls, and their parts.

    The least of several times counts, as others may load the machine. calls: the time of each call, and of
    the things measured in it, by the thread's own clock. part, seconds: the least part, and the least time,
    of a thing that is returned.
    """
    least = min(total for total, _ in calls)
    found = []
    for key in calls[0][1]:
        took = min(spent.get(key, 0.0) for _, spent in calls)
        if took >= max(part * least, seconds):
            found.append((key, min(took / least, 1.0)))
    return found
