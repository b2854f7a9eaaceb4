"""Ops that create arrays, from numbers or like another array. Shapes and the ends of ranges are statics.

Bodies without an array operand take the device as `device=`; without one it is torch's current default.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.lib.array_utils import normalize_axis_index
from torch import Tensor

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops.limits import dtype_limit
from npcompile.frontend.ops.rules import (
    INT64,
    DType,
    as_dtype,
    cast,
    constant,
    device_of,
    do,
    dtype_of,
    op,
    operand,
    strength,
    tensor,
    torch_dtype,
)
from npcompile.frontend.ops.shape import ORDERS, in_order, reverse
from npcompile.frontend.ops.symbolic_sizes import as_operand, as_whole, span
from npcompile.frontend.ops.table import Op
from npcompile.nep50 import promote, weak
from npcompile.nep50.asked import takes


def shape_of(shape: Any) -> tuple[int, ...]:
    """Return a shape as a tuple. Raises NumPy's TypeError or ValueError."""
    listed = shape if isinstance(shape, (tuple, list)) else (shape,)
    if any(isinstance(size, bool) for size in listed):
        raise TypeError("an integer is required")
    sizes = tuple(map(as_whole, listed))
    if any(size < 0 for size in sizes):
        raise ValueError("negative dimensions are not allowed")
    return sizes


def own_dtype(dtype: Any, kind: Any = float) -> DType:
    """Return the dtype asked for; without one the default for that kind of Python number."""
    if dtype is not None and dtype is not float:
        return np.dtype(dtype)
    return np.dtype(dtype or kind)


