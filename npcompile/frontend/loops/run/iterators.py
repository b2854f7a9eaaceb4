"""Reads how far Python's own iterators have come, and makes iterators at any place.

A loop that goes from Python to native code, or back, hands its iterator over as numbers. Reading takes no
item. Iterators of other types have no state here, nor have those that hold an iterator which others hold too:
it would not move on for them.
"""

from __future__ import annotations

import collections
import gc
import sys
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from npcompile.frontend.loops.run.array_iterators import (
    Flat,
    FlatIterator,
    Grid,
    GridIterator,
    flat_of,
    grid_of,
)


@dataclass(frozen=True, slots=True)
class Numbers:
    """A range: the next number, the difference of two, and how many are left."""

    next: int
    step: int
    left: int

    @property
    def numbers(self) -> range:
        return range(self.next, self.next + self.left * self.step, self.step)


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """The items of an array, list, tuple or text: the place of the next one, and 1 or -1 for the direction.

    An iterator that was at its end has forgotten its source: `source` is an empty tuple.
    """

    source: Any
    place: int
    step: int


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """An iterator over a dict, a set or a deque, which native code goes on with itself.

    view: "keys", "values" or "items" of a dict, "keys" of a set, "keys" or "__reversed__" of a deque.
    taken: an item that was taken from it, and is the next one.
    """

    iterator: Any
    source: Any
    view: str
    taken: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """The items of another iterator and their numbers, from `next` on: `enumerate`."""

    next: int
    items: State


@dataclass(frozen=True, slots=True, eq=False)
class Zipped:
    """The items of several iterators side by side: `zip`."""

    parts: tuple[State, ...]
    strict: bool


State = Numbers | Items | Held | Counted | Zipped | Grid | Flat

_RANGES = frozenset((type(iter(range(1))), type(iter(range(1 << 64)))))
_ARRAYS = type(iter(np.empty(1)))  # over anything that has items and no iterator of its own
# Types of iterators: those of the sources that they may have, and their direction.
_SEQUENCES: dict[type, tuple[frozenset[type], int]] = {
    type(iter([])): (frozenset((list,)), 1),
    type(iter(())): (frozenset((tuple,)), 1),
    _ARRAYS: (frozenset((np.ndarray,)), 1),
    type(iter(b"")): (frozenset((bytes,)), 1),
    type(iter(bytearray())): (frozenset((bytearray,)), 1),
    type(iter("a")): (frozenset((str,)), 1),
    type(iter("\u0100")): (frozenset((str,)), 1),
    type(reversed([])): (frozenset((list,)), -1),
    reversed: (frozenset((tuple, np.ndarray)), -1),
}
_END = Items((), 0, 1)
# Types of iterators over dicts, sets and deques: the types of their sources, and what of them they go over.
_DICTS = frozenset((dict, collections.defaultdict, collections.Counter))
_HELD: dict[type, tuple[frozenset[type], str]] = {
    type(iter({})): (_DICTS, "keys"),
    type(iter({}.values())): (_DICTS, "values"),
    type(iter({}.items())): (_DICTS, "items"),
    type(iter(set())): (frozenset((set,)), "keys"),
    type(iter(collections.deque())): (frozenset((collections.deque,)), "keys"),
    type(reversed(collections.deque())): (frozenset((collections.deque,)), "__reversed__"),
}


def _references(parts: tuple[Any, ...], place: int) -> int:
    return sys.getrefcount(parts[place])


# References to an iterator that an `enumerate` or a `zip` alone holds, read as `state_of` reads them.
_counting: Any = enumerate([])
_zipping: Any = zip([], strict=False)
_ALONE_COUNTED = _references(_counting.__reduce__()[1], 0)
_ALONE_ZIPPED = _references(_zipping.__reduce__()[1], 0)


