"""Bounds the compilations of one jitted function by the work of its calls.

A compilation takes seconds. Programs that NumPy carries out in microseconds are compiled at once where they
are few, others when the calls that wait for them have done enough. Where calls wait for the compiler, they
wait for programs that are compiled at once. Parts of a function (blocks, callees) are among these only where
a call of them takes long enough. Estimates decide at first, then times that were measured.
"""

from __future__ import annotations

from npcompile.diagnostics.settings import config
from npcompile.tiering.numpy_cost import COST, numpy_cost
from npcompile.tiering.protocols import ProgramLike

# Nanoseconds that the compilation of a segment is taken to last, and more for each operation in it.
COMPILING, AN_OPERATION = 2_000_000_000, 30_000_000
# A program that a call of less than this many seconds recorded, the first one of its function, is compiled
# once another call comes: of many functions there is none.
SHORT = 1e-3
# A program is compiled in any case where this many calls of it take as long as its compilation.
CALLS = 40_000
# Compilations that are taken to last FREE in all begin at once; FREE_OF_WAITING where calls wait for them,
# and none of parts then.
FREE, FREE_OF_WAITING = 8 * COMPILING, 5_000_000_000
# Each second of work that waits for the compiler allows this many seconds of compiling.
RATE = 10


def is_bounded() -> bool:
    """Tell whether there is a bound. Tests that count kernels pin the answer: NPCOMPILE_SPENDING=0."""
    return config.spending


def waits_for_another(seconds: float) -> bool:
    """Tell if what a first call recorded is compiled when another one comes. seconds: the call's own work."""
    return seconds < SHORT and is_bounded()


class CompileBudget:
    """Keeps the time of compilations for a function and its parts, and the work that waited for more."""

    def __init__(self) -> None:
        self._compiling = 0.0  # nanoseconds that compilations of cheap programs are taken to last, so far
        self._work = 0.0  # nanoseconds of NumPy's work in calls of programs that wait

    def allows(self, entry: ProgramLike, calls: int, waiting: bool, part: bool, seconds: float = 0.0) -> bool:
        """Tell if a program is to be compiled now.

        calls: those that NumPy answered since it was last asked. waiting: calls wait for the compiler. part:
        the program is one of a block or a callee. seconds: the time of the quickest of the calls, where
        measured.
        """
        if not entry.segments or not is_bounded():
            return True
        cost, compiling = numpy_cost(entry.plan, COST), _compiling(entry)
        if cost * CALLS >= compiling:
            return True
        # Host calls take their time in a replay, too: where there are any, the estimate is nearer.
        self._work += calls * (seconds * 1e9 if seconds and not entry.host_calls else cost)
        free = FREE if not waiting else 0 if part else FREE_OF_WAITING
        if self._compiling + compiling > free + RATE * self._work:
            return False
        self._compiling += compiling
        return True


def _compiling(entry: ProgramLike) -> float:
    """The nanoseconds that a program's compilation is taken to last."""
    return sum(COMPILING + AN_OPERATION * len(segment.ops) for segment in entry.segments)
