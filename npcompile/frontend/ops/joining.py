"""Ops that join, split, repeat and pad: arrays whose elements are those of others."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple
from torch import Tensor

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops.rules import cast, device_of, dtype_of, op, promoted, tensor
from npcompile.frontend.ops.shape import at_least_3d, integers, reverse
from npcompile.frontend.ops.symbolic_sizes import as_whole, bounds
from npcompile.frontend.ops.table import Op, Unsupported

# -- joining ---------------------------------------------------------------------------------------


def _parts(arrays: Any) -> list[Tensor]:
    if isinstance(arrays, Tensor):
        if arrays.dim() == 0:
            raise TypeError("iteration over a 0-d array")
        return list(arrays.unbind(0))
    parts = list(arrays)
    device = device_of(parts)
    return [tensor(item, device) for item in parts]


def _joined(parts: Sequence[Tensor], axis: int | None, dtype: Any = None) -> Tensor:
    """Do `np.concatenate`."""
    if not parts:
        raise ValueError("need at least one array to concatenate")
    if dtype is not None:
        tensors = [cast(item, np.dtype(dtype)) for item in parts]
    else:
        tensors = promoted(*parts)
    if axis is None:
        tensors, axis = [item.reshape(-1) for item in tensors], 0
    first = tensors[0]
    if first.dim() == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    axis = normalize_axis_index(axis, first.dim())
    for item in tensors:
        # Checked here: torch lets empty 1-d tensors join anything.
        if item.dim() != first.dim() or any(
            mine != other
            for at, (mine, other) in enumerate(zip(item.shape, first.shape, strict=True))
            if at != axis
        ):
            raise ValueError(
                "all the input array dimensions except for the concatenation axis must match exactly"
            )
    return torch.cat(tensors, axis)


def _join_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    """Refuse, as a `limits`, casts from a part to the answer's dtype that NumPy refuses, and outputs that
    share memory.

    NumPy copies part by part into `out`, also where that overwrites parts to come.
    """
    dtype, out, casting = kwargs.get("dtype"), kwargs.get("out"), kwargs.get("casting", "same_kind")
    if out is not None and args:
        parts = args[0] if isinstance(args[0], (list, tuple)) else args[:1]
        if any(isinstance(item, np.ndarray) and np.may_share_memory(item, out) for item in parts):
            return Cause.OUT_ON_PART()
    if out is not None and dtype is not None:
        return Cause.OUT_AND_DTYPE()
    if casting == "same_kind" and dtype is None:
        return None
    if not args or any(type(item) in (bool, int, float, complex) for item in args[0]):
        return Cause.NUMBERS_CAST()
    parts = [item.dtype if isinstance(item, np.ndarray) else np.asarray(item).dtype for item in args[0]]
    target = np.dtype(dtype) if dtype is not None else np.result_type(*parts) if out is None else out.dtype
    if not all(np.can_cast(part, target, casting) for part in parts):
        return Cause.CAST_REFUSED()
    if target.kind not in "cb" and any(part.kind == "c" for part in parts):
        return Cause.COMPLEX_INTO_REAL()
    return None


@op(np.concatenate, arrays=0, parts=1, scalar=False, limits=_join_limits)
def concatenate(
    arrays: Any, /, axis: Any = 0, out: None = None, *, dtype: Any = None, casting: Any = "same_kind"
) -> Tensor:
    if axis is None and dtype is None and not isinstance(arrays, Tensor):
        return _joined(promoted(*arrays), None)  # only here may parts be numbers, and Python's are weak
    return _joined(_parts(arrays), axis, dtype)


def _stacked(parts: Sequence[Tensor], axis: int, dtype: Any = None) -> Tensor:
    if not parts:
        raise ValueError("need at least one array to stack")
    tensors = list(parts)
    if any(item.shape != tensors[0].shape for item in tensors):
        raise ValueError("all input arrays must have the same shape")
    axis = normalize_axis_index(axis, tensors[0].dim() + 1)
    return _joined([item.unsqueeze(axis) for item in tensors], axis, dtype)


@op(np.stack, arrays=0, parts=1, scalar=False, limits=_join_limits)
def stack(
    arrays: Any, axis: int = 0, out: None = None, *, dtype: Any = None, casting: Any = "same_kind"
) -> Tensor:
    return _stacked(_parts(arrays), axis, dtype)


@op(np.vstack, arrays=0, parts=1, scalar=False, limits=_join_limits)
def vstack(tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Tensor:
    tensors = _parts(tup)
    return _joined([item if item.dim() >= 2 else item.reshape(1, -1) for item in tensors], 0, dtype)


@op(np.hstack, arrays=0, parts=1, scalar=False, limits=_join_limits)
def hstack(tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Tensor:
    tensors = _parts(tup)
    tensors = [item if item.dim() >= 1 else item.reshape(1) for item in tensors]
    return _joined(tensors, 0 if tensors and tensors[0].dim() == 1 else 1, dtype)


@op(np.dstack, arrays=0, parts=1, scalar=False)
def dstack(tup: Any) -> Tensor:
    return _joined([at_least_3d(item) for item in _parts(tup)], 2)


@op(np.column_stack, arrays=0, parts=1, scalar=False)
def column_stack(tup: Any) -> Tensor:
    tensors = _parts(tup)
    return _joined([item if item.dim() >= 2 else item.reshape(-1, 1) for item in tensors], 1)


@op(np.append, arrays=2, scalar=False)
def append(arr: Tensor, values: Tensor, axis: Any = None) -> Tensor:
    return _joined([arr, values], axis)


# -- splitting -------------------------------------------------------------------------------------


def _split(a: Tensor, sections: Any, axis: int, equal: bool) -> list[Tensor]:
    axis = normalize_axis_index(axis, a.dim())
    length = a.shape[axis]
    if isinstance(sections, (list, tuple)):
        edges = [0, *integers(sections), length]
    else:
        count = as_whole(sections)
        if equal and count == 0:
            raise ZeroDivisionError("integer modulo by zero")
        if count <= 0:
            raise ValueError("number sections must be larger than 0.")
        if equal and length % count:
            raise ValueError("array split does not result in an equal division")
        each, extra = divmod(length, count)
        edges = [0]
        for at in range(count):
            edges.append(edges[-1] + each + (at < extra))
    parts = []
    for low, high in itertools.pairwise(edges):
        start, stop, _ = bounds(slice(low, high), length)
        parts.append(a.narrow(axis, start, max(stop - start, 0)))
    return parts


def _static_sections(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    sections = args[1] if len(args) > 1 else kwargs.get("indices_or_sections")
    return Cause.SECTIONS_IN_ARRAY() if isinstance(sections, np.ndarray) else None


@op(np.split, scalar=False, view=True, limits=_static_sections)
def split(ary: Tensor, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    return _split(ary, indices_or_sections, axis, True)


@op(np.array_split, scalar=False, view=True, limits=_static_sections)
def array_split(ary: Tensor, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    return _split(ary, indices_or_sections, axis, False)


@op(np.hsplit, scalar=False, view=True, limits=_static_sections)
def hsplit(ary: Tensor, indices_or_sections: Any) -> list[Tensor]:
    if ary.dim() == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return _split(ary, indices_or_sections, 1 if ary.dim() > 1 else 0, True)


@op(np.vsplit, scalar=False, view=True, limits=_static_sections)
def vsplit(ary: Tensor, indices_or_sections: Any) -> list[Tensor]:
    if ary.dim() < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return _split(ary, indices_or_sections, 0, True)


@op(np.dsplit, scalar=False, view=True, limits=_static_sections)
def dsplit(ary: Tensor, indices_or_sections: Any) -> list[Tensor]:
    if ary.dim() < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return _split(ary, indices_or_sections, 2, True)


# -- repeating and padding -------------------------------------------------------------------------


@op(np.tile, scalar=False)
def tile(A: Tensor, reps: Any) -> Tensor:
    counts = integers(reps)
    shape = (1,) * (len(counts) - A.dim()) + tuple(A.shape)
    counts = (1,) * (len(shape) - len(counts)) + counts
    return A.reshape(shape).repeat(counts) if counts else A.clone()


def _static_repeats(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    repeats = args[1] if len(args) > 1 else kwargs.get("repeats")
    return Cause.REPEATS_IN_ARRAY() if isinstance(repeats, np.ndarray) else None


def _repeated(a: Tensor, axis: int, count: int) -> Tensor:
    """Return each element `count` times."""
    grown = a.unsqueeze(axis + 1)
    shape = list(grown.shape)
    shape[axis + 1] = count
    return grown.expand(shape).flatten(axis, axis + 1).clone()


@op(np.repeat, np.ndarray.repeat, scalar=False, limits=_static_repeats)
def repeat(a: Tensor, repeats: Any, axis: Any = None) -> Tensor:
    if axis is None:
        a, axis = a.reshape(-1), 0
    axis = normalize_axis_index(axis, a.dim())
    length = a.shape[axis]
    counts = integers(repeats)
    if len(counts) == 1 and counts[0] >= 0:
        return _repeated(a, axis, counts[0])
    if len(counts) == 1:
        counts *= length
    if len(counts) != length or any(count < 0 for count in counts):
        raise ValueError("repeats do not fit the array")
    chosen = [at for at, count in enumerate(counts) for _ in range(count)]
    if len(set(counts)) <= 1:  # one expand, no index
        return _repeated(a, axis, counts[0] if counts else 0)
    return a.index_select(axis, torch.tensor(chosen, dtype=torch.int64, device=a.device))


@op(np.roll, scalar=False)
def roll(a: Tensor, shift: Any, axis: Any = None) -> Tensor:
    if axis is None:
        if not isinstance(shift, (tuple, list)):
            shift = (shift,)
        return a.reshape(-1).roll(sum(integers(shift)) % max(a.numel(), 1), 0).reshape(a.shape)
    axes = normalize_axis_tuple(axis, a.dim(), allow_duplicate=True)
    if a.dim() == 0:
        raise ValueError("not enough values to unpack (expected 2, got 0)")
    shifts = integers(shift)
    if len(shifts) != len(axes):
        (shifts, axes) = (shifts * len(axes), axes) if len(shifts) == 1 else (shifts, axes * len(shifts))
    if len(shifts) != len(axes):
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    shifts = tuple(count % max(a.shape[at], 1) for count, at in zip(shifts, axes, strict=True))
    return a.roll(shifts, axes) if axes else a.clone()


def _paddings(pad_width: Any, ndim: int) -> list[tuple[int, int]]:
    if isinstance(pad_width, dict):
        raise Unsupported(Cause.PAD_WIDTH())
    widths = np.asarray(pad_width)
    if widths.dtype.kind != "i":
        raise TypeError("`pad_width` must be of integral type.")
    return [(int(low), int(high)) for low, high in np.broadcast_to(widths, (ndim, 2))]


_EXTENDING = ("edge", "wrap", "reflect", "symmetric")  # modes of padding by the array's own elements


def _extended(a: Tensor, axis: int, low: int, high: int, mode: str) -> Tensor:
    """Return the array with more elements at both ends of an axis: the last ones, those of the other end,
    mirrored."""
    size = a.shape[axis]
    if size == 0:
        raise ValueError(f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'")
    if mode == "edge":
        before, after = a.narrow(axis, 0, 1), a.narrow(axis, size - 1, 1)
        return torch.cat([_repeated(before, axis, low), a, _repeated(after, axis, high)], axis)
    mirror = int(mode == "reflect")  # 1: the end itself is not repeated
    if max(low, high) <= size - mirror:
        if mode == "wrap":
            sides = a.narrow(axis, size - low, low), a.narrow(axis, 0, high)
        else:
            before, after = a.narrow(axis, mirror, low), a.narrow(axis, size - high - mirror, high)
            sides = before.flip(axis), after.flip(axis)
        return torch.cat([sides[0], a, sides[1]], axis)
    period = size if mode == "wrap" else 2 * (size - mirror)
    at = torch.arange(-low, size + high, device=a.device) % max(period, 1)
    return a.index_select(axis, torch.where(at < size, at, period + mirror - 1 - at))


def _pad_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    mode = args[2] if len(args) > 2 else kwargs.get("mode", "constant")
    if mode != "constant" and mode not in _EXTENDING:
        return Cause.MODE(str(mode))
    if mode != "constant" and "constant_values" in kwargs:
        return Cause.PAD_VALUES_MODE(str(mode))
    values = kwargs.get("constant_values", 0)
    if np.ndim(values) != 0:
        return Cause.PAD_VALUES_PER_SIDE()
    width = args[1] if len(args) > 1 else kwargs.get("pad_width")
    return Cause.PAD_WIDTH() if isinstance(width, (np.ndarray, dict)) else None


@op(np.pad, scalar=False, operands=("constant_values",), limits=_pad_limits)
def pad(array: Tensor, pad_width: Any, mode: Any = "constant", *, constant_values: Any = 0) -> Tensor:
    widths = _paddings(pad_width, array.dim())
    if any(low < 0 or high < 0 for low, high in widths):
        raise ValueError("index can't contain negative values")
    if not array.is_contiguous() and reverse(array).is_contiguous():  # Fortran order stays
        return reverse(pad.body(reverse(array), widths[::-1], mode, constant_values=constant_values))
    if mode != "constant":
        for axis, (low, high) in enumerate(widths):
            if low or high:
                array = _extended(array, axis, low, high, mode)
        return array
    fill = cast(tensor(constant_values, array.device), dtype_of(array))
    for axis, (low, high) in enumerate(widths):
        if low or high:
            sides = []
            for count in (low, high):
                shape = list(array.shape)
                shape[axis] = count
                sides.append(fill.expand(shape))
            array = torch.cat([sides[0], array, sides[1]], axis)
    return array
