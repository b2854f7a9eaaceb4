"""Does trips of loops at once on a device: several trips are one CUDA graph, captured and launched again.

The first trip of a loop goes through its blocks as written, so all guards are checked when a loop begins. A
graph stands for trips that call the same replays with the same numbers and with arrays of the same layouts.
It works on arrays of its own: a loop's arrays are copied there, and what trips have written or made is copied
back after the last one. Until then the loop's own arrays stay as the first trip left them.
"""

from __future__ import annotations

import math
import operator
import threading
import weakref
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice
from typing import Any, Protocol

import numpy as np
import torch

from npcompile.frontend.eager.ndarray import ndarray
from npcompile.frontend.program.guards import Diverged
from npcompile.frontend.program.signature import key_of
from npcompile.frontend.replay.residency import Done, Residency, is_plain
from npcompile.frontend.rewrite.resident_loops import Trip, TripStep
from npcompile.lower.device import memory
from npcompile.lower.device.graphs import using
from npcompile.lower.device.transfers import Counter, Uncapturable

UNITS = (16, 4, 1)  # trips of one graph
FEWEST = 4  # trips that are left, for which a graph is launched
AT_ONCE = 100  # trips that are left, for which graphs are captured the first time already
MOST_GRAPHS = 4  # of one loop, for several shapes or numbers
MOST_CAPTURED = 12  # times that graphs of one loop are made
PART = 4  # a graph's arrays take at most this part of the device's free memory

_RANGE_ITERATOR = type(iter(range(0)))


class Block:
    """A block of a trip, as a cut function calls it. Base class."""

    __slots__ = ()

    def leaves(self, replay: Any, args: tuple[Any, ...]) -> list[Any] | None:
        """Return what a replay is called with for these arguments; None if it does not answer the call."""
        raise NotImplementedError

    def counted(self, calls: int) -> None:
        """Count calls that were answered."""
        raise NotImplementedError


class LoopCounter(Counter, Protocol):
    """Counts what was captured, and the trips that were done so."""

    graph_captures: int
    graph_trips: int


class Refused(Exception):
    """Trips are not captured; the message says why."""


class Fate(Enum):
    """Says how the trips of a graph use an array."""

    KEPT = "it stays as it was"
    WRITTEN = "its values are others"
    MADE = "each trip makes a new one"


@dataclass
class _Array:
    """One array that names stand for. value: the user's. copy: its copy on the device."""

    value: Any
    copy: Any
    layout: Any


@dataclass
class _Names:
    """Holds what the names of a trip stand for.

    places: by name, the array's number; -1 for another value. sharing: arrays that share memory with others.
    """

    values: tuple[Any, ...]
    places: tuple[int, ...]
    arrays: list[_Array]
    sharing: frozenset[int]
    key: Hashable

    @classmethod
    def of(cls, table: Residency, values: tuple[Any, ...], renewed: frozenset[int]) -> _Names | None:
        """Return what values are; None where they are no numbers and arrays on the device.

        renewed: the places of names that a trip stores before it reads them.
        """
        found: dict[int, int] = {}
        places: list[int] = []
        arrays: list[_Array] = []
        key: list[Any] = []
        for place, value in enumerate(values):
            kind = type(value)
            if kind is np.ndarray or kind is ndarray:
                if id(value) not in found:
                    copy = table.find(value) if kind is np.ndarray else value
                    if copy is None or copy._flips or not _may_be_copied(copy._memory):
                        return None
                    layout = kind, key_of(value, []), copy._memory.device
                    found[id(value)] = len(arrays)
                    arrays.append(_Array(value, copy, layout))
                    key.append(layout)
                places.append(found[id(value)])
                key.append(found[id(value)])
            elif is_plain(value):
                places.append(-1)
                key.append(type(value) if place in renewed else _exactly(value))
            else:
                return None
        if not arrays or len({array.copy._memory.device for array in arrays}) > 1:
            return None
        sharing = _sharing(arrays)
        return cls(values, tuple(places), arrays, sharing, (*key, sharing))


