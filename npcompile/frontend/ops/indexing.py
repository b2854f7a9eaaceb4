"""Ops that index: items and stores by static and by array indices, taking and putting.

Bodies wrap negative indices and return whether every index was in range: NumPy raises where one was not.
Functions with a result of data-dependent size (boolean masks as indices, nonzero, unique, extract) are no
ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.lib.array_utils import normalize_axis_index
from torch import Tensor

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops.rules import as_dtype, cast, dtype_of, op, tensor
from npcompile.frontend.ops.symbolic_sizes import as_whole, bounds, broadcast_shapes, broadcasts_to, span
from npcompile.frontend.ops.table import Op, Unsupported, Weak
from npcompile.frontend.ops.write_order import is_read_late
from npcompile.nep50.asked import takes


def _all(*checks: Tensor | None) -> Tensor | None:
    """Combine several checks, None being one that cannot fail."""
    made = [check for check in checks if check is not None]
    if not made:
        return None
    result = made[0]
    for check in made[1:]:
        result = result & check
    return result


def _wrapped(index: Tensor, length: int) -> tuple[Tensor, Tensor]:
    """Return indices counted from the front, clamped into range, and if all were in range."""
    index = index.to(torch.int64)
    ok = ((index >= -length) & (index < length)).all()
    index = torch.where(index < 0, index + length, index)
    return index.clamp(0, max(length - 1, 0)), ok


def _is_integer(value: Any) -> bool:
    if isinstance(value, (bool, np.bool_, Tensor, Weak)):
        return False
    return isinstance(value, (int, np.integer)) or hasattr(value, "__index__")


# -- items -----------------------------------------------------------------------------------------


def _index_array(item: Any, a: Tensor) -> Tensor:
    """Return a list as an index array: the dtype of an empty list does not matter."""
    found = tensor(item, a.device)
    return found if found.numel() else found.to(torch.int64)


def _parse(a: Tensor, index: Any) -> tuple[Tensor, list[Tensor | None], bool]:
    """Do the basic part of an index.

    Returns the array after it, for each axis its index array or None (the whole axis), and if there is any
    index array. Where there is one, integers are index arrays too: NumPy counts them as such in placing the
    new axes. Raises IndexError as NumPy does; Unsupported for masks.
    """
    items = list(index) if isinstance(index, tuple) else [index]
    items = [_index_array(item, a) if isinstance(item, (list, tuple, Weak)) else item for item in items]
    for item in items:
        if isinstance(item, (bool, np.bool_)) or (isinstance(item, Tensor) and item.dtype == torch.bool):
            raise Unsupported(Cause.MASK_INDEX())
        if isinstance(item, Tensor) and (item.is_floating_point() or item.is_complex()):
            raise IndexError("arrays used as indices must be of integer (or boolean) type")
    if sum(item is Ellipsis for item in items) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    used = sum(item is not None and item is not Ellipsis for item in items)
    if used > a.dim():
        raise IndexError(
            f"too many indices for array: array is {a.dim()}-dimensional, but {used} were indexed"
        )
    at = next((place for place, item in enumerate(items) if item is Ellipsis), len(items))
    advanced = any(isinstance(item, Tensor) for item in items)
    apart = used == a.dim() and any(map(_picks, items[:at])) and any(map(_picks, items[at:]))
    items[at : at + 1] = [slice(None)] * (a.dim() - used)

    indices: list[Tensor | None] = []
    axis = 0
    for item in items:
        if item is None:
            a = a.unsqueeze(axis)
            indices.append(None)
            axis += 1
        elif isinstance(item, slice):
            a = _sliced(a, axis, item)
            indices.append(None)
            axis += 1
        elif isinstance(item, Tensor):
            indices.append(item)
            axis += 1
        elif _is_integer(item):
            place, length = as_whole(item), a.shape[axis]
            if not -length <= place < length:
                raise IndexError(f"index {place} is out of bounds for axis {axis} with size {length}")
            place = place + length if place < 0 else place
            if advanced:
                indices.append(torch.full((), place, dtype=torch.int64, device=a.device))
                axis += 1
            else:
                a = a.select(axis, place)
        else:
            raise IndexError(
                "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or "
                "boolean arrays are valid indices"
            )
    if advanced and apart:  # by an Ellipsis for no axis: for NumPy the index arrays do not stand together
        order = sorted(range(len(indices)), key=lambda axis: indices[axis] is None)
        a, indices = a.permute(order), [indices[axis] for axis in order]
    return a, indices, advanced


def _picks(item: Any) -> bool:
    return isinstance(item, Tensor) or _is_integer(item)


def _sliced(a: Tensor, axis: int, item: slice) -> Tensor:
    start, stop, step = bounds(item, a.shape[axis])
    length = span(start, stop, step)
    if length == 0:
        return a.narrow(axis, 0, 0)
    if step > 0:
        # A stop that is a parameter is not compared with the length: the code serves both cases.
        whole_axis = item.stop is None or type(stop) is type(a.shape[axis]) is int
        whole_axis = whole_axis and (start, stop, step) == (0, a.shape[axis], 1)
        return a if whole_axis else _every(a, axis, start, stop, step)
    last = start + (length - 1) * step
    return _every(a, axis, last, start + 1, -step).flip(axis)


def _every(a: Tensor, axis: int, start: int, stop: int, step: int) -> Tensor:
    return a[(slice(None),) * axis + (slice(start, stop, step),)]


def _checked_indices(
    a: Tensor, indices: Sequence[Tensor | None]
) -> tuple[list[Tensor | None], Tensor | None]:
    shapes = [tuple(index.shape) for index in indices if index is not None]
    try:
        shape = broadcast_shapes(*shapes)
    except ValueError:
        listed = " ".join(map(str, shapes))
        raise IndexError(
            f"shape mismatch: indexing arrays could not be broadcast together with shapes {listed}"
        ) from None
    wrapped: list[Tensor | None] = []
    checks = []
    for axis, index in enumerate(indices):
        if index is None:
            wrapped.append(None)
        else:
            place, ok = _wrapped(index, a.shape[axis])
            # Inductor gives a result of the last index's shape where that one has no axes.
            wrapped.append(place if place.dim() else place.expand(shape))
            if 0 not in shape or not index.dim():  # NumPy does not look at arrays that are broadcast away
                checks.append(ok)
    return wrapped, _all(*checks)


def _index_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    """Refuse, as a `limits`, masks, and lists whose dtype is no integer."""
    index = args[1]
    for item in index if type(index) is tuple else (index,):
        if isinstance(item, (bool, np.bool_)):
            return Cause.MASK_INDEX()
        if isinstance(item, np.ndarray) and item.dtype == np.bool_:
            return Cause.MASK_INDEX()
        if isinstance(item, (list, tuple)):
            try:
                dtype = np.asarray(item).dtype
            except ValueError:
                return Cause.RAGGED_INDEX()
            if dtype.kind not in "iu" and np.size(item):
                return Cause.LIST_INDEX_DTYPE(str(dtype))
        if isinstance(item, str):
            return Cause.FIELD_INDEX()
    return None


def _sure_index(args: tuple[Any, ...], result: Any) -> bool:
    """Tell if an index cannot fail: shapes decide basic indices and masks, which were checked while
    recording."""
    index = args[1] if type(args[1]) is tuple else (args[1],)
    return not any(
        isinstance(item, (list, tuple)) or getattr(item, "dtype", np.bool_) != np.bool_ for item in index
    )


def _returns_scalars(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Tell if a 0-d answer is a scalar: an Ellipsis in the index asks for an array."""
    return not any(item is Ellipsis for item in (args[1] if type(args[1]) is tuple else (args[1],)))


