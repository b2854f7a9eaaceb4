"""Tells whether recording a place pays: where next to no call is replayed, it is tried ever more seldom.

A recording takes as long as hundreds of calls, and its compilation seconds. Where every call brings sizes or
decisions of its own, no program of the last one is right for the next.
"""

from __future__ import annotations

from typing import Any

from npcompile.diagnostics.reason import Reason
from npcompile.tiering.backoff import Backoff

# The costs of a recording, and of a call for which all programs diverged, in replays that make up for it.
COST, MISS = 16, 8
# The most that may be owed: sixteen recordings for a whole function, eight for a part of one.
WHOLE, PART = 16 * COST, 8 * COST
# However much replays give, no place has more than this many times as many recordings: where arrays have
# other lengths at every call, each is a compilation.
MOST = 4
# A part that is useless at this many calls of the whole function in a row is given up: at fewer, its programs
# may still be compiling, or may be for calls of other sizes that come again.
PATIENCE = 8
# At first REST calls that would have been recorded are not, then LONGER times as many each time.
REST, LONGER = 64, 8


class RecordingBudget:
    """Weighs the cost of the recordings of one place against the replays that they have given.

    Replays that the native runtime answers are not seen here, but for the first of each signature.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._owed = 0
        self._left = MOST * most
        self._rests: Backoff | None = None  # calls that are not recorded
        self._met: set[Any] = set()
        self._since: int | None = None  # at which call of the function it was found useless
        self.latest: list[tuple[Any, Any]] = []  # signatures and programs of the last two recordings
        self.cause: str | None = None  # the last one's difference in words, once it was asked for
        self.why: Reason | None = None  # the reason that is told
        self.waited = False  # the first trip of a loop has been left to NumPy (see `accumulators.py`)
        self.recordings = 0
        self.misses = 0
        self.replays = 0

    @property
    def spent(self) -> bool:
        return self._owed >= self._most or self._left <= 0

    @property
    def useless(self) -> bool:
        """Tell if it is spent, and what there is seldom answers."""
        return self.spent and self.replays < self.recordings + self.misses

    def is_given_up(self, calls: int) -> bool:
        """Tell if it has long been useless. calls: those of the function that it is in, so far."""
        if not self.useless:
            self._since = None
        elif self._since is None:
            self._since = calls
        return self._since is not None and calls - self._since >= PATIENCE

    def recorded(self, kind: Any, missed: bool = False) -> None:
        """Count a recording; the first of its kind (whatever the lengths) costs nothing.

        missed: it is of a call for which all programs diverged, as has been noted.
        """
        self.recordings += 1
        kind = _named(kind)
        if missed:
            self._owed = max(self._owed - MISS, 0)
        if kind in self._met:
            self._owed += COST
            self._left -= COST
        self._met.add(kind)

    def learn(self, key: Any, program: Any) -> None:
        """Keep the signature and the program of a recording."""
        self.latest = [*self.latest[-1:], (key, program)]
        self.cause = None

    def missed(self) -> None:
        """Count a call for which all programs diverged."""
        self.misses += 1
        self._owed += MISS

    def found(self) -> None:
        """Take note that a call noted as missed was answered by a program for many lengths."""
        self.misses -= 1
        self._owed = max(self._owed - MISS, 0)

    def replayed(self) -> None:
        """Count a call that a program answered, or will when it is compiled."""
        self.replays += 1
        if self._owed:
            self._owed -= 1

    def rests(self) -> bool:
        """Tell if a call is not to be recorded. After long it may be: sizes may have settled."""
        if not self.spent:
            return False
        if self._rests is None:
            self._rests = Backoff(REST, LONGER)
        if not self._rests.left:
            self._rests.rest()
        self._rests.left -= 1
        if not self._rests.left:
            self._owed = self._most - 2 * COST
        return True

    @property
    def resting(self) -> int:
        """Return how many calls more are not to be recorded, but for the last of them."""
        return 0 if self._rests is None else max(self._rests.left - 1, 0)

    def passed_over(self, calls: int) -> None:
        """Count calls that are not asked for one by one."""
        if self._rests is not None:
            self._rests.left -= calls


def _named(kind: Any) -> Any:
    """A kind with classes by their names: one that a function defines is another at each call."""
    if isinstance(kind, tuple):
        return tuple(map(_named, kind))
    return (kind.__module__, kind.__qualname__) if isinstance(kind, type) else kind
