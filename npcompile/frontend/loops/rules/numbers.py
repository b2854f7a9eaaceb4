"""Gives the loop language its rules for names, numbers and operators on them."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from npcompile.frontend.loops import language
from npcompile.frontend.loops.constants import told
from npcompile.frontend.loops.entry.values import scalar_of
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.passes.intervals import BY_LOW_BITS
from npcompile.frontend.loops.scalars import arithmetic, unsigned
from npcompile.frontend.loops.source.identity import COMPARED
from npcompile.frontend.loops.splitting import Split, split_of_either
from npcompile.lower.loops import ir
from npcompile.lower.loops.layout import objects_in
from npcompile.lower.loops.operation import Operation, truth_of
from npcompile.lower.loops.types import (
    BOOL,
    FLOAT,
    INT,
    UNSIGNED,
    Either,
    Known,
    Scalar,
    Tuple,
    Type,
    Unsigned,
)

FOLDED = 1 << 64  # ints beyond are not folded
_FOLDED: dict[Any, Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Pow: operator.pow,
    ast.LShift: operator.lshift, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod
}  # fmt: skip


@language.expressions(ast.Name)
def _name(inference: Inference, node: ast.Name) -> ir.Expression:
    return inference.read(node.id)


@language.expressions(ast.Constant)
def _constant(inference: Inference, node: ast.Constant) -> ir.Expression:
    if type(node.value) is int and (known := unsigned.constant(node.value)) is not None:
        return known
    kind = scalar_of(node.value)
    return ir.Constant(Known(node.value), None) if kind is None else ir.Constant(kind, node.value)


@language.expressions(ast.Tuple)
def _tuple(inference: Inference, node: ast.Tuple) -> ir.Expression:
    items: list[ir.Expression] = []
    for item in node.elts:
        if not isinstance(item, ast.Starred):
            items.append(inference.either(item))
            continue
        value = inference.value(item.value)
        if not isinstance(value.type, Tuple):
            raise Outside(f"a tuple of the items of {value.type}")
        items += [ir.part_of(value, place) for place in range(len(value.type.items))]
    return ir.tuple_of(tuple(items))


@language.expressions(ast.NamedExpr)
def _walrus(inference: Inference, node: ast.NamedExpr) -> ir.Expression:
    raise Outside("`:=` within an expression")


@language.expressions(ast.BinOp)
def _binary(inference: Inference, node: ast.BinOp) -> ir.Expression:
    kind = type(node.op)
    by_low_bits = node in inference.low_bits and kind in BY_LOW_BITS
    if by_low_bits or kind is ast.BitAnd:
        inference.low_bits |= {node.left, node.right}
    right = inference.value(node.right)
    if kind is ast.Mod and _is_power_of_two(right):
        inference.low_bits.add(node.left)
    left = inference.value(node.left)
    rule = language.operators.find((type(left.type), type(right.type)), f"{left.type} and {right.type}")
    made: ir.Expression = rule(inference, kind, left, right, False)
    if isinstance(made.type, Either):
        if by_low_bits:
            return unsigned.apply(kind, left, right, UNSIGNED)
        raise split_of_either(inference.continued, node, made)
    return made


def _is_power_of_two(value: ir.Expression) -> bool:
    """Tell if an int is known to be a power of two."""
    if not isinstance(value, ir.Constant) or value.type not in (INT, UNSIGNED):
        return unsigned.is_modulus(value.type)
    return value.value > 0 and int(value.value).bit_count() == 1


@language.operators((Scalar, Scalar))
def _arithmetic(
    inference: Inference, kind: Any, left: ir.Expression, right: ir.Expression, inplace: bool
) -> ir.Expression:
    assert isinstance(left.type, Scalar) and isinstance(right.type, Scalar)
    if (
        kind is ast.Pow
        and left.type in (INT, BOOL)
        and right.type == INT
        and not isinstance(left, ir.Constant)
        and isinstance(right, ir.Constant)
        and right.value < 0
    ):
        right = ir.Constant(FLOAT, float(right.value))  # Python, too, takes both for floats
    operation = arithmetic.binary(kind, left.type, right.type)
    if operation is not None and left.type in unsigned.PYTHON and right.type in unsigned.PYTHON:
        if isinstance(left, ir.Constant) and isinstance(right, ir.Constant):
            made = folded(kind, left.value, right.value)
            if made is not None:
                return made
    if operation is not None and operation.result == INT:
        above = unsigned.of_signed(kind, left, right)
        if above is not None:
            return above
    return apply(operation, (left, right), f"`{kind.__name__}` of {left.type} and {right.type}", kind)


def folded(kind: Any, left: int, right: int) -> ir.Constant | None:
    """Return an operation on two ints that are known; None where it raises or its answer is too large."""
    if (kind is ast.Div and right != 0) or (kind is ast.Pow and left != 0 and right < 0):
        return ir.Constant(FLOAT, left / right if kind is ast.Div else left**right)
    if kind not in _FOLDED or abs(left) > FOLDED or not 0 <= right <= FOLDED:
        return None
    if (kind in (ast.LShift, ast.Pow) and right > 64) or (kind in (ast.FloorDiv, ast.Mod) and right == 0):
        return None
    return unsigned.constant(_FOLDED[kind](int(left), int(right)))


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
    if node in inference.low_bits:
        inference.low_bits.add(node.operand)
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
    if _is_of_object(inference, node):
        return ir.truth(isinstance(node.ops[0], ast.IsNot))
    if (found := _membership(inference, node)) is not None:
        return found
    left, right = inference.value(node.left), inference.value(node.comparators[0])
    first = compared(inference, type(node.ops[0]), left, right)
    if len(node.ops) == 1:
        return first
    rest = ast.copy_location(ast.Compare(node.comparators[0], node.ops[1:], node.comparators[1:]), node)
    second = inference.value(rest)
    if second.type != first.type:
        raise split_by_value(inference, node, first, lambda kept: (rest, kept))
    return _chosen(inference, first, second, first)


def _membership(inference: Inference, node: ast.Compare) -> ir.Expression | None:
    """Return the test of `x in range(n)` and other calls; None for other comparisons."""
    match node:
        case ast.Compare(ops=[ast.In() | ast.NotIn() as op], comparators=[ast.Call(func=ast.Name()) as call]):
            function = None if inference.object_at(call.func) else inference.value(call.func).type
            if not isinstance(function, Known) or function.value not in language.memberships:
                return None
            found = language.memberships.find(function.value, function)(inference, node.left, call)
            return (
                found if isinstance(op, ast.In) else apply(arithmetic.unary(ast.Not, BOOL), (found,), "`not`")
            )
    return None


def _is_of_object(inference: Inference, node: ast.Compare) -> bool:
    """Tell if a comparison asks if a user's object, or a nested function, is None."""
    match node:
        case ast.Compare(ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return inference.object_at(node.left) is not None
    return False


def compared(inference: Inference, kind: Any, left: ir.Expression, right: ir.Expression) -> ir.Expression:
    """Return a comparison's value."""
    if kind in (ast.Is, ast.IsNot):
        if left.type == right.type and isinstance(left.type, Scalar) and left.type.code == BOOL.code:
            kind = ast.Eq if kind is ast.Is else ast.NotEq  # there is one True, and one False
            return _compare_numbers(inference, kind, left, right)
        known = _is(left.type, right.type)
        if known is None:
            numbers = isinstance(left.type, Scalar | Unsigned) and isinstance(right.type, Scalar | Unsigned)
            raise Outside(COMPARED if numbers else f"`is` of {left.type} and {right.type}")
        return told(ir.truth(known is (kind is ast.Is)), left, right)
    rule = language.comparisons.find((type(left.type), type(right.type)), f"{left.type} and {right.type}")
    return told(rule(inference, kind, left, right), left, right)


def _is(left: Type, right: Type) -> bool | None:
    """Tell if two values are one object; None where types alone do not tell."""
    if isinstance(left, Known) and isinstance(right, Known):
        return left == right
    if Known(None) in (left, right):
        return False
    if isinstance(left, Scalar) and isinstance(right, Scalar) and left != right:
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
    return apply(truth_of(value.type), (value,), f"the truth of {value.type}")


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
    try:
        one, other = inference.value(node.body), inference.value(node.orelse)
    except (Split, Outside):  # either may be evaluated on its own way alone
        raise Split(node, test, (node.body, node.orelse)) from None
    if one.type != other.type or objects_in(one.type):  # a new object lasts as long as its own way
        raise Split(node, test, (node.body, node.orelse))
    return ir.Choose(one.type, test, one, other)


@language.expressions(ast.BoolOp)
def _and_or(inference: Inference, node: ast.BoolOp) -> ir.Expression:
    made = inference.value(node.values[0])
    for place, other in enumerate(node.values[1:], 1):
        test = inference.truth(made)
        try:
            rest = inference.value(other)
        except Split:
            rest = None
        if rest is None or (rest.type != made.type and not isinstance(test, ir.Constant)):
            if place > 1:
                raise Outside("an `and` or `or` of three operands, one of which has several types")
            raise _split_at_first(inference, node, made)
        made = _chosen(inference, test, *((rest, made) if isinstance(node.op, ast.And) else (made, rest)))
    return made


def _split_at_first(inference: Inference, node: ast.BoolOp, first: ir.Expression) -> Split:
    """Return the split of `and` or `or` by the truth of the first operand."""
    others = node.values[1:]
    rest = others[0] if len(others) == 1 else ast.copy_location(ast.BoolOp(node.op, others), node)
    ends = isinstance(node.op, ast.Or)
    return split_by_value(inference, node, first, lambda kept: (kept, rest) if ends else (rest, kept))


def _chosen(
    inference: Inference, test: ir.Expression, one: ir.Expression, other: ir.Expression
) -> ir.Expression:
    test = inference.truth(test)
    if isinstance(test, ir.Constant):
        return one if test.value else other
    if objects_in(one.type):
        raise Outside(f"a choice of {one.type} within an expression")
    return ir.Choose(one.type, test, one, other)


def split_by_value(
    inference: Inference,
    node: ast.expr,
    value: ir.Expression,
    ways: Callable[[ast.expr], tuple[ast.expr, ast.expr]],
) -> Split:
    """Return a split of an expression by the truth of a value. ways: makes them of the value's name."""
    name = inference.continued.name(node)
    kept = ir.Read(value.type, name.id)
    return Split(node, inference.truth(kept), ways(name), ((name.id, value),))