@op(
    np.ndarray.__getitem__,
    view=True,
    checked=True,
    sure=_sure_index,
    limits=_index_limits,
    scalars=_returns_scalars,
)
def getitem(a: Tensor, index: Any, /) -> tuple[Tensor, Tensor | None]:
    a, indices, advanced = _parse(a, index)
    if not advanced:
        return a, None
    places, ok = _checked_indices(a, indices)
    if any(place is not None and a.shape[axis] == 0 for axis, place in enumerate(places)):
        return a.new_zeros(_picked_shape(a, places)), ok
    return torch.ops.aten.index(a, places), ok


def _picked_shape(a: Tensor, places: Sequence[Tensor | None]) -> torch.Size:
    """Return the shape of the elements picked from an array that may be empty."""
    some = [extent if place is None else extent or 1 for extent, place in zip(a.shape, places, strict=True)]
    return torch.ops.aten.index(a.new_empty(some), places).shape


def _stored_limits(op_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    array, index, value = args
    items = index if type(index) is tuple else (index,)
    masks = [item for item in items if isinstance(item, np.ndarray) and item.dtype == np.bool_]
    if masks:
        if len(items) > 1:
            return Cause.MASK_AMONG_OTHERS()
        if masks[0].shape != array.shape[: masks[0].ndim]:
            return Cause.MASK_SHAPE()
        if is_read_late(masks[0], array):
            return Cause.MASK_OVERLAPS()
        rest = array.shape[masks[0].ndim :]
        shape = np.shape(value)
        if len(shape) > len(rest):
            return Cause.MASK_VALUES()
    elif (reason := _index_limits(op_, args, kwargs)) is not None:
        return reason
    elif _has_other_order(items, value):
        return Cause.LAST_VALUE_STAYS()
    kind = value.dtype.kind if isinstance(value, (np.ndarray, np.generic)) else np.asarray(value).dtype.kind
    if kind == "c" and array.dtype.kind not in "cb":
        return Cause.COMPLEX_INTO_REAL()
    return Cause.VALUES_KIND(str(kind)) if kind not in "biufc" else None


def _has_other_order(items: tuple[Any, ...], value: Any) -> bool:
    """Tell if NumPy may go through index arrays in another order than that of their indices.

    NumPy goes in the order in which they and the values lie in memory (its iterators' order "K"), where none
    of them is in C order.
    """
    arrays = [item for item in items if isinstance(item, np.ndarray)]
    if not arrays or not isinstance(value, np.ndarray) or value.size < 2:
        return False
    if len(items) == 1 and arrays[0].ndim == 1:
        return False
    if any(map(_is_in_c_order, arrays)):
        return False
    return not _is_in_c_order(value) or value.shape != np.broadcast_shapes(*(item.shape for item in arrays))


def _is_in_c_order(array: np.ndarray) -> bool:
    """Tell if the elements lie in memory in the order of their indices, with or without gaps."""
    strides = [stride for stride, length in zip(array.strides, array.shape, strict=True) if length > 1]
    return all(stride > 0 for stride in strides) and strides == sorted(strides, reverse=True)


@op(
    np.ndarray.__setitem__,
    scalar=False,
    checked=True,
    sure=_sure_index,
    operands=["value"],
    limits=_stored_limits,
)
def setitem(a: Tensor, index: Any, value: Any) -> tuple[Tensor, Tensor | None]:
    """Return the whole array after `a[index] = value`."""
    stored = _as_stored(value, a)
    mask = index[0] if isinstance(index, tuple) and len(index) == 1 else index
    if isinstance(mask, Tensor) and mask.dtype == torch.bool:
        return _masked_store(a, mask, stored), None
    target, indices, advanced = _parse(a, index)
    if not advanced:
        numbers = torch.arange(a.numel(), device=a.device).reshape(a.shape)
        places = _parse(numbers, index)[0]
        flat = a.reshape(-1).clone()
        flat[places.reshape(-1)] = _broadcast_to_target(stored, tuple(places.shape)).reshape(-1)
        return flat.reshape(a.shape), None
    # Positions in `a` of everything indexed: slices, new axes and index arrays together.
    numbers = torch.arange(a.numel(), device=a.device).reshape(a.shape)
    numbers = _parse(numbers, index)[0]
    wrapped, ok = _checked_indices(target, indices)
    if any(place is not None and target.shape[axis] == 0 for axis, place in enumerate(wrapped)):
        _broadcast_to_target(stored, tuple(_picked_shape(target, wrapped)))
        return a.clone(), ok
    places = torch.ops.aten.index(numbers, wrapped)
    shape = tuple(places.shape)
    if stored.numel() == 1:  # whichever comes last
        flat = a.reshape(-1).index_put((places.reshape(-1),), _broadcast_to_target(stored, shape).reshape(-1))
    else:
        flat = put_last(a.reshape(-1), places.reshape(-1), _broadcast_to_target(stored, shape).reshape(-1))
    return flat.reshape(a.shape), ok


# Below this no loop is shared among threads, by torch or by Inductor.
_IN_ORDER = 256


def put_last(flat: Tensor, places: Tensor, values: Tensor) -> Tensor:
    """Return a row with values put in places; of several for one place the last one stays, as in NumPy.

    torch leaves any of them where it shares the work among threads. Each place therefore learns the number of
    its last value; `values` are used again from the first where there are too few.
    """
    count = places.shape[0]
    if count == 0:
        return flat.clone()
    if type(count) is int and count < _IN_ORDER and flat.device.type == "cpu" and values.shape[0] == count:
        return flat.index_put((places,), values)
    order = torch.arange(count, device=flat.device)
    last = torch.full(flat.shape, -1, device=flat.device).scatter_reduce(0, places, order, "amax")
    return torch.where(last >= 0, values[torch.remainder(last.clamp(min=0), values.shape[0])], flat)


def _as_stored(value: Any, a: Tensor) -> Tensor:
    """Return a value in the dtype of the array it is stored into."""
    if isinstance(value, (list, tuple)) and not isinstance(value, Weak):
        value = tensor(value, a.device)
    if isinstance(value, (Tensor, Weak)):
        return cast(tensor(value, a.device), dtype_of(a))
    return as_dtype(value, dtype_of(a), a.device)


def _broadcast_to_target(value: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return a value broadcast to the place it is stored into; it may have too many leading axes of length
    1."""
    given = tuple(value.shape)
    while value.dim() > len(shape) and value.shape[0] == 1:
        value = value[0]
    if not broadcasts_to(value.shape, shape):
        raise ValueError(f"shape mismatch: value array of shape {given} could not be broadcast to {shape}")
    return value.expand(shape)


def _masked_store(a: Tensor, mask: Tensor, value: Tensor) -> Tensor:
    if tuple(mask.shape) != tuple(a.shape[: mask.dim()]):
        raise IndexError("boolean index did not match indexed array")
    rest = tuple(a.shape[mask.dim() :])
    if value.dim() > len(rest):
        raise Unsupported(Cause.MASK_VALUES())
    value = _broadcast_to_target(value, rest)
    return torch.where(mask.reshape(mask.shape + (1,) * len(rest)), value, a)


# -- taking and putting ----------------------------------------------------------------------------


# Until NumPy 2.4 `take` casts `out=` to the array's dtype first, safely; since then items to that of `out=`.
_CASTS_ITEMS = takes(lambda: np.zeros(1, np.int16).take([0], out=np.zeros(1, np.float32), mode="clip"))


def _mode_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    index = args[1] if len(args) > 1 else kwargs.get("indices")
    dtype = index.dtype if isinstance(index, (np.ndarray, np.generic)) else np.asarray(index).dtype
    if (out := kwargs.get("out")) is not None:
        items = np.asarray(args[0]).dtype
        cast_by = (items, out.dtype, "same_kind") if _CASTS_ITEMS else (out.dtype, items, "safe")
        if not np.can_cast(*cast_by):
            return Cause.OUT_REFUSED()
    return Cause.INDICES_NOT_INTEGERS() if dtype.kind not in "iu" else None


@op(np.take, np.ndarray.take, arrays=2, checked=True, limits=_mode_limits)
def take(a: Tensor, indices: Tensor, axis: Any = None, out: None = None, mode: Any = "raise") -> Any:
    if axis is None:
        a, axis = a.reshape(-1), 0
    elif isinstance(axis, Tensor):
        raise TypeError("only integer scalar arrays can be converted to a scalar index")
    a = a.reshape(1) if a.dim() == 0 else a
    axis = normalize_axis_index(axis, a.dim())
    length = a.shape[axis]
    if length == 0 and indices.numel():
        raise IndexError("cannot do a non-empty take from an empty axes.")
    ok = None
    if mode == "raise":
        places, ok = _wrapped(indices, length)
    elif mode == "wrap":
        places = torch.remainder(indices.to(torch.int64), max(length, 1))
    elif mode == "clip":
        places = indices.to(torch.int64).clamp(0, max(length - 1, 0))
    else:
        raise Unsupported(Cause.MODE(str(mode)))
    if indices.numel() == 0:
        ok = None
    picked = a.index_select(axis, places.reshape(-1))
    return picked.reshape(a.shape[:axis] + indices.shape + a.shape[axis + 1 :]), ok


def _broadcast_along(a: Tensor, indices: Tensor, axis: Any) -> tuple[Tensor, Tensor, Tensor, int]:
    """Return array and indices broadcast against each other but for one axis, as `*_along_axis` do."""
    if indices.is_floating_point() or indices.is_complex() or indices.dtype == torch.bool:
        raise IndexError("`indices` must be an integer array")
    if axis is None:
        if indices.dim() != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        a, axis = a.reshape(-1), 0
    axis = normalize_axis_index(axis, a.dim())
    if a.dim() != indices.dim():
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    places, ok = _wrapped(indices, a.shape[axis])
    shape = []
    for at, (mine, other) in enumerate(zip(a.shape, indices.shape, strict=True)):
        if at == axis:
            shape.append(-1)
        elif mine == other or 1 in (mine, other):
            shape.append(mine if other == 1 else other)
        else:
            raise IndexError("shape mismatch: indexing arrays could not be broadcast together")
    return a.expand([a.shape[axis] if n == -1 else n for n in shape]), places.expand(shape), ok, axis


@op(np.take_along_axis, arrays=2, scalar=False, checked=True)
def take_along_axis(arr: Tensor, indices: Tensor, axis: Any = -1) -> Any:
    a, places, ok, axis = _broadcast_along(arr, indices, axis)
    if a.shape[axis] == 0:
        return a.new_zeros(places.shape), ok
    return a.gather(axis, places), ok


def _put_along_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    array, _indices, values = args[:3]
    kind = np.asarray(values).dtype.kind
    return Cause.COMPLEX_DROPPED() if kind == "c" and array.dtype.kind not in "cb" else None


@op(
    np.put_along_axis,
    arrays=2,
    operands=["values"],
    scalar=False,
    checked=True,
    limits=_put_along_limits,
)
def put_along_axis(arr: Tensor, indices: Tensor, values: Any, axis: Any) -> Any:
    """Return the whole array after the store."""
    numbers = torch.arange(arr.numel(), device=arr.device).reshape(arr.shape)
    numbers, places, ok, axis = _broadcast_along(numbers, indices, axis)
    stored = _broadcast_to_target(_as_stored(values, arr), tuple(places.shape))
    if arr.numel():
        numbers = numbers.gather(axis, places)
        arr = put_last(arr.reshape(-1), numbers.reshape(-1), stored.reshape(-1)).reshape(arr.shape)
    return arr, ok
