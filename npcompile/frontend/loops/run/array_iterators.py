"""Reads and makes iterators over all items of an array, and over their places: `a.flat` and `np.ndindex`.

`iterators.py` calls it. NumPy's own ones cannot be placed, so that Python goes on with those of this file,
which give the same items.
"""

from __future__ import annotations

import gc
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Grid:
    """The places of the items of an array of a shape, in the order of C: `np.ndindex`. place: the next one's
    number."""

    shape: tuple[int, ...]
    place: int


@dataclass(frozen=True, slots=True, eq=False)
class Flat:
    """The items of an array in the order of C: `a.flat`. place: the next one's number."""

    source: Any
    place: int


class GridIterator(Iterator[tuple[int, ...]]):
    """Goes on from a `Grid`."""

    def __init__(self, shape: tuple[int, ...], place: int) -> None:
        self.shape, self.place, self.size = shape, place, math.prod(shape)

    def __next__(self) -> tuple[int, ...]:
        rest = self.place
        if rest >= self.size:
            raise StopIteration
        self.place += 1
        found = []
        for length in reversed(self.shape):
            rest, at = divmod(rest, length)
            found.append(at)
        return tuple(reversed(found))


class FlatIterator(Iterator[Any]):
    """Goes on from a `Flat`."""

    def __init__(self, source: Any, place: int) -> None:
        self.source, self.place = source, place

    def __next__(self) -> Any:
        if self.place >= self.source.size:
            raise StopIteration
        self.place += 1
        return self.source.flat[self.place - 1]


def grid_of(iterator: Any) -> Grid | None:
    """Return the state of an `np.ndindex`; None where it cannot be told."""
    product = getattr(iterator, "_iter", None)
    if type(product) is not itertools.product:
        return None
    # The numbers along each axis, and the item that it gave last.
    axes, *given = [held for held in gc.get_referents(product) if type(held) is tuple]
    shape = tuple(map(len, axes))
    if 0 in shape:
        return Grid(shape, 0)  # an item that it gave last would have none of its parts
    place = 0
    for item in given:
        for at, length in zip(item, shape, strict=True):
            place = place * length + at
    return Grid(shape, place + len(given))


def flat_of(iterator: Any) -> Flat | None:
    """Return the state of an `a.flat`; None for subclasses of arrays."""
    source = iterator.base
    return Flat(source, iterator.index) if type(source) is np.ndarray else None
