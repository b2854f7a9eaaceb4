"""Chooses the operation of each operator of Python's on scalars, by the rules of NumPy and of Python.

Inference asks here. Types of answers are asked of the operators themselves, on ones, and the types that NumPy
computes in are asked of its ufuncs, so both follow the installed version.
"""

from __future__ import annotations

import ast
import functools
import math
import operator as operators
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from npcompile.frontend.loops.scalars.samples import answer, promoted, sample, scalar_type
from npcompile.lower.loops.operation import Operation
from npcompile.lower.loops.types import BOOL, COMPLEX, FLOAT, INT, Scalar
from npcompile.nep50 import powers, promote, weak

# Python's operator, NumPy's ufunc, and the name of the C++ function.
_BINARY: dict[type[ast.operator], tuple[Callable[[Any, Any], Any], np.ufunc, str]] = {
    ast.Add: (operators.add, np.add, "add"),
    ast.Sub: (operators.sub, np.subtract, "subtract"),
    ast.Mult: (operators.mul, np.multiply, "multiply"),
    ast.Div: (operators.truediv, np.true_divide, "divide"),
    ast.FloorDiv: (operators.floordiv, np.floor_divide, "floor_divide"),
    ast.Mod: (operators.mod, np.remainder, "remainder"),
    ast.Pow: (operators.pow, np.power, "power"),
    ast.LShift: (operators.lshift, np.left_shift, "left_shift"),
    ast.RShift: (operators.rshift, np.right_shift, "right_shift"),
    ast.BitAnd: (operators.and_, np.bitwise_and, "bitwise_and"),
    ast.BitOr: (operators.or_, np.bitwise_or, "bitwise_or"),
    ast.BitXor: (operators.xor, np.bitwise_xor, "bitwise_xor"),
}
_COMPARE: dict[type[ast.cmpop], tuple[Callable[[Any, Any], Any], np.ufunc, str]] = {
    ast.Eq: (operators.eq, np.equal, "equal"),
    ast.NotEq: (operators.ne, np.not_equal, "not_equal"),
    ast.Lt: (operators.lt, np.less, "less"),
    ast.LtE: (operators.le, np.less_equal, "less_equal"),
    ast.Gt: (operators.gt, np.greater, "greater"),
    ast.GtE: (operators.ge, np.greater_equal, "greater_equal"),
}
_UNARY: dict[type[ast.unaryop], tuple[Callable[[Any], Any], str]] = {
    ast.USub: (operators.neg, "negative"),
    ast.UAdd: (operators.pos, "positive"),
    ast.Invert: (operators.invert, "invert"),
    ast.Not: (operators.not_, "logical_not"),
}

# NumPy's scalars that are Python's numbers, too. Python's `complex` takes a `np.float64` for a float.
_SUBCLASSES = {Scalar("f8"): FLOAT, Scalar("c16"): COMPLEX}
# Until Python 3.13 a float beside a complex number becomes one; the C++ functions do that, too.
_TAKES_FLOATS_FOR_COMPLEX = math.isnan((complex(0.0, math.inf) * 1.0).real)
# Python's functions that leave, by the type of their operands.
_INT_LEAVES = frozenset(
    {
        "add",
        "subtract",
        "multiply",
        "divide",
        "floor_divide",
        "remainder",
        "power",
        "left_shift",
        "right_shift",
    }
)
_FLOAT_LEAVES = frozenset({"divide", "floor_divide", "remainder", "power"})
_COMPLEX_LEAVES = frozenset({"divide", "power"})


def _dtype(scalar: Scalar) -> np.dtype[Any]:
    return np.dtype(scalar.code)


def _widest(*operands: Scalar) -> Scalar:
    """Return the type of Python's that holds Python numbers of these types; an int at least."""
    return max((INT, *operands), key=[BOOL, INT, FLOAT, COMPLEX].index)


def _is_by_ufunc(left: Scalar, right: Scalar, both: Scalar) -> bool:
    """Tell if NumPy takes two scalars that promote to a dtype for 0-d arrays: its ufunc does the operation.

    Else the scalar's own code does it, which need not round alike. Source of the rule: `convert_to_<name>`
    (scalarmath.c.src); a bool's operators are all those of arrays.
    """
    return left == Scalar("b1") or both not in (left, right)


