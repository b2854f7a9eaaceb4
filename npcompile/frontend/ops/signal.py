"""Ops for convolution and correlation of rows: one row is slid along the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops.rules import dtype_of, op, promoted
from npcompile.frontend.ops.table import Op, Unsupported

# The first letter of the mode decides, or its number. Source: PyArray_CorrelatemodeConverter.
_MODES = {"v": "valid", "s": "same", "f": "full", 0: "valid", 1: "same", 2: "full"}


def _mode_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    mode = args[2] if len(args) > 2 else kwargs.get("mode", "full")
    return None if mode in ("valid", "same", "full", 0, 1, 2) else Cause.MODE(repr(mode))


def _slid(long: Tensor, short: Tensor, mode: Any) -> Tensor:
    """Return the sum of products at each place of the short row along the long one."""
    size = short.numel()
    how = _MODES[mode[0] if isinstance(mode, str) else mode]
    before = {"valid": 0, "same": size // 2, "full": size - 1}[how]
    after = {"valid": 0, "same": size - size // 2 - 1, "full": size - 1}[how]
    padded = torch.cat((long.new_zeros(before), long, long.new_zeros(after)))
    windows = padded.unfold(0, size, 1)
    if long.dtype == torch.bool:
        return (windows & short).any(-1)
    if long.dtype == torch.float16:  # NumPy adds these up in float32
        return (windows.to(torch.float32) * short.to(torch.float32)).sum(-1).to(torch.float16)
    return (windows * short).sum(-1, dtype=long.dtype)


def _rows(a: Tensor, v: Tensor) -> list[Tensor]:
    if a.dim() > 1 or v.dim() > 1:
        raise ValueError("object too deep for desired array")
    for row, name in ((a, "a"), (v, "v")):
        if row.numel() == 0:
            raise ValueError(f"{name} cannot be empty")
    dtype_of(a)
    return [row.reshape(-1) for row in promoted(a, v)]


@op(np.convolve, arrays=2, scalar=False, library=True, limits=_mode_limits)
def convolve(a: Tensor, v: Tensor, mode: Any = "full") -> Tensor:
    one, other = _rows(a, v)
    if other.numel() > one.numel():
        one, other = other, one
    return _slid(one, other.flip(0), mode)


@op(np.correlate, arrays=2, scalar=False, library=True, limits=_mode_limits)
def correlate(a: Tensor, v: Tensor, mode: Any = "valid") -> Tensor:
    if a.dim() == 0 or v.dim() == 0:
        raise Unsupported(Cause.CALL_REFUSED("a number is correlated"))
    one, other = _rows(a, v)
    other = other.conj() if other.is_complex() else other
    if other.numel() > one.numel():
        return _slid(other, one, mode).flip(0)
    return _slid(one, other, mode)
