"""The typed IR of loops whose trips threads share: what is private to a trip, summed, stored and read.

`frontend/loops/passes/independence.py` makes it where it has proved that trips do not depend on each other,
and `parallel_code.py` writes its C++.
"""

from __future__ import annotations

from dataclasses import dataclass

from npcompile.lower.loops import ir
from npcompile.lower.loops.types import Scalar


@dataclass(frozen=True, eq=False)
class Rows:
    """The items of an array that a trip may store: those at one place of an axis.

    The place is `factor * item + constant`, plus each term's name or length as often as the term says; `item`
    is the number that the trip takes from the range.
    """

    array: ir.Expression
    axis: int
    factor: int
    constant: int
    terms: tuple[tuple[int, ir.Expression], ...]

    def __str__(self) -> str:
        terms = "".join(f" + {count} * {node}" for count, node in self.terms)
        return f"{self.array}[{', '.join([':'] * self.axis)} {self.factor} * item{terms} + {self.constant}]"


@dataclass(frozen=True, eq=False)
class SharedLoop(ir.Shared):
    """A loop over a range whose trips may be done in any order, if the checks before it hold.

    Parameters
    ----------
    header, blocks
        The loop's header, and all of its blocks.
    private
        The names that each trip binds before it reads them: after the loop they have the value of the last
        trip that bound them.
    sums
        The names of integers that trips only add to or subtract from.
    extremes
        The names of numbers that trips only give the least, or the greatest, of themselves and others, and
        the C++ function that does so. Where two zeros of different signs meet the round is undone.
    rows
        The items that trips store. No two trips have one in common.
    reads
        The arrays that are read and not stored to: they may not share memory with those that are.
    viewed
        The arrays of which names within trips are views: they have to be Python's.
    """

    header: ir.Block
    blocks: frozenset[ir.Block]
    private: tuple[str, ...]
    sums: tuple[tuple[str, Scalar], ...]
    extremes: tuple[tuple[str, Scalar, str], ...]
    rows: tuple[Rows, ...]
    reads: tuple[ir.Expression, ...]
    viewed: tuple[ir.Expression, ...]
