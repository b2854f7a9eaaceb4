"""The tolerance of comparisons: two answers agree exactly, or as nearly as rounding lets them.

Integers, bools, NaN and infinities are exact, and so are functions that round or move data. Other elementwise
results may be 4 units in the last place apart (of the modulus, for complex numbers). Sums and solutions may
be apart by 4 units and twice as far as NumPy's own answer moves when its operands are changed by 4 + log2(n)
units, n elements: all away from zero, or each its own way. That is the bound of a sum in pairs, and of every
algorithm that gives the exact answer to a problem next to the one that was set.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

ULP = 4
TRIALS = 8  # of fewer, all may leave one of many elements where it is, by chance


def differs_by_more(
    got: np.ndarray[Any, Any], want: np.ndarray[Any, Any], ulp: float
) -> np.ndarray[Any, Any]:
    """Return where two arrays of one dtype and shape are more than `ulp` units in the last place apart."""
    kind = want.dtype.kind
    with np.errstate(all="ignore"):
        wrong = np.asarray(got != want)
        if kind not in "fc" or not wrong.any():
            return wrong
        both_nan = np.isnan(got) & np.isnan(want)
        if not ulp:
            return wrong & ~both_nan
        if kind == "c":
            size = np.maximum(np.abs(want.real), np.abs(want.imag))
            near = _near(got.real, want.real, size, ulp) & _near(got.imag, want.imag, size, ulp)
        else:
            near = _near(got, want, np.abs(want), ulp)
        return wrong & ~near & ~both_nan


def _near(got: Any, want: Any, size: Any, ulp: float) -> np.ndarray[Any, Any]:
    allowed = ulp * np.spacing(np.where(np.isfinite(size), size, 0)).astype(np.longdouble)
    distance = np.abs(got.astype(np.longdouble) - want.astype(np.longdouble))
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    return np.asarray(same | (np.isfinite(got) & np.isfinite(want) & (distance <= allowed)))


def move_floats(array: np.ndarray[Any, Any], units: float, trial: int, rng: np.random.Generator) -> None:
    """Move the floats of an array in place by up to this many units: in the first trial all away from
    zero."""
    if array.dtype.kind in "fc" and array.flags.writeable and array.size:
        by = 1.0 if trial == 0 else rng.uniform(-1.0, 1.0, array.shape)
        with np.errstate(all="ignore"):
            array[...] = array + array * (by * units * np.finfo(array.dtype).eps)


def units(arrays: Iterable[np.ndarray[Any, Any]]) -> float:
    """Return by how many units in the last place the operands of a sum may be off."""
    return ULP + math.log2(max([1, *(array.size for array in arrays)]))


def movement(answers: Callable[[int], Any], want: np.ndarray[Any, Any]) -> np.ndarray[Any, Any] | None:
    """Return how far each element of an answer moves: `answers(trial)` gives it for changed operands.

    Returns None where a trial fails, or gives another kind of answer: then only the strict rule is left.
    """
    far = np.zeros(want.shape, np.longdouble)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for trial in range(TRIALS):
            try:
                other = np.asarray(answers(trial))
            except Exception:
                return None
            if other.shape != want.shape or other.dtype != want.dtype:
                return None
            wide = np.clongdouble if want.dtype.kind == "c" else np.longdouble
            step = np.abs(other.astype(wide) - want.astype(wide))
            far = np.maximum(far, np.where(np.isnan(step), np.inf, step))
    return far


def not_explained(
    got: np.ndarray[Any, Any],
    want: np.ndarray[Any, Any],
    wrong: np.ndarray[Any, Any],
    answers: Callable[[int], Any],
) -> np.ndarray[Any, Any]:
    """Return those of the elements that are wrong by the strict rule which rounding does not explain
    either."""
    far = movement(answers, want)
    if far is None:
        return wrong
    wide = np.clongdouble if want.dtype.kind == "c" else np.longdouble
    with np.errstate(all="ignore"):
        distance = np.abs(got.astype(wide) - want.astype(wide))
        size = np.abs(want)
        unit = (
            np.spacing(np.where(np.isfinite(size), size, 0)).astype(np.longdouble)
            if want.dtype.kind in "fc"
            else 0
        )
        explained = distance <= 2 * far + ULP * unit
        explained |= ~np.isfinite(far)
    return np.asarray(wrong & ~explained)
