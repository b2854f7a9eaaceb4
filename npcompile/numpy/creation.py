"""Conversions to our arrays: `array`, `asarray` and their like, which are no ops."""

from __future__ import annotations

from typing import Any

import numpy

from npcompile.frontend.eager import dispatch
from npcompile.frontend.eager.ndarray import asarray as _asarray
from npcompile.frontend.eager.ndarray import ndarray, of_device_memory
from npcompile.frontend.ops import numpy_private
from npcompile.numpy.wrappers import Conversion


@Conversion
def array(
    object: Any,
    dtype: Any = None,
    *,
    copy: bool | None = True,
    order: Any = "K",
    subok: bool = False,
    ndmin: int = 0,
    ndmax: Any = None,
    like: Any = None,
) -> Any:
    """Do `numpy.array`: return our array, or NumPy's for dtypes that torch lacks. Raises what NumPy
    raises."""
    if isinstance(copy, numpy_private.COPY_MODE):
        copy = {True: True, False: False}.get(copy.value)
    elif copy is not None:
        copy = bool(copy)
    if ndmax is not None:
        named = {"copy": copy, "order": order, "ndmin": ndmin, "ndmax": ndmax}
        return dispatch.host(numpy.array, (object, dtype), named)
    if order is None:
        order = "K"
    if order not in ("K", "A", "C", "F"):
        return dispatch.host(numpy.array, (object, dtype), {"copy": copy, "order": order, "ndmin": ndmin})
    if type(object) in (list, tuple) and copy is not False and dispatch.arrays_in(object):
        made = dispatch.call(numpy.array, (object, dtype), {})  # of arrays: they are put together by the op
    else:
        made = _asarray(object, dtype, copy=copy if order == "K" else copy or None)
    if not isinstance(made, ndarray):
        return made if not ndmin and order == "K" else numpy.array(made, order=order, ndmin=ndmin, copy=None)
    if order in "CF" and not made.flags["CF"[order == "F"] + "_CONTIGUOUS"]:
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        made = made.copy(order)
    return _with_axes(made, ndmin) if made.ndim < ndmin else made


def _with_axes(made: Any, ndmin: int) -> Any:
    """Add axes of length 1 in front, with strides that keep the array in its order (NumPy's
    `_prepend_ones`)."""
    layout = made._layout
    ordered = layout.ndim and not layout.flags.fnc
    step = layout.strides[0] * layout.shape[0] if ordered else layout.itemsize
    more = ndmin - layout.ndim
    shape, strides = (1,) * more + layout.shape, (step,) * more + layout.strides
    return made._view_at(numpy.lib.stride_tricks.as_strided(layout, shape, strides))


@Conversion
def asarray(
    a: Any,
    dtype: Any = None,
    order: Any = None,
    *,
    device: Any = None,
    copy: bool | None = None,
    like: Any = None,
) -> Any:
    """Do `numpy.asarray`: return our array itself, or a new one that shares memory where possible."""
    made = array(a, dtype, copy=copy, order=order or "K")
    return made if device is None or not isinstance(made, ndarray) else made.to_device(device)


@Conversion
def asanyarray(a: Any, dtype: Any = None, order: Any = None, **kwargs: Any) -> Any:
    """Do `numpy.asanyarray`: subclasses of NumPy's array stay themselves."""
    if isinstance(a, numpy.ndarray) and type(a) is not numpy.ndarray:
        return numpy.asanyarray(a, dtype, order, **kwargs)
    return asarray(a, dtype, order, **kwargs)


@Conversion
def ascontiguousarray(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """Do `numpy.ascontiguousarray`: at least 1-d and in C order, without a copy if it is already."""
    made = asarray(a, dtype)
    if not isinstance(made, ndarray):
        return numpy.ascontiguousarray(made)
    if made.ndim == 0:
        made = made.reshape(1)
    return made if made.flags["C_CONTIGUOUS"] else made.copy()


@Conversion
def asfortranarray(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """Do `numpy.asfortranarray`: columns first, without a copy if they are already."""
    return array(a, dtype, copy=None, order="F", ndmin=1)


@Conversion
def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Any:
    """Do `numpy.from_dlpack`: NumPy's own for host memory, torch's for other devices.

    torch aborts the process on negative strides, and forgets that memory is read-only.
    """
    if isinstance(x, ndarray) and x.device == "cpu":
        x = x._layout
    made = x.view() if isinstance(x, ndarray) else of_device_memory(x)
    if made is not x:
        if device is not None:
            made = made.to_device(device)
        return made.copy() if copy else made
    if device is None or device == "cpu":
        options: dict[str, Any] = {"device": device, "copy": copy}
        given = {name: value for name, value in options.items() if value is not None}
        return _asarray(numpy.from_dlpack(x, **given))  # before NumPy 2.1 it takes no keywords
    return _asarray(numpy.from_dlpack(x)).to_device(device)
