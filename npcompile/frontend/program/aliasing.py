"""Aliasing: numbers the pieces of memory that arrays lie in, and tells which parts of them overlap.

A *root* is a piece of memory that arrays share, a *region* the part of a root that one array covers. The
graph builder notes both of each array; passes and planning ask for overlaps; replays check that arrays from
outside still lie as they did.
"""

from __future__ import annotations

import operator
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch import fx

from npcompile.frontend.eager.ndarray import ndarray
from npcompile.frontend.eager.strided import overlap
from npcompile.frontend.program.array_facts import layout
from npcompile.frontend.program.replay_interface import ReplayCheck

# Room below the start of a root for regions to be laid out as made-up addresses; nothing is read there.
_ORIGIN = 1 << 44
# Deciding overlap exactly is NP-hard in the number of axes; past this much work the answer is "may overlap".
_MAX_WORK = 100_000


class _At:
    """An object that NumPy takes for an array at an address: it decides overlaps without the memory."""

    def __init__(self, region: Region) -> None:
        self.__array_interface__ = {
            "version": 3,
            "data": (_ORIGIN + region.offset, False),
            "typestr": f"|V{region.itemsize}",
            "shape": region.shape,
            "strides": region.strides,
        }


@dataclass(frozen=True)
class Region:
    """The bytes of one array within its root: offset of its first element, shape, strides (all in bytes)."""

    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    itemsize: int

    def overlaps(self, other: Any) -> bool:
        """Tell whether any byte lies in both: exactly, up to a bound on the work, then True."""
        if isinstance(other, Moving):
            return True
        try:
            one, another = np.asarray(_At(self)), np.asarray(_At(other))
            return bool(np.shares_memory(one, another, max_work=_MAX_WORK))  # type: ignore[arg-type]
        except np.exceptions.TooHardError:
            return True


@dataclass(frozen=True)
class Moving:
    """The part of an array under an index that holds traced numbers: its bytes are known at replay alone.

    base: the step that gave the array; lengths: its shape. index: its items in a form that is equal for what
    is equal at every replay: an integer as (step or None, constant), their sum; a slice as four items.
    """

    base: Any
    lengths: tuple[int, ...]
    index: tuple[Any, ...]
    offset = 0

    def overlaps(self, other: Any) -> bool:
        """Tell whether any byte may lie in both: not where one axis is at `i` and at `i + 1`, say."""
        if not isinstance(other, Moving) or other.base is not self.base:
            return True
        for length, one, another in zip(self.lengths, self.index, other.index, strict=False):
            if type(one) is not tuple or type(another) is not tuple:
                return True  # a new axis, or `...`: from here on the items' axes are others
            if len(one) == len(another) == 2 and one[0] is another[0] and (one[1] - another[1]) % length:
                return False
        return True


def form_of(item: Any) -> Any:
    """Return an item of an index in the form that `Moving` keeps."""
    if type(item) is slice:
        return "slice", *(form_of(part) for part in (item.start, item.stop, item.step))
    if type(item) is int:
        return None, item
    if not isinstance(item, fx.Node):
        return item
    first, second = (*item.args, None, None)[:2]
    if item.target in (operator.add, operator.sub) and isinstance(first, fx.Node) and type(second) is int:
        node, constant = form_of(first)
        return node, constant + second if item.target is operator.add else constant - second
    if item.target is operator.add and type(first) is int and isinstance(second, fx.Node):
        node, constant = form_of(second)
        return node, constant + first
    return item, 0


def address(array: np.ndarray[Any, Any]) -> int:
    """Return the address of an array's first element."""
    return int(array.__array_interface__["data"][0])


def _storages_are_apart(array: Any, another: Any) -> bool:
    """Tell if two arrays are a device's, on memory of their own: no layouts need be made to tell that."""
    return type(array) is type(another) is ndarray and not overlap(array._memory, another._memory)


