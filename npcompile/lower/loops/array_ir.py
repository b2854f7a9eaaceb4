"""The typed IR of arrays within loop regions: views, elementwise expressions, and stores of them.

Rules in `frontend/loops/rules/` make it, `view_code.py` and `elementwise_code.py` write its C++.
"""

from __future__ import annotations

from dataclasses import dataclass

from npcompile.lower.loops import ir
from npcompile.lower.loops.types import Array


@dataclass(frozen=True, eq=False)
class Transposed(ir.Compound):
    """A view of an array with its axes in another order."""

    array: ir.Expression
    axes: tuple[int, ...]

    @property
    def parts_within(self) -> tuple[ir.Expression, ...]:
        return (self.array,)

    def __str__(self) -> str:
        return f"{self.array}.transpose{self.axes}"


@dataclass(frozen=True, eq=False)
class Lane(ir.Expression):
    """Within the body of a `Map`: the item at hand of one of its operands, or the operand if that is a scalar."""

    number: int

    def __str__(self) -> str:
        return f"${self.number}"


@dataclass(frozen=True, eq=False)
class Map(ir.Compound):
    """A new array: a scalar expression of the items of other arrays, which are broadcast to one shape.

    operands: arrays and scalars. body: an expression of `Lane`s and constants that never leaves.
    """

    operands: tuple[ir.Expression, ...]
    body: ir.Expression

    @property
    def parts_within(self) -> tuple[ir.Expression, ...]:
        return self.operands

    def __str__(self) -> str:
        text = str(self.body)
        for number, operand in reversed(list(enumerate(self.operands))):
            text = text.replace(f"${number}", str(operand))
        return f"<{text}>"


@dataclass(frozen=True, eq=False)
class StoreMap(ir.CompoundStep):
    """Store to all items of an array, as if all operands were read before. The map has the array's dtype."""

    target: ir.Expression
    value: Map

    @property
    def parts_within(self) -> tuple[ir.Expression, ...]:
        return (self.target, *self.value.operands)

    def __str__(self) -> str:
        return f"{self.target}[...] = {self.value}"


def ndim(value: ir.Expression) -> int:
    """Return the number of an array's axes, 0 for a scalar."""
    return value.type.ndim if isinstance(value.type, Array) else 0