@dataclass
class _Loop:
    """The graphs of one loop statement.

    renewed: the places of names that a trip stores before it reads them. seen: keys that were met.
    captured: times that graphs were made. is_refused: none are made any more.
    """

    trip: Trip
    renewed: frozenset[int]
    graphs: dict[Hashable, TripGraphs | None] = field(default_factory=dict)
    seen: set[Hashable] = field(default_factory=set)
    captured: int = 0
    is_refused: bool = False


class LoopGraphs:
    """The graphs of a function's loops.

    counter: counts them. refusals: by line, why the trips of a loop are done one by one.
    """

    def __init__(self, counter: LoopCounter) -> None:
        self.refusals: dict[int, str] = {}
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
        values: tuple[Any, ...],
    ) -> tuple[Any, ...] | None:
        if type(iterator) is not _RANGE_ITERATOR or (left := operator.length_hint(iterator)) < FEWEST:
            return None
        loop = self._loops.get(trip)
        if loop is None:
            stored, names, line, steps = trip
            made = Trip(stored, names, line, tuple(TripStep(*step) for step in steps))
            loop = self._loops.setdefault(trip, _Loop(made, _renewed(made)))
        if not all(isinstance(block, Block) for block in blocks):
            return None  # they are timed
        if loop.is_refused or not self._lock.acquire(blocking=False):
            return None
        try:
            return self._go_on(table, loop, iterator, left, blocks, values)
        finally:
            self._lock.release()

    def _go_on(
        self,
        table: Residency,
        loop: _Loop,
        iterator: Any,
        left: int,
        blocks: tuple[Block, ...],
        values: tuple[Any, ...],
    ) -> tuple[Any, ...] | None:
        done = table.last(sum(step.block >= 0 for step in loop.trip.steps))
        names = _Names.of(table, values, loop.renewed) if done else None
        if done is None or names is None:
            return None
        device = names.arrays[0].copy._memory.device
        numbers = tuple(_exactly(number) for one in done for number in one.numbers)
        replays = tuple(id(one.function) for one in done)
        key = names.key, replays, numbers, using.capturer.place(device)
        if key not in loop.graphs:
            if key not in loop.seen and left < AT_ONCE:
                if len(loop.seen) >= MOST_CAPTURED:
                    loop.seen.clear()
                loop.seen.add(key)
                return None
            if not _goes_on(loop.trip, blocks, done, values):
                return None  # the next trip calls other replays: the first one's arrays were others
            loop.graphs[key] = self._made(loop, blocks, done, names, device)
        graphs = loop.graphs[key]
        if graphs is None:
            return None
        loop.graphs[key] = loop.graphs.pop(key)  # the last one used is the last one dropped
        try:
            trips, after = graphs.run(table, names, left)
        except (Refused, torch.OutOfMemoryError) as why:
            self._refuse(loop, str(why))
            loop.graphs[key] = None
            return None
        if not trips:
            return None
        self.refusals.pop(loop.trip.line, None)
        item = next(islice(iterator, trips - 1, None))
        self._counter.graph_trips += trips
        for step in loop.trip.steps:
            if step.block >= 0:
                blocks[step.block].counted(trips)
        return (item, *after[: loop.trip.stored])

    def _made(
        self, loop: _Loop, blocks: tuple[Block, ...], done: list[Done], names: _Names, device: torch.device
    ) -> TripGraphs | None:
        """Return new graphs; None where there can be none."""
        loop.captured += 1
        if loop.captured > MOST_CAPTURED:
            loop.graphs.clear()
            loop.is_refused = True
            self._refuse(loop, "its shapes or numbers are others each time")
            return None
        while len(loop.graphs) >= MOST_GRAPHS:
            del loop.graphs[next(iter(loop.graphs))]
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


