"""Functions that have no op because data determines the size of their answer, or because they work in place.

Dispatch runs them on eager arrays where no op takes the call. Masks become the indices of their True
elements, and ops do the rest.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import numpy as np
import torch
from numpy.lib import stride_tricks
from numpy.lib.array_utils import normalize_axis_index

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.eager import dispatch, errstate
from npcompile.frontend.eager.strided import Strided
from npcompile.frontend.ops.sorting import DESCENDING, kind_of
from npcompile.frontend.ops.table import TABLE, Unsupported


def eager(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a body that dispatch runs where these NumPy functions have no op, or one that does not take
    the call.

    The body gets the arguments of the call. Where it raises Unsupported, NumPy answers and is counted; where
    it raises anything else, the caller gets NumPy's own exception.
    """

    def register(body: Callable[..., Any]) -> Callable[..., Any]:
        for function in functions:
            dispatch.composed[id(function)] = _Eager(function, body)
        return body

    return register


class _Eager:
    def __init__(self, function: Any, body: Callable[..., Any]) -> None:
        self._function, self._body = function, body

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not errstate.traps() or dispatch.never_reports(self._function, args, kwargs):
            try:
                return self._body(*args, **kwargs)
            except Unsupported:
                pass
            except Exception as error:
                return dispatch.redo(self._function, error, args, kwargs)
        return dispatch.host(self._function, args, kwargs)


def _as_strided_array(value: Any) -> Strided:
    """Return an operand as our array. Raises Unsupported where torch cannot hold it."""
    if isinstance(value, Strided):
        return value
    made: Strided = Strided._of_numpy(np.asarray(value))
    return made


# -- masks ---------------------------------------------------------------------------------------------------


_SIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}


def _nonzero(array: Strided) -> tuple[Any, ...]:
    tensor = array._tensor
    if tensor.dtype in _SIGNED:  # torch does not look for zeros in these
        tensor = tensor.view(_SIGNED[tensor.dtype])
    places = torch.nonzero(tensor).contiguous()
    owner = Strided._of_tensor(places)  # NumPy's answers are its columns
    return tuple([Strided._of_tensor(axis, base=owner) for axis in places.unbind(1)])


@eager(np.nonzero, np.ndarray.nonzero)
def nonzero(a: Any) -> tuple[Any, ...]:
    """Return the indices of the elements that are not zero, axis by axis."""
    array = _as_strided_array(a)
    if array._memory.dim() == 0:
        raise Unsupported(Cause.CALL_REFUSED("nonzero of a 0-d array"))
    return _nonzero(array)


@eager(np.where)
def where(condition: Any, *choices: Any) -> tuple[Any, ...]:
    """Return, for a condition alone, the indices of the elements that are not zero."""
    if choices:
        raise Unsupported(Cause.NUMPYS_OWN())
    found: tuple[Any, ...] = dispatch.call(np.nonzero, (condition,), {})
    return found


def _without_masks(array: Any, index: Any) -> tuple[Any, ...]:
    """Return the index with each mask as the index arrays of its True elements. Raises Unsupported without
    any."""
    items: list[Any] = []
    axis, found = 0, False
    given = index if type(index) is tuple else (index,)
    used = sum(_axes(item) for item in given)
    for item in given:
        if item is Ellipsis:
            axis += max(array.ndim - used, 0)
        if not _is_mask(item):
            items.append(item)
            axis += _axes(item)
            continue
        mask = _as_strided_array(item)
        shape = tuple(mask._memory.shape)
        if not shape:
            raise Unsupported(Cause.MASK_SHAPE())
        there = array.shape[axis : axis + len(shape)]
        if len(there) < len(shape) or any(n not in (0, m) for n, m in zip(shape, there, strict=True)):
            raise IndexError("boolean index did not match indexed array")  # 0 passes for any
        items += _nonzero(mask)
        axis, found = axis + len(shape), True
    if not found:
        raise Unsupported(Cause.NO_INDEX_OP())
    return tuple(items)


def _is_mask(item: Any) -> bool:
    if isinstance(item, (Strided, np.ndarray)):
        return item.dtype == np.bool_  # type: ignore[union-attr]
    return isinstance(item, (bool, np.bool_)) or (type(item) is list and bool(item) and _lists_bools(item))


