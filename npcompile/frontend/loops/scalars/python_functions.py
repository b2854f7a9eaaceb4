"""Chooses the operations of Python's own functions on scalars: builtins, `math` and `cmath`.

`functions.py` asks here. An answer is Python's bit for bit; the operation leaves where the function raises.
"""

from __future__ import annotations

import ast
import cmath
import math
from collections.abc import Callable
from typing import Any

from npcompile.frontend.loops.scalars import arithmetic
from npcompile.frontend.loops.scalars.samples import answer
from npcompile.lower.loops.operation import Operation, truth_of
from npcompile.lower.loops.types import BOOL, COMPLEX, FLOAT, INT, Scalar

Rule = Callable[..., "Operation | None"]  # of the operands


def same(operand: Scalar, result: Scalar) -> Operation:
    """Return the operation that gives an operand as a number of another type which holds its value."""
    return Operation(f"npl::cast<{result.c_type}, {operand.c_type}>", (operand,), result)


def to_int(operand: Scalar) -> Operation:
    """Return the operation that rounds a real number towards zero to a Python int."""
    if operand.kind == "b" or (operand.kind in "iu" and operand.code != "u8"):
        return same(operand, INT)
    return Operation(f"npl::fitting_cast<int64_t, {operand.c_type}>", (operand,), INT, True)


def is_index(operand: Scalar) -> bool:
    """Tell if Python takes numbers of a type for ints, and 64 bits hold them."""
    return (operand.python and operand.kind in "bi") or (operand.kind in "iu" and operand.code != "u8")


# -- builtins ------------------------------------------------------------------------------------------------


def _abs(operand: Scalar) -> Operation | None:
    result = answer(abs, operand)
    if result is None:
        return None
    if result == INT:
        return Operation("npl::int_absolute", (INT,), INT, True, "npl::absolute<int64_t>")
    if operand == COMPLEX:
        return Operation("npl::complex_absolute", (COMPLEX,), FLOAT, True)
    return Operation(f"npl::absolute<{operand.c_type}>", (operand,), result)


def _extreme(name: str) -> Rule:
    def rule(first: Scalar, *more: Scalar) -> Operation | None:
        operands = (first, *more)
        if not more or first == COMPLEX or any(operand != first for operand in more):
            return None
        return Operation(f"npl::{name}<{first.c_type}>", operands, first)

    return rule


def _int(operand: Scalar) -> Operation | None:
    return None if operand == COMPLEX else to_int(operand)


def _float(operand: Scalar) -> Operation | None:
    return None if operand == COMPLEX else same(operand, FLOAT)


def _complex(operand: Scalar) -> Operation:
    return same(operand, COMPLEX)


def _complex_of_parts(*operands: Scalar) -> Operation | None:
    if all(operand.kind != "c" for operand in operands):
        return Operation("npl::make_complex", (FLOAT, FLOAT), COMPLEX)
    return None


def _pow(base: Scalar, exponent: Scalar) -> Operation | None:
    return arithmetic.binary(ast.Pow, base, exponent)


def _power_modulo(*operands: Scalar) -> Operation | None:
    if all(operand.python and operand.kind in "bi" for operand in operands):
        return Operation("npl::power_modulo", (INT, INT, INT), INT, True)
    return None


def _round(operand: Scalar) -> Operation | None:
    if answer(round, operand) is None:
        return None
    if operand.kind != "f":
        return to_int(operand)
    return Operation("npl::round_to_int", (FLOAT,), INT, True)


def _round_to_digits(operand: Scalar, digits: Scalar) -> Operation | None:
    result = answer(round, operand, digits)
    if result is None or not is_index(digits):
        return None
    if not operand.python:
        return Operation(f"npl::round_digits<{operand.c_type}>", (operand, INT), result, True)
    if result == INT:
        return Operation("npl::round_int_to_digits", (INT, INT), INT, True)
    return Operation("npl::round_to_digits", (FLOAT, INT), FLOAT, True)


# -- math and cmath ------------------------------------------------------------------------------------------