class TripGraphs:
    """The graphs of one loop's trips, for arrays of one layout and for the same numbers.

    Parameters
    ----------
    trip, blocks
        The trip, and the blocks that it calls.
    done
        The replays of a trip that was done, in order.
    names
        What the trip's names stand for.
    device
        The device.
    counter
        Counts captures.
    """

    def __init__(
        self,
        trip: Trip,
        blocks: tuple[Block, ...],
        done: list[Done],
        names: _Names,
        device: torch.device,
        counter: LoopCounter,
    ) -> None:
        self._trip, self._blocks, self._device, self._counter = trip, blocks, device, counter
        self._replays: list[Any] = [one.function for one in done]
        self._numbers = [_exactly(number) for one in done for number in one.numbers]
        for replay in self._replays:
            if replay.alone is not None:
                raise Refused(replay.alone)
        size = sum(array.copy._memory.numel() * array.copy._memory.element_size() for array in names.arrays)
        if size > using.capturer.room(device) // PART:
            raise Refused(f"its arrays take {size} bytes, a large part of the device's memory")
        self._own = [_like(array.copy._memory) for array in names.arrays]
        self._made: dict[int, Callable[[], np.ndarray[Any, Any]]] = {}  # by array: makes the host's
        self._fates: list[Fate] | None = None
        self._units: dict[int, Callable[[], None] | None] = {}

    def run(self, table: Residency, names: _Names, left: int) -> tuple[int, list[Any]]:
        """Do as many trips as may be; return their number, and what the names stand for then."""
        plan: list[Callable[[], None]] = []
        trips = 0
        for size in UNITS:
            while left - trips >= size and (unit := self._unit(size, table, names)) is not None:
                plan.append(unit)
                trips += size
        if not plan:
            return 0, []
        results = [self._result(number, array) for number, array in enumerate(names.arrays)]
        for own, array in zip(self._own, names.arrays, strict=True):
            own.copy_(array.copy._memory)
        for unit in plan:
            unit()
        table.begin_writing()
        for own, result in zip(self._own, results, strict=True):
            if result is not None:
                result.copy_(own)
        after = [
            self._left(number, table, array, result)
            for number, (array, result) in enumerate(zip(names.arrays, results, strict=True))
        ]
        values = zip(names.places, names.values, strict=True)
        return trips, [value if place < 0 else after[place] for place, value in values]

    def _result(self, number: int, array: _Array) -> torch.Tensor | None:
        """Return the memory that gets an array's values after the trips; None where it stays as it was."""
        assert self._fates is not None
        fate = self._fates[number]
        if fate is Fate.KEPT:
            return None
        if fate is Fate.WRITTEN and type(array.value) is ndarray:
            own: torch.Tensor = array.value._memory
            return own
        return _like(self._own[number])

    def _left(self, number: int, table: Residency, array: _Array, result: torch.Tensor | None) -> Any:
        """Return what an array's names stand for after the trips. result: its values."""
        assert self._fates is not None
        value = array.value
        if result is None:
            return value
        copy = ndarray._of_tensor(result)
        if self._fates[number] is Fate.WRITTEN:
            if type(value) is np.ndarray:
                table.give_back(value, copy)
            return value
        if type(value) is not np.ndarray:
            return copy
        host = self._made[number]()
        table.make(table.copier(value), host, copy)
        return host

    # -- capturing ---------------------------------------------------------------------------------------

    def _unit(self, size: int, table: Residency, names: _Names) -> Callable[[], None] | None:
        """Return the launch of so many trips; None for one trip that cannot stand alone. Raises Refused."""
        if size not in self._units:
            self._counter.graph_captures += 1
            try:
                self._units[size] = self._captured(size, table, names)
            except _Moved as moved:
                if size > 1:
                    raise Refused(str(moved)) from None
                self._units[size] = None
        return self._units[size]

    def _captured(self, size: int, table: Residency, names: _Names) -> Callable[[], None]:
        scratch = Residency(self._counter, table.failed)
        stands: list[Any] = []
        for own, array in zip(self._own, names.arrays, strict=True):
            own.copy_(array.copy._memory)
            copy = ndarray._of_tensor(own)
            if type(array.value) is np.ndarray:
                host = _stand_in(array.value)
                scratch.adopt(table.copier(array.value), host, copy)
                stands.append(host)
            else:
                stands.append(copy)

        def work() -> None:
            values = zip(names.places, names.values, strict=True)
            now = [value if place < 0 else stands[place] for place, value in values]
            for _ in range(size):
                self._do_trip(now, scratch)
            self._close(now, names, stands, scratch)

        try:
            return using.capturer.capture(self._device, work)
        except (Refused, _Moved):
            raise
        except (Exception, Diverged) as error:
            found: BaseException = error
            while found.__cause__ is not None and not isinstance(found, Uncapturable):
                found = found.__cause__
            if isinstance(found, Uncapturable):
                raise Refused(str(found)) from None
            raise Refused(f"{type(found).__name__}: {str(found)[:200]}") from error

    def _do_trip(self, values: list[Any], scratch: Residency) -> None:
        replays = iter(self._replays)
        for step in self._trip.steps:
            args = tuple(values[place] for place in step.takes)
            found: Any = args if step.is_tuple else args[0] if args else None
            if step.block >= 0:
                replay = next(replays)
                leaves = self._blocks[step.block].leaves(replay, args)
                if leaves is None:
                    raise Refused("a trip is not as the one before it")
                found = scratch.replay(replay, leaves)
            if step.is_tuple:
                for place, value in zip(step.gives, found, strict=True):
                    values[place] = value
            elif step.gives:
                values[step.gives[0]] = found
        done = scratch.last(len(self._replays)) or []
        if [_exactly(number) for one in done for number in one.numbers] != self._numbers:
            raise Refused("a number is another one at each trip")

    def _close(self, now: list[Any], names: _Names, stands: list[Any], scratch: Residency) -> None:
        """Put the arrays after the last trip where the first one finds them. Raises Refused or _Moved."""
        after: list[Any] = [None] * len(stands)
        for place, value, before in zip(names.places, now, names.values, strict=True):
            if place < 0:
                if type(value) is not type(before) or _exactly(value) != _exactly(before):
                    raise Refused("a number is another one at each trip")
            elif after[place] is None:
                after[place] = value
            elif after[place] is not value:
                raise _Moved("names stand for one array at one trip, and for two at the next")
        if len({id(value) for value in after}) < len(after):
            raise _Moved("names stand for two arrays at one trip, and for one at the next")
        fates, results = [], []
        for place, (value, array) in enumerate(zip(after, names.arrays, strict=True)):
            fate, copy = self._fate(place, value, array, stands, scratch)
            if fate is Fate.WRITTEN and place in names.sharing:
                raise Refused("an array is written that shares memory with another")
            fates.append(fate)
            results.append(copy._memory)
        writes = any(replay.writes for replay in self._replays)
        for stand, value in zip(stands, after, strict=True):
            stale = scratch.is_stale(stand) if type(stand) is np.ndarray else writes
            if stale and value is not stand:
                raise Refused("an array is written that later trips do not have")
        if self._fates is not None and self._fates != fates:
            raise Refused("an array's use is another one at each trip")
        self._fates = fates
        # An array's result may lie where another array began.
        begun = {own.untyped_storage().data_ptr() for own in self._own}
        for number, (own, result) in enumerate(zip(self._own, results, strict=True)):
            if result.data_ptr() != own.data_ptr() and result.untyped_storage().data_ptr() in begun:
                results[number] = _like(result).copy_(result)
        for own, result in zip(self._own, results, strict=True):
            if result.data_ptr() != own.data_ptr():
                own.copy_(result)

    def _fate(
        self, number: int, value: Any, array: _Array, stands: list[Any], scratch: Residency
    ) -> tuple[Fate, Any]:
        """Return what became of an array, and its copy on the device after the last trip."""
        on_host = type(value) is np.ndarray
        copy = scratch.find(value) if on_host else value
        if value is stands[number]:
            writes = any(replay.writes for replay in self._replays)
            written = scratch.is_stale(value) if on_host else writes
            return Fate.WRITTEN if written else Fate.KEPT, copy
        if any(value is stand for stand in stands):
            raise _Moved("arrays change places at each trip")
        if type(value) is not type(array.value) or copy is None or copy._flips:
            raise Refused("a name stands for something else at each trip")
        if (type(value), key_of(value, []), copy._memory.device) != array.layout:
            raise Refused("an array has another shape or layout at each trip")
        others = [stand for stand in stands if type(stand) is type(value)]
        if any(_share(value, stand) for stand in others):
            raise Refused("a view is made at each trip")
        if on_host:
            self._made[number] = _maker(value)
        return Fate.MADE, copy


