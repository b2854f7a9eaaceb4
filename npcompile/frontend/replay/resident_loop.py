"""Does trips of loops at once on a device: several trips are one CUDA graph, captured and launched again.

The first trip of a loop goes through its blocks as written, so all guards are checked when a loop begins. A
graph stands for trips that call the same replays with the same numbers and with arrays of the same layouts.
"""

from __future__ import annotations

import copy
import operator
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import torch

from npcompile.frontend.replay.loop_names import LoopNames
from npcompile.frontend.replay.residency import Done, Residency
from npcompile.frontend.replay.trip_graphs import Block, LoopCounter, Refused, TripGraphs, numbers_of
from npcompile.frontend.rewrite.resident_loops import Trip, TripStep
from npcompile.lower.device import memory
from npcompile.lower.device.graphs import using

FEWEST = 4  # trips that are left, for which a graph is launched
AT_ONCE = 100  # trips that are left, for which graphs are captured the first time already
MET = 8  # trips that are done before graphs are captured of a loop that may end after any
MOST_VAIN = 4  # times in a row that graphs of such a loop did no trip, after which none are launched
UNKNOWN = 1 << 62  # the trips that are left of a `while` loop
MOST_GRAPHS = 4  # of one loop, for several shapes or numbers
MOST_CAPTURED = 12  # times that graphs of one loop are made

_RANGE_ITERATOR = type(iter(range(0)))


@dataclass
class _Graphs:
    """The graphs of one kind of trips. numbers: what kernels were given first. graphs: None where refused."""

    key: Hashable
    numbers: list[Hashable]
    graphs: TripGraphs | None


@dataclass
class _Loop:
    """The graphs of one loop statement.

    may_end: each trip may be the last. met: by key, the times that it was met before graphs were made.
    captured: times that graphs were made. vain: times in a row that they did no trip. is_refused: none are
    made any more.
    """

    trip: Trip
    may_end: bool
    graphs: list[_Graphs] = field(default_factory=list)
    met: dict[Hashable, int] = field(default_factory=dict)
    captured: int = 0
    vain: int = 0
    is_refused: bool = False

    @classmethod
    def of(cls, trip: tuple[Any, ...]) -> _Loop:
        stored, names, line, steps, draws = trip
        made = Trip(stored, names, line, tuple(TripStep(*step) for step in steps), draws)
        may_end = any(step.goes_on is not None for step in made.steps)
        return cls(made, may_end)

    def graphs_of(self, key: Hashable, numbers: list[Hashable]) -> _Graphs | None:
        """Return the graphs for trips of a kind whose kernels were given these numbers, if any were made."""
        for kept in self.graphs:
            if kept.key == key and (kept.numbers == numbers or (kept.graphs and kept.graphs.is_of(numbers))):
                self.graphs.remove(kept)
                self.graphs.append(kept)  # the last one used is the last one dropped
                return kept
        return None

    def waits(self, key: Hashable, left: int) -> bool:
        """Count a trip of which there are no graphs; tell if none are to be made yet."""
        met = self.met.get(key, 0)
        if met >= (MET if self.may_end else 1) or (left >= AT_ONCE and not self.may_end):
            return False
        if key not in self.met and len(self.met) >= MOST_CAPTURED:
            self.met.clear()
        self.met[key] = met + 1
        return True