def _loop(ufunc: np.ufunc, left: Scalar, right: Scalar) -> tuple[Scalar, Scalar, Scalar] | None:
    """Return the types of a ufunc's operands and answer, None if it has no loop of ours for these types."""
    if left.python and right.python:  # with no strong operand, numbers are arrays of their default dtypes
        left, right = Scalar(left.code), Scalar(right.code)
    try:
        resolved = promote.resolve(ufunc, (promoted(left), promoted(right)))
    except TypeError:
        return None
    first, second, result = map(scalar_type, resolved)
    return None if first is None or second is None or result is None else (first, second, result)


@functools.cache
def _has_own_power(code: str) -> bool:
    """Tell if the ufunc's power is not the C library's, which scalars have.

    NumPy has one of its own for processors with AVX-512.
    """
    bases, exponent = np.arange(1.1, 100, dtype=code), np.dtype(code).type(1.7)
    return any(base**exponent != np.power(base, exponent) for base in bases)


@functools.cache
def fuses_products(code: str) -> bool:
    """Tell if the ufunc multiplies complex numbers by fused instructions, which round once."""
    number = np.dtype(code).type
    tiny = np.finfo(number).smallest_subnormal
    return bool(np.signbit(np.multiply(number(complex(-tiny, 0)), number(complex(0.5, -0.0))).real))


@functools.cache
def binary(
    operator: type[ast.operator], left: Scalar, right: Scalar, by_ufunc: bool = False
) -> Operation | None:
    """Return the operation of `left operator right`, None if native code has none.

    An augmented assignment to a name or an item has the same operation, since numbers do not change in place.
    by_ufunc: as the operator's ufunc does it, of numbers or of arrays' items, where a power has one exponent
    for all items. The C library's power of floats stands for the ufunc's own then, whose last digit may be
    another.
    """
    if operator not in _BINARY:
        return None
    function, ufunc, name = _BINARY[operator]
    if by_ufunc:
        return _of_numpy(ufunc, name, left, right, True)
    result = answer(function, left, right)
    if result is None:
        return None
    if result.python:
        return _of_python(name, _SUBCLASSES.get(left, left), _SUBCLASSES.get(right, right), result)
    return _of_numpy(ufunc, name, left, right, False)


def _of_python(name: str, left: Scalar, right: Scalar, result: Scalar) -> Operation | None:
    if result == COMPLEX and not _TAKES_FLOATS_FOR_COMPLEX:
        return None
    if result == BOOL:
        return Operation(f"npl::{name}<bool>", (BOOL, BOOL), BOOL)
    both = _widest(left, right)
    leaves, prefix = {INT: (_INT_LEAVES, "int"), FLOAT: (_FLOAT_LEAVES, "float")}.get(
        both, (_COMPLEX_LEAVES, "complex")
    )
    if name not in leaves:
        return Operation(f"npl::{name}<{both.c_type}>", (both, both), result)
    function = f"npl::{prefix}_{name}"
    unchecked = None if name == "power" and both != INT else f"{function}_unchecked"
    return Operation(function, (both, both), result, True, unchecked)


def _of_numpy(ufunc: np.ufunc, name: str, left: Scalar, right: Scalar, by_ufunc: bool) -> Operation | None:
    loop = _loop(ufunc, left, right)
    if loop is None or loop[0] != loop[1]:
        return None
    both, _, result = loop
    if name == "divide" and both.kind in "iu":
        return Operation(f"npl::divide<{result.c_type}>", (result, result), result)
    if by_ufunc or _is_by_ufunc(left, right, both):
        if name == "power" and both.kind == "f":
            powered = _power_by_ufunc(both, by_ufunc)
            return None if powered is None else _with_weak_int(powered, left, right)
        if name == "multiply" and both.kind == "c" and fuses_products(both.code):
            name = "fused_multiply"
    operation = Operation(f"npl::{name}<{both.c_type}>", (both, both), result)
    if name == "power" and both.kind in "iu":
        pure = f"npl::integer_power_unchecked<{both.c_type}>"
        operation = Operation(pure, (both, both), result)
        if both.kind == "i":
            operation = Operation(f"npl::integer_power<{both.c_type}>", (both, both), result, True, pure)
    return _with_weak_int(operation, left, right)


def _power_by_ufunc(both: Scalar, close: bool) -> Operation | None:
    """Return the power of floats by the ufunc. close: its last digit need not be NumPy's."""
    if powers.SCALARS and not close:  # the ufunc that runs depends on the exponent, and with it the dtype
        return None
    function = "power"
    if powers.takes_square_root(_dtype(both)):
        function = "uniform_power"
        if not close and _has_own_power(both.code):
            return Operation(f"npl::uniform_power_of_numpy<{both.c_type}>", (both, both), both, True)
    return Operation(f"npl::{function}<{both.c_type}>", (both, both), both)


