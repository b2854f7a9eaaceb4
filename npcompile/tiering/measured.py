"""Whether replays take less time than NumPy does: estimated from a plan, then measured on the first calls."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from torch import fx

from npcompile.frontend.ops.table import Op
from npcompile.lower.plan.attributes import value_of
from npcompile.lower.plan.plan import Plan
from npcompile.lower.plan.values import Value

# What NumPy takes to carry out an operation, in nanoseconds, by itself, per byte of its largest array, and
# on single elements: as a rule, and at the very least.
COST = (600.0, 0.1, 180.0)
LEAST = (300.0, 0.015, 30.0)
# What reductions take beside other operations: they set loops up, by methods that are written in Python.
REDUCED = 2.5
# What calling a kernel takes, and each array or number that it is given.
CALL_COST = 1200
INPUT_COST = 80
# The fewest and the most calls of each that are measured.
FEWEST, MOST = 3, 8
# A replay that takes so much longer than NumPy is given up. Past the others, that is clear at once.
SLOWER = 1.04
# Where NumPy takes less than so many seconds, one that does not take less by so much is: times differ as much
# from call to call, and the plain function is called without a look at its arguments.
# It is to win so many contests, as one that is won by chance would be won for good.
SHORT, FASTER, WINS = 2e-6, 0.9, 3
CLEARLY_SLOWER, CLEARLY_FASTER = 1.5, 0.8


def numpy_cost(plan: Plan, each: tuple[float, float, float]) -> float:
    """What NumPy takes for what a plan's kernels do, in nanoseconds, where an operation takes `each`."""
    cost = 0.0
    for segment in plan.segments:
        for node in segment.ops:
            values = [value_of(node), *map(value_of, node.all_input_nodes)]
            cost += (
                each[2] if _is_element(node) else _cost(values, *each) * (REDUCED if _reduces(node) else 1)
            )
        cost += sum(_cost([value_of(node)], *each) for node in segment.writes)
    return cost


def _reduces(node: fx.Node) -> bool:
    """Whether arrays become one of fewer axes, or a number: by a loop and a call of NumPy's around it."""
    is_item = isinstance(node.target, Op) and node.target.function is np.ndarray.__getitem__
    arrays = [value_of(arg) for arg in node.all_input_nodes]
    return not is_item and len(value_of(node).shape) < max((len(value.shape) for value in arrays), default=0)


def _is_element(node: fx.Node) -> bool:
    """Whether this is one element of an array, at a place that is not an array."""
    is_item = isinstance(node.target, Op) and node.target.function is np.ndarray.__getitem__
    return is_item and value_of(node).shape == () and len(node.all_input_nodes) == 1


def _cost(values: list[Value], operation: float, byte: float, single: float) -> float:
    """Of one operation."""
    if all(value.shape == () for value in values):
        return single
    return operation + byte * max(map(_nbytes, values))


def is_small(plan: Plan) -> bool:
    """Whether NumPy carries out what a plan's kernels do in less time than calling them takes, for sure; also
    where there are none."""
    calls = sum(CALL_COST + INPUT_COST * len(segment.inputs) for segment in plan.segments)
    return numpy_cost(plan, COST) < max(calls, 1)


def _nbytes(value: Value) -> int:
    return math.prod(value.shape) * (8 if value.dtype is None else value.dtype.itemsize)


class Sums:
    """Times of calls at sizes that change from call to call, answered by kernels and by NumPy by turns. Sums
    count: each call does another amount of work."""

    # So many calls of each are measured.
    EACH = 24

    def __init__(self) -> None:
        self.kernels = 0.0
        self.numpys = 0.0
        self.calls = 0

    @property
    def of_kernels(self) -> bool:
        """Whose turn it is: not the same one at each second trip of a loop."""
        return (self.calls ^ (self.calls >> 1)) % 2 == 0

    def note(self, seconds: float) -> None:
        if self.of_kernels:
            self.kernels += seconds
        else:
            self.numpys += seconds
        self.calls += 1

    def slower(self) -> bool | None:
        """Whether kernels take longer than NumPy does; None: it is not known yet."""
        return self.kernels > SLOWER * self.numpys if self.calls >= 2 * self.EACH else None


class CrowdedSignatures:
    """Calls at lengths that are new, of a function of which as many as are kept are there already: whether
    kernels are to be found for them, which takes as long as hundreds of small calls."""

    # Lengths that come so often, while no more than so many others do, are to be kept in place of the oldest.
    OFTEN, OTHERS = 8, 512

    def __init__(self) -> None:
        self.sums: Sums | None = Sums()  # None: while a call is measured, and where it is known
        self.slower = False  # finding kernels takes longer than NumPy does
        self._met: dict[Any, int] = {}

    def is_numpys(self, key: Any) -> bool:
        """Whether a call is to be left to NumPy."""
        if not self.slower:
            return False
        count = self._met.get(key, 0) + 1
        if count == 1 and len(self._met) >= self.OTHERS:
            self._met = {}
        self._met[key] = count
        if count >= self.OFTEN:
            del self._met[key]
        return count < self.OFTEN


class Trial:
    """Times of replays and of NumPy on calls of one signature, until it is known which is less.

    Others may load the machine: the least of several times counts, and of the calling thread's own time.
    NumPy is asked only where it is in doubt: not where replays take less than `clear` seconds, and after
    the `first` replays. `taken` seconds of each time are those of taking it.
    """

    def __init__(
        self, clear: float, numpys: list[float], first: int = FEWEST, taken: float = 0.0, wins: int = 0
    ) -> None:
        self.clear = clear
        self.taken = taken
        self.wins = wins  # of replays, in contests before this one
        self.first = first
        self.replays: list[float] = []
        self.numpys = list(numpys)

    @property
    def of_replay(self) -> bool:
        """Whose turn it is."""
        return len(self.replays) < self.first or len(self.replays) <= len(self.numpys)

    def note(self, of_replay: bool, seconds: float) -> None:
        (self.replays if of_replay else self.numpys).append(seconds)

    def slower(self) -> bool | None:
        """Whether replays take longer than NumPy does; None: it is not known yet."""
        count = min(len(self.replays), len(self.numpys))
        if len(self.replays) < FEWEST:
            return None
        mine = min(self.replays)
        if mine <= self.clear:
            return False
        if count < FEWEST or len(self.replays) < self.first:
            return None
        theirs = max(min(self.numpys), 1e-9)
        if CLEARLY_FASTER < mine / theirs < CLEARLY_SLOWER and count < MOST:
            return None
        taken = min(self.taken, 0.9 * mine, 0.9 * theirs)
        return mine - taken > (FASTER if self.is_short else SLOWER) * (theirs - taken)

    @property
    def is_short(self) -> bool:
        """Tell if NumPy's calls take hardly longer than measuring them does."""
        return self.taken > 0.0 and min(self.numpys, default=math.inf) - self.taken < SHORT

    def again(self) -> Trial | None:
        """The contest after this one, which replays have won; None where this one is enough."""
        if not self.is_short or self.wins + 1 >= WINS:
            return None
        return Trial(self.clear, [], taken=self.taken, wins=self.wins + 1)
