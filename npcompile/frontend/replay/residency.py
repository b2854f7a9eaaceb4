"""Keeps arrays on the device during one call of a function that was cut: a table of the NumPy arrays that
blocks share, each with its copy on the device.

A lane looks arrays up in the table as they enter, and notes there what a block has written or made; nothing
is copied back then. The NumPy arrays are *stale* until `settle`, which the cut function calls before Python
may look at any. The table is open only while a replay runs that shows its arrays to nobody: all other code
finds it settled.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Protocol

import numpy as np
import torch

from npcompile.frontend.boundary.faults import Fault, beside, noting
from npcompile.frontend.catalog import lookers
from npcompile.frontend.eager.ndarray import ndarray
from npcompile.frontend.replay.same_layout import entered, laid_as
from npcompile.lower.device import memory, transfers

# Arrays that are kept alive until the next `settle`, as views whose memory may not be referred to weakly.
MOST_HELD = 32

MOST_DONE = 16  # replays of a trip that is done again at once

_Span = tuple[int, int]  # the addresses at which memory begins and ends


class Use(IntEnum):
    """The way in which a replay uses an array that enters."""

    READ = 0
    WRITTEN = 1
    UNDONE = 2  # it is written, and the replay may diverge afterwards


@dataclass
class Done:
    """A replay that has run with the table open. numbers: those that its kernels were given."""

    function: Callable[..., Any]
    numbers: list[Any]


class Loops(Protocol):
    """Does trips of loops at once: `resident_loop.LoopGraphs`."""

    def go_on(
        self,
        table: Residency,
        trip: tuple[Any, ...],
        iterator: Any,
        blocks: tuple[Any, ...],
        functions: tuple[Callable[..., Any], ...],
        values: tuple[Any, ...],
    ) -> tuple[Any, ...] | None:
        """Do some of the trips that are left, as `Residency.trips`; None if none was done."""


class Numbers(Protocol):
    """Takes the numbers of a replay that is captured: `trip_numbers.NumberRoom`."""

    def hold(self, tensor: torch.Tensor, is_pythons: bool) -> Any:
        """Return what stands for a number that a kernel gives."""


class Copier(Protocol):
    """Copies arrays to a device and back: `device_lane.Lane`."""

    def moved(self, array: Any) -> Any:
        """Return a copy on the device of an array that lies on the host."""

    def copy_back(self, host: np.ndarray[Any, Any], array: Any) -> None:
        """Copy an array of the device into one of the host."""


@dataclass
class _Resident:
    """An array with its copy on the device.

    array: the copy, with the strides of the NumPy array. owned: nothing else lies in the copy's memory.
    stale: the NumPy array lacks what the copy holds. host: returns the NumPy array, None once it is gone.
    """

    array: Any
    host: Callable[[], np.ndarray[Any, Any] | None]
    span: _Span
    owned: bool
    stale: bool
    keeper: Any  # the weak reference that drops the entry, or None
    copier: Copier

    def copy_back(self) -> None:
        """Give the NumPy array what it lacks."""
        if self.stale and (host := self.host()) is not None:
            self.copier.copy_back(host, self.array)
            self.stale = False


def _begun(iterable: Any) -> Any:
    """Return what a loop draws its items from, of which `Residency.trips` may take some."""
    return iter(iterable) if type(iterable) is range else iterable


def _after_one(
    trip: tuple[Any, ...], iterator: Any, blocks: Any, functions: Any, item: Any, *values: Any
) -> tuple[Any, ...]:
    """Return what `Residency.trips` does where no further trip was done."""
    return (item, *values)[: 1 + trip[0]]


class Residency:
    """The table of one call. The cut function's body is its `with` block.

    counter: the bytes that are copied between replays are added to it. failed: is told of faults. loops: do
    trips of loops at once.
    """

    def __init__(
        self, counter: transfers.Counter, failed: Callable[[Fault], None], loops: Loops | None = None
    ) -> None:
        self._counter = counter
        self.failed = failed
        self._loops = loops
        self.numbers: Numbers | None = None  # takes the numbers of replays, where they are captured
        self._done: deque[Done] = deque(maxlen=MOST_DONE)  # the last replays since the table was settled
        self._entries: dict[Any, _Resident] = {}  # by place in memory
        self._pinned: list[_Span] = []
        self._written: list[_Resident] = []  # by the replay that runs, in place
        self._is_writing = False  # it has begun to
        self._is_off = False
        self._outer: Residency | None = None

    def __enter__(self) -> Residency:
        self._outer, _here.table = _here.table, self
        return self

    def __exit__(self, *raised: object) -> None:
        try:
            self.settle()
        finally:
            _here.table = self._outer

    # -- the cut function --------------------------------------------------------------------------------

    def _give_up(self, fault: Fault) -> None:
        """Keep nothing on the device any more, as npcompile failed; raise if values are lost."""
        is_torn, self._is_off = self._is_writing, True
        self._is_writing = False
        self._done.clear()
        for place, entry in [*self._entries.items()]:
            try:
                entry.copy_back()
            except Exception:  # what else has values is to get them
                is_torn = True
            self._entries.pop(place, None)
        self.failed(fault)
        if is_torn:
            raise fault.torn() from fault.error

    @beside(_give_up)
    def settle(self) -> None:
        """Copy to the host what it lacks, and forget the copies on the device: Python may write to arrays."""
        self._done.clear()
        if self._entries:
            with transfers.counting(self._counter):
                self.forget()

    @beside(_give_up)
    def look(self, *values: Any) -> None:
        """Settle unless these values, which Python looks at next, are none that lead to an array."""
        if self._entries and not all(map(is_plain, values)):
            self.settle()

    @beside(_give_up, lambda value: value)
    def taken(self, value: Any) -> Any:
        """Return a value whose truth Python asks for next."""
        if self._entries and not is_plain(value):
            self.settle()
        return value

    @beside(_give_up)
    def iterate(self, *values: Any) -> None:
        """Keep up to date what a loop draws its items from; keep nothing on the device if that is unknown."""
        for value in values:
            if type(value) is np.ndarray:
                self._pinned.append(np.lib.array_utils.byte_bounds(value))
            elif type(value) not in _HELD and not is_plain(value):
                self.stop()
        self.settle()

    @beside(_give_up, _begun)
    def begin(self, iterable: Any) -> Any:
        """Return what a loop draws its items from, of which `trips` may take some."""
        return _begun(iterable)

    @beside(_give_up, _after_one)
    def trips(
        self,
        trip: tuple[Any, ...],
        iterator: Any,
        blocks: tuple[Any, ...],
        functions: tuple[Callable[..., Any], ...],
        item: Any,
        *values: Any,
    ) -> tuple[Any, ...]:
        """Do trips of a loop at once, after one was done.

        Return the last item and the values of the names that the trip stores.

        trip: the fields of a `Trip`. iterator: gives the loop's items; None for a `while` loop. functions: do
        Python's work on numbers. item: the loop's last item. values: of the trip's names.
        """
        if self._loops is not None and not self._is_off:
            after = self._loops.go_on(self, trip, iterator, blocks, functions, values)
            self._is_writing = False
            if after is not None:
                return after
        return _after_one(trip, iterator, blocks, functions, item, *values)

    @beside(_give_up)
    def stop(self) -> None:
        """Keep nothing on the device from now on, in this call."""
        self.settle()
        self._is_off = True

    # -- the replay ------------------------------------------------------------------------------------------

    def replay(self, function: Callable[..., Any], leaves: list[Any]) -> Any:
        """Call a replay that shows its arrays to nobody, with the table open."""
        if self._is_off:
            return function(*leaves)
        self._done.append(Done(function, []))
        _here.opened, before = self, _here.opened
        try:
            return function(*leaves)
        except BaseException as error:
            self._done.pop()
            self._lose_written(error)
            raise
        finally:
            self._is_writing = False
            self._written.clear()
            _here.opened = before

    def _lose_written(self, error: BaseException) -> None:
        """Forget copies that a replay may have written in part, as a step of it failed."""
        if not self._is_writing:
            return
        lost = [entry for entry in self._written if error.__cause__ is not None]
        kept = {key: entry for key, entry in self._entries.items() if not any(entry is one for one in lost)}
        self._entries = kept
        if any(entry.stale for entry in lost):  # nothing else holds their values
            fault = noting(error.__cause__ or error)
            self.failed(fault)
            raise fault.torn() from fault.error

    # -- loops whose trips are done at once ----------------------------------------------------------------

    def last(self, number: int) -> list[Done] | None:
        """Return the last replays, if there were so many with the table open and nothing else since."""
        return None if len(self._done) < number else [*self._done][len(self._done) - number :]

    def note_number(self, number: Any) -> None:
        """Note a number that a kernel of the replay at hand is given."""
        self._done[-1].numbers.append(number)

    def find(self, host: np.ndarray[Any, Any]) -> Any:
        """Return the copy of an array on the device; None where there is none."""
        entry = self._entries.get(_place(host))
        return None if entry is None else entry.array

    def copier(self, host: np.ndarray[Any, Any]) -> Copier:
        """Return what copies an array that has a copy on the device."""
        return self._entries[_place(host)].copier

    def is_stale(self, host: np.ndarray[Any, Any]) -> bool:
        """Tell if an array lacks what its copy on the device holds."""
        entry = self._entries.get(_place(host))
        return entry is not None and entry.stale

    def adopt(self, copier: Copier, host: np.ndarray[Any, Any], array: Any) -> None:
        """Take an array for the copy of one of the host."""
        span = np.lib.array_utils.byte_bounds(host)
        self._add(copier, _place(host), host, span, array, owned=True, stale=False)

    # -- the lane --------------------------------------------------------------------------------------------

    def enter(self, copier: Copier, host: np.ndarray[Any, Any], use: Use) -> Any:
        """Return the copy of an array on the device."""
        place = _place(host)
        entry = self._entries.get(place)
        if entry is None:
            span = np.lib.array_utils.byte_bounds(host)
            for other in self._overlapping(span):
                other.copy_back()
            entry = self._add(copier, place, host, span, copier.moved(host), owned=True, stale=False)
        if use is not Use.READ:
            self._drop_overlapping(entry.span, entry)
        if use is Use.UNDONE:
            return entered(entry.array, torch.clone)
        if use is Use.WRITTEN:
            if not entry.owned:
                entry.array, entry.owned = entered(entry.array, torch.clone), True
            self._written.append(entry)
        return entry.array

    def begin_writing(self) -> None:
        """Note that the replay or the trips at hand begin to write: values are lost if a step fails now."""
        self._is_writing = True

    def make(self, copier: Copier, host: np.ndarray[Any, Any], array: Any) -> None:
        """Note a new array whose values lie on the device."""
        tensor = array._tensor
        strides = tuple(stride // host.itemsize for stride in host.strides)
        copy = ndarray._of_tensor(laid_as(tensor, tuple(tensor.shape), strides))
        span = np.lib.array_utils.byte_bounds(host)
        self._add(copier, _place(host), host, span, copy, owned=copy._tensor is not tensor, stale=True)

    def give_back(self, host: np.ndarray[Any, Any], array: Any) -> bool:
        """Note that a replay has written an array; False if it is to be copied to the host."""
        entry = self._entries.get(_place(host))
        if entry is None:
            self._drop_overlapping(np.lib.array_utils.byte_bounds(host))
            return False
        self._drop_overlapping(entry.span, entry)
        if entry.array is not array:
            entry.array, entry.owned = array, True
        entry.stale = True
        if any(_overlap(entry.span, span) for span in self._pinned):
            entry.copy_back()
        return True

    def _add(
        self,
        copier: Copier,
        place: Any,
        host: np.ndarray[Any, Any],
        span: _Span,
        array: Any,
        owned: bool,
        stale: bool,
    ) -> _Resident:
        def gone(_: Any) -> None:
            self._entries.pop(place, None)

        found, keeper = _reference(host, gone)
        if keeper is None and sum(entry.keeper is None for entry in self._entries.values()) >= MOST_HELD:
            self.forget()
        entry = self._entries[place] = _Resident(array, found, span, owned, stale, keeper, copier)
        return entry

    def forget(self) -> None:
        """Copy to the host what it lacks, and forget the copies on the device, in a replay that counts."""
        for place, entry in [*self._entries.items()]:
            entry.copy_back()
            self._entries.pop(place, None)

    def release(self) -> None:
        """Forget the copies that are neither stale nor written by the replay that runs."""
        for place, entry in [*self._entries.items()]:
            if not entry.stale and not any(entry is written for written in self._written):
                self._entries.pop(place, None)

    @property
    def may_try_again(self) -> bool:
        """Tell if the replay that runs has written to nothing."""
        return not self._written

    def _overlapping(self, span: _Span) -> list[_Resident]:
        return [entry for entry in [*self._entries.values()] if _overlap(entry.span, span)]

    def _drop_overlapping(self, span: _Span, written: _Resident | None = None) -> None:
        """Forget the copies of what lies in this memory, but for one that is written."""
        for place, entry in [*self._entries.items()]:
            if entry is not written and _overlap(entry.span, span):
                entry.copy_back()
                self._entries.pop(place, None)


def _release() -> None:
    """Let go of copies that NumPy's arrays have the values of, in the calls of this thread."""
    table = _here.table
    while table is not None:
        table.release()
        table = table._outer


