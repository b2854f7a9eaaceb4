"""Lays out the memory by which Python and a native loop exchange names: 64-bit words, in and out.

`emit.py` writes the C++ that reads and writes it; `frontend/loops/run/exchange.py` packs and unpacks it.
"""

from __future__ import annotations

from dataclasses import dataclass

from npcompile.lower.loops import ir
from npcompile.lower.loops.array_iterator_ir import FlatState, GridState
from npcompile.lower.loops.dict_ir import ObjectState
from npcompile.lower.loops.iterator_ir import CountedState, ItemsState, PartsState, ZippedState
from npcompile.lower.loops.text_ir import TextState
from npcompile.lower.loops.types import (
    Array,
    Character,
    Dict,
    DictView,
    Either,
    Generator,
    Known,
    List,
    Method,
    Scalar,
    Set,
    Text,
    Tuple,
    Type,
    Unsigned,
    Word,
)


def words(kind: Type) -> int:
    """Return how many words a value of a type takes.

    A number takes one, a complex number two. An array takes its owner's address, its data's, and a length and
    a stride for each axis, a list its address. An iterator over a range takes its position, its length, its
    start and its stride, one over items its source and a place, and one that counts takes a number. One over
    places takes a number and the lengths of axes. A text takes its object's address, a generator also that of
    its state.
    """
    match kind:
        case Scalar():
            return 2 if kind.kind == "c" else 1
        case Unsigned():
            return 1
        case Array(ndim=ndim):
            return 2 + 2 * ndim
        case Tuple(items=items) | Either(items=items):
            return sum(map(words, items))
        case List() | Dict() | Set() | DictView() | Method():
            return 1
        case ir.RangeState():
            return 4
        case ItemsState(source=source) | PartsState(source=source):
            return words(source) + 1
        case CountedState(items=counted):
            return 1 + words(counted)
        case ZippedState(parts=parts):
            return sum(map(words, parts))
        case FlatState(source=source):
            return words(source) + 1
        case GridState(axes=axes):
            return 1 + axes
        case TextState() | ObjectState() | Generator():
            return 2
        case Text() | Character() | Word():
            return 1
        case Known():
            return 0
    raise TypeError(f"a {type(kind).__name__} has no words")


def given_words(kind: Type) -> int:
    """Return how many words a value takes at the entry: an array takes one, its object's address."""
    match kind:
        case Array():
            return 1
        case Tuple(items=items):
            return sum(map(given_words, items))
        case ItemsState(source=source) | PartsState(source=source) | FlatState(source=source):
            return given_words(source) + 1
        case CountedState(items=counted):
            return 1 + given_words(counted)
        case ZippedState(parts=parts):
            return sum(map(given_words, parts))
    return words(kind)


def objects_in(kind: Type, offset: int = 0) -> list[int]:
    """Return the words with the addresses of Python's objects in a value, which begins at an offset."""
    return _places(kind, (List, Dict, Set, DictView, Method, ObjectState, Word), offset)


def arrays_in(kind: Type) -> list[int]:
    """Return the words that tell which memory arrays have among the words of a value."""
    return _places(kind, (Array,), 0)


def _places(kind: Type, wanted: tuple[type[Type], ...], offset: int) -> list[int]:
    """Return the first words of the parts of a value that have a type of some classes."""
    match kind:
        case Tuple(items=parts) | Either(items=parts) | ZippedState(parts=parts):
            found = []
            for part in parts:
                found += _places(part, wanted, offset)
                offset += words(part)
            return found
        case ObjectState() if ObjectState in wanted:
            return [offset, offset + 1]  # the iterator, and the item that was taken
        case ItemsState(source=source) | PartsState(source=source):
            return _places(source, wanted, offset)
        case CountedState(items=counted):
            return _places(counted, wanted, offset + 1)
    return [offset] if isinstance(kind, wanted) else []


@dataclass(frozen=True)
class Slot:
    """The place of a value: its type, and its first word."""

    kind: Type
    offset: int


@dataclass(frozen=True)
class Layout:
    """The words of one region.

    Parameters
    ----------
    given
        The slots of the names at the entry. Of an array it holds the object's address alone.
    bound
        Of each name that the region binds: the word that tells which of its types it has (0: no value, else
        one more than the place in the list), and its slots by type.
    size
        The number of words.
    frames
        The first of the two words with the address and the number of the words of calls left half-way
        (`npl::frames`); None for a region that calls no function with effects.
    """

    given: dict[str, Slot]
    bound: dict[str, tuple[int, tuple[Slot, ...]]]
    size: int
    frames: int | None = None


def layout_of(region: ir.Region) -> Layout:
    """Return the layout of a region's words."""
    offset = 0
    given: dict[str, Slot] = {}
    for name, kind in region.names.items():
        given[name] = Slot(kind, offset)
        offset += given_words(kind)
    bound: dict[str, tuple[int, tuple[Slot, ...]]] = {}
    for name, kinds in region.stored.items():
        tag, offset = offset, offset + 1
        slots = []
        for kind in kinds:
            slots.append(Slot(kind, offset))
            offset += words(kind)
        bound[name] = tag, tuple(slots)
    if any(function.has_effects for function in region.functions):
        return Layout(given, bound, offset + 2, offset)
    return Layout(given, bound, offset)
