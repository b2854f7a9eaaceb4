"""Chooses the operation of a call on scalars: of a function that is known, of a method, of an attribute.

Inference asks here. None means that native code has no such operation; it leaves where Python raises.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from npcompile.frontend.loops.scalars import python_functions, ufuncs
from npcompile.frontend.loops.scalars.python_functions import same, to_int
from npcompile.frontend.loops.scalars.samples import answer
from npcompile.lower.loops.operation import Operation
from npcompile.lower.loops.types import BOOL, FLOAT, INT, Scalar

# The names that `attribute` and `method` know.
ATTRIBUTES = ("real", "imag", "numerator", "denominator")
METHODS = ("conjugate", "conj", "item", "bit_length", "bit_count", "is_integer", "round", "clip")

_RULES = {**python_functions.RULES, **ufuncs.RULES}


def call(function: object, operands: tuple[Scalar, ...]) -> Operation | None:
    """Return the operation of a known object called with scalars, by position; None if native code has none.

    Of `divmod` there is none: its answers are those of `//` and `%`.
    """
    if isinstance(function, np.ufunc):
        return ufuncs.ufunc_operation(function, operands)
    if isinstance(function, type) and issubclass(function, np.generic):
        return ufuncs.constructor(function, *operands) if len(operands) == 1 else None
    if function is np.real or function is np.imag:
        return attribute(function.__name__, *operands) if len(operands) == 1 else None
    if not isinstance(function, Hashable):
        return None
    rule = _RULES.get((function, len(operands))) or _RULES.get((function, None))
    return rule(*operands) if rule is not None else None


def attribute(name: str, operand: Scalar) -> Operation | None:
    """Return the operation of `operand.name`, None if native code has none."""
    result = answer(lambda number: getattr(number, name), operand)
    if result is None:
        return None
    if operand.kind == "c":
        return (
            Operation(f"npl::{name}<{operand.c_type}>", (operand,), result)
            if name in ("real", "imag")
            else None
        )
    if name in ("real", "numerator"):
        return same(operand, result)
    if name in ("imag", "denominator"):
        value = int(name == "denominator")
        return Operation(f"npl::constant<{result.c_type}, {value}, {operand.c_type}>", (operand,), result)
    return None


def method(name: str, operands: tuple[Scalar, ...]) -> Operation | None:
    """Return the operation of `operands[0].name(*operands[1:])`, None if native code has none.

    `x.astype(dtype)` is `call(dtype.type, (x,))`.
    """
    operand, *more = operands
    if not operand.python and name in ("round", "clip"):
        return call(getattr(np, name), operands)
    result = answer(lambda number: getattr(number, name)(), operand)
    if more or result is None:
        return None
    if name in ("conjugate", "conj"):
        if operand.kind == "c":
            return Operation(f"npl::conjugate<{operand.c_type}>", (operand,), result)
        return same(operand, result)
    if name == "item":
        return to_int(operand) if result == INT else same(operand, result)
    if name in ("bit_length", "bit_count"):
        number = INT if operand.python else operand
        return Operation(f"npl::{name}<{number.c_type}>", (number,), result)
    if name == "is_integer":
        if operand.kind == "f":
            return Operation("npl::is_integer", (FLOAT,), BOOL)
        return Operation(f"npl::constant<bool, 1, {operand.c_type}>", (operand,), BOOL)
    return None
