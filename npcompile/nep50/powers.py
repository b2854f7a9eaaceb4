"""Powers by the operator: tells which ufunc NumPy runs for `array ** exponent`, by asking NumPy itself.

NumPy carries out `x ** 2` as `np.square(x)`, and a few others likewise. The value and the type of the
exponent decide which, and the rule changed in NumPy 2.3: before, NumPy scalars and 0-d arrays count as well,
and as nothing is promoted then, `float32_array ** np.float64(2)` is float32 where `float32_array **
np.float64(3)` is float64. NumPy is therefore asked: an array with `__array_ufunc__` is raised to the power,
and is told which ufunc that is.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from npcompile.nep50.promote import DType

# The exponents for which some NumPy 2 runs another ufunc. Every other exponent goes to `np.power` in all of
# them.
_SPECIAL_EXPONENTS = (2, 1, 0, -1, 0.5)
_UFUNCS = (np.square, np.positive, np.reciprocal, np.sqrt)


class Fast(NamedTuple):
    """The operation that NumPy runs in place of `np.power(array, exponent)`."""

    ufunc: np.ufunc
    more: tuple[Any, ...]  # operands after the array
    dtype: DType | None  # of the loop, where it is not the one that the array's dtype leads to

    @property
    def keywords(self) -> dict[str, Any]:
        return {} if self.dtype is None else {"dtype": self.dtype}


class _Asked(np.ndarray[Any, Any]):
    """An array that notes the ufunc that it is an operand of; the ufunc does not run."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        self.told = ufunc, inputs[0].dtype
        return self


@functools.lru_cache(maxsize=1024)
def _ask(dtype: DType, kind: Any, of: DType | None, value: Any, inplace: bool) -> Fast | None:
    exponent = value if of is None else of.type(value) if kind is not np.ndarray else np.array(value, of)
    base = np.ones(1, dtype).view(_Asked)
    if inplace:
        told = base
        told **= exponent
    else:
        told = base**exponent
    ufunc, used = told.told
    if ufunc is np.power:
        return None
    if ufunc not in _UFUNCS:  # all ones, by a ufunc that has no public name (until 2.2)
        return Fast(np.power, (0,), None)
    return Fast(ufunc, (), None if used == dtype else used)


def fast(dtype: DType, exponent: Any, inplace: bool = False) -> Fast | None:
    """Return the operation that NumPy runs for `array ** exponent`, or `array **= exponent`, if it is not
    `np.power`.

    Returns None if it is. dtype: the array's. exponent: anything; the rule is for numbers and 0-d arrays of
    numbers, and for arrays of bools and numbers. Source of the rule: `fast_scalar_power` (number.c), which is
    asked.
    """
    kind: Any = type(exponent)
    if kind is int or kind is float:
        of = None
    elif isinstance(exponent, (np.integer, np.floating)):
        of = exponent.dtype
    elif kind is np.ndarray and exponent.ndim == 0 and exponent.dtype.kind in "iuf":
        of, exponent = exponent.dtype, exponent[()]
    else:
        return None
    if dtype.kind not in "biufc" or exponent not in _SPECIAL_EXPONENTS:
        return None
    return _ask(dtype, kind, of, exponent if of is None else exponent.item(), inplace)


# True if the value of a NumPy scalar or of a 0-d array decides as well: until NumPy 2.2.
SCALARS = fast(np.dtype(np.float32), np.float64(2)) is not None


@functools.cache
def takes_square_root(dtype: DType) -> bool:
    """Tell if the loop of `np.power` for floats of this dtype takes the square root where all exponents are
    one 0.5.

    The square root is another number at -inf and -0. NumPy does since 2.3, but not for float16.
    """
    with np.errstate(all="ignore"):
        return bool(np.isnan(np.power(np.full(2, -np.inf, dtype), dtype.type(0.5))).all())


def fast_if_different(dtype: DType, exponent: Any, inplace: bool = False) -> Fast | None:
    """Return `fast`, where its answer is not `np.power`'s: in its dtype, or beyond the last digits."""
    found = fast(dtype, exponent, inplace)
    if found is None or dtype.kind == "c":
        return found
    if found.ufunc is np.sqrt and not takes_square_root(dtype):
        return found
    own = np.square.resolve_dtypes((found.dtype or dtype, None))[-1]
    kind = exponent.dtype if isinstance(exponent, (np.generic, np.ndarray)) else type(exponent)
    return None if own == np.power.resolve_dtypes((dtype, kind, None), casting="unsafe")[-1] else found


@functools.cache
def deciding_exponents(dtype: DType, exponent: Any, array: bool, inplace: bool) -> tuple[Any, ...]:
    """Return the exponents of a Python type or a dtype that `fast_if_different` has an answer for.

    array: as 0-d arrays.
    """
    if isinstance(exponent, type):
        some = [exponent(value) for value in _SPECIAL_EXPONENTS if exponent(value) == value]
    elif exponent.kind not in "iuf":
        return ()
    else:
        wide = [
            np.array(value).astype(exponent)
            for value in _SPECIAL_EXPONENTS
            if exponent.kind != "u" or value >= 0
        ]
        some = [value if array else value[()] for value in wide if value in _SPECIAL_EXPONENTS]
    return tuple(value for value in some if fast_if_different(dtype, value, inplace) is not None)
