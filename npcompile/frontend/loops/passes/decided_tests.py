"""Decides comparisons of constants, which passes that write a block several times leave behind."""

from __future__ import annotations

import ast
import operator as operators
from collections.abc import Callable

from npcompile.lower.loops import ir
from npcompile.lower.loops.types import BOOL, INT

_COMPARISONS: dict[type[ast.AST], Callable[[int, int], bool]] = {
    ast.Eq: operators.eq,
    ast.NotEq: operators.ne,
    ast.Lt: operators.lt,
    ast.LtE: operators.le,
    ast.Gt: operators.gt,
    ast.GtE: operators.ge,
}


def decided(test: ir.Expression) -> bool | None:
    """Tell if a comparison of two constant ints holds; None for other tests."""
    match test:
        case ir.Apply(
            type=kind, operator=operator, operands=(ir.Constant() as left, ir.Constant() as right)
        ) if operator in _COMPARISONS and kind == BOOL and {left.type, right.type} == {INT}:
            return _COMPARISONS[operator](left.value, right.value)
    return None


def is_silent(test: ir.Expression) -> bool:
    """Tell if nothing is lost where a test is not made: it never leaves."""
    if isinstance(test, ir.Apply):
        return not test.operation.leaves and all(map(is_silent, test.operands))
    return isinstance(test, ir.Read | ir.Constant)
