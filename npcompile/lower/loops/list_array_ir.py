"""Defines arrays of the numbers in lists in the typed IR, and the test for which numbers are in a list.

Rules in `frontend/loops/rules/list_arrays.py` make it, `list_array_code.py` writes its C++.
"""

from __future__ import annotations

from dataclasses import dataclass

from npcompile.lower.loops import ir
from npcompile.lower.loops.operation import Operation
from npcompile.lower.loops.types import Scalar


@dataclass(frozen=True, eq=False)
class ArrayOfList(ir.Compound):
    """A new array of the numbers in a list, or in the tuples and lists that it has, which are rows.

    casts: by the type of a number, the operation that makes an item of it. Native code leaves where rows
    have other lengths than the first one, or none has items.
    """

    source: ir.Expression
    casts: tuple[tuple[Scalar, Operation], ...]

    def __str__(self) -> str:
        return f"array({self.source})"


@dataclass(frozen=True, eq=False)
class HoldsOnly(ir.Compound):
    """Tells if those numbers in a list that may have one of two types have all the first, or the second."""

    source: ir.Expression
    second: bool

    def __str__(self) -> str:
        return f"holds_only({self.source}, {'second' if self.second else 'first'})"
