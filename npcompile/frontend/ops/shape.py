"""Ops that give arrays other shapes, axes and orders; the elements stay the same."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.exceptions import AxisError
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple
from torch import Tensor

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops.rules import cast, device_of, dtype_of, op, tensor, torch_dtype
from npcompile.frontend.ops.symbolic_sizes import as_whole, broadcast_shapes
from npcompile.frontend.ops.table import Op, Unsupported


def integers(values: Any) -> tuple[int, ...]:
    """Return one integer or a sequence of them, of any integer type, as a tuple."""
    if isinstance(values, Tensor) and values.dim() == 1 and dtype_of(values).kind in "iu":
        values = values.tolist()
    if isinstance(values, (list, tuple)):
        return tuple(as_whole(item) for item in values)
    return (as_whole(values),)


def _in_c_order(order: Any) -> None:
    if order not in ("C", "K", "A", None):
        raise Unsupported(Cause.ORDER(str(order)))


# -- the same elements in another shape ------------------------------------------------------------


def _reshape(a: Tensor, shape: tuple[int, ...], order: Any) -> Tensor:
    if order not in ("C", "F"):
        raise Unsupported(Cause.ORDER(str(order)))
    asked = shape
    if shape.count(-1) == 1:
        known = math.prod(extent for extent in shape if extent != -1)
        if known != 0 and a.numel() % known == 0:
            shape = tuple(a.numel() // known if extent == -1 else extent for extent in shape)
    if math.prod(shape) != a.numel() or any(extent < 0 for extent in shape):
        shown = list(itertools.dropwhile(lambda extent: extent < 0, asked))  # as NumPy shows it
        text = ",".join("newaxis" if extent < 0 else str(extent) for extent in shown)
        text += "," if len(asked) == 1 else ""
        raise ValueError(f"cannot reshape array of size {a.numel()} into shape ({text})")
    if order == "F":
        return reverse(reverse(a).reshape(shape[::-1]))
    return a.reshape(shape)


def reverse(a: Tensor) -> Tensor:
    """Return the array with its axes in reverse order."""
    return a.permute(tuple(reversed(range(a.dim()))))


def scalar_for_scalar(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Tell if the answer is a scalar: NumPy calls the first argument's method of that name, and a scalar's is
    one."""
    return isinstance(args[0] if args else kwargs.get("a"), np.generic)


