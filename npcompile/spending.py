"""How much may be compiled for one jitted function: as much as the work that its calls have done is worth.

A compilation takes seconds. Segments that NumPy carries out in microseconds are compiled at once where they
are few, others when the calls that wait for them have done enough. Counts and estimates decide, not a clock.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from npcompile.trial import COST, numpy_cost

if TYPE_CHECKING:
    from npcompile.state import Entry

# Nanoseconds that the compilation of a segment is taken to last.
COMPILING = 2_000_000_000
# A program whose segments take NumPy so many nanoseconds each is compiled in any case.
WORTH = 50_000
# So many segments that take less are compiled at once; fewer where calls wait for the compiler.
FREE, FREE_OF_WAITING = 8, 2
# So many seconds are compiled for each second of work that waits for it.
RATE = 10


def is_bounded() -> bool:
    """Whether there is a bound. Tests that count kernels pin the answer: NPCOMPILE_SPENDING=0."""
    return os.environ.get("NPCOMPILE_SPENDING", "1") != "0"


class Spending:
    """What was compiled for a function, with its blocks and callees, and what would have been worth it."""

    def __init__(self) -> None:
        self._segments = 0  # cheap ones, so far
        self._work = 0.0  # nanoseconds of NumPy's work in calls of programs that wait

    def allows(self, entry: Entry, calls: int, waiting: bool) -> bool:
        """Whether a program is to be compiled now, after so many calls that NumPy answered since it was last
        asked. waiting: calls wait for the compiler."""
        count = len(entry.segments)
        if not count or not is_bounded():
            return True
        cost = numpy_cost(entry.plan, COST)
        if cost >= WORTH * count:
            return True
        self._work += cost * calls
        if self._segments + count > (FREE_OF_WAITING if waiting else FREE) + RATE * self._work / COMPILING:
            return False
        self._segments += count
        return True