def owner_of(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the first of the arrays on this memory.

    `ndarray.base` leads there at once where an array owns the memory. Where something else does (a buffer, a
    file, a tensor), the base of a view is an array that has that as its base; and `as_strided` puts an object
    in between, which has the array as its base.
    """
    while True:
        base: Any = array.base
        if base is not None and not isinstance(base, np.ndarray):
            base = getattr(base, "base", None)
        if not isinstance(base, np.ndarray):
            return array
        array = base


def is_on(array: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    """Tell if an array may lie on the memory of another; of an array without items, if it is a view of it."""
    if array.size and other.size:
        return np.may_share_memory(array, other)
    return owner_of(array) is owner_of(other)


class Roots:
    """Numbers the pieces of memory that the arrays of one recording lie in.

    Arrays share a root when they have the same owner, or when, as arguments, their memory overlaps.
    """

    def __init__(self) -> None:
        self._by_owner: dict[int, tuple[int, int]] = {}  # id of the owner: (root, address that counts as 0)
        self._outside: list[tuple[int, int, int, int]] = []  # arrays from outside: low, high, root, zero
        self._followers: list[weakref.finalize[Any, Any]] = []
        self._next = 0

    def clear(self) -> None:
        """Stop following owners."""
        for follower in self._followers:
            follower.detach()

    def new(self) -> int:
        """Return the number of a new root."""
        self._next += 1
        return self._next

    def of(self, array: np.ndarray[Any, Any], outside: bool = False) -> tuple[int, Region]:
        """Return the root and the region of an array; `outside` for one that the function did not make."""
        owner = owner_of(array)
        at = address(array)
        known = self._by_owner.get(id(owner))
        if known is None and outside:
            known = self._overlapping(array)
        if known is None and not owner.flags.owndata:  # NumPy's array on our own array's memory, say
            known = self._on_memory_of_another(array)
        if known is None:
            known = (self.new(), at)
        if id(owner) not in self._by_owner:
            try:
                follower = weakref.finalize(owner, self._by_owner.pop, id(owner), None)
                follower.atexit = False
                self._followers.append(follower)
                self._by_owner[id(owner)] = known
            except TypeError:  # an owner that cannot be followed (bytes, say): each array found by its memory
                pass
        root, zero = known
        if outside:
            low, high = np.lib.array_utils.byte_bounds(array)
            self._outside.append((low, high, root, zero))
        return root, Region(at - zero, array.shape, array.strides, array.itemsize)

    def _on_memory_of_another(self, array: np.ndarray[Any, Any]) -> tuple[int, int] | None:
        """Return the root of the owner on whose memory an array lies that does not name it as its base."""
        low, high = np.lib.array_utils.byte_bounds(array)
        for follower in self._followers:
            alive = follower.peek()
            if alive is not None:
                owner: Any = alive[0]
                other_low, other_high = np.lib.array_utils.byte_bounds(owner)
                if low < other_high and other_low < high:
                    return self._by_owner[id(owner)]
        return None

    def _overlapping(self, array: np.ndarray[Any, Any]) -> tuple[int, int] | None:
        low, high = np.lib.array_utils.byte_bounds(array)
        for other_low, other_high, root, zero in self._outside:
            if low < other_high and other_low < high:
                return root, zero
        return None


_overlaps: weakref.WeakSet[Overlap] = weakref.WeakSet()


def forget_arrays() -> None:
    """Drop all references to arrays, weak ones too."""
    for check in list(_overlaps):
        check.forget()


class Overlap(ReplayCheck):
    """A check that arrays from outside lie in memory relative to each other as they did while recording.

    pairs: (place, place, distance in bytes between their first elements); distance None: nothing shared.
    """

    def __init__(self, pairs: tuple[tuple[int, int, int | None], ...]) -> None:
        self.pairs = pairs
        self._right: tuple[weakref.ref[Any], ...] = ()  # the arrays that were right last
        _overlaps.add(self)

    def native(self, module: Any) -> Any:
        return module.OverlapGuard(self, self.pairs)

    def forget(self) -> None:
        """Compare addresses again at the next call."""
        self._right = ()

    def __call__(self, *given: Any) -> bool:
        """Tell whether these arrays lie as those recorded."""
        for reference, array in zip(self._right, given, strict=False):
            if reference() is not array:
                break
        else:
            if self._right:
                return True
        for place, other, distance in self.pairs:
            array, another = given[place], given[other]
            if distance is None:
                if not _storages_are_apart(array, another) and np.may_share_memory(
                    layout(array), layout(another)
                ):
                    return False
            elif address(layout(another)) - address(layout(array)) != distance:
                return False
        self._right = tuple(map(weakref.ref, given))
        return True
