"""Finds indices that are sums of a loop's item and NumPy integers of 64 bits: `ways[s - v]`.

Sums of NumPy integers wrap. The item changes by little in each trip, and trips are few: the first sum and the
last one are far less than 2^63 apart. So where both are within an axis, either all sums have wrapped or none
has, and all others are between these.
"""

from __future__ import annotations

import ast

from npcompile.lower.loops import ir
from npcompile.lower.loops.iterator_ir import CountedState
from npcompile.lower.loops.subexpressions import subexpressions
from npcompile.lower.loops.types import INT, Array, Scalar

LARGEST_STEP = 1 << 31  # of an item: a loop without checks has 2^27 trips at most
MOST_PARTS = 16  # of an index
_INT64 = Scalar("i8")
_WRAPPING = ("npl::cast<int64_t, int64_t>", "npl::add<int64_t>", "npl::subtract<int64_t>")


def is_wrapping_sum(region: ir.Region, end: ir.Next, node: ir.Expression, changed: set[str]) -> bool:
    """Tell if an index is a sum or difference of a loop's item and of ints that the loop does not change."""
    is_slow = isinstance(end.kind, CountedState) or (
        isinstance(end.kind, ir.RangeState)
        and end.kind.stride is not None
        and abs(end.kind.stride) <= LARGEST_STEP
    )
    return (
        is_slow
        and len([*subexpressions([node])]) <= MOST_PARTS
        and all(_fits(region, one, changed) for one in subexpressions([node]))
    )


def _fits(region: ir.Region, node: ir.Expression, changed: set[str]) -> bool:
    """Tell if a part of an index is a sum, a difference, or what the loop does not change."""
    match node:
        case ir.Constant(type=kind):
            return kind in (INT, _INT64)
        case ir.Read(name=name, type=kind):
            return name not in changed and (kind in (INT, _INT64) or isinstance(kind, Array))
        case ir.Length(array=ir.Read()):
            return True
        case ir.Apply(operation=operation, operator=operator, operands=operands):
            if not {one.type for one in operands} <= {INT, _INT64}:
                return False
            sums = operator in (ast.Add, ast.Sub) and node in region.certain
            return operation.function in _WRAPPING or sums
    return False
