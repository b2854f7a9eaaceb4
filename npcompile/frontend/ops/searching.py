"""Ops that search and order: partition, lexsort, digitize, interp, choose, and positions in flat arrays."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.lib.array_utils import normalize_axis_index
from torch import Tensor

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops.rules import FLOAT64, INT64, cast, do, op, operand, promoted, strength, tensor
from npcompile.frontend.ops.sorting import ordered
from npcompile.frontend.ops.symbolic_sizes import as_whole
from npcompile.frontend.ops.table import TORCH, Op, Unsupported
from npcompile.nep50 import promote

COMPLEX128 = np.dtype(np.complex128)


# -- orders --------------------------------------------------------------------------------------------------


def _partition_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    if (args[4] if len(args) > 4 else kwargs.get("order")) is not None:
        return Cause.OPTION("order")
    if (args[3] if len(args) > 3 else kwargs.get("kind", "introselect")) != "introselect":
        return Cause.KIND_MAYBE_REFUSED()
    kth = args[1] if len(args) > 1 else kwargs.get("kth")
    return None if np.asarray(kth).dtype.kind in "iu" else Cause.KTH_NO_INTEGER()


@op(np.partition, scalar=False, library=True, limits=_partition_limits)
def partition(a: Tensor, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None) -> Tensor:
    """Return the array sorted, and thus partitioned at every place.

    NumPy leaves the order of the other elements open. It is NumPy's own only where NumPy answers: in
    recordings (`frontend/record/numpy_inlining.py`), and for short rows of eager arrays
    (`data_dependent.py`).
    """
    if axis is None:
        a, axis = a.reshape(-1), -1
    at = normalize_axis_index(axis, a.dim())
    if not isinstance(kth, Tensor):  # of a tensor they are not looked at: they do not change the answer
        _check_places(kth, a, at)
    return ordered(a, at)[0]


@op(np.argpartition, np.ndarray.argpartition, scalar=False, library=True, limits=_partition_limits)
def argpartition(a: Tensor, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None) -> Tensor:
    """Return the order that sorts, which is one of those that NumPy may return."""
    if axis is None or a.dim() == 0:
        a, axis = a.reshape(-1), -1 if axis is None else operator.index(axis)
    at = normalize_axis_index(axis, a.dim())
    if not isinstance(kth, Tensor):
        _check_places(kth, a, at)
    return ordered(a, at)[1]


def _check_places(kth: Any, a: Tensor, axis: int) -> None:
    for place in np.asarray(kth).reshape(-1).tolist() if a.numel() else ():
        if not -a.shape[axis] <= place < a.shape[axis]:
            raise ValueError(f"kth(={place}) out of bounds ({a.shape[axis]})")


def _lexsort_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    keys: Any = args[0] if args else kwargs.get("keys")
    return Cause.KEYS_0D() if isinstance(keys, np.ndarray) and keys.ndim == 0 else None


@op(np.lexsort, arrays=0, operands=["keys"], scalar=False, library=True, limits=_lexsort_limits)
def lexsort(keys: Any, axis: Any = -1) -> Tensor:
    rows = [tensor(key) for key in keys]
    if not rows:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    if any(row.shape != rows[0].shape for row in rows):
        raise ValueError("all keys need to be the same shape")
    if rows[0].dim() == 0:
        raise Unsupported(Cause.KEYS_0D())
    at = normalize_axis_index(axis, rows[0].dim())
    order = ordered(rows[0], at)[1]
    for row in rows[1:]:
        order = order.gather(at, ordered(row.gather(at, order), at)[1])
    return order


# -- bins and functions given by points ----------------------------------------------------------------------


def _digitize_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    bins = np.asarray(args[1] if len(args) > 1 else kwargs.get("bins"))
    return Cause.COMPLEX() if bins.dtype.kind == "c" or np.asarray(args[0]).dtype.kind == "c" else None


@op(np.digitize, arrays=2, checked=True, limits=_digitize_limits)
def digitize(x: Tensor, bins: Tensor, right: bool = False) -> Any:
    """Do `np.digitize`; not ok where the bins are not in order.

    NumPy refuses bins that go up and down; with a NaN among them its result depends on the steps of its
    search.
    """
    side = "left" if right else "right"
    upwards = do(np.searchsorted, bins, x, side)
    if bins.numel() < 2:
        return upwards, None
    steps = cast(bins, FLOAT64)
    other = steps != steps[0]
    # As NumPy does: the first step decides which way they go, then none may go the other way.
    unlike = torch.gather(steps, 0, torch.argmax(other.to(torch.int8)).reshape(1))[0]
    up = ~other.any() | (steps[0] < unlike)
    here, after = steps[:-1], steps[1:]
    rising, falling = (here <= after) | (after != after), (here >= after) | (here != here)
    ok = torch.where(up, rising.all(), falling.all())
    downwards = bins.numel() - do(np.searchsorted, bins.flip(0), x, side)
    return torch.where(up, upwards, downwards), ok


def _interp_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    given = [*args[:3], *(kwargs[name] for name in ("x", "xp", "fp") if name in kwargs)]
    if any(np.asarray(item).dtype.kind == "c" for item in given[:2]):
        return Cause.COMPLEX_POINTS()
    return None


def _between(
    x: Tensor, xp: Tensor, fp: Tensor, here: Tensor, after: Tensor, inverted: bool = False
) -> Tensor:
    """Return the point on the line between two points.

    Source: arr_interp of NumPy's compiled_base.c, which tries the other end where the first gives NaN;
    arr_interp_complex, which multiplies by the inverted width.
    """
    rise, width = fp[after] - fp[here], xp[after] - xp[here]
    slope = rise * (1.0 / width) if inverted else rise / width
    value = slope * (x - xp[here]) + fp[here]
    again = slope * (x - xp[after]) + fp[after]
    again = torch.where(torch.isnan(again) & (fp[after] == fp[here]), fp[here], again)
    return torch.where(torch.isnan(value), again, value)


@op(np.interp, arrays=3, operands=["left", "right", "period"], checked=True, limits=_interp_limits)
def interp(x: Tensor, xp: Tensor, fp: Tensor, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """Do `np.interp`; not ok where the period is 0, or where the points are not in order.

    NumPy's result for points in no order depends on the steps of its search.
    """
    kind = COMPLEX128 if fp.is_complex() else FLOAT64
    shape, x, xp, fp = x.shape, cast(x, FLOAT64), cast(xp, FLOAT64), cast(fp, kind)
    x = x.reshape(-1)  # a place of no axes is asked for its value
    ok: Tensor | None = None
    if period is not None:
        if xp.dim() != 1 or fp.dim() != 1:
            raise ValueError("Data points must be 1-D sequences")
        if xp.shape != fp.shape:
            raise ValueError("fp and xp are not of the same length")
        turn = torch.abs(cast(tensor(period, x.device), FLOAT64))
        ok, left, right = turn != 0, None, None
        x, xp = do(np.remainder, x, turn), do(np.remainder, xp, turn)
        order = torch.sort(xp, stable=True).indices
        xp, fp = xp[order], fp[order]
        xp = torch.cat((xp[-1:] - turn, xp, xp[:1] + turn))
        fp = torch.cat((fp[-1:], fp, fp[:1]))
    if xp.dim() != 1 or fp.dim() != 1:
        raise ValueError("object too deep for desired array")
    if xp.numel() == 0:
        raise ValueError("array of sample points is empty")
    if xp.shape != fp.shape:
        raise ValueError("fp and xp are not of the same length.")
    low = fp[0] if left is None else cast(tensor(left, x.device), kind)
    high = fp[-1] if right is None else cast(tensor(right, x.device), kind)
    size = xp.numel()
    # NumPy's search does not go past a NaN among the points; torch's does.
    points = torch.where(torch.isnan(xp), torch.inf, xp)
    ordered = (points[:-1] <= points[1:]).all()
    ok = ordered if ok is None else ok & ordered
    at = torch.searchsorted(points, x, right=True) - 1
    here = at.clamp(0, max(size - 2, 0))
    after = (here + 1).clamp(max=size - 1)
    if fp.is_complex():
        parts = [_between(x, xp, part, here, after, True) for part in (fp.real, fp.imag)]
        between = torch.complex(*parts)
    else:
        between = _between(x, xp, fp, here, after)
    exact = fp[at.clamp(0, size - 1)]
    value = torch.where((xp[at.clamp(0, size - 1)] == x) | (at == size - 1), exact, between)
    value = torch.where(x < xp[0], low, torch.where(x > xp[-1], high, value))
    # where there is one point, NumPy asks only whether x lies on one side of it: NaN does not
    value = torch.where(torch.isnan(x), x.to(value.dtype), value) if size > 1 else value
    return value.reshape(shape), ok


# -- membership ----------------------------------------------------------------------------------------------

MOST_LOOKED_FOR = 32  # each element is compared with all of these


def _isin_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    given = dict(zip(("element", "test_elements", "assume_unique", "invert"), args, strict=False), **kwargs)
    if given.get("kind") not in (None, "sort"):
        return Cause.ISIN_KIND()
    element, others = np.asarray(given["element"]), np.asarray(given["test_elements"])
    if element.dtype.kind not in "biufc" or others.dtype.kind not in "biufc":
        return Cause.ISIN_NO_NUMBERS()
    kinds = element.dtype.kind + others.dtype.kind
    if "f" not in kinds and "c" not in kinds and np.result_type(element, others).kind == "f":
        return Cause.ISIN_INT64_UINT64()
    return None if others.size <= MOST_LOOKED_FOR else Cause.ISIN_TOO_MANY(MOST_LOOKED_FOR)


@op(np.isin, arrays=2, scalar=False, limits=_isin_limits)
def isin(
    element: Tensor,
    test_elements: Tensor,
    assume_unique: Any = False,
    invert: Any = False,
    *,
    kind: Any = None,
) -> Tensor:
    a, b = promoted(element, test_elements)
    found = (a.unsqueeze(-1) == b.reshape(-1)).any(-1)
    return ~found if invert else found


# -- choosing ------------------------------------------------------------------------------------------------


def _choices(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return args[1] if len(args) > 1 else kwargs.get("choices")


def _choose_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    choices = _choices(args, kwargs)
    if np.asarray(args[0]).dtype.kind not in "biu":
        return Cause.CHOICE_NO_INTEGER()
    items = choices if isinstance(choices, (list, tuple)) else [choices]
    if len(items) > 63 or len(choices) > 63:
        return Cause.CHOICES_TOO_MANY()
    return Cause.CHOICES_DTYPES() if any(np.asarray(item).dtype not in TORCH for item in items) else None


def _choose_wraps() -> bool:
    """Tell if NumPy's `choose` casts Python integers by way of int64, and lets them wrap."""
    try:
        np.choose([1], [np.uint8(0), 256])
    except OverflowError:
        return False
    return True