class _Moved(Exception):
    """After a trip names stand for each other's arrays; after more trips they may not."""


def _renewed(trip: Trip) -> frozenset[int]:
    """Return the places of names that a trip stores before it reads them."""
    read: set[int] = set()
    stored: set[int] = set()
    for step in trip.steps:
        read |= set(step.takes) - stored
        stored |= set(step.gives)
    return frozenset(stored - read)


def _goes_on(trip: Trip, blocks: tuple[Block, ...], done: list[Done], values: tuple[Any, ...]) -> bool:
    """Tell if the next trip's first block is answered by the replay that answered it in the trip before."""
    now = list(values)
    for step in trip.steps:
        args = tuple(now[place] for place in step.takes)
        if step.block >= 0:
            return blocks[step.block].leaves(done[0].function, args) is not None
        for place, value in zip(step.gives, args, strict=True):
            now[place] = value
    return False


def _exactly(value: Any) -> Hashable:
    """Return what tells a number from all others, signs of zeros among them."""
    return type(value), repr(value)


def _share(one: Any, other: Any) -> bool:
    if type(one) is np.ndarray:
        return bool(np.may_share_memory(one, other))
    return bool(one._memory.untyped_storage().data_ptr() == other._memory.untyped_storage().data_ptr())


def _sharing(arrays: list[_Array]) -> frozenset[int]:
    """Return the numbers of the arrays that share memory with others."""
    found: set[int] = set()
    for place, one in enumerate(arrays):
        for before, other in enumerate(arrays[:place]):
            if type(one.value) is type(other.value) and _share(one.value, other.value):
                found |= {place, before}
    return frozenset(found)