def _lists_bools(items: list[Any]) -> bool:
    return all(
        _lists_bools(item) if type(item) is list else isinstance(item, (bool, np.bool_)) for item in items
    )


def _axes(item: Any) -> int:
    """Return the number of the array's axes that an item of an index is for."""
    if item is None or item is Ellipsis:
        return 0
    if not _is_mask(item):
        return 1
    return np.asarray(item).ndim if isinstance(item, list) else getattr(item, "ndim", 0)


def _whole_mask(array: Any, index: Any) -> tuple[Any, Any] | None:
    """Return the array with one more axis, and an index for it, for a single 0-d mask, which takes all or
    nothing."""
    item = index[0] if type(index) is tuple and len(index) == 1 else index
    if not _is_mask(item) or getattr(item, "ndim", isinstance(item, list)):
        return None
    return array[None], Strided._of_tensor(torch.zeros(int(bool(item)), dtype=torch.int64))


@eager(np.ndarray.__getitem__)
def getitem(array: Any, index: Any) -> Any:
    """Do `array[index]` with masks in the index."""
    if (whole := _whole_mask(array, index)) is not None:
        return dispatch.call(np.ndarray.__getitem__, whole, {})
    return dispatch.call(np.ndarray.__getitem__, (array, _without_masks(array, index)), {})


@eager(np.ndarray.__setitem__)
def setitem(array: Any, index: Any, value: Any) -> None:
    """Do `array[index] = value` with masks in the index."""
    if (whole := _whole_mask(array, index)) is not None:
        return dispatch.update(np.ndarray.__setitem__, (*whole, value), {})
    if isinstance(value, Strided) and value._memory.dim() and _axes(index) == array.ndim > 0:
        if np.may_share_memory(array._layout, value._layout):
            raise Unsupported(Cause.VALUES_OVERLAP())
    dispatch.update(np.ndarray.__setitem__, (array, _without_masks(array, index), value), {})


@eager(np.repeat, np.ndarray.repeat)
def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    """Repeat each item as often as an array says."""
    array, counts = _as_strided_array(a), _as_strided_array(repeats)
    tensor, times = array._tensor, counts._tensor
    if times.dtype not in (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool):
        raise Unsupported(Cause.DTYPE(str(counts._layout.dtype)))
    if axis is None or tensor.dim() == 0:
        tensor, axis = tensor.reshape(-1), 0
    at = normalize_axis_index(axis, tensor.dim())
    times = times.to(torch.int64).broadcast_to((tensor.shape[at],) if times.numel() == 1 else times.shape)
    if tuple(times.shape) != (tensor.shape[at],) or bool((times < 0).any()):
        raise ValueError("counts that do not fit: NumPy raises")
    places = torch.repeat_interleave(times)
    return Strided._of_tensor(tensor.index_select(at, places))


@eager(np.compress)
def compress(condition: Any, a: Any, axis: Any = None, out: Any = None) -> Any:
    """Return slices along an axis (or elements of the flat array) where the condition holds."""
    keep = _as_strided_array(condition)
    if keep._memory.dim() != 1:
        raise ValueError("condition must be a 1-d array")
    return dispatch.call(np.take, (a, _nonzero(keep)[0], axis), {} if out is None else {"out": out})


@eager(np.ndarray.compress)
def compress_method(self: Any, condition: Any, axis: Any = None, out: Any = None) -> Any:
    """Do `a.compress(condition)`."""
    return compress(condition, self, axis, out)


@eager(np.ravel_multi_index)
def ravel_multi_index(multi_index: Any, dims: Any, *args: Any, **kwargs: Any) -> Any:
    """Do `np.ravel_multi_index` with the lengths in an array."""
    return dispatch.call(np.ravel_multi_index, (multi_index, _static(dims), *args), kwargs)


def _static(shape: Any) -> tuple[int, ...]:
    if not isinstance(shape, (Strided, np.ndarray)):
        raise Unsupported(Cause.NUMPYS_OWN())
    return tuple(np.asarray(shape).tolist())


# -- views ---------------------------------------------------------------------------------------------------


