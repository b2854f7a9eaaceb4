"""Chooses the operations of Python ints of which one is held in unsigned 64 bits.

`rules/unsigned_ints.py` asks here. An answer has the type of signed ints where its bounds are known to be
theirs, else the unsigned one; a sum, difference or product that may be either is a value of one of two types.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from npcompile.frontend.loops.passes.intervals import BY_LOW_BITS, exact_of, interval_of, of_type
from npcompile.lower.loops import ir
from npcompile.lower.loops.operation import Operation
from npcompile.lower.loops.types import BOOL, FLOAT, INT, MODULUS, UNSIGNED, Either, Known, Scalar, Type

U8 = Scalar("u8")
_NAMES: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder", ast.BitOr: "bitwise_or", ast.BitXor: "bitwise_xor",
    ast.LShift: "left_shift", ast.RShift: "right_shift"
}  # fmt: skip
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "equal", ast.NotEq: "not_equal", ast.Lt: "less", ast.LtE: "less_equal", ast.Gt: "greater",
    ast.GtE: "greater_equal"
}  # fmt: skip
_SIGNED = of_type(INT)

PYTHON = (UNSIGNED, INT, BOOL)  # the types of Python's ints


# -- conversions -------------------------------------------------------------------------------------------


def constant(value: int) -> ir.Constant | None:
    """Return an int that is known while compiling; None for those of more than 64 bits but `MODULUS`."""
    if value == MODULUS:
        return ir.Constant(Known(MODULUS), None)
    if not _SIGNED.least <= value < MODULUS:
        return None
    return ir.Constant(INT if value <= _SIGNED.most else UNSIGNED, value)


def is_modulus(kind: Type) -> bool:
    """Tell if a type is that of 2**64, which no native int holds."""
    return kind == Known(MODULUS)


def signed(value: ir.Expression) -> ir.Expression:
    """Return an unsigned int as a signed one: native code leaves where it is none."""
    if value.type != UNSIGNED:
        return value
    pure = "npl::cast<int64_t, uint64_t>"
    return ir.Apply(
        INT, Operation("npl::fitting_cast<int64_t, uint64_t>", (U8,), INT, True, pure, INT), (value,)
    )


def unsigned(value: ir.Expression) -> ir.Expression:
    """Return an int that is not negative as an unsigned one."""
    if isinstance(value, ir.Constant):
        return ir.Constant(UNSIGNED, int(value.value))
    return ir.Apply(UNSIGNED, Operation("npl::cast<uint64_t, int64_t>", (INT,), U8), (value,))


def of_numpy(value: ir.Expression) -> ir.Expression:
    """Return a `np.uint64` as a Python int."""
    return ir.Apply(UNSIGNED, _SAME, (value,))


def strong(value: ir.Expression) -> ir.Expression:
    """Return an unsigned int as a `np.uint64`."""
    return ir.Apply(U8, _SAME, (value,))


def as_float(value: ir.Expression) -> ir.Expression:
    """Return an unsigned int as a Python float."""
    return ir.Apply(FLOAT, Operation("npl::cast<double, uint64_t>", (U8,), FLOAT), (value,))


_SAME = Operation("npl::cast<uint64_t, uint64_t>", (U8,), U8)


def beside(value: ir.Expression, other: Type) -> ir.Expression:
    """Return an unsigned int as it takes part in operations with a number of another type, no Python int."""
    if value.type != UNSIGNED or not isinstance(other, Scalar):
        return value
    if other.code == "u8":
        return strong(value)
    return as_float(value) if other.kind in "fc" else signed(value)


def item(value: ir.Expression, to: Scalar) -> ir.Expression:
    """Return an unsigned int as a number that is stored as an item of a dtype."""
    return beside(value, to)


# -- operators ---------------------------------------------------------------------------------------------


def binary(kind: type[ast.operator], left: ir.Expression, right: ir.Expression) -> ir.Expression | None:
    """Return `left kind right` of two Python ints; None where native code has no operation of its own.

    It may have the type of one of the two ints, which the caller splits.
    """
    if kind is ast.BitAnd:
        return _bitwise_and(left, right)
    if kind is ast.Div:
        return ir.Apply(FLOAT, _operation("divide", left, right, FLOAT, answers=""), (left, right), kind)
    if kind not in _NAMES or (kind in (ast.LShift, ast.RShift) and left.type != UNSIGNED):
        return None
    result = _result(kind, left, right)
    if isinstance(result, Either):
        return _either(kind, left, right, result)
    return apply(kind, left, right, result)


def apply(kind: type[ast.operator], left: ir.Expression, right: ir.Expression, result: Type) -> ir.Expression:
    """Return an operator's value as an int of one type."""
    return ir.Apply(result, _operation(_NAMES[kind], left, right, result), (left, right), kind)


def _bitwise_and(left: ir.Expression, right: ir.Expression) -> ir.Expression:
    exact = exact_of(ast.BitAnd, [interval_of(left), interval_of(right)])
    assert exact is not None  # one of them is not negative
    result = INT if exact.most <= _SIGNED.most else UNSIGNED
    first, second = _held(left), _held(right)
    name = f"npl::exact_bitwise_and<{first.c_type}, {second.c_type}, {result.c_type}>"
    return ir.Apply(result, Operation(name, (first, second), _held_in(result)), (left, right), ast.BitAnd)