_CHOOSE_WRAPS = _choose_wraps()


def _in_one_dtype(items: list[Any], device: torch.device) -> list[Tensor]:
    """Return the choices in one dtype."""
    if not _CHOOSE_WRAPS:
        return promoted(*items)
    ready = [operand(item, device) for item in items]
    dtype = promote.result_type(*map(strength, ready))
    return [cast(tensor(item, device), dtype) for item in ready]


@op(
    *(np.choose, np.ndarray.choose),
    name="numpy.choose",
    checked=True,
    limits=_choose_limits,
)
def choose(a: Tensor, choices: Any, out: None = None, mode: Any = "raise") -> Any:
    """Do `np.choose`; not ok where there is no choice of that number and `mode` is "raise"."""
    if a.dtype == torch.uint64:
        raise TypeError("Cannot cast array data from dtype('uint64') to dtype('int64') according to 'safe'")
    items = list(choices.unbind(0)) if isinstance(choices, Tensor) else list(choices)
    ready = torch.broadcast_tensors(a, *[item.to(a.device) for item in _in_one_dtype(items, a.device)])
    number, size, ok = ready[0].to(torch.int64), len(items), None
    if mode == "raise":
        ok = ((number >= 0) & (number < size)).all()
        number = number.clamp(0, size - 1)
    elif mode == "wrap":
        number = torch.remainder(number, size)
    elif mode == "clip":
        number = number.clamp(0, size - 1)
    else:
        raise Unsupported(Cause.MODE(str(mode)))
    return torch.stack(ready[1:]).gather(0, number.unsqueeze(0))[0], ok