def _may_be_copied(tensor: torch.Tensor) -> bool:
    """Tell if a tensor has elements, each in memory of its own."""
    end = 1
    for stride, size in sorted((s, n) for s, n in zip(tensor.stride(), tensor.shape, strict=True) if n > 1):
        if stride < end:
            return False
        end = stride * size
    return tensor.numel() > 0


def _like(tensor: torch.Tensor) -> torch.Tensor:
    """Return memory with the same strides."""
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=tensor.device)


def _stand_in(host: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return an array that is laid out as another, in memory of its own."""
    low, high = np.lib.array_utils.byte_bounds(host)
    made: np.ndarray[Any, Any] = np.ndarray(
        host.shape, host.dtype, np.empty(high - low, np.uint8), 0, host.strides
    )
    made.flags.writeable = host.flags.writeable
    return made


def _maker(host: np.ndarray[Any, Any]) -> Callable[[], np.ndarray[Any, Any]]:
    """Return a function that makes arrays laid out as one that a replay has made."""
    owner = host if host.base is None else host.base
    if type(owner) is not np.ndarray or not owner.flags.owndata or not owner.flags.c_contiguous:
        raise Refused("a view is made at each trip")
    shape, dtype, strides, whole = host.shape, host.dtype, host.strides, owner.shape
    offset = host.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    if offset or math.prod(whole) != host.size or owner.dtype != dtype:
        raise Refused("a view is made at each trip")
    if owner is host:
        return lambda: np.empty(shape, dtype)
    return lambda: np.ndarray(shape, dtype, np.empty(whole, dtype), 0, strides)
