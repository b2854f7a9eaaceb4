"""Scalars: tells which operands are weak, and when a 0-d answer is a NumPy scalar and when an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from npcompile.nep50.promote import Operand


class _Int(int):
    """A subclass of int, as IntEnums are."""


_SUBCLASSES = (np.ones(1, np.int8) + _Int(1)).dtype == np.int8  # NumPy takes them for weak: until 2.0


def operand_of(value: Any) -> Operand | None:
    """Return how a NumPy value takes part in promotion: its dtype, or a Python type if it is weak; None for
    others.

    Python's int, float and complex are weak. A bool is strong, and so are their subclasses: np.float64 in any
    NumPy, IntEnums and the like since NumPy 2.1. Source of the rule: npy_mark_tmp_array_if_pyscalar
    (abstractdtypes.h).
    """
    kind = type(value)
    if kind is int or kind is float or kind is complex:
        return kind
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype
    if _SUBCLASSES and kind is not bool:
        for weak in (int, float, complex):
            if isinstance(value, weak):
                return weak
    return np.asarray(value).dtype if isinstance(value, (int, float, complex)) else None


def answer(array: np.ndarray[Any, Any], scalar: bool) -> Any:
    """Return the array, or its NumPy scalar where it is 0-d and the function is one that answers with
    scalars.

    Ufuncs, reductions and most functions built of them do; creation, `where` and functions that rearrange
    arrays do not; no function does that was given an `out`. Source of the rule: PyArray_Return, and its
    callers.
    """
    return array[()] if scalar and array.ndim == 0 else array
