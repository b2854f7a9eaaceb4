"""The typed IR of items that an innermost loop keeps in local variables: trips neither load nor store them.

`frontend/loops/passes/registers.py` finds them, `register_code.py` writes the version of the loop that keeps
them.
"""

from __future__ import annotations

from dataclasses import dataclass

from npcompile.lower.loops import ir


@dataclass(frozen=True, eq=False)
class Register:
    """An item of an array at a place that a loop does not change.

    Parameters
    ----------
    uses
        The expressions and steps of the loop that read and store it: all at one place of one array.
    is_stored
        A trip may store it.
    is_always_stored
        Each trip that is done to its end stores it.
    apart
        Of the loop's other items at affine places, those with which it may have no memory in common.
    arrays
        The arrays of the loop's items at other places, with which it may have no memory in common.
    """

    uses: tuple[ir.Item | ir.StoreItem, ...]
    is_stored: bool
    is_always_stored: bool
    apart: tuple[ir.Item | ir.StoreItem, ...]
    arrays: tuple[ir.Expression, ...]

    @property
    def place(self) -> ir.Item | ir.StoreItem:
        """One of the uses, for the array and the indices."""
        return self.uses[0]

    def __str__(self) -> str:
        others = [place_text(node) for node in self.apart] + [f"all of {array}" for array in self.arrays]
        kept = f"{place_text(self.place)}{' and stores it back' if self.is_stored else ''}"
        return f"{kept} if apart from {', '.join(others)}" if others else kept


@dataclass(frozen=True, eq=False)
class Carried:
    """Items of an array that a trip reads where the trip before has stored.

    Parameters
    ----------
    loads
        The expressions that read, all at one affine place.
    stores
        The steps that store, at the place that the next trip reads. Each trip does at least one of them.
    apart
        Of the loop's other stores at affine places, those whose items may share no memory with those read.
    arrays
        The arrays that the loop stores to at other places, which may not either.
    """

    loads: tuple[ir.Item, ...]
    stores: tuple[ir.StoreItem, ...]
    apart: tuple[ir.StoreItem, ...]
    arrays: tuple[ir.Expression, ...]

    def __str__(self) -> str:
        others = [place_text(node) for node in self.apart] + [f"all of {array}" for array in self.arrays]
        carried = f"{place_text(self.loads[0])} from the trip before"
        return f"{carried} if apart from {', '.join(others)}" if others else carried


@dataclass(frozen=True, eq=False)
class Registers(ir.Kept):
    """The items that a loop keeps in local variables, where all of them are apart from its other items."""

    items: tuple[Register, ...]
    carried: tuple[Carried, ...]

    def __str__(self) -> str:
        return "; ".join(map(str, (*self.items, *self.carried)))


def place_text(node: ir.Item | ir.StoreItem) -> str:
    """Return the place of an item as text: equal texts in a loop that does not change it are one place."""
    return f"{node.array}[{', '.join(map(str, node.indices))}]"


def has_place(loop: ir.FastLoop, node: ir.Item | ir.StoreItem) -> bool:
    """Tell if an item needs no check, and its place follows from the loop's item."""
    return node in loop.unchecked and not any(varies(index, {*loop.moved}) for index in node.indices)


def varies(node: ir.Expression, items: set[str]) -> bool:
    """Tell if an expression reads one of these names, as an index reads that of the loop's item."""
    if isinstance(node, ir.Read):
        return node.name in items
    return any(varies(part, items) for part in ir.parts_of(node))
