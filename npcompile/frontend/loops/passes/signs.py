"""Proves that roots are taken of no negative number: of sums of squares, so that `math.sqrt` cannot raise.

A square is NaN or at least zero, and a sum of such numbers is, too.
"""

from __future__ import annotations

import ast

from npcompile.lower.loops import ir
from npcompile.lower.loops.types import Scalar
from npcompile.lower.loops.value_texts import value_text

_ROOT = "npl::math_sqrt"
_SIZES = ("npl::absolute<", "npl::math_fabs", "npl::float_absolute")


def prove_roots(region: ir.Region) -> None:
    """Note in a region the roots that cannot leave."""
    for block in region.blocks:
        names: set[str] = set()  # those of numbers that are not negative
        for step in (*block.steps, block.end):
            pending = list(ir.expressions_of(step))
            while pending:
                node = pending.pop()
                pending += ir.parts_of(node)
                if isinstance(node, ir.Apply) and node.operation.function == _ROOT:
                    if _is_nonnegative(node.operands[0], names):
                        region.certain.add(node)
            if isinstance(step, ir.Step):
                squared = isinstance(step, ir.Bind) and _is_nonnegative(step.value, names)
                names -= ir.bound_by(step).keys()
                if isinstance(step, ir.Bind) and squared:
                    names.add(step.name)


def _is_nonnegative(node: ir.Expression, names: set[str]) -> bool:
    """Tell if a float, or a constant, is NaN or at least zero."""
    if isinstance(node, ir.Constant):
        return isinstance(node.value, int | float) and node.value >= 0
    if not isinstance(node.type, Scalar) or node.type.kind != "f":
        return False
    match node:
        case ir.Read(name=name):
            return name in names
        case ir.Apply(operator=ast.Mult, operands=(one, other)):
            text = value_text(one)
            is_square = text is not None and text == value_text(other)
            return is_square or (_is_nonnegative(one, names) and _is_nonnegative(other, names))
        case ir.Apply(operator=ast.Add, operands=(one, other)):
            return _is_nonnegative(one, names) and _is_nonnegative(other, names)
        case ir.Apply(operator=ast.Pow, operands=(_, ir.Constant(value=2))):
            return True
        case ir.Apply(operation=operation) if operation.function.startswith(_SIZES):
            return True
    return False
