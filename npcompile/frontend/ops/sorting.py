"""Ops that sort and count elements."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np
import torch
from numpy.lib.array_utils import normalize_axis_index
from torch import Tensor

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops.rules import FLOAT64, cast, op, promoted, tensor
from npcompile.frontend.ops.sums_at_places import sums_at
from npcompile.frontend.ops.table import TORCH, Op, Unsupported, Weak
from npcompile.nep50.asked import takes

_FEW_BINS = 16  # up to here masked reductions are cheaper, which fuse with the making of bins


# -- sorting ---------------------------------------------------------------------------------------


# True if this NumPy's sorts take `descending`: since 2.5.
DESCENDING = takes(lambda: np.sort([0], descending=True))  # type: ignore[call-overload]


def ordered(a: Tensor, axis: int, descending: bool = False) -> tuple[Tensor, Tensor]:
    """Return the array sorted along an axis, equal items in their old order, and that order.

    Complex numbers are ordered by real, then imaginary part. Numbers with NaN come last, descending too:
    complex numbers with NaN in the imaginary part, in the real part, in both.
    """
    if not (a.is_complex() or (descending and a.is_floating_point())):
        found = torch.sort(a, dim=axis, stable=True, descending=descending)
        return found.values, found.indices
    parts = (a.imag, a.real) if a.is_complex() else (a,)
    missing = torch.isnan(parts[-1]).to(torch.int8)
    if a.is_complex():
        missing = 2 * missing + torch.isnan(a.imag)
    keys = [*[(torch.where(torch.isnan(part), 0, part), descending) for part in parts], (missing, False)]
    order = torch.sort(keys[0][0], dim=axis, stable=True, descending=descending).indices
    for key, down in keys[1:]:
        later = torch.sort(key.gather(axis, order), dim=axis, stable=True, descending=down).indices
        order = order.gather(axis, later)
    return a.gather(axis, order), order


@functools.cache
def letter(kind: str | None) -> str | None:
    """Return the letter by which NumPy tells kinds of sort apart: "q", "h", "m" or "s"; None for a name that
    it refuses."""
    if kind is None:
        return "q"
    try:
        np.empty(0).sort(kind=kind)  # type: ignore[arg-type]
    except ValueError:
        return None
    return kind[0].lower()


def kind_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """Return the letter of the kind that a call of `sort` or `argsort` asks for, None for one that NumPy
    refuses."""
    kind, stable = args[2] if len(args) > 2 else kwargs.get("kind"), kwargs.get("stable")
    if kwargs.get("descending") is not None and not (DESCENDING and kind is None):
        return None
    if stable is not None:
        return ("s" if stable else "q") if kind is None and isinstance(stable, (int, np.bool_)) else None
    return letter(kind) if kind is None or isinstance(kind, str) else None


def _sort_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    if kind_of(args, kwargs) is None:
        return Cause.KIND_REFUSED()
    if "descending" in kwargs and not DESCENDING:
        return Cause.KEYWORD_UNKNOWN()
    return Cause.OPTION("order") if kwargs.get("order") is not None or len(args) > 3 else None


@op(np.sort, scalar=False, library=True, limits=_sort_limits)
def sort(
    a: Tensor,
    axis: Any = -1,
    kind: Any = None,
    order: Any = None,
    *,
    stable: Any = None,
    descending: Any = None,
) -> Tensor:
    if axis is None:
        a, axis = a.reshape(-1), -1
    axis = normalize_axis_index(axis, a.dim())
    return ordered(a, axis, bool(descending))[0]


def _argsort_limits(self: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    if kind_of(args, kwargs) in ("q", "h"):
        return Cause.UNSTABLE_ORDER()  # which of equal items comes first differs
    return _sort_limits(self, args, kwargs)


@op(np.argsort, np.ndarray.argsort, scalar=False, library=True, limits=_argsort_limits)
def argsort(
    a: Tensor,
    axis: Any = -1,
    kind: Any = None,
    order: Any = None,
    *,
    stable: Any = None,
    descending: Any = None,
) -> Tensor:
    if axis is None:
        a, axis = a.reshape(-1), -1
    if a.dim() == 0:  # of a number: the place of one element
        a = a.reshape(1)
    axis = normalize_axis_index(axis, a.dim())
    return ordered(a, axis, bool(descending))[1]


def _search_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    if len(args) > 3 or kwargs.get("sorter") is not None:
        return Cause.OPTION("sorter")
    side = args[2] if len(args) > 2 else kwargs.get("side", "left")
    if side not in ("left", "right"):
        return Cause.SIDE(repr(side))
    kinds = [np.asarray(item).dtype for item in args[:2]]
    return Cause.COMPLEX() if any(kind.kind == "c" or kind not in TORCH for kind in kinds) else None


@op(np.searchsorted, np.ndarray.searchsorted, library=True, operands=["v"], limits=_search_limits)
def searchsorted(a: Tensor, v: Any, side: Any = "left", sorter: Any = None) -> Tensor:
    if a.dim() != 1:
        raise ValueError("object too deep for desired array" if a.dim() else "object of too small depth")
    if side not in ("left", "right"):
        raise Unsupported(Cause.SIDE(repr(side)))
    if sorter is not None:
        raise Unsupported(Cause.KEYWORD("sorter"))
    found = v if isinstance(v, Weak) else tensor(v, a.device)
    sequence, values = promoted(a, found)
    if sequence.is_complex():
        raise Unsupported(Cause.COMPLEX())
    if sequence.dtype == torch.bool:
        sequence, values = sequence.to(torch.uint8), values.to(torch.uint8)
    if sequence.dtype == torch.float16:
        sequence, values = sequence.to(torch.float32), values.to(torch.float32)
    right = side == "right"
    if not sequence.is_floating_point():
        return torch.searchsorted(sequence.contiguous(), values.contiguous(), right=right)
    # NumPy sorts NaN after everything; torch compares with it.
    nans = torch.isnan(sequence)
    numbers = (~nans).sum()
    found_at = torch.searchsorted(
        torch.where(nans, torch.inf, sequence).contiguous(), values.contiguous(), right=right
    )
    behind = torch.full_like(numbers, sequence.numel()) if right else numbers
    return torch.where(torch.isnan(values), behind, torch.minimum(found_at, numbers))


# -- counting --------------------------------------------------------------------------------------


def _bincount_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    x = np.asarray(args[0])
    if x.dtype.kind not in "biu" or (x.size == 0 and not isinstance(args[0], np.ndarray)):
        return Cause.BINS_DTYPE(str(x.dtype))
    weights = args[1] if len(args) > 1 else kwargs.get("weights")
    if weights is not None and np.asarray(weights).dtype.kind == "c":
        return Cause.COMPLEX_WEIGHTS()
    return None


@op(np.bincount, arrays=2, scalar=False, checked=True, limits=_bincount_limits)
def bincount(
    x: Tensor, /, weights: Tensor | None = None, minlength: Any = 0, *, length: int | None = None
) -> Any:
    """Count elements by value.

    length: of NumPy's answer. Without it the largest value is looked up (eager tensors only).
    """
    if x.dim() != 1:
        raise ValueError("object too deep for desired array" if x.dim() else "object of too small depth")
    least = operator.index(minlength)
    if least < 0:
        raise ValueError("'minlength' must not be negative")
    bins = x.to(torch.int64)
    if weights is not None:
        weights = cast(weights, FLOAT64)
        if weights.shape != x.shape:
            raise ValueError("The weights and list don't have the same length.")
    if x.numel() == 0:  # then NumPy passes over the weights
        return torch.zeros(least if length is None else length, dtype=torch.int64, device=x.device), None
    if length is None:
        length = max(least, int(bins.max()) + 1)
    if length == least:
        ok = ((bins >= 0) & (bins < length)).all()
    else:
        ok = (bins >= 0).all() & (bins.max() == length - 1)
    if length <= _FEW_BINS:
        lanes = torch.arange(length, device=x.device).unsqueeze(1) == bins
        if weights is None:
            return lanes.sum(1), ok
        return torch.where(lanes, weights, torch.zeros((), dtype=torch.float64, device=x.device)).sum(1), ok
    places = bins.clamp(0, length - 1)
    # Compiled code cannot add integers at places; up to this number of them, floats are exact.
    values = torch.ones(bins.shape, dtype=torch.float64, device=x.device) if weights is None else weights
    made = sums_at(places, values, length)
    return made.to(torch.int64) if weights is None else made, ok
