"""Chooses the operations of NumPy's functions on scalars: ufuncs, constructors, `round` and `clip`.

`functions.py` asks here. The types that a ufunc computes in and answers with are NumPy's own answer.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from npcompile.frontend.loops.scalars import arithmetic
from npcompile.frontend.loops.scalars.python_functions import is_index, same
from npcompile.frontend.loops.scalars.samples import answer, promoted, scalar_type, strong
from npcompile.lower.loops.operation import Operation
from npcompile.lower.loops.types import INT, Scalar
from npcompile.nep50 import promote

# The operator that a ufunc is, as `arithmetic.py` takes it.
_BINARY: dict[np.ufunc, Any] = {
    np.add: ast.Add,
    np.subtract: ast.Sub,
    np.multiply: ast.Mult,
    np.divide: ast.Div,
    np.floor_divide: ast.FloorDiv,
    np.remainder: ast.Mod,
    np.power: ast.Pow,
    np.left_shift: ast.LShift,
    np.right_shift: ast.RShift,
    np.bitwise_and: ast.BitAnd,
    np.bitwise_or: ast.BitOr,
    np.bitwise_xor: ast.BitXor,
}
_COMPARE: dict[np.ufunc, Any] = {
    np.equal: ast.Eq,
    np.not_equal: ast.NotEq,
    np.less: ast.Lt,
    np.less_equal: ast.LtE,
    np.greater: ast.Gt,
    np.greater_equal: ast.GtE,
}
_UNARY: dict[np.ufunc, Any] = {
    np.negative: ast.USub,
    np.positive: ast.UAdd,
    np.invert: ast.Invert,
}

# Ufuncs for which NumPy's inner loops use vectors, and the C library's functions none.
TAKE_LONG = frozenset(
    [np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p, np.cbrt, np.sin, np.cos, np.tan]
    + [np.arcsin, np.arccos, np.arctan, np.sinh, np.cosh, np.tanh, np.arcsinh, np.arccosh, np.arctanh]
    + [np.arctan2, np.power]
)

# The kinds of the types that the C++ function of a ufunc's name computes in.
_FLOATS, _INEXACT, _INTEGERS, _REAL, _ALL = "f", "fc", "iu", "biuf", "biufc"
_KINDS: dict[np.ufunc, str] = {
    **dict.fromkeys((np.exp, np.log, np.sqrt, np.sin, np.cos, np.tan, np.sinh, np.cosh, np.tanh), _INEXACT),
    **dict.fromkeys((np.arcsin, np.arccos, np.arctan, np.arcsinh, np.arccosh, np.arctanh), _INEXACT),
    **dict.fromkeys((np.exp2, np.expm1, np.log2, np.log10, np.log1p, np.cbrt, np.arctan2, np.hypot), _FLOATS),
    **dict.fromkeys(
        (np.float_power, np.logaddexp, np.logaddexp2, np.heaviside, np.degrees, np.radians), _FLOATS
    ),
    **dict.fromkeys((np.signbit, np.copysign, np.fabs), _FLOATS),
    **dict.fromkeys((np.rint, np.isnan, np.isinf, np.isfinite, np.absolute), _ALL),
    **dict.fromkeys((np.sign, np.square, np.conjugate), _ALL),
    **dict.fromkeys((np.floor, np.ceil, np.trunc, np.fmod), _REAL),
    **dict.fromkeys((np.gcd, np.lcm, np.bitwise_count), _INTEGERS),
}
_SAME_NAME: dict[np.ufunc, np.ufunc] = {np.deg2rad: np.radians, np.rad2deg: np.degrees}
_EXTREMES = (np.maximum, np.minimum, np.fmax, np.fmin)
_LOGICAL = {np.logical_and: "logical_and", np.logical_or: "logical_or", np.logical_xor: "logical_xor"}
_TRUTH = Scalar("b1")


def _resolve(ufunc: np.ufunc, operands: tuple[Scalar, ...]) -> tuple[Scalar, Scalar] | None:
    """Return the one type that a ufunc computes in and that of its answer, None if native code has none."""
    try:
        *inputs, output = promote.resolve(ufunc, tuple(map(promoted, operands)))
    except TypeError:
        return None
    both, result = scalar_type(inputs[0]), scalar_type(output)
    if both is None or result is None or any(dtype != inputs[0] for dtype in inputs):
        return None
    return both, result


def _with_weak_ints(operation: Operation, operands: tuple[Scalar, ...]) -> Operation:
    """Return an operation in one dtype for operands of which some may be Python ints.

    NumPy refuses an int that is no number of an integer dtype, and rounds one to a double before it rounds it
    to a smaller float: neither is a cast of the int.
    """
    both = operation.operands[0]
    if INT not in operands or both.code in ("b1", "i8", "f8", "c16"):
        return operation
    taken = tuple(INT if operand == INT else both for operand in operands)
    weakly = f"npl::weakly<{operation.function}, {both.c_type}>"
    if both.kind in "fc":
        return replace(operation, function=weakly, operands=taken)
    fitted = f"npl::fitted<{operation.function}, {both.c_type}>"
    return replace(operation, function=fitted, operands=taken, leaves=True, unchecked=weakly)


@functools.cache
def _takes_first(ufunc: np.ufunc, code: str) -> bool | None:
    """Tell if a ufunc gives the first of two zeros of different signs; None if neither always."""
    if code[0] not in "fc":
        return True
    dtype = np.dtype(code)
    zero, minus = dtype.type(0.0), dtype.type(-0.0)
    signs = [bool(np.signbit(ufunc(*pair).real)) for pair in ((zero, minus), (minus, zero))]
    return {(False, True): True, (True, False): False}.get((signs[0], signs[1]))


@functools.cache
def _size_of_complex(code: str) -> str | None:
    """Return the C++ function that gives the ufunc's sizes of complex numbers, None if there is none.

    Scalars' own `abs` is the C library's `hypot`. NumPy's loops have one of their own, with fused
    instructions where the processor has them.
    """
    parts = np.random.default_rng(0).standard_normal((2, 200))
    numbers = (parts[0] + 1j * parts[1]).astype(code)
    real, imag = np.abs(numbers.real), np.abs(numbers.imag)
    larger, smaller = np.maximum(real, imag), np.minimum(real, imag)
    ratios, one = smaller / larger, real.dtype.type(1)
    fused = [float(Fraction(float(ratio)) ** 2 + 1) for ratio in ratios]
    ways = {
        "absolute": np.hypot(real, imag),
        "size_by_ratio": np.sqrt(ratios * ratios + one) * larger,
        "size_by_fused_ratio": np.sqrt(np.array(fused, real.dtype)) * larger,
    }
    found = np.array([np.absolute(number) for number in numbers])
    return next((name for name, sizes in ways.items() if np.array_equal(sizes, found)), None)


def ufunc_operation(ufunc: np.ufunc, operands: tuple[Scalar, ...]) -> Operation | None:
    """Return the operation of a ufunc called with scalars alone, None if native code has none."""
    if len(operands) != ufunc.nin or ufunc.nout != 1:
        return None
    if ufunc in _BINARY or ufunc in _COMPARE or ufunc in _UNARY:
        return _operator(ufunc, operands)
    if ufunc in _LOGICAL:
        return Operation(f"npl::{_LOGICAL[ufunc]}", (_TRUTH, _TRUTH), _TRUTH)
    if ufunc is np.logical_not:
        return Operation(f"npl::logical_not<{operands[0].c_type}>", operands, _TRUTH)
    ufunc = _SAME_NAME.get(ufunc, ufunc)
    types = _resolve(ufunc, operands)
    if types is None:
        return None
    both, result = types
    name = f"npl::{ufunc.__name__}<{both.c_type}>"
    if ufunc in _EXTREMES:
        first = _takes_first(ufunc, both.code)
        if first is None:
            return None
        name = f"npl::{ufunc.__name__}<{both.c_type}, {str(first).lower()}>"
    elif ufunc is np.reciprocal:
        if both.kind in "iu":
            return Operation(f"npl::integer_reciprocal<{both.c_type}>", (both,), result, True)
    elif ufunc is np.absolute and both.kind == "c":
        size = _size_of_complex(both.code)
        if size is None:
            return None
        name = f"npl::{size}<{both.c_type}>"
    elif ufunc is np.nextafter:
        if both.code == "f2":
            return None
    elif both.kind not in _KINDS.get(ufunc, ""):
        return None
    return _with_weak_ints(Operation(name, (both,) * ufunc.nin, result), operands)


def operation_on_items(ufunc: np.ufunc, operands: tuple[Scalar, ...]) -> Operation | None:
    """Return the operation of a ufunc on the items of arrays, None if native code has none.

    NumPy squares complex numbers of arrays by fused instructions, where the processor has them; one alone
    not.
    """
    made = ufunc_operation(ufunc, operands)
    if made is None or ufunc is not np.square or made.result.kind != "c":
        return made
    if not arithmetic.fuses_products(made.result.code):
        return made
    return replace(made, function=f"npl::fused_square<{made.result.c_type}>")


def _operator(ufunc: np.ufunc, operands: tuple[Scalar, ...]) -> Operation | None:
    """Return the operation of a ufunc that an operator stands for."""
    if ufunc in _BINARY:
        return arithmetic.binary(_BINARY[ufunc], *operands, by_ufunc=True)
    if ufunc in _COMPARE:
        return arithmetic.compare(_COMPARE[ufunc], *operands, by_ufunc=True)
    (operand,) = operands
    return arithmetic.unary(_UNARY[ufunc], strong(operand))


def constructor(function: type[np.generic], operand: Scalar) -> Operation | None:
    """Return the operation of a NumPy type called with a scalar, None if native code has none."""
    result = answer(function, operand)
    if result is None or result.python:
        return None
    return arithmetic.cast(operand, result) if operand.python else same(operand, result)


# -- functions that are no ufuncs ----------------------------------------------------------------------------


def _round(operand: Scalar, *digits: Scalar) -> Operation | None:
    result = answer(np.round, operand, *digits)
    if result is None or not all(map(is_index, digits)):
        return None
    number = Scalar(result.code)
    if digits:
        return Operation(f"npl::round_digits<{number.c_type}>", (number, INT), result, True)
    return Operation(f"npl::rint<{number.c_type}>", (number,), result)


def _fix(operand: Scalar) -> Operation | None:
    result = answer(np.fix, operand)
    if result is None or result.code != operand.code:
        return None
    return Operation(f"npl::trunc<{result.c_type}>", (result,), result)


def _clip(operand: Scalar, *bounds: Scalar) -> Operation | None:
    result = answer(np.clip, operand, *bounds)
    if result is None or result.kind == "c":
        return None
    if operand.kind not in "iu" or INT not in bounds:
        clip = Operation(f"npl::clip<{result.c_type}>", (result,) * 3, result)
        return _with_weak_ints(clip, (operand, *bounds))
    weak = ", ".join(str(bound == INT).lower() for bound in bounds)
    taken = (INT if bound == INT else result for bound in bounds)
    return Operation(f"npl::clip_integer<{result.c_type}, {weak}>", (operand, *taken), result, True)


def _angle(operand: Scalar) -> Operation | None:
    result = answer(np.angle, operand)
    if result is None:
        return None
    number = operand if operand.kind == "c" else result
    return Operation(f"npl::angle<{number.c_type}>", (number,), result)


RULES: dict[tuple[Any, int | None], Callable[..., Operation | None]] = {
    (np.round, 1): _round,
    (np.round, 2): _round,
    (np.around, 1): _round,
    (np.around, 2): _round,
    (np.fix, 1): _fix,
    (np.clip, 3): _clip,
    (np.angle, 1): _angle,
}