@eager(stride_tricks.as_strided)
def as_strided(x: Any, *args: Any, **kwargs: Any) -> Any:
    """Return a view with that shape and those strides on the array's memory."""
    answer = dispatch.view(stride_tricks.as_strided, (_as_strided_array(x), *args), kwargs)
    if answer is None:
        raise Unsupported(Cause.NUMPYS_OWN())
    return answer


@eager(stride_tricks.sliding_window_view)
def sliding_window_view(x: Any, *args: Any, **kwargs: Any) -> Any:
    """Return views of all windows of that shape."""
    answer = dispatch.view(stride_tricks.sliding_window_view, (_as_strided_array(x), *args), kwargs)
    if answer is None:
        raise Unsupported(Cause.NUMPYS_OWN())
    return answer


# -- the array itself ----------------------------------------------------------------------------------------


@eager(np.ndarray.astype, np.astype)
def astype(array: Any, dtype: Any, *args: Any, **kwargs: Any) -> Any:
    """Cast with `copy=False` where the dtype is the array's already."""
    names = ("order", "casting", "subok", "copy")
    given = dict(zip(names, args, strict=False)) | kwargs
    if given.get("copy", True) or not isinstance(array, Strided) or np.dtype(dtype) != array._layout.dtype:
        raise Unsupported(Cause.NUMPYS_OWN())
    order, flags = given.get("order", "K"), array._layout.flags
    if order == "K" or (flags.f_contiguous if order == "F" else flags.c_contiguous):
        return array
    return dispatch.call(np.ndarray.copy, (array, order), {})


# -- shapes in arrays ----------------------------------------------------------------------------------------


def _register_creation(function: Any) -> None:
    """Register a creation function for shapes that are arrays: ops take shapes as tuples."""

    @eager(function)
    def make(shape: Any, *args: Any, **kwargs: Any) -> Any:
        return dispatch.call(function, (_static(shape), *args), kwargs)


for _creation in (np.zeros, np.ones, np.empty, np.full):
    _register_creation(_creation)


# -- orders --------------------------------------------------------------------------------------------------

# The longest row of which a partition, and an unstable sort of equal items, have NumPy's own order. Longer
# rows come sorted, which takes no copy of a device's array. Inside NumPy's own Python functions, which look
# only at the places asked for, any order will do: 0. `verify` compares whole results and needs NumPy's
# order everywhere: infinity.
SHORT_ROW = 64
longest_exact_row: ContextVar[float] = ContextVar("npcompile.longest_exact_row", default=SHORT_ROW)


@eager(np.argsort, np.ndarray.argsort)
def argsort(
    a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None, **later: Any
) -> Any:
    """Sort where no items are equal, as there is one order only; an unstable order of equal items is NumPy's
    own.

    later: keywords that NumPy takes from 2.5 on (`descending`).
    """
    array = _as_strided_array(a)
    asked = (a, axis, kind), {"stable": stable, **later}
    odd = later.keys() - ({"descending"} if DESCENDING else set())
    if odd or order is not None or kind_of(*asked) not in ("q", "h") or array._memory.dim() == 0:
        raise Unsupported(Cause.NUMPYS_ORDER())
    found = dispatch.call(np.ndarray.argsort, (array, axis), {"stable": True, **later})
    if longest_exact_row.get() and _has_equals(array, found, axis):
        raise Unsupported(Cause.UNSTABLE_ORDER())
    return found


def _has_equals(array: Strided, order: Any, axis: int | None) -> bool:
    """Tell if there are equal items, or NaN, among the values that `order` sorts."""
    along = array if axis is not None else dispatch.call(np.ravel, (array,), {})
    values = dispatch.call(np.take_along_axis, (along, order, axis if axis is not None else 0), {})
    near = values._tensor.movedim(axis if axis is not None else 0, -1)
    return bool(((near[..., 1:] == near[..., :-1]) | (near[..., 1:] != near[..., 1:])).any())


@eager(np.any)
def some(a: Any, *args: Any, **kwargs: Any) -> Any:
    """Do `np.any(None)`, which is no array."""
    if a is not None:
        raise Unsupported(Cause.NUMPYS_OWN())
    return np.any(None, *args, **kwargs)


