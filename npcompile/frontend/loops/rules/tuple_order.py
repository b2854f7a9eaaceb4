"""Gives the loop language its rules for comparisons of tuples: `(di, dj) != (0, 0)`, `(f, i) < best`."""

from __future__ import annotations

import ast
from typing import Any

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.numbers import apply, compared
from npcompile.frontend.loops.scalars import arithmetic
from npcompile.lower.loops import ir
from npcompile.lower.loops.operation import Operation
from npcompile.lower.loops.types import BOOL, Scalar, Tuple

_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_Pairs = list[tuple[ir.Expression, ir.Expression]]


@language.comparisons((Tuple, Tuple))
def _compare(inference: Inference, kind: Any, left: ir.Expression, right: ir.Expression) -> ir.Expression:
    assert isinstance(left.type, Tuple) and isinstance(right.type, Tuple)
    lengths = len(left.type.items), len(right.type.items)
    pairs = [(ir.part_of(left, place), ir.part_of(right, place)) for place in range(min(lengths))]
    if kind in _ORDERS:
        last = compared(inference, kind, *map(ir.integer, lengths))
        return _ordered(inference, kind, pairs, last)
    if kind not in (ast.Eq, ast.NotEq):
        raise Outside(f"comparisons of {left.type} and {right.type}")
    same = _equal(inference, pairs) if lengths[0] == lengths[1] else ir.truth(False)
    return same if kind is ast.Eq else _not(same)


def _equal(inference: Inference, pairs: _Pairs) -> ir.Expression:
    """Return if the items of all pairs are equal, as Python compares the items of tuples."""
    made: ir.Expression = ir.truth(True)
    for left, right in reversed(pairs):
        made = _chosen(_same(inference, left, right), made, ir.truth(False))
    return made


def _ordered(inference: Inference, kind: Any, pairs: _Pairs, last: ir.Expression) -> ir.Expression:
    """Return the order of the first pair whose items differ; where there is none, that of the lengths."""
    for left, right in reversed(pairs):
        order = compared(inference, kind, left, right)
        if order.type != BOOL:  # the answer is that of NumPy's comparison, or Python's of the lengths
            raise Outside(f"an order of tuples that is {order.type} or bool")
        last = _chosen(_same(inference, left, right), last, order)
    return last


def _same(inference: Inference, left: ir.Expression, right: ir.Expression) -> ir.Expression:
    """Return if two items count as equal. Leaves for two NaNs: Python asks if they are one object."""
    kind = left.type
    if isinstance(kind, Scalar) and kind == right.type and kind.kind in "fc":
        operation = Operation(f"npl::equal_items<{kind.c_type}>", (kind, kind), BOOL, leaves=True)
        return apply(operation, (left, right), "items of tuples")
    return inference.truth(compared(inference, ast.Eq, left, right))


def _chosen(test: ir.Expression, one: ir.Expression, other: ir.Expression) -> ir.Expression:
    if isinstance(test, ir.Constant):
        return one if test.value else other
    return ir.Choose(BOOL, test, one, other)


def _not(value: ir.Expression) -> ir.Expression:
    if isinstance(value, ir.Constant):
        return ir.truth(not value.value)
    return apply(arithmetic.unary(ast.Not, BOOL), (value,), "`not`")
