"""Rewrites of NumPy functions that go lane by lane, or into masked arrays, as whole-array arithmetic.

A recording runs them in place of NumPy's. NumPy's own answer is at hand then, and the two must be equal to
the last bit.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from npcompile.frontend.ops import numpy_private
from npcompile.frontend.ops.table import computed

Array = np.ndarray[Any, Any]


def _nanmedian_small(a: Array, axis: Any = None, out: Any = None, overwrite_input: bool = False) -> Any:
    """Do NumPy's `_nanmedian_small`: of an odd number of elements the middle one is doubled and halved."""
    ordered = np.sort(a, axis)
    count = np.expand_dims(a.shape[axis] - np.isnan(a).sum(axis), axis)
    low = np.take_along_axis(ordered, (count - 1) // 2, axis)
    high = np.take_along_axis(ordered, count // 2, axis)
    return np.squeeze((low + high) / 2.0, axis)


def _nanmedian_lanes(axis: int, a: Array, overwrite_input: bool = False) -> Any:
    """Do `np.apply_along_axis(_nanmedian1d, axis, a)`."""
    ordered = np.sort(a, axis)
    count = np.expand_dims(a.shape[axis] - np.isnan(a).sum(axis), axis)
    low = np.take_along_axis(ordered, (count - 1) // 2, axis)
    high = np.take_along_axis(ordered, count // 2, axis)
    wide = np.float32 if a.dtype == np.float16 else a.dtype  # as np.mean adds up
    middle = ((low.astype(wide) + high.astype(wide)) / 2.0).astype(a.dtype)
    found = np.squeeze(np.where(count % 2 == 1, low, middle), axis)
    return np.ascontiguousarray(found) if found.ndim else found  # laid out as NumPy does


def _nanmedian_1d(arr1d: Array, overwrite_input: bool = False) -> Any:
    """Do NumPy's `_nanmedian1d`."""
    return _nanmedian_lanes(0, arr1d)[()]


def _nanquantile_lanes(
    axis: int,
    a: Array,
    q: Array,
    overwrite_input: bool = False,
    method: str = "linear",
    weights: Any = None,
    weak_q: bool = False,
) -> Any:
    """Do `np.apply_along_axis(_nanquantile_1d, axis, a, q)`."""
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


def _nanquantile_1d(
    arr1d: Array,
    q: Array,
    overwrite_input: bool = False,
    method: str = "linear",
    weights: Any = None,
    weak_q: bool = False,
) -> Any:
    """Do NumPy's `_nanquantile_1d`."""
    found = _nanquantile_lanes(0, arr1d, q, weak_q=weak_q)
    return found if q.ndim else found[()]


def _has_negative_zeros(a: Array) -> Any:
    return (np.signbit(a) & (a == 0)).any()


# Tells if the sign of a zero in the answer depends on NumPy's own order of equal numbers.
has_negative_zeros: Any = _has_negative_zeros

# The rewrites by NumPy's function, and those of functions given to `np.apply_along_axis` by the function's
# id: such a function need not be hashable.
REWRITES: dict[Any, Callable[..., Any]] = {
    numpy_private.NANMEDIAN_SMALL: _nanmedian_small,
    numpy_private.NANMEDIAN_1D: _nanmedian_1d,
    numpy_private.NANQUANTILE_1D: _nanquantile_1d,
}
LANE_REWRITES: dict[int, Callable[..., Any]] = {
    id(numpy_private.NANMEDIAN_1D): _nanmedian_lanes,
    id(numpy_private.NANQUANTILE_1D): _nanquantile_lanes,
}


def operand(rewrite: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Array | None:
    """Return the array of a call that these rewrites do, None for any other call."""
    given = inspect.signature(rewrite).bind(*args, **kwargs).arguments
    array, q = given.get("arr1d", given.get("a")), given.get("q")
    if type(array) is not np.ndarray or computed(array.dtype) is None or array.dtype.kind != "f":
        return None
    if given.get("overwrite_input") or given.get("method", "linear") != "linear":
        return None
    if given.get("out") is not None or given.get("weights") is not None:
        return None
    if q is not None and q.dtype.kind != "f":
        return None
    # Otherwise the dtype depends on the first lane: it may be all NaN.
    steady = q is None or given.get("weak_q") or np.result_type(array, q) == array.dtype
    return array if steady else None