def _with_weak_int(operation: Operation, left: Scalar, right: Scalar) -> Operation:
    """Return an operation of one dtype for operands of which one may be a Python int.

    NumPy refuses an int that is no number of an integer dtype, and rounds one to a double before it rounds
    it to a smaller float: neither is a cast of the int.
    """
    both = operation.operands[0]
    if INT not in (left, right) or both.code in ("i8", "f8", "c16"):
        return operation
    side = "left" if left == INT else "right"
    operands = (INT, both) if left == INT else (both, INT)
    pure = f"npl::weak_{side}<{operation.unchecked or operation.function}, {both.c_type}>"
    if both.kind in "fc":
        return Operation(pure, operands, operation.result)
    function = f"npl::fitting_{side}<{operation.function}, {both.c_type}>"
    return Operation(function, operands, operation.result, True, pure, None if operation.leaves else both)


@functools.cache
def compare(
    operator: type[ast.cmpop], left: Scalar, right: Scalar, by_ufunc: bool = False
) -> Operation | None:
    """Return the operation of `left operator right`, None if native code has none.

    It has none of `is` and `in`, nor of what raises. by_ufunc: as the operator's ufunc does it, of numbers or
    of arrays' items.
    """
    if operator not in _COMPARE:
        return None
    function, ufunc, name = _COMPARE[operator]
    result = Scalar("b1") if by_ufunc else answer(function, left, right)
    if result is None:
        return None
    if result.python:
        left, right = _SUBCLASSES.get(left, left), _SUBCLASSES.get(right, right)
        return _comparison(name, _widest(left), _widest(right), result)
    if INT in (left, right) and left.kind in "iu" and right.kind in "iu":  # by value, whatever fits
        return _comparison(name, left, right, result)
    loop = _loop(ufunc, left, right)
    if loop is None:
        return None
    first, second, _ = loop
    if first.kind == "c" and name not in ("equal", "not_equal"):
        if by_ufunc or _is_by_ufunc(left, right, first):
            name = f"array_{name}"
    return _with_weak_int(_comparison(name, first, second, result), left, right)


def _comparison(name: str, left: Scalar, right: Scalar, result: Scalar) -> Operation:
    """Return a comparison by value."""
    kinds = {left.kind, right.kind}
    if left.code == right.code or kinds <= {"f", "c"}:
        both = right if right.kind == "c" else left
        return Operation(f"npl::{name}<{both.c_type}>", (both, both), result)
    if ("i8" in (left.code, right.code) and kinds & {"f", "c"}) or {left.code, right.code} == {"i8", "u8"}:
        return Operation(f"npl::exact_{name}<{left.c_type}, {right.c_type}>", (left, right), result)
    return Operation(f"npl::{name}<int64_t>", (Scalar("i8"), Scalar("i8")), result)


@functools.cache
def unary(operator: type[ast.unaryop], operand: Scalar) -> Operation | None:
    """Return the operation of `operator operand`, None if it raises."""
    function, name = _UNARY[operator]
    result = answer(function, operand)
    if result is None:
        return None
    if operator is ast.Not:
        return Operation(f"npl::logical_not<{operand.c_type}>", (operand,), result)
    both = _widest(operand) if operand.python else operand
    if both == INT and operator is ast.USub:
        return Operation("npl::int_negative", (INT,), result, True, "npl::int_negative_unchecked")
    return Operation(f"npl::{name}<{both.c_type}>", (both,), result)


@functools.cache
def cast(source: Scalar, target: Scalar) -> Operation | None:
    """Return the conversion of a number that is stored as an item of an array of the target's dtype.

    Returns None if it raises for each value. It leaves for a value that NumPy refuses.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            weak.convert(sample(source), _dtype(target))
    except TypeError:
        return None
    pure = f"npl::cast<{target.c_type}, {source.c_type}>"
    if source.python and source.kind == "i" and target.kind in "fc":
        return Operation(f"npl::weak_cast<{target.c_type}>", (source,), target)
    if target.kind not in "iu" or source.kind == "b" or not _refused(source, _dtype(target)):
        return Operation(pure, (source,), target)
    function = f"npl::fitting_cast<{target.c_type}, {source.c_type}>"
    return Operation(function, (source,), target, True, pure, target if source.kind in "iu" else None)


def _refused(source: Scalar, target: np.dtype[Any]) -> bool:
    """Tell if NumPy refuses to store some numbers of that type as items of an integer dtype."""
    if source.python:
        return source != INT or target.str[1:] != INT.code
    return weak.refuses_misfits(_dtype(source), target)
