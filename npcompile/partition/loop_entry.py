"""Holds the values of the names at an entry of a native loop, and reads the iterators of loops."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from itertools import islice
from operator import length_hint
from typing import Any, NamedTuple

import numpy as np

from npcompile.diagnostics.words import kind_text
from npcompile.frontend.loops.entry.objects import Objects, objects_of
from npcompile.frontend.loops.entry.values import key_of
from npcompile.frontend.loops.run.iterators import Counted, State, Zipped, state_of
from npcompile.lower.loops.types import Known

RANGE_ITERATOR = type(iter(range(0)))
_ITEMS = type(iter(np.empty(1)))  # over arrays, and over others' sequences
_SIZED_ITERATORS = frozenset((RANGE_ITERATOR, type(iter([])), type(iter(()))))


class Entry(NamedTuple):
    """The values of the names at an entry, attributes of `objects` among them.

    unsigned: the names of ints that are to be unsigned where they are not negative. constants: the names of
    ints outside of the function that native code takes for numbers.
    """

    names: dict[str, Any]
    objects: Objects | None
    unsigned: set[str]
    constants: frozenset[str]
    nested: tuple[str, ...]  # the names whose values may be nested functions
    module: dict[str, Any]  # the globals

    @property
    def key(self) -> Any:
        """The key of the entries that share native code; None where a name has no native type."""
        if self.objects is None:
            keys = tuple([self.key_of(name, value) for name, value in self.names.items()])
        else:
            held, values = self.objects.names, self.objects.values
            own = [one for one in self.names.items() if one[0] not in held and one[0] not in values]
            keys = tuple([self.key_of(name, value) for name, value in own])
        return None if None in keys else (keys, self.objects and self.objects.key(self.unsigned))

    def key_of(self, name: str, value: Any) -> Any:
        """Return the key of a name's value among those that share native code."""
        return Known(value) if name in self.constants else key_of(value, name in self.unsigned)

    def take(self, values: dict[str, Any]) -> None:
        """Have values that names had a moment ago, which other threads may have changed since."""
        self.names.update(values)
        if self.objects is not None:
            self.objects.values.update(values)

    def add_attributes(self, paths: tuple[str, ...]) -> None:
        """Read more attributes of the objects."""
        assert self.objects is not None
        made = objects_of(self.names, paths, self.nested, self.module, self.objects.tables)
        assert made is not None
        self.objects.take(made)
        self.names.update(made.values)


def length_of(iterator: Any) -> int:
    """Return how many trips a loop over an iterator has; 1 where it is not known before it is done."""
    is_sized = type(iterator) in _SIZED_ITERATORS
    is_sized |= type(iterator) is _ITEMS and type(iterator.__reduce__()[1][0]) is np.ndarray
    return length_hint(iterator) if is_sized else 1


def _range_of(iterator: Any) -> range:
    """Return the numbers that an iterator over a range has left."""
    _, (numbers,), *position = iterator.__reduce__()
    return numbers[position[0] if position and position[0] else 0 :]


def state_at(iterator: Any) -> range | State | None:
    """Return the state of an iterator that the loop alone holds; None where there is none."""
    return _range_of(iterator) if type(iterator) is RANGE_ITERATOR else state_of(iterator)


def why_not_held(names: dict[str, Any], loop: ast.stmt, iterator: Any) -> tuple[str, int | None]:
    """Return words for a name of an entry that has no native type, and the line where the loop reads it.

    Where there is none it is the iterator, or a part of it, that has no state.
    """
    odd = [name for name, value in names.items() if key_of(value) is None]
    if not odd:
        part = _part_without_state(iterator)
        return "what it goes over" if part is None else f"it goes over {kind_text(part)}", loop.lineno
    root = odd[0].partition(".")[0]
    lines = [one.lineno for one in ast.walk(loop) if isinstance(one, ast.Name) and one.id == root]
    return held_text(odd[0], names[odd[0]]), min(lines, default=None)


def _part_without_state(iterator: Any) -> Any:
    """Return the iterator of which native loops know no state, of those that one is made of; None: there is
    none.
    """
    if iterator is None or state_at(iterator) is not None:
        return None
    held: tuple[Any, ...] = ()
    if type(iterator) in (zip, enumerate):
        held = iterator.__reduce__()[1]
    elif type(iterator) is islice:  # made by `own` of a loop
        held = tuple(gc.get_referents(iterator))
    found = [_part_without_state(part) for part in held if isinstance(part, Iterator)]
    return next((part for part in found if part is not None), iterator)


def held_text(name: str, value: Any) -> str:
    """Return words for a name of a loop and what it holds. A dot begins the names of the loop's iterators."""
    if not name.startswith("."):
        return f"`{name}`, {kind_text(value)}"
    while isinstance(value, Counted | Zipped):
        value = value.items if isinstance(value, Counted) else value.parts[0]
    source = getattr(value, "source", None)
    return "what it goes over" if source is None else f"it goes over {kind_text(source)}"
