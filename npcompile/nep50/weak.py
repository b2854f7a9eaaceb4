"""Values of weak Python numbers: tells which fit a dtype, which raise, and which comparisons no value can
change.

Promotion looks at types only: `uint8 + 300` must raise OverflowError while `uint8 == 300` is False
everywhere.
"""

from __future__ import annotations

import functools
import warnings
from typing import Any

import numpy as np

from npcompile.nep50.promote import DType

COMPARISONS = frozenset({np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal})


def convert(value: Any, dtype: DType) -> Any:
    """Return the NumPy scalar that a Python number becomes beside operands of that dtype.

    Raises NumPy's own OverflowError ("Python integer 300 out of bounds for uint8") or TypeError; a float too
    large for the dtype becomes an infinity, as in NumPy, without the warning. Source of the rule: NumPy's
    item assignment, which converts Python numbers by the same code as ufuncs do.
    """
    cell = np.empty((), dtype)
    with np.errstate(all="ignore"):
        cell[()] = value
    return cell[()]


@functools.cache
def refuses_misfits(source: DType, dtype: DType) -> bool:
    """Tell if NumPy refuses to store, as items, scalars of one dtype that do not fit another.

    It does for signed integers. NumPy is asked, with values that do not fit.
    """
    if dtype.kind not in "iu":
        return False
    if source.kind in "iu":
        odd: tuple[Any, ...] = bounds(source) or ()
    else:
        odd = (float("nan"),) if source.kind in "fc" else ()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for value in odd:
                convert(source.type(value), dtype)
    except (OverflowError, ValueError):
        return True
    return False


@functools.cache
def bounds(dtype: DType) -> tuple[int, int] | None:
    """Return (smallest, largest) Python int that `convert` takes for an integer dtype; None for other
    dtypes."""
    if dtype.kind not in "iu":
        return None
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def compare(ufunc: np.ufunc, dtype: DType, value: int, reflected: bool = False) -> bool | None:
    """Return the comparison of any integer of that dtype with a Python int outside its bounds; None if it is
    inside.

    A bool is compared as an int64, which the int must fit: otherwise NumPy's OverflowError is raised.
    reflected: the Python int is the first operand. Source of the rule: NumPy's comparison ufuncs, which
    compare by mathematical value.
    """
    if dtype.kind == "b":
        convert(value, np.dtype(np.int64))
    limits = bounds(dtype)
    if limits is None or limits[0] <= value <= limits[1]:
        return None
    side = 1 if value > limits[1] else -1
    return bool(ufunc(side, 0) if reflected else ufunc(0, side))
