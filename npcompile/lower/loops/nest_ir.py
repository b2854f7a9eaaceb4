"""The typed IR of nests of loops whose bounds checks are made before the first trip.

`frontend/loops/passes/nests.py` finds them, `nest_code.py` writes the checks: the least and the greatest
value of each index over all trips are computed from those of the ranges, or from the conditions that hold
where a `while` loop moves an int. A nest of a `while` loop has no other loop in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from npcompile.lower.loops import ir
from npcompile.lower.loops.register_ir import has_place


@dataclass(frozen=True)
class RangeBounds:
    """The numbers of a range that begins within a nest. backward: it counts down."""

    start: ir.Expression
    stop: ir.Expression
    backward: bool


@dataclass(frozen=True)
class Comparison:
    """A condition that holds where an item is used: a name is at least, or at most, a value plus a shift."""

    name: str
    at_least: bool
    value: ir.Expression
    shift: int

    def __str__(self) -> str:
        return f"{self.name} {'>=' if self.at_least else '<='} {self.value} + {self.shift}"


@dataclass(frozen=True)
class Move:
    """A step, above 0, by which trips move an int. backward: down. holds: conditions on the int before it.

    node: the sum, or the difference. needs_check: it is proved to be an int of 64 bits by these alone.
    """

    node: ir.Apply
    step: ir.Expression
    backward: bool
    holds: tuple[Comparison, ...]
    needs_check: bool


@dataclass(frozen=True)
class BoundName:
    """An int that trips bind to one of some values, take from one of some ranges, or move.

    is_item: it is the item of the nest's own range. is_given: it has a value where the nest is entered, which
    a trip may read.
    """

    name: str
    values: tuple[ir.Expression, ...]
    ranges: tuple[RangeBounds, ...]
    is_item: bool
    is_given: bool
    moves: tuple[Move, ...] = ()


@dataclass(frozen=True)
class Clock:
    """An int that each trip of a `while` loop moves the same way, by one step: it tells how many trips there
    were.
    """

    name: str
    step: ir.Expression
    backward: bool


@dataclass(frozen=True)
class SpannedAccess:
    """The place of an item along one axis of an array, and what holds where the item is used."""

    array: ir.Expression
    axis: int
    index: ir.Expression
    holds: tuple[Comparison, ...]


@dataclass(frozen=True)
class InnerRange:
    """The ranges that an iterator within a nest goes over. around: the iterators of loops around it."""

    state: str
    ranges: tuple[RangeBounds, ...]
    around: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class LoopNest(ir.Nest):
    """A loop that has a version without bounds checks: one over a range around others, or a `while` loop.

    Parameters
    ----------
    header, blocks
        The outermost loop's header, and all of its blocks.
    names
        The ints on which indices depend, each after those on which it depends itself.
    accesses
        The checks before the first trip.
    unchecked
        The items, read or stored, that then need none.
    divisors
        By the divisions that then cannot leave: their divisors, which are checked to be positive.
    inner
        The ranges of the loops within it.
    clock
        Of a `while` loop, if there is one. Without it each trip polls.
    """

    header: ir.Block
    blocks: frozenset[ir.Block]
    names: tuple[BoundName, ...]
    accesses: tuple[SpannedAccess, ...]
    unchecked: frozenset[ir.Item | ir.StoreItem]
    divisors: dict[ir.Apply, ir.Expression]
    inner: tuple[InnerRange, ...]
    clock: Clock | None = None

    @property
    def is_counted(self) -> bool:
        """Tell if it is a `while` loop."""
        return not isinstance(self.header.end, ir.NextOfRange)

    @cached_property
    def certain(self) -> frozenset[ir.Apply]:
        """The operations on ints that then cannot leave."""
        moved = (move.node for name in self.names for move in name.moves if move.needs_check)
        return frozenset((*self.divisors, *moved))


def broken_nests(region: ir.Region) -> Iterator[tuple[Any, str]]:
    """Yield what breaks the rules of nests: the node, and the reason."""
    taken: set[ir.Block] = set()
    for header, nest in region.nests.items():
        if not isinstance(nest, LoopNest):
            continue
        if (
            not isinstance(header.end, ir.NextOfRange | ir.Branch)
            or nest.header is not header
            or header in region.fast_loops
        ):
            yield header.label, "it is no header of a `while` loop, or of a loop over a range around others"
        elif nest.is_counted and any(block.is_header for block in nest.blocks - {header}):
            yield header.label, "it is a `while` loop around others"
        elif (
            nest.header is not header
            or not {header} <= nest.blocks
            or not nest.blocks <= {*region.blocks}
            or nest.blocks & taken
        ):
            yield header.label, "its blocks are not the region's, or another nest's"
        taken |= nest.blocks
        checked = {(str(access.array), access.axis) for access in nest.accesses}
        for node in nest.unchecked:
            for axis in range(len(node.indices)):
                if (str(node.array), axis) not in checked:
                    yield node, f"axis {axis} is not checked before the nest"
        for block, loop in region.fast_loops.items():
            placed = {node for node in loop.unchecked if has_place(loop, node)}
            if block in nest.blocks and not placed <= nest.unchecked:
                yield block.label, "an item of an innermost loop has a check within the nest"
