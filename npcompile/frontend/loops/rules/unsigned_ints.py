"""Gives the loop language its rules for Python ints of unsigned 64 bits, beside all other numbers."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.numbers import apply, folded
from npcompile.frontend.loops.scalars import unsigned
from npcompile.lower.loops import ir
from npcompile.lower.loops.operation import Operation, truth_of
from npcompile.lower.loops.types import (
    BOOL,
    FLOAT,
    INT,
    MODULUS,
    UNSIGNED,
    Array,
    Known,
    Scalar,
    Type,
    Unsigned,
)

_U8 = unsigned.U8
_MASK = ir.Constant(UNSIGNED, MODULUS - 1)
_AS_FLOAT = ir.Constant(FLOAT, float(MODULUS))
_INVERSE = ir.Constant(FLOAT, 1 / MODULUS)
# Functions that give an int back as it is.
_FLOATS = (np.float64, np.float32, np.float16, np.complex128, np.complex64)
_KEEP = (int, abs, round, math.floor, math.ceil, math.trunc)


# -- operators ---------------------------------------------------------------------------------------------


@language.operators((Unsigned, Scalar), (Scalar, Unsigned), (Unsigned, Unsigned))
def _arithmetic(
    inference: Inference, kind: Any, left: ir.Expression, right: ir.Expression, inplace: bool
) -> ir.Expression:
    if left.type in unsigned.PYTHON and right.type in unsigned.PYTHON:
        if isinstance(left, ir.Constant) and isinstance(right, ir.Constant):
            made = folded(kind, left.value, right.value)
            if made is not None:
                return made
        found = unsigned.binary(kind, left, right)
        if found is not None:
            return found
        left, right = unsigned.signed(left), unsigned.signed(right)
    else:
        left, right = unsigned.beside(left, right.type), unsigned.beside(right, left.type)
    return _operate(inference, kind, left, right, inplace)


@language.operators((Array, Unsigned), (Unsigned, Array))
def _of_arrays(
    inference: Inference, kind: Any, left: ir.Expression, right: ir.Expression, inplace: bool
) -> ir.Expression:
    return _operate(inference, kind, *_beside_arrays(left, right), inplace)


def _operate(
    inference: Inference, kind: Any, left: ir.Expression, right: ir.Expression, inplace: bool
) -> ir.Expression:
    rule = language.operators.find((type(left.type), type(right.type)), f"{left.type} and {right.type}")
    made: ir.Expression = rule(inference, kind, left, right, inplace)
    return made


def _beside_arrays(left: ir.Expression, right: ir.Expression) -> tuple[ir.Expression, ir.Expression]:
    """Return operands of which one is an array, with the other as one of its dtype, or as a signed int."""
    if isinstance(left.type, Array):
        return left, unsigned.item(right, left.type.item)
    assert isinstance(right.type, Array)
    return unsigned.item(left, right.type.item), right


@language.operators((Scalar, Known), (Unsigned, Known), (Known, Scalar), (Known, Known))
def _beside_modulus(
    inference: Inference, kind: Any, left: ir.Expression, right: ir.Expression, inplace: bool
) -> ir.Expression:
    """Return the rest of an int by 2**64, its low bits, or its quotient, which is exact but for the rounding
    to a float; an operation on 2**64 and another known int, or a float.
    """
    one, other = _known_int(left), _known_int(right)
    made = None if one is None or other is None else folded(kind, one, other)
    if made is not None:
        return made
    if unsigned.is_modulus(right.type) and left.type in unsigned.PYTHON:
        if kind is ast.Mod:
            return _operate(inference, ast.BitAnd, left, _MASK, inplace)
        if kind is ast.Div:
            return _operate(inference, ast.Mult, left, _INVERSE, inplace)
    if _holds_modulus(left.type) and unsigned.is_modulus(right.type):
        return _operate(inference, kind, left, _AS_FLOAT, inplace)
    if _holds_modulus(right.type) and unsigned.is_modulus(left.type):
        return _operate(inference, kind, _AS_FLOAT, right, inplace)
    raise Outside(f"`{kind.__name__}` of {left.type} and {right.type}")


def _holds_modulus(kind: Type) -> bool:
    """Tell if 2**64 beside a number of a type is converted to that, or to a Python float, exactly."""
    return isinstance(kind, Scalar) and kind.kind == "f" and kind.code != "f2"


def _known_int(value: ir.Expression) -> int | None:
    if unsigned.is_modulus(value.type):
        return MODULUS
    return int(value.value) if isinstance(value, ir.Constant) and value.type in unsigned.PYTHON else None


@language.unaries(Unsigned)
def _unary(inference: Inference, kind: Any, operand: ir.Expression) -> ir.Expression:
    if kind is ast.UAdd:
        return operand
    start = 0 if kind is ast.USub else -1  # `~x` is `-1 - x`
    if isinstance(operand, ir.Constant):
        made = unsigned.constant(start - operand.value)
        if made is not None:
            return made
    found = unsigned.binary(ast.Sub, ir.integer(start), operand)
    assert found is not None
    return found


@language.comparisons((Unsigned, Scalar), (Scalar, Unsigned), (Unsigned, Unsigned))
def _compare(inference: Inference, kind: Any, left: ir.Expression, right: ir.Expression) -> ir.Expression:
    operation = unsigned.compare(kind, left, right)
    if operation is not None:
        return apply(operation, (left, right), "", kind)
    left, right = unsigned.beside(left, right.type), unsigned.beside(right, left.type)
    if UNSIGNED in (left.type, right.type):
        raise Outside(f"`{kind.__name__}` of {left.type} and {right.type}")
    made: ir.Expression = language.comparisons.find((Scalar, Scalar), "")(inference, kind, left, right)
    return made


@language.comparisons((Array, Unsigned), (Unsigned, Array))
def _compare_arrays(
    inference: Inference, kind: Any, left: ir.Expression, right: ir.Expression
) -> ir.Expression:
    left, right = _beside_arrays(left, right)
    rule = language.comparisons.find((type(left.type), type(right.type)), "")
    made: ir.Expression = rule(inference, kind, left, right)
    return made


@language.truths(Unsigned)
def _truth(inference: Inference, value: ir.Expression) -> ir.Expression:
    if isinstance(value, ir.Constant):
        return ir.truth(True)
    return ir.Apply(BOOL, truth_of(_U8), (value,))


# -- functions ---------------------------------------------------------------------------------------------


@language.methods((Unsigned, "bit_length"), (Unsigned, "bit_count"))
def _count(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    assert isinstance(node.func, ast.Attribute)
    if node.args or node.keywords:
        raise Outside(f"the method `{node.func.attr}` with arguments")
    return ir.Apply(INT, Operation(f"npl::{node.func.attr}<uint64_t>", (_U8,), INT), (owner,))


def called(
    function: object, operands: tuple[ir.Expression, ...], choose: Callable[..., Operation | None]
) -> ir.Expression | None:
    """Return a call with unsigned ints, or of one that gives such an int; None for other calls.

    choose: gives the operation of a call by the types of its operands.
    """
    if function is int and len(operands) == 1 and operands[0].type == _U8:
        return unsigned.of_numpy(operands[0])
    if not any(operand.type == UNSIGNED for operand in operands):
        return None
    if len(operands) == 1:
        if function in _KEEP:
            return operands[0]
        if function is float:
            return unsigned.as_float(operands[0])
        if function is np.uint64:
            return unsigned.strong(operands[0])
        if function in _FLOATS:
            operands = (unsigned.as_float(operands[0]),)
        if function is bool:
            return ir.Apply(BOOL, truth_of(_U8), operands)
    if function is pow and len(operands) == 3:
        if all(operand.type in unsigned.PYTHON for operand in operands):
            return unsigned.power_modulo(operands)
    if function in (min, max) and all(operand.type == UNSIGNED for operand in operands):
        name = "smallest" if function is min else "largest"
        chosen = Operation(f"npl::{name}<uint64_t>", (_U8,) * len(operands), _U8)
        return ir.Apply(UNSIGNED, chosen, operands)
    if not all(isinstance(kind, Scalar) for kind in unsigned.kinds(operands)):
        raise Outside(f"calls of `{getattr(function, '__name__', function)}` with {UNSIGNED}")
    operation = choose(function, unsigned.kinds(operands))
    named = f"calls of `{getattr(function, '__name__', function)}`"
    if operation is None:
        raise Outside(named)
    return apply(operation, unsigned.arguments(operation, operands), named)