class LoopGraphs:
    """The graphs of a function's loops.

    counter: counts them. refusals: by line, why the trips of a loop are done one by one. trips: by line, how
    many were done at once. fused: the lines of loops some of whose trips are done several by one kernel.
    """

    def __init__(self, counter: LoopCounter) -> None:
        self.refusals: dict[int, str] = {}
        self.trips: Counter[int] = Counter()
        self.fused: set[int] = set()
        self._counter = counter
        self._loops: dict[tuple[Any, ...], _Loop] = {}
        self._lock = threading.Lock()
        _everywhere.add(self)

    def let_go(self) -> None:
        """Give up the memory of graphs, unless they are being used; they may be made again."""
        if self._lock.acquire(blocking=False):
            try:
                for loop in self._loops.values():
                    loop.graphs.clear()
            finally:
                self._lock.release()

    def go_on(
        self,
        table: Residency,
        trip: tuple[Any, ...],
        iterator: Any,
        blocks: tuple[Any, ...],
        functions: tuple[Callable[..., Any], ...],
        values: tuple[Any, ...],
    ) -> tuple[Any, ...] | None:
        left = UNKNOWN if iterator is None else operator.length_hint(iterator)
        if left < FEWEST or not (iterator is None or type(iterator) is _RANGE_ITERATOR):
            return None
        loop = self._loops.get(trip)
        if loop is None:
            loop = self._loops.setdefault(trip, _Loop.of(trip))
        if not all(isinstance(block, Block) for block in blocks):
            return None  # they are timed
        if loop.is_refused or not self._lock.acquire(blocking=False):
            return None
        try:
            return self._go_on(table, loop, iterator, left, blocks, functions, values)
        finally:
            self._lock.release()

    def _go_on(
        self,
        table: Residency,
        loop: _Loop,
        iterator: Any,
        left: int,
        blocks: tuple[Block, ...],
        functions: tuple[Callable[..., Any], ...],
        values: tuple[Any, ...],
    ) -> tuple[Any, ...] | None:
        done = table.last(sum(step.block >= 0 for step in loop.trip.steps))
        names = LoopNames.of(table, values, loop.trip.stored) if done else None
        if done is None or names is None:
            return None
        device = names.arrays[0].copy._memory.device
        replays = tuple(id(one.function) for one in done)
        key = names.key, replays, using.capturer.place(device)
        items = _items(iterator, left) if loop.trip.draws else range(0)
        kept = loop.graphs_of(key, numbers_of(done))
        if kept is None:
            if loop.waits(key, left):
                return None
            if not _goes_on(loop.trip, blocks, done, (*items[:1], *values[loop.trip.draws :])):
                return None  # the next trip calls other replays: the first one's arrays were others
            kept = _Graphs(key, numbers_of(done), self._made(loop, blocks, done, names, device))
            loop.graphs.append(kept)
        if kept.graphs is None:
            return None
        try:
            trips, after = kept.graphs.run(table, names, functions, items, left)
        except (Refused, torch.OutOfMemoryError) as why:
            self._refuse(loop, str(why))
            kept.graphs = None
            return None
        loop.vain = 0 if trips else loop.vain + 1
        if not trips:
            if loop.vain >= MOST_VAIN:
                loop.graphs.clear()
                loop.is_refused = True
                self._refuse(loop, "its trips seldom go the same way")
            return None
        self.refusals.pop(loop.trip.line, None)
        item = None if iterator is None else next(islice(iterator, trips - 1, None))
        self._counter.graph_trips += trips
        self.trips[loop.trip.line] += trips
        if kept.graphs.are_fused:
            self.fused.add(loop.trip.line)
        for step in loop.trip.steps:
            if step.block >= 0:
                blocks[step.block].counted(trips)
        return (item, *after[: loop.trip.stored])

    def _made(
        self, loop: _Loop, blocks: tuple[Block, ...], done: list[Done], names: LoopNames, device: torch.device
    ) -> TripGraphs | None:
        """Return new graphs; None where there can be none."""
        loop.captured += 1
        if loop.captured > MOST_CAPTURED:
            loop.graphs.clear()
            loop.is_refused = True
            self._refuse(loop, "its shapes or numbers are others each time")
            return None
        del loop.graphs[: max(0, len(loop.graphs) + 1 - MOST_GRAPHS)]
        try:
            return TripGraphs(loop.trip, blocks, done, names, device, self._counter)
        except (Refused, torch.OutOfMemoryError) as why:
            self._refuse(loop, str(why))
            return None

    def _refuse(self, loop: _Loop, why: str) -> None:
        self.refusals[loop.trip.line] = why


_everywhere: weakref.WeakSet[LoopGraphs] = weakref.WeakSet()


def _let_go() -> None:
    for graphs in [*_everywhere]:
        graphs.let_go()


memory.holders.append(_let_go)


def _items(iterator: Any, left: int) -> range:
    """Return the items that an iterator of a range is about to give."""
    first, second = islice(copy.copy(iterator), 2)
    return range(first, first + (second - first) * left, second - first)


def _goes_on(trip: Trip, blocks: tuple[Block, ...], done: list[Done], values: tuple[Any, ...]) -> bool:
    """Tell if the next trip's first block is answered by the replay that answered it in the trip before."""
    now = list(values)
    for step in trip.steps:
        args = tuple(now[place] for place in step.takes)
        if step.block >= 0:
            return blocks[step.block].leaves(done[0].function, args) is not None
        if step.function >= 0:
            continue  # it works on numbers that the trip may change; their types stay
        for place, value in zip(step.gives, args, strict=True):
            now[place] = value
    return False