def creation_limits(dtype_at: int, order_at: int | None = None, sized: bool = False) -> Any:
    """Return the `limits` of a creation op: native dtypes, known orders, and no device other than the host.

    sized: the first parameter is a shape, which is a static: numbers, no array of them.
    """
    dtypes = dtype_limit(dtype_at)

    def limit(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
        order = kwargs.get("order", args[order_at] if order_at is not None and len(args) > order_at else None)
        if order is not None and order not in (ORDERS[:2] if op.creates else ORDERS):
            return Cause.ORDER(str(order))
        if kwargs.get("device") not in (None, "cpu"):
            return Cause.DEVICE(str(kwargs["device"]))
        sizes = kwargs.get("shape", args[0] if args else None) if sized else None
        if isinstance(sizes, np.ndarray) and sizes.ndim:
            return Cause.SIZES_IN_ARRAY()
        return dtypes(op, args, kwargs)

    return limit


# -- filled with one value -----------------------------------------------------------------------------------


@op(np.zeros, arrays=0, scalar=False, creates=True, limits=creation_limits(1, 2, True))
def zeros(shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None) -> Tensor:
    made = torch.zeros(shape_of(shape), dtype=torch_dtype(own_dtype(dtype)), device=device)
    return in_order(made, order)


@op(np.ones, arrays=0, scalar=False, creates=True, limits=creation_limits(1, 2, True))
def ones(shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None) -> Tensor:
    made = torch.ones(shape_of(shape), dtype=torch_dtype(own_dtype(dtype)), device=device)
    return in_order(made, order)


@op(np.empty, arrays=0, scalar=False, creates=True, limits=creation_limits(1, 2, True))
def empty(shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None) -> Tensor:
    made = torch.empty(shape_of(shape), dtype=torch_dtype(own_dtype(dtype)), device=device)
    return in_order(made, order)


_FILLS_WRAP = takes(lambda: np.full(1, 300, np.uint8))  # until NumPy 2.0 Python integers do, as arrays do


def _filling(value: Any, dtype: DType, shape: Sequence[int], device: Any) -> Tensor:
    """Return the value to fill with, in that shape: NumPy's copyto checks the bounds of Python integers
    alone."""
    device = device or device_of([value])
    value = operand(value, device)
    fits = type(value) is int and not _FILLS_WRAP
    filling = as_dtype(value, dtype, device) if fits else cast(tensor(value, device), dtype)
    aligned = zip(filling.shape[::-1], tuple(shape)[::-1], strict=False)
    if filling.dim() > len(shape) or any(size not in (1, other) for size, other in aligned):
        raise ValueError(
            f"could not broadcast input array from shape {tuple(filling.shape)} into shape {tuple(shape)}"
        )
    return filling.broadcast_to(shape)


@op(
    np.full,
    arrays=0,
    operands=("fill_value",),
    scalar=False,
    creates=True,
    limits=creation_limits(2, 3, True),
)
def full(shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", *, device: Any = None) -> Tensor:
    value = operand(fill_value)
    if dtype is None:
        kind = strength(value)
        chosen = own_dtype(None, kind) if isinstance(kind, type) else kind
    else:
        chosen = np.dtype(dtype)
    filled = _filling(value, chosen, shape_of(shape), device)
    return in_order(filled.clone(memory_format=torch.contiguous_format), order)


def _columns(a: Tensor, order: str) -> bool:
    """Tell if an array of that order, made like this one, has its columns first in memory."""
    return order == "F" or (not a.is_contiguous() and reverse(a).is_contiguous())


def _like(a: Tensor, dtype: Any, order: str, shape: Any) -> Tensor:
    """Return an uninitialised array with another's dtype, shape and memory order where these are not
    given."""
    kind = a.dtype if dtype is None else torch_dtype(np.dtype(dtype))
    if shape is not None:
        sizes = shape_of(shape)
        axes = list(range(len(sizes)))
        if order == "K" and len(sizes) == a.dim() and not a.is_contiguous():  # axes as in memory
            axes.sort(key=lambda axis: -axis if reverse(a).is_contiguous() else -a.stride()[axis])
        made = a.new_empty([sizes[axis] for axis in axes], dtype=kind)
        made = made.permute([axes.index(axis) for axis in range(len(sizes))])
        return in_order(made, "F" if order in ("F", "A") and _columns(a, order) else order)
    if order in ("F", "A"):
        return in_order(a.new_empty(a.shape, dtype=kind), "F" if _columns(a, order) else "C")
    keep = torch.contiguous_format if order == "C" else torch.preserve_format
    return torch.empty_like(a, dtype=kind, memory_format=keep)


@op(np.zeros_like, scalar=False, limits=creation_limits(1, 2))
def zeros_like(
    a: Tensor,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Tensor:
    return torch.zeros_like(_like(a, dtype, order, shape))


@op(np.ones_like, scalar=False, limits=creation_limits(1, 2))
def ones_like(
    a: Tensor,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Tensor:
    return torch.ones_like(_like(a, dtype, order, shape))


@op(np.empty_like, scalar=False, limits=creation_limits(1, 2))
def empty_like(
    prototype: Tensor,
    /,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Tensor:
    return _like(prototype, dtype, order, shape)


@op(np.full_like, operands=("fill_value",), scalar=False, limits=creation_limits(2, 3))
def full_like(
    a: Tensor,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Tensor:
    like = _like(a, dtype, order, shape)
    value = _filling(fill_value, dtype_of(like), like.shape, a.device)
    return torch.where(torch.ones_like(like, dtype=torch.bool), value, like)


# -- ranges --------------------------------------------------------------------------------------------------


def steps_between(distance: Any, step: Any) -> int:
    """Return how many steps fill a distance, as `np.arange` counts them. Raises where NumPy does."""
    count = distance / step
    if isinstance(count, complex | np.complexfloating):
        return max(min(_ceiling(count.real), _ceiling(count.imag)), 0)
    if count == 0 and distance != 0:  # it underflowed
        return int(math.copysign(1, count) > 0)
    return max(_ceiling(count), 0)


def _ceiling(count: Any) -> int:
    if math.isnan(count):
        raise ValueError("arange: cannot compute length")
    if not -(2.0**63) <= count <= 2.0**63:  # NumPy compares floats
        raise ValueError("Maximum allowed size exceeded")
    return math.ceil(count)


def _range_dtype(numbers: tuple[Any, ...]) -> DType:
    """Return the dtype of a range: NumPy takes each number as an array, and never goes below its default
    integer."""
    dtype = promote.result_type(INT64, *[np.asarray(item).dtype for item in numbers])
    return dtype


def _arange_limits(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    if any(isinstance(item, np.ndarray) for item in (*args, *kwargs.values())):
        return Cause.ARANGE_OF_ARRAY()
    if "start" in kwargs and kwargs.get("stop") is None:
        return Cause.ARANGE_NO_STOP()
    asked = kwargs.get("dtype", args[3] if len(args) > 3 else None)
    if asked is not None and np.dtype(asked).kind not in "iufc":
        return Cause.ARANGE_NO_NUMBERS()
    numbers = [item for item in args[:3] if item is not None]
    if asked is None and any(
        type(item) not in (int, float) and np.asarray(item).dtype.kind not in "iufc" for item in numbers
    ):
        return Cause.ARANGE_NO_NUMBERS()
    return creation_limits(3)(op, args, kwargs)


@op(np.arange, arrays=0, scalar=False, creates=True, limits=_arange_limits)
def arange(
    start: Any = None, stop: Any = None, step: Any = None, dtype: Any = None, *, device: Any = None
) -> Tensor:
    """Do PyArray_ArangeObj: the first two values are Python's, the rest `first + i * difference` in dtype."""
    if stop is None:
        if start is None:
            raise TypeError("arange() requires stop to be specified.")
        start, stop = 0, start
    start = 0 if start is None else start
    step = 1 if step is None else step
    if any(isinstance(item, torch.SymInt) for item in (start, stop, step)):
        chosen = INT64 if dtype is None else np.dtype(dtype)
        length = span(as_whole(start), as_whole(stop), as_whole(step))
        return cast(torch.arange(length, device=device) * step + start, chosen)
    chosen = _range_dtype((start, stop, step)) if dtype is None else np.dtype(dtype)
    if step == 0:
        raise ZeroDivisionError("division by zero")
    size = steps_between(stop - start, step)
    steps = torch.arange(size, device=device)
    if size == 0:
        return cast(steps, chosen)
    first, second = weak.convert(start, chosen), weak.convert(start + step, chosen)
    if chosen.kind in "iu":
        return cast(steps * (int(second) - int(first)) + int(first), chosen)
    working = np.dtype(np.float32) if chosen == np.float16 else chosen
    with np.errstate(all="ignore"):
        difference = second.astype(working) - first.astype(working)
    one, two = [constant(item, working, device) for item in (first, second)]
    rest = one + cast(steps, working) * constant(difference, working, device)
    return cast(torch.where(steps == 0, one, torch.where(steps == 1, two, rest)), chosen)


def _linspace_limits(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    if kwargs.get("retstep", args[4] if len(args) > 4 else False):
        return Cause.OPTION("retstep")
    return creation_limits(5)(op, args, kwargs)


@op(np.linspace, arrays=0, operands=("start", "stop"), scalar=False, creates=True, limits=_linspace_limits)
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Tensor:
    num = as_whole(num)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    div = num - 1 if endpoint else num
    device = device or device_of((start, stop))
    ends = [operand(item, device) for item in (start, stop)]
    inexact = promote.result_type(*map(strength, ends), float)
    first, last = [as_dtype(item, inexact, device) for item in ends]
    delta = do(np.subtract, last, first)
    steps = cast(torch.arange(num, device=device), inexact).reshape(-1, *(1,) * delta.dim())
    if div > 0:
        parts = as_operand(div, steps.device)
        step = do(np.divide, delta, parts)
        scaled = do(np.multiply, steps, step)
        # where the step underflows, divide first
        scaled = torch.where(step == 0, do(np.multiply, do(np.divide, steps, parts), delta), scaled)
    else:
        scaled = do(np.multiply, steps, delta)
    result = do(np.add, scaled, first)
    if endpoint and num > 1:
        is_last = torch.arange(num, device=device).reshape(steps.shape) == num - 1
        result = torch.where(is_last, last, result)
    if axis != 0:
        result = result.movedim(0, normalize_axis_index(axis, result.dim()))
    chosen = inexact if dtype is None else np.dtype(dtype)
    return cast(do(np.floor, result) if chosen.kind in "iu" else result, chosen)


def _bases(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    if np.ndim(kwargs.get("base", args[4] if len(args) > 4 else 10.0)):
        return Cause.BASE_ARRAY()
    return creation_limits(5)(op, args, kwargs)


@op(np.logspace, arrays=0, operands=("start", "stop", "base"), scalar=False, creates=True, limits=_bases)
def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Tensor:
    base = operand(base)
    if isinstance(base, Tensor) and base.dim():
        raise ValueError("a base that is an array")
    result = do(np.power, base, linspace.body(start, stop, num, endpoint, axis=axis))
    return result if dtype is None else cast(result, np.dtype(dtype))


# -- arrays of arrays ----------------------------------------------------------------------------------------


def _is_wide(value: Any) -> bool:
    """Tell if a list holds a Python integer beyond int64, which would become a float beside others."""
    if isinstance(value, (list, tuple)):
        return any(map(_is_wide, value))
    return type(value) is int and not -(2**63) <= value < 2**63


def _array_limits(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    if kwargs.get("copy", True) not in (True, None) or type(kwargs.get("ndmin", 0)) is not int:
        return Cause.OPTION("copy or ndmin")
    if kwargs.get("order", args[2] if len(args) > 2 else None) not in (None, "C", "K"):
        return Cause.OPTION("order")
    if args and type(args[0]) in (list, tuple) and _is_wide(args[0]):
        return Cause.BEYOND_INT64()
    return creation_limits(1, 2)(op, args, kwargs)


def _shows_its_own(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    return kwargs.get("copy", True) is not True


@op(np.array, scalar=False, creates=True, view=True, views=_shows_its_own, limits=_array_limits)
def array(
    object: Tensor,
    dtype: Any = None,
    *,
    copy: bool | None = True,
    order: str = "K",
    subok: bool = False,
    ndmin: int = 0,
) -> Tensor:
    result = object if dtype is None else cast(object, np.dtype(dtype))
    if copy and result is object:
        result = result.clone()
    return result.reshape((1,) * max(ndmin - result.dim(), 0) + tuple(result.shape))


@op(np.asarray, np.asanyarray, name="numpy.asarray", scalar=False, view=True, limits=_array_limits)
def asarray(
    a: Tensor, dtype: Any = None, order: str | None = None, *, device: Any = None, copy: bool | None = None
) -> Tensor:
    """Return the array itself if there is nothing to convert."""
    result = a if dtype is None else cast(a, np.dtype(dtype))
    return result.clone() if copy and result is a else result


@op(np.ascontiguousarray, scalar=False, view=True, limits=creation_limits(1))
def ascontiguousarray(a: Tensor, dtype: Any = None) -> Tensor:
    result = (a if dtype is None else cast(a, np.dtype(dtype))).contiguous()
    return result.reshape(1) if result.dim() == 0 else result