def _order_limits(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    """Refuse, as a `limits`, the orders "A" and "K", which depend on the layout of the array: NumPy answers
    those."""
    place = 2 if op.function is np.reshape else 1
    order = kwargs.get("order", "C")
    if op.function is not np.ndarray.reshape and len(args) > place:
        order = args[place]
    return None if order in ("C", "F") else Cause.ORDER(str(order))


@op(np.reshape, scalars=scalar_for_scalar, view=True, limits=_order_limits)
def reshape(a: Tensor, /, shape: Any, order: Any = "C", *, copy: bool | None = None) -> Tensor:
    return _reshape(a, integers(shape), order)


@op(np.ndarray.reshape, scalar=False, view=True, limits=_order_limits)
def ndarray_reshape(a: Tensor, /, *shape: Any, order: Any = "C", copy: bool | None = None) -> Tensor:
    return _reshape(a, integers(shape[0]) if len(shape) == 1 else integers(shape), order)


@op(np.ravel, np.ndarray.ravel, scalar=False, view=True, limits=_order_limits)
def ravel(a: Tensor, order: Any = "C") -> Tensor:
    return _reshape(a, (-1,) if a.numel() else (0,), order)


@op(np.ndarray.flatten, scalar=False, limits=_order_limits)
def flatten(a: Tensor, order: Any = "C") -> Tensor:
    return _reshape(a, (-1,) if a.numel() else (0,), order).clone()


def _transpose(a: Tensor, axes: Sequence[int] | None) -> Tensor:
    if axes is None:
        return reverse(a)
    if len(axes) != a.dim():
        raise ValueError("axes don't match array")
    return a.permute(normalize_axis_tuple(axes, a.dim()))


@op(np.transpose, scalars=scalar_for_scalar, view=True)
def transpose(a: Tensor, axes: Any = None) -> Tensor:
    return _transpose(a, None if axes is None else integers(axes))


@op(np.ndarray.transpose, scalar=False, view=True)
def ndarray_transpose(a: Tensor, /, *axes: Any) -> Tensor:
    if not axes or axes == (None,):
        return _transpose(a, None)
    return _transpose(a, integers(axes[0]) if len(axes) == 1 else integers(axes))


@op(np.ndarray.T, name="numpy.ndarray.T", scalar=False, view=True)
def ndarray_T(a: Tensor) -> Tensor:
    return _transpose(a, None)


@op(np.matrix_transpose, np.linalg.matrix_transpose, scalar=False, view=True)
def matrix_transpose(x: Tensor, /) -> Tensor:
    return _swapped(x)


def _swapped(a: Tensor) -> Tensor:
    if a.dim() < 2:
        raise ValueError("matrix transpose with ndim < 2 is undefined")
    return a.transpose(-1, -2)


@op(np.ndarray.mT, name="numpy.ndarray.mT", scalar=False, view=True)
def ndarray_mT(a: Tensor) -> Tensor:
    return _swapped(a)


@op(np.swapaxes, np.ndarray.swapaxes, scalar=False, view=True)
def swapaxes(a: Tensor, axis1: int, axis2: int) -> Tensor:
    return a.transpose(normalize_axis_index(axis1, a.dim()), normalize_axis_index(axis2, a.dim()))


@op(np.moveaxis, scalar=False, view=True)
def moveaxis(a: Tensor, source: Any, destination: Any) -> Tensor:
    taken = normalize_axis_tuple(source, a.dim())
    put = normalize_axis_tuple(destination, a.dim())
    if len(taken) != len(put):
        raise ValueError("`source` and `destination` arguments must have the same number of elements")
    order = [axis for axis in range(a.dim()) if axis not in taken]
    for at, axis in sorted(zip(put, taken, strict=True)):
        order.insert(at, axis)
    return a.permute(order)


@op(np.rollaxis, scalar=False, view=True)
def rollaxis(a: Tensor, axis: int, start: int = 0) -> Tensor:
    axis = normalize_axis_index(axis, a.dim())
    if not -a.dim() <= start <= a.dim():
        raise AxisError(
            f"'start' arg requires {-a.dim()} <= start < {a.dim() + 1}, but {start} was passed in"
        )
    start = start + a.dim() if start < 0 else start
    order = [other for other in range(a.dim()) if other != axis]
    order.insert(start - 1 if axis < start else start, axis)
    return a.permute(order)


@op(np.squeeze, np.ndarray.squeeze, scalars=scalar_for_scalar, view=True)
def squeeze(a: Tensor, axis: Any = None) -> Tensor:
    if axis is None:
        return a.reshape([extent for extent in a.shape if extent != 1])
    axes = normalize_axis_tuple(axis, a.dim())
    if any(a.shape[each] != 1 for each in axes):
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return a.reshape([extent for at, extent in enumerate(a.shape) if at not in axes])


@op(np.expand_dims, scalar=False, view=True)
def expand_dims(a: Tensor, axis: Any) -> Tensor:
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    total = a.dim() + len(axes)
    places = normalize_axis_tuple(axes, total)
    extents = iter(a.shape)
    return a.reshape([1 if at in places else next(extents) for at in range(total)])


def _at_least(items: Sequence[Any], expand: Any) -> Any:
    results = [expand(tensor(item, device_of(items))) for item in items]
    return results[0] if len(results) == 1 else tuple(results)


@op(np.atleast_1d, arrays=0, parts=64, scalar=False, view=True)
def atleast_1d(*arys: Any) -> Any:
    return _at_least(arys, lambda a: a if a.dim() >= 1 else a.reshape(1))


@op(np.atleast_2d, arrays=0, parts=64, scalar=False, view=True)
def atleast_2d(*arys: Any) -> Any:
    return _at_least(arys, lambda a: a if a.dim() >= 2 else a.reshape(1, -1))


def at_least_3d(a: Tensor) -> Tensor:
    if a.dim() >= 3:
        return a
    return a.unsqueeze(-1) if a.dim() == 2 else a.reshape(1, -1, 1)


@op(np.atleast_3d, arrays=0, parts=64, scalar=False, view=True)
def atleast_3d(*arys: Any) -> Any:
    return _at_least(arys, at_least_3d)


# -- broadcasting ----------------------------------------------------------------------------------


@op(np.broadcast_to, scalar=False, view=True)
def broadcast_to(array: Tensor, shape: Any, subok: bool = False) -> Tensor:
    target = integers(shape)
    if broadcast_shapes(tuple(array.shape), target) != target:
        raise ValueError("input operand has more dimensions than allowed by the axis remapping")
    return array.expand(target)


@op(np.broadcast_arrays, arrays=0, operands=["args"], scalar=False, view=True)
def broadcast_arrays(*args: Any) -> tuple[Tensor, ...]:
    arrays = [tensor(item, device_of(args)) for item in args]
    shape = broadcast_shapes(*(tuple(item.shape) for item in arrays))
    return tuple(item.expand(shape) for item in arrays)


# -- rotating and flipping -------------------------------------------------------------------------


@op(np.flip, view=True)
def flip(m: Tensor, axis: Any = None) -> Tensor:
    return m.flip(tuple(range(m.dim())) if axis is None else normalize_axis_tuple(axis, m.dim()))


@op(np.fliplr, scalar=False, view=True)
def fliplr(m: Tensor) -> Tensor:
    if m.dim() < 2:
        raise ValueError("Input must be >= 2-d.")
    return m.flip(1)


@op(np.flipud, scalar=False, view=True)
def flipud(m: Tensor) -> Tensor:
    if m.dim() < 1:
        raise ValueError("Input must be >= 1-d.")
    return m.flip(0)


@op(np.rot90, scalar=False, view=True)
def rot90(m: Tensor, k: int = 1, axes: Any = (0, 1)) -> Tensor:
    first, second = normalize_axis_tuple(axes, m.dim())
    turns = operator.index(k) % 4
    if turns == 0:
        return m
    if turns == 2:
        return m.flip((first, second))
    return m.flip(second).transpose(first, second) if turns == 1 else m.transpose(first, second).flip(second)


# -- diagonals, parts, copies ----------------------------------------------------------------------


@op(np.diagonal, np.ndarray.diagonal, scalar=False, view=True)
def diagonal(a: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    if a.dim() < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    return a.diagonal(
        operator.index(offset), normalize_axis_index(axis1, a.dim()), normalize_axis_index(axis2, a.dim())
    )


@op(np.linalg.diagonal, scalar=False, view=True)
def linalg_diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    return x.diagonal(operator.index(offset), -2, -1)


@op(np.diag, scalar=False, view=True)
def diag(v: Tensor, k: int = 0) -> Tensor:
    if v.dim() == 1:
        return torch.diag_embed(v, operator.index(k))
    if v.dim() == 2:
        return v.diagonal(operator.index(k))
    raise ValueError("Input must be 1- or 2-d.")


@op(np.diagflat, scalar=False)
def diagflat(v: Tensor, k: int = 0) -> Tensor:
    return torch.diag_embed(v.reshape(-1), operator.index(k))


def _part_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    if args and isinstance(args[0], (bool, int, float, complex, np.generic)):
        return Cause.NUMBER_ATTRIBUTE()
    return None


@op(np.real, np.ndarray.real, name="numpy.real", scalar=False, view=True, limits=_part_limits)
def real(val: Tensor) -> Tensor:
    return torch.real(val) if val.is_complex() else val


@op(np.imag, np.ndarray.imag, name="numpy.imag", scalar=False, view=True, limits=_part_limits)
def imag(val: Tensor) -> Tensor:
    # NumPy's imag is a new array of zeros for a real array, and a view for a complex one.
    return torch.view_as_real(val)[..., 1] if val.is_complex() else torch.zeros_like(val)


def _copies(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    order = args[1] if len(args) > 1 else kwargs.get("order", "C")
    return None if order in ORDERS else Cause.ORDER(str(order))


# Orders of memory: by rows, by columns, the array's own if it is one of these, the array's own.
ORDERS = ("C", "F", "A", "K")


def in_order(a: Tensor, order: Any) -> Tensor:
    """Return the array in memory of that order: itself where it has it already."""
    if order == "K" or order is None:
        return a
    across = tuple(reversed(range(a.dim())))
    if order == "F" or (order == "A" and not a.is_contiguous() and a.permute(across).is_contiguous()):
        return a.permute(across).contiguous().permute(across)
    return a.contiguous()


def _copy(a: Tensor, order: str) -> Tensor:
    result = in_order(a, order)
    return a.clone(memory_format=torch.preserve_format) if result is a else result


@op(np.copy, scalar=False, limits=_copies)
def copy(a: Tensor, order: Any = "K", subok: bool = False) -> Tensor:
    return _copy(a, order)


@op(np.ndarray.copy, scalar=False, limits=_copies)
def ndarray_copy(a: Tensor, order: Any = "C") -> Tensor:
    return _copy(a, order)


def _astype_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    if not isinstance(args[0], np.ndarray):
        return Cause.ASTYPE_SCALAR()
    if kwargs.get("device") not in (None, "cpu"):
        return Cause.OPTION("device")
    given = dict(zip(("array", "dtype", "order", "casting", "subok", "copy"), args, strict=False)) | kwargs
    dtype = np.dtype(given["dtype"])
    if given.get("order", "K") not in ORDERS:
        return Cause.OPTION("order")
    if not given.get("copy", True) and dtype == args[0].dtype:
        return Cause.ASTYPE_NO_COPY()
    if not np.can_cast(args[0].dtype, dtype, given.get("casting", "unsafe")):
        return Cause.CAST_RAISES()
    if dtype.kind not in "bc" and args[0].dtype.kind == "c":
        return Cause.COMPLEX_CAST()
    try:
        torch_dtype(dtype)
    except Unsupported as refusal:
        return refusal.reason
    return None


def _astype(a: Tensor, dtype: Any, order: str = "K") -> Tensor:
    result = cast(a, np.dtype(dtype))
    return _copy(a, order) if result is a else in_order(result, order)


@op(np.ndarray.astype, scalar=False, limits=_astype_limits)
def ndarray_astype(
    a: Tensor, dtype: Any, order: Any = "K", casting: Any = "unsafe", subok: bool = True, copy: bool = True
) -> Tensor:
    return _astype(a, dtype, order)


@op(np.astype, scalar=False, limits=_astype_limits)
def astype(x: Tensor, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Tensor:
    return _astype(x, dtype)


def _view_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    if len(args) + len(kwargs) > 2 or "type" in kwargs:
        return Cause.VIEW_TYPE()
    asked = args[1] if len(args) > 1 else kwargs.get("dtype")
    if asked is None:
        return None
    if isinstance(asked, type) and issubclass(asked, np.ndarray):
        return Cause.VIEW_TYPE()
    dtype = np.dtype(asked)
    try:
        torch_dtype(dtype)
    except Unsupported as refusal:
        return refusal.reason
    if isinstance(args[0], np.ndarray) and args[0].dtype.itemsize != dtype.itemsize:
        return Cause.VIEW_SIZE()
    return None


@op(np.ndarray.view, scalar=False, view=True, limits=_view_limits)
def view(a: Tensor, dtype: Any = None) -> Tensor:
    return a.view(a.shape) if dtype is None else a.view(torch_dtype(np.dtype(dtype)))
