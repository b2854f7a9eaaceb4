"""Defines functions of whole arrays in the typed IR: reductions along an axis, order, running sums.

Rules in `frontend/loops/rules/along_axis.py` and `ordering.py` make it, `whole_code.py` writes its C++.
"""

from __future__ import annotations

from dataclasses import dataclass

from npcompile.lower.loops import ir


@dataclass(frozen=True, eq=False)
class WholeFunction(ir.Compound):
    """A new array, or a number, that a C++ function makes of arrays and numbers, or leaves.

    function: its name in `whole.h`, with its template's arguments.
    """

    function: str
    operands: tuple[ir.Expression, ...]

    def __str__(self) -> str:
        return f"{self.function}({', '.join(map(str, self.operands))})"


@dataclass(frozen=True, eq=False)
class SortInPlace(ir.CompoundStep):
    """Sort an array of one axis."""

    array: ir.Expression

    def __str__(self) -> str:
        return f"{self.array}.sort()"