def state_of(iterator: Any) -> State | None:
    """Return the state of an iterator, None where it has none that numbers can tell.

    The caller sees to it that nobody else holds `iterator` itself.
    """
    kind = type(iterator)
    if kind in _RANGES:
        _, (numbers,), *gone = iterator.__reduce__()  # from Python 3.12 on, `numbers` are those left
        return _numbers(numbers[gone[0] :] if gone else numbers)
    if kind in _SEQUENCES:
        sources, step = _SEQUENCES[kind]
        _, (source,), *place = iterator.__reduce__()
        if not place:
            # From Python 3.13 on, `reversed` of a list does not tell its source after its last item.
            held = gc.get_referents(iterator)
            if not held:
                return _END
            source, place = held[0], [-1]
        return Items(source, place[0], step) if type(source) in sources else None
    if kind is np.ndindex:
        return grid_of(iterator)
    if kind is np.flatiter:
        return flat_of(iterator)
    if kind is np.ndenumerate:
        flat = flat_of(iterator.iter)
        return flat and Zipped((Grid(flat.source.shape, flat.place), flat), False)
    if kind is GridIterator:
        return Grid(iterator.shape, iterator.place)
    if kind is FlatIterator:
        return Flat(iterator.source, iterator.place)
    if kind in _HELD:
        sources, view = _HELD[kind]
        found = next((one for one in gc.get_referents(iterator) if type(one) in sources), None)
        return None if found is None else Held(iterator, found, view)
    if kind is enumerate:
        reduced = iterator.__reduce__()[1]
        inner = state_of(reduced[0]) if _references(reduced, 0) == _ALONE_COUNTED else None
        return inner and Counted(reduced[1], inner)
    if kind is zip:
        _, reduced, *strict = iterator.__reduce__()
        states = [
            state_of(reduced[place]) if _references(reduced, place) == _ALONE_ZIPPED else None
            for place in range(len(reduced))
        ]
        parts = tuple([state for state in states if state is not None])
        return Zipped(parts, bool(strict)) if len(parts) == len(states) else None
    return None


def _numbers(numbers: range) -> Numbers:
    # `len` has no answer beyond 64 bits.
    left = -((numbers.start - numbers.stop) // numbers.step)
    return Numbers(numbers.start, numbers.step, max(left, 0))


def iterator_of(state: State) -> Any:
    """Return a new iterator that goes on from a state."""
    match state:
        case Numbers():
            return iter(state.numbers)
        case Items(source, place, step):
            return _placed(source, place, step)
        case Held(iterator=iterator, taken=taken):
            return chain(taken, iterator) if taken else iterator
        case Counted(first, items):
            return enumerate(iterator_of(items), first)
        case Zipped(parts, strict):
            return zip(*map(iterator_of, parts), strict=strict)
        case Grid(shape, place):
            return GridIterator(shape, place)
        case Flat(source, place):
            return FlatIterator(source, place)


def _placed(source: Any, place: int, step: int) -> Any:
    iterator = iter(source) if step > 0 else reversed(source)
    beyond = place - len(source) + (step < 0)
    if beyond > 0:  # the list has shrunk, and may grow again: an iterator is not placed after its end
        source.extend([None] * beyond if type(source) is list else bytes(beyond))
    iterator.__setstate__(place)
    if beyond > 0:
        del source[-beyond:]
    return iterator


def one_back(state: State) -> State | None:
    """Return the state before the item that was taken last; None where there is no way back."""
    match state:
        case Numbers(first, step, left):
            return Numbers(first - step, step, left + 1)
        case Items(source, place, step):
            return Items(source, place - step, step)
        case Held():
            return None
        case Counted(first, items):
            inner = one_back(items)
            return inner and Counted(first - 1, inner)
        case Zipped(parts, strict):
            before = tuple([one for one in map(one_back, parts) if one is not None])
            return Zipped(before, strict) if len(before) == len(parts) else None
        case Grid(shape, place):
            return Grid(shape, place - 1)
        case Flat(source, place):
            return Flat(source, place - 1)


def back_by_one(iterator: Any) -> Any:
    """Return an iterator that begins with the item that was taken last; None where there is none."""
    state = state_of(iterator)
    before = None if state is None else one_back(state)
    return None if before is None else iterator_of(before)
