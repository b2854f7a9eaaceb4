"""Functions of NumPy's own that go lane by lane, or into masked arrays, as whole-array arithmetic.

While one of them is recorded NumPy's own answer is at hand, and the two must be the same to the last bit.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from npcompile.frontend.ops import numpy_private
from npcompile.frontend.ops.table import computed

Array = np.ndarray[Any, Any]


def _small(a: Array, axis: Any = None, out: Any = None, overwrite_input: bool = False) -> Any:
    """NumPy's `_nanmedian_small`: of an odd number the middle one is halved after it is doubled."""
    ordered = np.sort(a, axis)
    count = np.expand_dims(a.shape[axis] - np.isnan(a).sum(axis), axis)
    low = np.take_along_axis(ordered, (count - 1) // 2, axis)
    high = np.take_along_axis(ordered, count // 2, axis)
    return np.squeeze((low + high) / 2.0, axis)


def _median_lanes(axis: int, a: Array, overwrite_input: bool = False) -> Any:
    """`np.apply_along_axis(_nanmedian1d, axis, a)`."""
    ordered = np.sort(a, axis)
    count = np.expand_dims(a.shape[axis] - np.isnan(a).sum(axis), axis)
    low = np.take_along_axis(ordered, (count - 1) // 2, axis)
    high = np.take_along_axis(ordered, count // 2, axis)
    wide = np.float32 if a.dtype == np.float16 else a.dtype  # as np.mean adds up
    middle = ((low.astype(wide) + high.astype(wide)) / 2.0).astype(a.dtype)
    found = np.squeeze(np.where(count % 2 == 1, low, middle), axis)
    return np.ascontiguousarray(found) if found.ndim else found  # laid out as NumPy does


def _median(arr1d: Array, overwrite_input: bool = False) -> Any:
    """NumPy's `_nanmedian1d`."""
    return _median_lanes(0, arr1d)[()]


def _quantile_lanes(
    axis: int,
    a: Array,
    q: Array,
    overwrite_input: bool = False,
    method: str = "linear",
    weights: Any = None,
    weak_q: bool = False,
) -> Any:
    """`np.apply_along_axis(_nanquantile_1d, axis, a, q)`."""
    lanes = np.moveaxis(a, axis, 0)
    ordered = np.sort(lanes, 0)
    last = (lanes.shape[0] - 1) - np.isnan(lanes).sum(0, keepdims=True)
    virtual = last.astype(q.dtype) * q.reshape((-1,) + (1,) * (a.ndim - 1))
    past, before = virtual >= last, virtual < 0
    place = np.where(before, 0, np.floor(virtual)).astype(np.intp)
    one = np.take_along_axis(ordered, np.where(past, last, place), 0)
    other = np.take_along_axis(ordered, np.where(past, last, np.where(before, 0, place + 1)), 0)
    gamma = (virtual - np.where(past, -1, place)).astype(virtual.dtype)
    rest = 1 - gamma
    near = gamma >= 0.5
    if weak_q:
        gamma, rest = gamma.astype(a.dtype), rest.astype(a.dtype)
    step = other - one
    found = np.where(near, other - step * rest, one + step * gamma).reshape(q.shape + lanes.shape[1:])
    if q.ndim == 0:
        return np.ascontiguousarray(found) if found.ndim else found  # laid out as NumPy does
    first, behind = list(range(q.ndim)), list(range(-q.ndim, 0))
    found = np.ascontiguousarray(np.moveaxis(found, first, behind))
    return np.moveaxis(found, behind, [axis + place for place in first])


def _quantile(
    arr1d: Array,
    q: Array,
    overwrite_input: bool = False,
    method: str = "linear",
    weights: Any = None,
    weak_q: bool = False,
) -> Any:
    """NumPy's `_nanquantile_1d`."""
    found = _quantile_lanes(0, arr1d, q, weak_q=weak_q)
    return found if q.ndim else found[()]


def _has_negative_zeros(a: Array) -> Any:
    return (np.signbit(a) & (a == 0)).any()


# Whether it goes by the order of equal numbers, which is NumPy's own, what sign a zero has.
has_negative_zeros: Any = _has_negative_zeros

# By NumPy's function; those that `np.apply_along_axis` is given (which need have no hash), by its id.
RESTATED: dict[Any, Callable[..., Any]] = {
    numpy_private.NANMEDIAN_SMALL: _small,
    numpy_private.NANMEDIAN_1D: _median,
    numpy_private.NANQUANTILE_1D: _quantile,
}
LANES: dict[int, Callable[..., Any]] = {
    id(numpy_private.NANMEDIAN_1D): _median_lanes,
    id(numpy_private.NANQUANTILE_1D): _quantile_lanes,
}


def operand(restated: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Array | None:
    """The array of a call that these do; None of any other."""
    given = inspect.signature(restated).bind(*args, **kwargs).arguments
    array, q = given.get("arr1d", given.get("a")), given.get("q")
    if type(array) is not np.ndarray or computed(array.dtype) is None or array.dtype.kind != "f":
        return None
    if given.get("overwrite_input") or given.get("method", "linear") != "linear":
        return None
    if given.get("out") is not None or given.get("weights") is not None:
        return None
    if q is not None and q.dtype.kind != "f":
        return None
    # Else the dtype is decided by whether the first lane is all NaN.
    steady = q is None or given.get("weak_q") or np.result_type(array, q) == array.dtype
    return array if steady else None