# -- in place ------------------------------------------------------------------------------------------------


def _writeable_target(dst: Any) -> Any:
    if not isinstance(dst, Strided):
        raise Unsupported(Cause.NOT_OURS())
    if not dst._layout.flags.writeable:
        raise ValueError("read-only: NumPy raises")
    return dst


def _same_memory(one: Strided, other: Strided) -> bool:
    a, b = one._layout, other._layout
    return (a.ctypes.data, a.dtype, a.shape, a.strides) == (b.ctypes.data, b.dtype, b.shape, b.strides)


@eager(np.copyto)
def copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    """Write `src`, broadcast, over `dst`, or over its elements where the mask holds."""
    if isinstance(dst, Strided) and isinstance(src, Strided) and _same_memory(dst, src):
        return  # NumPy checks no further either: read-only memory passes
    target = _writeable_target(dst)
    if type(src) in (bool, int, float, complex):
        src = np.asarray(src, np.result_type(target.dtype, src))
    source = _as_strided_array(src)
    if not np.can_cast(source.dtype, target.dtype, casting):  # type: ignore[attr-defined]
        raise TypeError("Cannot cast: NumPy raises")
    if source._memory.is_complex() and not target._memory.is_complex():
        raise Unsupported(Cause.COMPLEX_INTO_REAL())
    if where is True:
        target[...] = source
        return
    mask = _as_strided_array(where)
    shape = tuple(target._memory.shape)
    if mask._memory.dtype != torch.bool or np.broadcast_shapes(tuple(mask._memory.shape), shape) != shape:
        raise Unsupported(Cause.MASK_SHAPE())
    new = dispatch.call(np.ndarray.astype, (source, target.dtype), {})
    target[...] = dispatch.call(np.where, (mask, new, target), {})


@eager(np.ndarray.put)
def put(self: Any, indices: Any, values: Any, mode: str = "raise") -> None:
    """Do `a.put(indices, values)`."""
    dispatch.update(np.put, (_writeable_target(self), indices, values, mode), {})


def _has_nan(array: Strided) -> bool:
    return array._layout.dtype.kind == "f" and bool(torch.isnan(array._memory).any())


@functools.cache
def _sorts_whole_row(function: Any, dtype: np.dtype[Any]) -> bool:
    """Tell if NumPy sorts a short row whole when asked to partition it at one place.

    It does where the processor has AVX-512, for the dtypes that its code for AVX-512 takes.
    """
    row = np.arange(SHORT_ROW).astype(dtype)[::-1]
    found = function(row, 0)
    return dtype.kind != "b" and np.array_equal(found if function is np.partition else row[found], row[::-1])


def _register_partition(function: Any, alike: Any) -> None:
    """Register `alike`, the function or method through which `function` is called.

    The row comes sorted where NumPy sorts it, or where it is long.
    """

    @eager(alike)
    def part(a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None) -> Any:
        array, op = _as_strided_array(a), TABLE.of(function)
        assert op is not None
        found = dispatch.native(op, function, (array, kth, axis, kind, order), {})
        layout = array._layout
        length = layout.size if axis is None or layout.ndim == 0 else layout.shape[operator.index(axis)]
        if length < 2 or length > longest_exact_row.get():
            return found
        if length > SHORT_ROW or np.ndim(kth) or not _sorts_whole_row(function, layout.dtype):
            raise Unsupported(Cause.NUMPYS_ORDER())
        if _has_equals(array, found, axis) if function is np.argpartition else _has_nan(found):
            raise Unsupported(Cause.NUMPYS_ORDER())
        return found

    dispatch.before_op.add(id(alike))


_register_partition(np.partition, np.partition)
_register_partition(np.argpartition, np.argpartition)
_register_partition(np.argpartition, np.ndarray.argpartition)


@eager(np.ndarray.partition)
def partition(self: Any, kth: Any, axis: int = -1, kind: str = "introselect", order: Any = None) -> None:
    """Do `a.partition(kth)`, in place."""
    if order is not None or kind != "introselect":
        raise Unsupported(Cause.KIND_MAYBE_REFUSED())
    target = _writeable_target(self)
    target[...] = dispatch.call(np.partition, (target, kth, axis, kind), {})
