"""Does several trips of a loop as one graph of a device, which is captured once and launched again.

A graph works on arrays of its own: a loop's arrays are copied there, and what trips have written or made is
copied back after the last one. Until then the loop's own arrays stay as the first trip left them.

Where Python works on numbers at each trip, it does so after each launch. A trip that goes another way than
the captured one is undone, with those after it: the graph has kept the arrays as they were before its trips.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

import numpy as np
import torch

from npcompile.frontend.eager.ndarray import ndarray
from npcompile.frontend.program.guards import Diverged
from npcompile.frontend.program.signature import NUMBERS, key_of
from npcompile.frontend.replay.fused_trips import Composer, FusedTrips
from npcompile.frontend.replay.loop_names import (
    LoopArray,
    LoopNames,
    exactly,
    may_change,
    place_of,
    share_memory,
)
from npcompile.frontend.replay.residency import Done, Residency, is_plain
from npcompile.frontend.replay.stand_ins import Refused, laid_like, like, maker, stand_in
from npcompile.frontend.replay.trip_numbers import (
    CapturedTrip,
    Changing,
    NumberRoom,
    Variable,
    is_number,
)
from npcompile.frontend.rewrite.resident_loops import Trip
from npcompile.lower.device import transfers
from npcompile.lower.device.graphs import using

UNITS = (16, 4, 1)  # trips of one graph
FIRST = 4  # trips that are launched before any was seen to go on
PART = 4  # a graph's arrays take at most this part of the device's free memory


class Block:
    """A block of a trip, as a cut function calls it. Base class."""

    __slots__ = ()

    def leaves(self, replay: Any, args: tuple[Any, ...]) -> list[Any] | None:
        """Return what a replay is called with for these arguments; None if it does not answer the call."""
        raise NotImplementedError

    def counted(self, calls: int) -> None:
        """Count calls that were answered."""
        raise NotImplementedError


class LoopCounter(transfers.Counter, Protocol):
    """Counts what was captured, and the trips that were done so."""

    graph_captures: int
    graph_trips: int
    fused_trips: int


CHANGES = "a number is another one at each trip"


class Fate(Enum):
    """Says how the trips of a graph use an array."""

    KEPT = "it stays as it was"
    WRITTEN = "its values are others"
    MADE = "each trip makes a new one"


@dataclass
class _Unit:
    """The graph of some trips.

    launch: does them. trips: Python's part of each. reads: the bytes of numbers that its kernels give. takes:
    the bytes of those that they are given, before a launch. is_fused: its kernels do several trips each.
    """

    launch: Callable[[], None]
    trips: list[CapturedTrip]
    reads: int
    takes: int
    is_fused: bool = False


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
        names: LoopNames,
        device: torch.device,
        counter: LoopCounter,
    ) -> None:
        self._trip, self._blocks, self._device, self._counter = trip, blocks, device, counter
        self._replays: list[Any] = [one.function for one in done]
        self._numbers = numbers_of(done)
        self._varying: frozenset[int] = frozenset()  # the places of those that are others at each trip
        for replay in self._replays:
            if replay.alone is not None:
                raise Refused(replay.alone)
        # The places of names that stand for other numbers at each trip.
        self._changing = [
            at
            for at, place in enumerate(names.places[: trip.stored])
            if place < 0 and may_change(names.values[at])
        ]
        self._works_on_numbers = bool(self._changing) or any(step.function >= 0 for step in trip.steps)
        size = sum(array.copy._memory.numel() * array.copy._memory.element_size() for array in names.arrays)
        if size * (1 + self._works_on_numbers) > using.capturer.room(device) // PART:
            raise Refused(f"its arrays take {size} bytes, a large part of the device's memory")
        self._own = [like(array.copy._memory) for array in names.arrays]
        self._kept: dict[int, torch.Tensor] = {}  # by array, its values before the trips of the last launch
        self._least = 1  # trips of the smallest graph
        self._room = NumberRoom(trip, device)
        self._made: dict[int, Callable[[], np.ndarray[Any, Any]]] = {}  # by array: makes the host's
        self._fates: list[Fate] | None = None
        self._written: set[int] = set()  # the memory of the device's arrays that were written
        self._units: dict[int, _Unit | None] = {}
        self._fused = FusedTrips()

    @property
    def are_fused(self) -> bool:
        """Tell if there are kernels that do several trips each."""
        return any(unit is not None and unit.is_fused for unit in self._units.values())

    def is_of(self, numbers: list[Hashable]) -> bool:
        """Tell if the graphs are good for trips whose kernels were given these numbers."""
        return len(numbers) == len(self._numbers) and all(
            one == other or place in self._varying
            for place, (one, other) in enumerate(zip(numbers, self._numbers, strict=True))
        )

    def run(
        self,
        table: Residency,
        names: LoopNames,
        functions: Sequence[Callable[..., Any]],
        items: range,
        left: int,
    ) -> tuple[int, list[Any]]:
        """Do as many trips as may be; return their number, and what the names stand for then.

        functions: do Python's work on numbers. items: that the loop draws, where trips use them.
        """
        try:
            plan = self._plan(table, names, left)
        except _ReadsNumbers:
            self._works_on_numbers = True
            self._fates = None
            self._units.clear()
            plan = self._plan(table, names, left)
        if not plan:
            return 0, []
        self._fuse(plan, table, names)
        results = [self._result(number, array) for number, array in enumerate(names.arrays)]
        for own, array in zip(self._own, names.arrays, strict=True):
            own.copy_(array.copy._memory)
        if self._works_on_numbers:
            trips, values = self._in_turn(plan, names, functions, items, left)
        else:
            trips, values = sum(plan), [*names.values]
            for size in plan:
                self._launch(self._made_unit(size))
                self._counter.fused_trips += size if self._made_unit(size).is_fused else 0
        if not trips:
            return 0, []
        table.begin_writing()
        for own, result in zip(self._own, results, strict=True):
            if result is not None:
                result.copy_(own)
        after = [
            self._left(number, table, array, result)
            for number, (array, result) in enumerate(zip(names.arrays, results, strict=True))
        ]
        return trips, [
            value if place < 0 else after[place] for place, value in zip(names.places, values, strict=True)
        ]

    def _plan(self, table: Residency, names: LoopNames, left: int) -> list[int]:
        """Return the sizes of the graphs to launch; where Python works on numbers, those to choose from."""
        if not self._works_on_numbers:
            plan: list[int] = []
            for size in UNITS:
                while left - sum(plan) >= size and self._unit(size, table, names) is not None:
                    plan.append(size)
            return plan
        self._least = 1 if self._unit(1, table, names) is not None else 2  # names change places at each trip
        sizes = [size for size in UNITS if size > self._least]
        return [size for size in (*sizes, self._least) if size <= left and self._unit(size, table, names)]

    def _in_turn(
        self,
        sizes: list[int],
        names: LoopNames,
        functions: Sequence[Callable[..., Any]],
        items: range,
        left: int,
    ) -> tuple[int, list[Any]]:
        """Launch graphs while their trips go the way that was captured.

        Return the number of those trips, and what the names that stand for numbers stand for after them.
        """
        trips, values = 0, [*names.values]
        most = FIRST if self._made_unit(sizes[-1]).reads else UNITS[0]
        while size := next((size for size in sizes if size <= min(left - trips, most)), 0):
            unit, after = self._made_unit(size), []
            if unit.takes or not unit.reads:  # else all is evaluated after the launch
                after = self._room.evaluated(functions, values, items[trips:], unit.trips, is_ahead=True)
                if len(after) < size:
                    most = len(after)
                    continue
            self._launch(unit)
            if unit.reads:
                using.capturer.wait(self._device)
                with transfers.counting(self._counter):
                    transfers.note_from_device(unit.reads)
                after = self._room.evaluated(functions, values, items[trips:], unit.trips, is_ahead=False)
            if len(after) < size:
                done = len(after) - len(after) % self._least
                self._do_again(sizes, done, [values, *after], functions, items[trips:])
                return trips + done, [values, *after][done]
            trips += size
            values = after[-1]
            most = UNITS[0]
        return trips, values

    def _do_again(
        self,
        sizes: list[int],
        trips: int,
        values: list[list[Any]],
        functions: Sequence[Callable[..., Any]],
        items: range,
    ) -> None:
        """Undo the trips of the last launch, and do those again that went as captured.

        values: of the names before each.
        """
        for number, kept in self._kept.items():
            self._own[number].copy_(kept)
        at = 0
        for size in sizes:
            unit = self._made_unit(size)
            while trips - at >= size:
                if unit.takes:
                    self._room.evaluated(functions, values[at], items[at:], unit.trips, is_ahead=True)
                self._launch(unit)
                at += size

    def _made_unit(self, size: int) -> _Unit:
        unit = self._units[size]
        assert unit is not None
        return unit

    def _launch(self, unit: _Unit) -> None:
        if unit.takes:
            with transfers.counting(self._counter):
                self._room.send(unit.takes)
        unit.launch()

    def _result(self, number: int, array: LoopArray) -> torch.Tensor | None:
        """Return the memory that gets an array's values after the trips; None where it stays as it was."""
        assert self._fates is not None
        fate = self._fates[number]
        if fate is Fate.KEPT:
            return None
        if fate is Fate.WRITTEN and type(array.value) is ndarray:
            own: torch.Tensor = array.value._memory
            return own
        return like(self._own[number])

    def _left(self, number: int, table: Residency, array: LoopArray, result: torch.Tensor | None) -> Any:
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

    def _unit(self, size: int, table: Residency, names: LoopNames) -> _Unit | None:
        """Return the graph of so many trips; None for one trip that cannot stand alone. Raises Refused."""
        if size not in self._units:
            self._counter.graph_captures += 1
            try:
                unit = self._captured(size, table, names)
                if unit.reads and not self._kept:  # it was told which arrays are written
                    self._kept = self._copies()
                    unit = self._captured(size, table, names)
                self._units[size] = unit
            except _Moved as moved:
                if size > 1:
                    raise Refused(str(moved)) from None
                self._units[size] = None
        return self._units[size]

    def _copies(self) -> dict[int, torch.Tensor]:
        """Return memory, by array, for the values before a launch of those that trips write or make."""
        assert self._fates is not None
        changed = (number for number, fate in enumerate(self._fates) if fate is not Fate.KEPT)
        return {number: like(self._own[number]) for number in changed}

    def _captured(self, size: int, table: Residency, names: LoopNames) -> _Unit:
        room = self._room
        work, trips = self._work(size, table, names)
        try:
            launch = using.capturer.capture(self._device, work)
            return _Unit(launch, trips, room.nbytes, room.nbytes_sent)
        except (Refused, _Moved, _ReadsNumbers):
            raise
        except (Exception, Diverged) as error:
            if isinstance(error, Diverged) and error.__cause__ is None and room.decides_otherwise():
                return self._captured(size, table, names)
            found: BaseException = error
            while found.__cause__ is not None and not isinstance(found, transfers.Uncapturable):
                found = found.__cause__
            if isinstance(found, transfers.Uncapturable):
                raise Refused(str(found)) from None
            raise Refused(f"{type(found).__name__}: {str(found)[:200]}") from error

    def _work(
        self, size: int, table: Residency, names: LoopNames
    ) -> tuple[Callable[[], None], list[CapturedTrip]]:
        """Return what does so many trips, once, and the list that gets Python's part of each."""
        scratch = Residency(self._counter, table.failed)
        scratch.numbers = room = self._room
        room.clear()
        stands: list[Any] = []
        for own, array in zip(self._own, names.arrays, strict=True):
            own.copy_(array.copy._memory)
            if type(array.value) is np.ndarray:
                host = stand_in(array.value)
                scratch.adopt(table.copier(array.value), host, ndarray._of_tensor(own))
                stands.append(host)
            else:
                stands.append(laid_like(array.value, own))

        trips: list[CapturedTrip] = []

        def work() -> None:
            for number, kept in self._kept.items():
                kept.copy_(self._own[number])
            values = zip(names.places, names.values, strict=True)
            now = [stands[place] if place >= 0 else value for place, value in values]
            self._written = set()
            while len(trips) < size:
                trips.append(self._do_trip(now, names, scratch, is_first=not trips))
            if room.nbytes and not self._works_on_numbers:
                raise _ReadsNumbers
            room.give()
            self._close(now, names, stands, scratch)

        return work, trips

    def _fuse(self, plan: list[int], table: Residency, names: LoopNames) -> None:
        """Have kernels do several trips each from now on, where these are compiled; or have them compiled.

        They are launched after they gave the bytes that trips one by one give, for the arrays at hand.
        """
        fused = self._fused
        if self._works_on_numbers or UNITS[0] not in plan or fused.refusal is not None:
            return
        unit = self._made_unit(UNITS[0])
        if unit.is_fused:
            return
        try:
            if fused.count(sum(plan)):
                fused.begin(lambda size: self._composed(size, table, names))
            elif (kernel := fused.kernel()) is not None:
                kernel(*self._own)  # it may load itself, which no capture allows
                launch = using.capturer.capture(self._device, lambda: self._repeat(kernel))
                pairs = zip(self._after(launch, names), self._after(unit.launch, names), strict=True)
                if all(torch.equal(mine, theirs) for mine, theirs in pairs):
                    self._units[UNITS[0]] = _Unit(launch, [], 0, 0, is_fused=True)
                else:
                    fused.refusal = "its kernel gives other bytes than the trips one by one"
        except (Exception, Diverged) as error:  # whatever it is, trips are done one by one as before
            fused.refusal = f"{type(error).__name__}: {error}"

    def _repeat(self, kernel: Callable[..., Any]) -> None:
        for _ in range(UNITS[0] // self._fused.size):
            kernel(*self._own)

    def _composed(self, size: int, table: Residency, names: LoopNames) -> Composer:
        """Do so many trips; return them as one program."""
        work, _ = self._work(size, table, names)
        composer = Composer(self._own)
        composer.compose(work)
        return composer

    def _after(self, launch: Callable[[], None], names: LoopNames) -> list[torch.Tensor]:
        """Return the bytes of all arrays after the trips of a graph."""
        for own, array in zip(self._own, names.arrays, strict=True):
            own.copy_(array.copy._memory)
        launch()
        return [own.reshape(-1).view(torch.uint8).clone() for own in self._own]

    def _do_trip(
        self, values: list[Any], names: LoopNames, scratch: Residency, is_first: bool
    ) -> CapturedTrip:
        """Do a trip with what stands for the user's values, and return Python's part of it."""
        begin = {}
        for at in self._changing:
            before = None if is_first or not isinstance(values[at], Changing) else values[at]
            is_ahead = before is None or before.is_ahead
            begin[at] = Variable(self._room, names.values[at], is_ahead, before)
        for at, variable in begin.items():
            values[at] = variable
        captured = CapturedTrip(begin)
        self._room.begin(captured)
        replays = iter(self._replays)
        for step in self._trip.steps:
            args = tuple(values[place] for place in step.takes)
            found: Any = args if step.is_tuple else args[0] if args else None
            if step.block >= 0:
                replay = next(replays)
                leaves = self._leaves(self._blocks[step.block], replay, args)
                found = scratch.replay(replay, leaves)
                self._written |= {place_of(leaves[at]) for at in replay.writes if type(leaves[at]) is ndarray}
                captured.give(step, found if step.is_tuple else (found,) if step.gives else ())
            elif step.function >= 0:
                if not all(map(is_number, args)):
                    raise Refused("Python looks at an array at each trip")
                is_ahead = all(arg.is_ahead for arg in args if isinstance(arg, Changing))
                typical = names.values[step.gives[0]] if step.gives else True
                found = Variable(self._room, typical, is_ahead)
                captured.work(step, found)
            else:
                captured.bind(step)
            if step.is_tuple:
                for place, value in zip(step.gives, found, strict=True):
                    values[place] = value
            elif step.gives:
                values[step.gives[0]] = found
        done = scratch.last(len(self._replays)) or []
        noted = [number for one in done for number in one.numbers]
        self._varying |= {place for place, number in enumerate(noted) if isinstance(number, Changing)}
        if not self.is_of(numbers_of(done)):
            raise Refused(CHANGES)
        return captured

    def _leaves(self, block: Block, replay: Any, args: tuple[Any, ...]) -> list[Any]:
        """Return what a replay is called with, with what stands for numbers. Raises Refused."""
        leaves = block.leaves(
            replay, tuple(arg.typical if isinstance(arg, Changing) else arg for arg in args)
        )
        if leaves is None:
            raise Refused("a trip is not as the one before it")
        if any(isinstance(arg, Changing) for arg in args):
            if not all(isinstance(arg, _LEAVES) and type(arg) is not bool for arg in args):
                raise Refused(CHANGES)
            if any(type(arg.typical) is bool for arg in args if isinstance(arg, Changing)):
                raise Refused(CHANGES)  # a program for each of the two
            leaves[len(leaves) - len(args) :] = args
        return leaves

    def _close(self, now: list[Any], names: LoopNames, stands: list[Any], scratch: Residency) -> None:
        """Put the arrays after the last trip where the first one finds them. Raises Refused or _Moved."""
        after: list[Any] = [None] * len(stands)
        for place, value, before in zip(names.places, now, names.values, strict=True):
            if place < 0:
                _check_number(value, before)
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
        for stand, value in zip(stands, after, strict=True):
            if value is not stand and self._is_written(stand, scratch):
                raise Refused("an array is written that later trips do not have")
        if self._fates is not None and self._fates != fates:
            raise Refused("an array's use is another one at each trip")
        self._fates = fates
        # An array's result may lie where another array began.
        begun = {own.untyped_storage().data_ptr() for own in self._own}
        for number, (own, result) in enumerate(zip(self._own, results, strict=True)):
            if result.data_ptr() != own.data_ptr() and result.untyped_storage().data_ptr() in begun:
                results[number] = like(result).copy_(result)
        for own, result in zip(self._own, results, strict=True):
            if result.data_ptr() != own.data_ptr():
                own.copy_(result)

    def _is_written(self, stand: Any, scratch: Residency) -> bool:
        """Tell if the trips that were captured have written to what stands for an array."""
        return scratch.is_stale(stand) if type(stand) is np.ndarray else place_of(stand) in self._written

    def _fate(
        self, number: int, value: Any, array: LoopArray, stands: list[Any], scratch: Residency
    ) -> tuple[Fate, Any]:
        """Return what became of an array, and its copy on the device after the last trip."""
        on_host = type(value) is np.ndarray
        copy = scratch.find(value) if on_host else value
        if value is stands[number]:
            return Fate.WRITTEN if self._is_written(value, scratch) else Fate.KEPT, copy
        if any(value is stand for stand in stands):
            raise _Moved("arrays change places at each trip")
        if type(value) is not type(array.value) or copy is None or copy._flips:
            raise Refused("a name stands for something else at each trip")
        if (type(value), key_of(value, []), copy._memory.device) != array.layout:
            raise Refused("an array has another shape or layout at each trip")
        others = [stand for stand in stands if type(stand) is type(value)]
        if any(share_memory(value, stand) for stand in others):
            raise Refused("a view is made at each trip")
        if on_host:
            self._made[number] = maker(value)
        return Fate.MADE, copy


_LEAVES = (np.ndarray, np.generic, ndarray, Changing, *NUMBERS)  # each is one leaf of a call


class _ReadsNumbers(Exception):
    """Blocks give numbers, which Python is to work on."""


class _Moved(Exception):
    """After a trip names stand for each other's arrays; after more trips they may not."""


def numbers_of(done: Sequence[Done]) -> list[Hashable]:
    """Return what the kernels of replays were given, of numbers."""
    return [
        None if isinstance(number, Changing) else exactly(number) for one in done for number in one.numbers
    ]


def _check_number(value: Any, before: Any) -> None:
    """Raise Refused unless a name's value after a trip may be its value before the next one."""
    if isinstance(value, Changing):
        if type(value.typical) is not type(before):
            raise Refused("a number has another type at each trip")
    elif not is_plain(value) or exactly(value) != exactly(before):
        raise Refused(CHANGES)