# -- positions in flat arrays --------------------------------------------------------------------------------


def _lengths(shape: Any) -> list[int]:
    return [as_whole(n) for n in shape] if isinstance(shape, (tuple, list)) else [as_whole(shape)]


def _element_steps(lengths: Sequence[int], order: str) -> list[int]:
    """Return the distance between neighbours along each axis, in elements."""
    if order not in ("C", "F"):
        raise ValueError("only 'C' or 'F' order is permitted")
    steps, step = [0] * len(lengths), 1
    for at in range(len(lengths)) if order == "F" else reversed(range(len(lengths))):
        steps[at], step = step, step * lengths[at]
    return steps


def _index_limits(self: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    index = args[0] if args else kwargs.get("multi_index", kwargs.get("indices"))
    many = self.function is np.ravel_multi_index and isinstance(index, (tuple, list))
    items: Any = index if many else [index]
    if any(np.asarray(item).dtype.kind not in "iu" for item in items):
        return Cause.INDICES_NOT_INTEGERS()
    if any(np.size(item) == 0 for item in items):
        return Cause.NO_INDICES()
    shape: Any = args[1] if len(args) > 1 else kwargs.get("dims", kwargs.get("shape"))
    if isinstance(shape, np.ndarray):
        return Cause.LENGTHS_IN_ARRAY()
    if isinstance(shape, (tuple, list)) and not shape:
        return Cause.NO_ARRAY_AXES()
    size = math.prod(shape) if isinstance(shape, (tuple, list)) else shape
    return None if 0 < size < 2**62 else Cause.EXTREME_SIZE()


@op(np.ravel_multi_index, arrays=0, checked=True, limits=_index_limits)
def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C") -> Any:
    """Do `np.ravel_multi_index`; not ok where an index is out of range and its mode is "raise"."""
    lengths = _lengths(dims)
    items = list(multi_index.unbind(0)) if isinstance(multi_index, Tensor) else list(multi_index)
    modes = [mode] * len(lengths) if isinstance(mode, str) else list(mode)
    if len(items) != len(lengths):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(lengths)}")
    if len(modes) != len(lengths):
        raise ValueError("the number of modes does not match dims")
    total, ok = torch.zeros((), dtype=torch.int64), None
    for item, length, step, how in zip(items, lengths, _element_steps(lengths, order), modes, strict=True):
        index = cast(tensor(item), INT64)
        if how == "raise":
            fits = ((index >= 0) & (index < length)).all()
            ok = fits if ok is None else ok & fits
        elif how == "wrap":
            index = torch.remainder(index, length)
        elif how == "clip":
            index = index.clamp(0, length - 1)
        else:
            raise Unsupported(Cause.MODE(str(how)))
        total = total.to(index.device) + index * step
    return total, ok