memory.holders.append(_release)


class _Here(threading.local):
    table: Residency | None = None  # of the cut function that runs on this thread
    opened: Residency | None = None  # the table, while a replay that may use it runs


_here = _Here()


def table() -> Residency | None:
    """Return the table of the cut function that runs on this thread."""
    return _here.table


def opened() -> Residency | None:
    """Return the table that the replay which runs on this thread may use."""
    return _here.opened


def settle() -> None:
    """Settle the table of the cut function that runs on this thread: NumPy arrays are to be looked at."""
    if _here.table is not None:
        _here.table.settle()


# -- values that Python looks at -----------------------------------------------------------------------------

# The host holds these; what they hold are arrays as such, not what lies in the arrays.
_HELD = frozenset([list, tuple, dict, range])
_PLAIN = frozenset([int, float, complex, bool, str, bytes, type(None), range, slice])


def is_plain(value: Any) -> bool:
    """Tell if no array can be reached from a value."""
    kind = type(value)
    if kind in _PLAIN or isinstance(value, np.generic):
        return kind is not np.void and kind is not np.object_
    if kind is tuple:
        return all(map(is_plain, value))
    if kind is type(np):
        return value.__name__ in lookers.MODULES
    return lookers.is_looker(value)


# -- places in memory ----------------------------------------------------------------------------------------


