"""Gives the loop language its rules for names, numbers and operators on them."""

from __future__ import annotations

import ast
from typing import Any

from npcompile.frontend.loops import arithmetic, language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.values import scalar_of
from npcompile.lower.loops import ir
from npcompile.lower.loops.operation import Operation
from npcompile.lower.loops.types import BOOL, Known, Scalar, Tuple, Type


@language.expressions(ast.Name)
def _name(inference: Inference, node: ast.Name) -> ir.Expression:
    return inference.read(node.id)


@language.expressions(ast.Constant)
def _constant(inference: Inference, node: ast.Constant) -> ir.Expression:
    kind = scalar_of(node.value)
    return ir.Constant(Known(node.value), None) if kind is None else ir.Constant(kind, node.value)


@language.expressions(ast.Tuple)
def _tuple(inference: Inference, node: ast.Tuple) -> ir.Expression:
    return ir.tuple_of(tuple(inference.value(item) for item in node.elts))


@language.expressions(ast.NamedExpr)
def _walrus(inference: Inference, node: ast.NamedExpr) -> ir.Expression:
    raise Outside("`:=` within an expression")


@language.expressions(ast.BinOp)
def _binary(inference: Inference, node: ast.BinOp) -> ir.Expression:
    left, right = inference.value(node.left), inference.value(node.right)
    rule = language.operators.find((type(left.type), type(right.type)), f"{left.type} and {right.type}")
    return rule(inference, type(node.op), left, right, False)


@language.operators((Scalar, Scalar))
def _arithmetic(
    inference: Inference, kind: Any, left: ir.Expression, right: ir.Expression, inplace: bool
) -> ir.Expression:
    assert isinstance(left.type, Scalar) and isinstance(right.type, Scalar)
    operation = arithmetic.binary(kind, left.type, right.type)
    return apply(operation, (left, right), f"`{kind.__name__}` of {left.type} and {right.type}", kind)


def apply(
    operation: Operation | None,
    operands: tuple[ir.Expression, ...],
    named: str,
    operator: type[ast.AST] | None = None,
) -> ir.Expression:
    """Return the application of an operation. Raises Outside, with the construct named, where it is None."""
    if operation is None:
        raise Outside(named)
    return ir.Apply(operation.result, operation, operands, operator)


@language.expressions(ast.UnaryOp)
def _unary(inference: Inference, node: ast.UnaryOp) -> ir.Expression:
    operand = inference.value(node.operand)
    if isinstance(node.op, ast.Not):
        truth = inference.truth(operand)
        if isinstance(truth, ir.Constant):
            return ir.truth(not truth.value)
        return apply(arithmetic.unary(ast.Not, BOOL), (truth,), "`not`")
    return language.unaries.find(type(operand.type), operand.type)(inference, type(node.op), operand)


@language.unaries(Scalar)
def _unary_of_number(inference: Inference, kind: Any, operand: ir.Expression) -> ir.Expression:
    assert isinstance(operand.type, Scalar)
    if isinstance(operand, ir.Constant) and operand.type.python and kind is ast.USub:
        value = -operand.value
        made = scalar_of(value)
        if made is not None:
            return ir.Constant(made, value)
    return apply(
        arithmetic.unary(kind, operand.type), (operand,), f"`{kind.__name__}` of {operand.type}", kind
    )


@language.expressions(ast.Compare)
def _compare(inference: Inference, node: ast.Compare) -> ir.Expression:
    left, right = inference.value(node.left), inference.value(node.comparators[0])
    first = compared(inference, type(node.ops[0]), left, right)
    if len(node.ops) == 1:
        return first
    rest = ast.copy_location(ast.Compare(node.comparators[0], node.ops[1:], node.comparators[1:]), node)
    return _chosen(inference, first, inference.value(rest), first)


def compared(inference: Inference, kind: Any, left: ir.Expression, right: ir.Expression) -> ir.Expression:
    """Return a comparison's value."""
    if kind in (ast.Is, ast.IsNot):
        known = _is(left.type, right.type)
        if known is None:
            raise Outside(f"`is` of {left.type} and {right.type}")
        return ir.truth(known is (kind is ast.Is))
    rule = language.comparisons.find((type(left.type), type(right.type)), f"{left.type} and {right.type}")
    return rule(inference, kind, left, right)


def _is(left: Type, right: Type) -> bool | None:
    """Tell if two values are one object; None where types alone do not tell."""
    if isinstance(left, Known) and isinstance(right, Known):
        return left == right
    if Known(None) in (left, right):
        return False
    return None


@language.comparisons((Scalar, Scalar))
def _compare_numbers(
    inference: Inference, kind: Any, left: ir.Expression, right: ir.Expression
) -> ir.Expression:
    assert isinstance(left.type, Scalar) and isinstance(right.type, Scalar)
    operation = arithmetic.compare(kind, left.type, right.type)
    return apply(operation, (left, right), f"`{kind.__name__}` of {left.type} and {right.type}", kind)


@language.truths(Scalar)
def _truth(inference: Inference, value: ir.Expression) -> ir.Expression:
    assert isinstance(value.type, Scalar)
    if isinstance(value, ir.Constant):
        return ir.truth(bool(value.value))
    if value.type == BOOL:
        return value
    return apply(arithmetic.truth(value.type), (value,), f"the truth of {value.type}")


@language.truths(Known)
def _truth_of_known(inference: Inference, value: ir.Expression) -> ir.Expression:
    assert isinstance(value.type, Known)
    if value.type.value is None or callable(value.type.value) or type(value.type.value) in (str, bytes):
        return ir.truth(bool(value.type.value))
    raise Outside(f"the truth of {value.type}")


@language.truths(Tuple)
def _truth_of_tuple(inference: Inference, value: ir.Expression) -> ir.Expression:
    assert isinstance(value.type, Tuple)
    return ir.truth(bool(value.type.items))


@language.expressions(ast.IfExp)
def _ternary(inference: Inference, node: ast.IfExp) -> ir.Expression:
    test = inference.truth(inference.value(node.test))
    if isinstance(test, ir.Constant):
        return inference.value(node.body if test.value else node.orelse)
    return _chosen(inference, test, inference.value(node.body), inference.value(node.orelse))


@language.expressions(ast.BoolOp)
def _and_or(inference: Inference, node: ast.BoolOp) -> ir.Expression:
    made = inference.value(node.values[0])
    for other in node.values[1:]:
        test, rest = inference.truth(made), inference.value(other)
        made = _chosen(inference, test, *((rest, made) if isinstance(node.op, ast.And) else (made, rest)))
    return made


def _chosen(
    inference: Inference, test: ir.Expression, one: ir.Expression, other: ir.Expression
) -> ir.Expression:
    test = inference.truth(test)
    if isinstance(test, ir.Constant):
        return one if test.value else other
    if one.type != other.type:
        raise Outside(f"a value that is {one.type} or {other.type} within an expression")
    return ir.Choose(one.type, test, one, other)