@op(np.unravel_index, arrays=1, checked=True, limits=_index_limits)
def unravel_index(indices: Tensor, shape: Any, order: str = "C") -> Any:
    """Do `np.unravel_index`; not ok where an index is out of range."""
    lengths = _lengths(shape)
    index = cast(indices, INT64)
    size = math.prod(lengths)
    ok = ((index >= 0) & (index < size)).all()
    places = zip(lengths, _element_steps(lengths, order), strict=True)
    return tuple([torch.remainder(index // max(step, 1), max(n, 1)) for n, step in places]), ok


# -- bits ----------------------------------------------------------------------------------------------------


def _bits_limits(self: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    kind = np.asarray(args[0]).dtype
    if self.function is np.unpackbits:
        return None if kind == np.uint8 else Cause.BITS_DTYPE(str(kind))
    return None if kind.kind in "biu" else Cause.BITS_DTYPE(str(kind))


_WEIGHTS = {"big": (128, 64, 32, 16, 8, 4, 2, 1), "little": (1, 2, 4, 8, 16, 32, 64, 128)}


def _weights(order: str, device: torch.device) -> Tensor:
    if order not in _WEIGHTS:
        raise ValueError("'order' must be either 'little' or 'big'")
    return torch.tensor(_WEIGHTS[order], dtype=torch.int64, device=device)


@op(np.packbits, scalar=False, limits=_bits_limits)
def packbits(a: Tensor, /, axis: Any = None, bitorder: str = "big") -> Tensor:
    if axis is None or a.dim() == 0:
        a, axis = a.reshape(-1), 0
    at = normalize_axis_index(axis, a.dim())
    rows = (a != 0).movedim(at, -1)
    rows = torch.nn.functional.pad(rows, (0, -rows.shape[-1] % 8))
    groups = rows.reshape(*rows.shape[:-1], rows.shape[-1] // 8, 8)
    return (groups * _weights(bitorder, a.device)).sum(-1).to(torch.uint8).movedim(-1, at)


@op(np.unpackbits, scalar=False, limits=_bits_limits)
def unpackbits(a: Tensor, /, axis: Any = None, count: Any = None, bitorder: str = "big") -> Tensor:
    if axis is None or a.dim() == 0:
        a, axis = a.reshape(-1), 0
    at = normalize_axis_index(axis, a.dim())
    rows = a.to(torch.int64).movedim(at, -1).unsqueeze(-1)
    bits = ((rows & _weights(bitorder, a.device)) != 0).to(torch.uint8).flatten(-2)
    if count is not None:
        wanted = as_whole(count)
        length = bits.shape[-1]
        if wanted < 0 and -wanted > length:
            raise ValueError(f"-count {wanted} for axis is larger than its length")
        keep = wanted if wanted >= 0 else length + wanted
        bits = torch.nn.functional.pad(bits, (0, max(keep - length, 0)))[..., :keep]
    return bits.movedim(-1, at)
