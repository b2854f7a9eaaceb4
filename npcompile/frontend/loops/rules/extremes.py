"""Gives the loop language its rules for `min` and `max` of numbers.

Numbers of one type are one operation. Of numbers of several types the answer has the type of the one that is
chosen: the statement is split there.
"""

from __future__ import annotations

import ast

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules import unsigned_ints
from npcompile.frontend.loops.rules.comprehensions import extreme
from npcompile.frontend.loops.rules.numbers import apply, compared
from npcompile.frontend.loops.scalars import functions, unsigned
from npcompile.frontend.loops.splitting import Split
from npcompile.lower.loops import ir
from npcompile.lower.loops.types import Scalar, Unsigned


@language.calls(min, max)
def _extreme(inference: Inference, node: ast.Call) -> ir.Expression:
    function = inference.value(node.func).type.value  # type: ignore[attr-defined]
    if len(node.args) == 1 and (node.keywords or not isinstance(node.args[0], ast.Tuple | ast.List)):
        return extreme(inference, node, ast.Lt() if function is min else ast.Gt())
    args = _numbers(node)
    operands = tuple(inference.value(arg) for arg in args)
    kinds = tuple(operand.type for operand in operands if isinstance(operand.type, Scalar | Unsigned))
    if len(kinds) < len(operands):
        raise Outside(f"`{node.func.id if isinstance(node.func, ast.Name) else 'min'}` of no numbers")
    if len(set(kinds)) == 1:
        if (made := unsigned_ints.called(function, operands, functions.call)) is not None:
            return made
        operation = functions.call(function, unsigned.kinds(operands))
        return apply(operation, operands, f"calls of `{function.__name__}`")
    raise _split(inference, node, args, operands, ast.Lt if function is min else ast.Gt)


def _numbers(node: ast.Call) -> list[ast.expr]:
    """Return the expressions of which the least or greatest is asked for."""
    args = node.args
    if len(args) == 1 and isinstance(args[0], ast.Tuple | ast.List):
        args = args[0].elts
    if node.keywords or len(args) < 2 or any(isinstance(arg, ast.Starred) for arg in args):
        raise Outside("`min` or `max` with these arguments")
    return args


def _split(
    inference: Inference,
    node: ast.Call,
    args: list[ast.expr],
    operands: tuple[ir.Expression, ...],
    operator: type[ast.cmpop],
) -> Split:
    """Return the split by the comparison of the second number with the first one."""
    kept = []
    names: list[ast.expr] = []
    values: list[ir.Expression] = []
    for arg, operand in zip(args[:2], operands, strict=False):
        if isinstance(operand, ir.Constant):
            names.append(arg)
            values.append(operand)
        else:
            name = inference.continued.name(arg)
            kept.append((name.id, operand))
            names.append(name)
            values.append(ir.Read(operand.type, name.id))
    test = inference.truth(compared(inference, operator, values[1], values[0]))
    first, second = (_less(node, name, args[2:]) for name in names)
    return Split(node, test, (second, first), tuple(kept))


def _less(node: ast.Call, one: ast.expr, others: list[ast.expr]) -> ast.expr:
    """Return the call of the numbers that are left: the number itself where there is one."""
    return ast.copy_location(ast.Call(node.func, [one, *others], []), node) if others else one