def _result(kind: type[ast.operator], left: ir.Expression, right: ir.Expression) -> Type:
    """Return the type of an operator's answer: by its bounds where types alone bound it."""
    exact = exact_of(kind, [interval_of(left), interval_of(right)])
    if exact is None:
        if kind is ast.FloorDiv:
            return left.type if left.type == UNSIGNED else INT
        return UNSIGNED if kind is not ast.Mod or right.type == UNSIGNED else INT
    if exact.most <= _SIGNED.most:
        return INT
    if exact.least >= 0 or kind not in (ast.Add, ast.Sub, ast.Mult):
        return UNSIGNED
    return Either((INT, UNSIGNED))


def _either(
    kind: type[ast.operator], left: ir.Expression, right: ir.Expression, result: Either
) -> ir.Expression:
    """Return an answer that may be below zero, or above all signed ints: the C++ function tells which."""
    is_above = ir.Apply(
        BOOL, _operation(f"{_NAMES[kind]}_is_above", left, right, BOOL, answers=""), (left, right)
    )
    parts = []
    for one in result.kinds:
        operation = _operation(_NAMES[kind], left, right, one)
        assert operation.unchecked is not None
        pure = Operation(operation.unchecked, operation.operands, operation.result)
        parts.append(ir.Apply(one, pure, (left, right)))
    return ir.MakeTuple(result, (is_above, *parts))


def _operation(
    name: str, left: ir.Expression, right: ir.Expression, result: Type, answers: str | None = None
) -> Operation:
    """Return the operation of a function of `unsigned_ints.h`. answers: its last template argument."""
    first, second = _held(left), _held(right)
    held = _held_in(result)
    types = f"<{first.c_type}, {second.c_type}{f', {held.c_type}' if answers is None else answers}>"
    unchecked = None if name.endswith("_is_above") else f"npl::exact_{name}_unchecked{types}"
    return Operation(f"npl::exact_{name}{types}", (first, second), held, True, unchecked)


def _held(value: ir.Expression) -> Scalar:
    return U8 if value.type == UNSIGNED else INT


def _held_in(kind: Type) -> Scalar:
    """Return the type of C++ that holds values of a type."""
    if kind == UNSIGNED:
        return U8
    assert isinstance(kind, Scalar)
    return kind


def masked_next(steps: Sequence[object]) -> set[ast.AST]:
    """Return the nodes of a statement of which the low bits alone count, as the next one masks its name."""
    match steps:
        case [ast.Assign([ast.Name(name)], value), ast.AugAssign(ast.Name(masked), ast.BitAnd())]:
            return {value} if name == masked else set()
        case [ast.AugAssign(ast.Name(name)) as step, ast.AugAssign(ast.Name(masked), ast.BitAnd())]:
            return {step, step.value} if name == masked and type(step.op) in BY_LOW_BITS else set()
    return set()


def of_signed(kind: type[ast.operator], left: ir.Expression, right: ir.Expression) -> ir.Expression | None:
    """Return an operator's value on two signed ints where it is above them, as may be; None where it is not.

    `byte << 56` and the product of two numbers of 32 bits are of this kind.
    """
    if kind not in (ast.Add, ast.Mult, ast.LShift) or BOOL in (left.type, right.type):
        return None
    exact = exact_of(kind, [interval_of(left), interval_of(right)])
    if exact is None or exact.least < 0 or not _SIGNED.most < exact.most < MODULUS:
        return None
    return apply(kind, left, right, UNSIGNED)


def power_modulo(operands: tuple[ir.Expression, ...]) -> ir.Expression:
    """Return `pow(base, exponent, modulus)`, which has the modulus's type."""
    held = tuple(map(_held, operands))
    name = f"npl::exact_power_modulo<{', '.join(one.c_type for one in held)}>"
    result = UNSIGNED if operands[2].type == UNSIGNED else INT
    return ir.Apply(result, Operation(name, held, held[2], True), operands)


# -- comparisons -------------------------------------------------------------------------------------------


def compare(kind: type[ast.cmpop], left: ir.Expression, right: ir.Expression) -> Operation | None:
    """Return the comparison by value of an unsigned int with a number.

    None where native code has none of its own: the int then takes part as `beside` says.
    """
    name = _COMPARISONS.get(kind)
    if name is None:
        return None
    first, second = _compared(left.type), _compared(right.type)
    if first is None or second is None:
        return None
    if "c" in (first.kind, second.kind) and kind not in (ast.Eq, ast.NotEq):
        return None
    is_python = all(one.type == UNSIGNED or getattr(one.type, "python", False) for one in (left, right))
    types = f"exact_{name}<{first.c_type}, {second.c_type}>" if first != second else f"{name}<uint64_t>"
    return Operation(f"npl::{types}", (first, second), BOOL if is_python else Scalar("b1"))


def _compared(kind: Type) -> Scalar | None:
    """Return the type that a number is compared in; None for NumPy's floats, which are no exact ints."""
    if kind == UNSIGNED:
        return U8
    if not isinstance(kind, Scalar):
        return None
    if kind.kind in "bi":
        return INT if kind.python or kind.kind == "i" else None
    if kind.kind == "u":
        return U8
    return kind if kind.python else None


def is_nonnegative(value: ir.Expression) -> bool:
    """Tell if an int cannot be negative, by its types and constants."""
    return value.type in PYTHON and interval_of(value).least >= 0


def arguments(operation: Operation, operands: tuple[ir.Expression, ...]) -> tuple[ir.Expression, ...]:
    """Return the operands of an operation that was chosen as if all ints were signed."""
    return tuple(
        as_float(one) if one.type == UNSIGNED and to.code in ("f8", "c16") else signed(one)
        for one, to in zip(operands, operation.operands, strict=True)
    )


def kinds(operands: tuple[ir.Expression, ...]) -> tuple[Any, ...]:
    """Return the types of operands, as if all ints were signed."""
    return tuple(INT if one.type == UNSIGNED else one.type for one in operands)