def _of_floats(name: str, count: int, result: Scalar = FLOAT, leaves: bool = False) -> Rule:
    """Return the rule of a function that converts its operands to floats."""

    def rule(*operands: Scalar) -> Operation | None:
        if any(operand.kind == "c" for operand in operands):
            return None
        return Operation(f"npl::{name}", (FLOAT,) * count, result, leaves)

    return rule


def _of_ints(name: str, count: int) -> Rule:
    def rule(*operands: Scalar) -> Operation | None:
        if not all(map(is_index, operands)):
            return None
        return Operation(f"npl::{name}", (INT,) * count, INT, True)

    return rule


def _of_complex(name: str, result: Scalar, leaves: bool = False) -> Rule:
    def rule(operand: Scalar) -> Operation:
        return Operation(f"npl::{name}", (COMPLEX,), result, leaves)

    return rule


def _rounding(function: Callable[[Any], int], name: str) -> Rule:
    def rule(operand: Scalar) -> Operation | None:
        if operand.kind == "c" or answer(function, operand) is None:
            return None
        if operand.python and operand.kind != "f":
            return same(operand, INT)
        return Operation(f"npl::{name}", (FLOAT,), INT, True)

    return rule


def _ldexp(operand: Scalar, exponent: Scalar) -> Operation | None:
    if operand.kind == "c" or not exponent.python or exponent.kind not in "bi":
        return None
    return Operation("npl::math_ldexp", (FLOAT, INT), FLOAT, True)


_LEAVING = (
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan"),
    *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "cbrt"),
)


def _sqrt(operand: Scalar) -> Operation | None:
    if operand.kind == "c":
        return None
    return Operation("npl::math_sqrt", (FLOAT,), FLOAT, True, "npl::math_sqrt_unchecked")


# The rule of a function by the number of its operands; None: for any number.
RULES: dict[tuple[Any, int | None], Rule] = {
    (abs, 1): _abs,
    (min, None): _extreme("smallest"),
    (max, None): _extreme("largest"),
    (int, 1): _int,
    (float, 1): _float,
    (bool, 1): truth_of,
    (complex, 1): _complex,
    (complex, 2): _complex_of_parts,
    (pow, 2): _pow,
    (pow, 3): _power_modulo,
    (round, 1): _round,
    (round, 2): _round_to_digits,
    (math.floor, 1): _rounding(math.floor, "math_floor"),
    (math.ceil, 1): _rounding(math.ceil, "math_ceil"),
    (math.trunc, 1): _rounding(math.trunc, "fitting_cast<int64_t, double>"),
    (math.ldexp, 2): _ldexp,
    (math.isclose, 2): _of_floats("math_isclose", 2, BOOL),
    (cmath.exp, 1): _of_complex("cmath_exp", COMPLEX, leaves=True),
    (cmath.sqrt, 1): _of_complex("cmath_sqrt", COMPLEX, leaves=True),
    (cmath.phase, 1): _of_complex("cmath_phase", FLOAT, leaves=True),
}
for _name in _LEAVING:
    RULES[getattr(math, _name), 1] = _of_floats(f"math_{_name}", 1, leaves=True)
RULES[math.sqrt, 1] = _sqrt
for _name in ("erf", "erfc", "fabs", "degrees", "radians", "ulp"):
    RULES[getattr(math, _name), 1] = _of_floats(f"math_{_name}", 1)
for _name in ("isnan", "isinf", "isfinite"):
    RULES[getattr(math, _name), 1] = _of_floats(f"math_{_name}", 1, BOOL)
    RULES[getattr(cmath, _name), 1] = _of_complex(f"cmath_{_name}", BOOL)
for _name in ("fmod", "pow", "remainder", "log", "hypot"):
    RULES[getattr(math, _name), 2] = _of_floats(f"math_{_name}", 2, leaves=True)
RULES[math.hypot, 3] = _of_floats("math_hypot", 3, leaves=True)
for _name in ("atan2", "copysign", "nextafter"):
    RULES[getattr(math, _name), 2] = _of_floats(f"math_{_name}", 2)
for _name in ("isqrt", "factorial"):
    RULES[getattr(math, _name), 1] = _of_ints(f"math_{_name}", 1)
for _name in ("gcd", "lcm", "comb", "perm"):
    RULES[getattr(math, _name), 2] = _of_ints(f"math_{_name}", 2)
