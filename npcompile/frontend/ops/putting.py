"""Ops that NumPy does in place by index or mask: each returns the whole new value of its first argument."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops.indexing import put_last
from npcompile.frontend.ops.rules import as_dtype, cast, dtype_of, is_static, op, tensor
from npcompile.frontend.ops.table import Op, Unsupported, Weak
from npcompile.frontend.ops.write_order import is_read_late


def _values(values: Any, a: Tensor) -> Tensor:
    """Return the values to put, as one row in the dtype of the array."""
    if isinstance(values, (list, tuple)) and is_static(values):  # number by number, each as an item
        values = np.array(values, dtype_of(a)).tolist()
    if isinstance(values, (Tensor, Weak, list, tuple)):
        return cast(tensor(values, a.device), dtype_of(a)).reshape(-1)
    return as_dtype(values, dtype_of(a), a.device).reshape(-1)


def _limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    names = ("v", "values", "vals")
    values = args[2] if len(args) > 2 else next((kwargs[name] for name in names if name in kwargs), None)
    kind = np.asarray(values).dtype.kind
    if kind == "c" and args[0].dtype.kind != "c":
        return Cause.COMPLEX_INTO_REAL()
    return None if kind in "biufc" else Cause.VALUES_KIND(str(kind))


def _safe_limits(op_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    values = args[2] if len(args) > 2 else kwargs.get("values", kwargs.get("vals"))
    if isinstance(values, np.ndarray) and not np.can_cast(values.dtype, args[0].dtype):
        return Cause.VALUES_REFUSED()
    return _limits(op_, args, kwargs)


def _put_limits(op_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    ind = args[1] if len(args) > 1 else kwargs.get("ind")
    found = np.asarray(ind)
    if isinstance(args[0], np.generic):
        return Cause.PUT_SCALAR()
    if found.dtype.kind not in "biu" or found.dtype == np.uint64:
        return Cause.INDICES_DTYPE(str(found.dtype))
    return _limits(op_, args, kwargs)


@op(np.put, arrays=2, operands=["v"], scalar=False, checked=True, limits=_put_limits)
def put(a: Tensor, ind: Tensor, v: Any, mode: Any = "raise") -> Any:
    """Do `np.put`; not ok where an index is out of range and `mode` is "raise"."""
    values, places, size = _values(v, a), ind.reshape(-1).to(torch.int64), a.numel()
    if places.numel() and size == 0:
        raise IndexError("cannot replace elements of an empty array")
    if values.numel() == 0 or places.numel() == 0:
        return a.clone(), None
    ok = None
    if mode == "raise":
        ok = ((places >= -size) & (places < size)).all()
        places = torch.where(places < 0, places + size, places).clamp(0, size - 1)
    elif mode == "wrap":
        places = torch.remainder(places, size)
    elif mode == "clip":
        places = places.clamp(0, size - 1)
    else:
        raise Unsupported(Cause.MODE(str(mode)))
    return put_last(a.reshape(-1), places, values).reshape(a.shape), ok


@op(np.putmask, arrays=2, operands=["values"], scalar=False, limits=_safe_limits)
def putmask(a: Tensor, /, mask: Tensor, values: Any) -> Tensor:
    if mask.shape.numel() != a.numel():
        raise ValueError("putmask: mask and data must be the same size")
    row = _values(values, a)
    if row.numel() == 0:
        return a.clone()
    new = row[torch.remainder(torch.arange(a.numel(), device=a.device), row.numel())]
    chosen = torch.where(cast(mask, np.dtype(bool)).reshape(-1), new, a.reshape(-1))
    return chosen.reshape(a.shape)


def _place_limits(op_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    values = args[2] if len(args) > 2 else kwargs.get("vals")
    if isinstance(values, np.ndarray) and np.may_share_memory(args[0], values):
        return Cause.VALUES_OVERLAP()
    if is_read_late(args[1], args[0]):
        return Cause.MASK_OVERLAPS()
    return _safe_limits(op_, args, kwargs)


@op(np.place, arrays=2, operands=["vals"], scalar=False, checked=True, limits=_place_limits)
def place(arr: Tensor, mask: Tensor, vals: Any) -> Any:
    """Do `np.place`; not ok where there is a place and no value for it."""
    if mask.shape.numel() != arr.numel():
        raise ValueError("place: mask and data must be the same size")
    where = cast(mask, np.dtype(bool)).reshape(-1)
    row = _values(vals, arr)
    if row.numel() == 0:
        return arr.clone(), ~where.any()
    number = torch.cumsum(where, 0) - 1  # of each place among those that are set
    new = row[torch.remainder(number.clamp(min=0), row.numel())]
    return torch.where(where, new, arr.reshape(-1)).reshape(arr.shape), None
