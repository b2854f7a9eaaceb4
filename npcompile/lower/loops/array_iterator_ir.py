"""Defines iterators over all items of an array, and over their places, in the typed IR.

Rules in `frontend/loops/rules/array_iteration.py` make it, `array_iterator_code.py` writes its C++.
"""

from __future__ import annotations

from dataclasses import dataclass

from npcompile.lower.loops import ir
from npcompile.lower.loops.types import INT, Array, Scalar, Tuple


@dataclass(frozen=True)
class GridState(ir.State):
    """An iterator over the places of the items of an array with a number of axes: `np.ndindex`."""

    axes: int

    @property
    def item(self) -> Tuple:
        return Tuple((INT,) * self.axes)

    def __str__(self) -> str:
        return f"ndindex of {self.axes} axes"


@dataclass(frozen=True)
class FlatState(ir.State):
    """An iterator over the items of an array in the order of C: `a.flat`."""

    source: Array

    @property
    def item(self) -> Scalar:
        return self.source.item

    def __str__(self) -> str:
        return f"flat of {self.source}"


@dataclass(frozen=True, eq=False)
class GridIterator(ir.Compound):
    """A new iterator over the places of an array of a shape. Leaves where lengths are below 0, or large."""

    shape: tuple[ir.Expression, ...]

    def __str__(self) -> str:
        return f"ndindex({', '.join(map(str, self.shape))})"


@dataclass(frozen=True, eq=False)
class FlatIterator(ir.Compound):
    """A new iterator over the items of an array."""

    source: ir.Expression

    def __str__(self) -> str:
        return f"{self.source}.flat"
