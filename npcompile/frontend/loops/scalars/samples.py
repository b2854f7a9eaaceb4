"""Asks Python and NumPy for the types of answers, by calling their functions on ones.

The rules of operators and functions use it; so types follow the versions that are installed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from npcompile.frontend.loops.entry.values import scalar_of
from npcompile.lower.loops.types import BOOL, C_TYPES, COMPLEX, FLOAT, INT, Scalar
from npcompile.nep50 import promote

_PYTHON: dict[Scalar, type] = {BOOL: bool, INT: int, FLOAT: float, COMPLEX: complex}


def sample(scalar: Scalar) -> Any:
    """Return the one of a type."""
    return _PYTHON[scalar](1) if scalar.python else np.dtype(scalar.code).type(1)


def answer(function: Callable[..., Any], *operands: Scalar) -> Scalar | None:
    """Return the type of the function's answer for ones, None if it raises or its answer is no scalar."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return scalar_of(function(*map(sample, operands)))
    except (TypeError, AttributeError):
        return None


def promoted(scalar: Scalar) -> promote.Operand:
    """Return how a type takes part in promotion: Python's int, float and complex are weak."""
    return _PYTHON[scalar] if scalar.python and scalar != BOOL else np.dtype(scalar.code)


def scalar_type(dtype: np.dtype[Any]) -> Scalar | None:
    """Return the type of a dtype's NumPy scalars, None if native code has none."""
    code = f"{dtype.kind}{dtype.itemsize}"
    return Scalar(code) if code in C_TYPES else None


def strong(scalar: Scalar) -> Scalar:
    """Return the type of the NumPy scalar that a number is where no other operand has a dtype."""
    return Scalar(scalar.code)
