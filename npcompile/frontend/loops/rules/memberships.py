"""Gives the loop language its rule for `in range(...)`: comparisons and a remainder."""

from __future__ import annotations

import ast

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.numbers import compared
from npcompile.frontend.loops.rules.ranges import bounds_of
from npcompile.frontend.loops.rules.subscripts import index_of
from npcompile.lower.loops import ir
from npcompile.lower.loops.types import BOOL, Scalar

_NO = ir.truth(False)


@language.memberships(range)
def _in_range(inference: Inference, left: ast.expr, node: ast.Call) -> ir.Expression:
    """Return if a number is one of a range's."""
    kind, start, stop, stride = bounds_of(inference, node)
    value = inference.value(left)
    if isinstance(value.type, Scalar) and value.type.kind not in "iu":
        raise Outside(f"{value.type} in a range")  # Python compares it with each number
    number = index_of(inference, value)
    if kind.stride is None:
        raise Outside("a range of a step that is not known")
    step = kind.stride
    least, most = (start, number) if step > 0 else (number, start)
    low, high = (number, stop) if step > 0 else (stop, number)
    inside = ir.Choose(
        BOOL, compared(inference, ast.LtE, least, most), compared(inference, ast.Lt, low, high), _NO
    )
    if abs(step) == 1:
        return inside
    distance = _applied(inference, ast.Sub, number, start)
    rest = _applied(inference, ast.Mod, distance, stride)
    return ir.Choose(BOOL, inside, compared(inference, ast.Eq, rest, ir.integer(0)), _NO)


def _applied(
    inference: Inference, kind: type[ast.operator], left: ir.Expression, right: ir.Expression
) -> ir.Expression:
    rule = language.operators.find((type(left.type), type(right.type)), f"{left.type} and {right.type}")
    made: ir.Expression = rule(inference, kind, left, right, False)
    return made