def _place(host: np.ndarray[Any, Any]) -> Any:
    return host.__array_interface__["data"][0], host.shape, host.strides, host.dtype


def _overlap(one: _Span, other: _Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _reference(
    host: np.ndarray[Any, Any], gone: Callable[[Any], None]
) -> tuple[Callable[[], np.ndarray[Any, Any] | None], Any]:
    """Return a function that returns the array, and the weak reference to its memory's owner.

    Others may hold the memory when the array itself is gone: it is then made anew. gone: called when the
    owner is gone. The function alone keeps an array alive of whose memory no owner is known, or which the
    owner does not hold in one piece.
    """
    if host.base is None and host.flags.owndata:
        keeper = weakref.ref(host, gone)
        return keeper, keeper
    owner: Any = host
    while type(owner.base) is np.ndarray:
        owner = owner.base
    order = np.argsort([-stride for stride in owner.strides], kind="stable")
    whole = owner.transpose(order)
    if owner.base is not None or not owner.flags.owndata or not whole.flags.c_contiguous:
        return lambda: host, None
    keeper = weakref.ref(owner, gone)
    shape, dtype, strides = host.shape, host.dtype, host.strides
    offset = host.__array_interface__["data"][0] - owner.__array_interface__["data"][0]

    def made() -> np.ndarray[Any, Any] | None:
        found = keeper()
        if found is None:
            return None
        return np.ndarray(shape, dtype, found.transpose(order), offset, strides)

    return made, keeper
