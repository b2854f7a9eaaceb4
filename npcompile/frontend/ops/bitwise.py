"""Ops that work on bits of integers and bools, on shifts and bytes, and integer functions that rest on
divisibility.

As in every file of ops, a statement registers a NumPy function with its tensor body (`table.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops.rules import op, ufunc
from npcompile.frontend.ops.shape import in_order
from npcompile.frontend.ops.table import Op

ufunc(np.bitwise_and, torch.bitwise_and)
ufunc(np.bitwise_or, torch.bitwise_or)
ufunc(np.bitwise_xor, torch.bitwise_xor)
ufunc(np.invert, torch.bitwise_not)


def _in_range(a: Tensor, by: Tensor) -> tuple[Tensor, Tensor]:
    """Return where a shift is one that C defines, and the shifts with 0 in the other places."""
    fits = (by >= 0) & (by < torch.iinfo(a.dtype).bits)
    return fits, torch.where(fits, by, torch.zeros_like(by))


def _left_shift(a: Tensor, by: Tensor) -> Tensor:
    fits, safe = _in_range(a, by)
    return torch.where(fits, a << safe, torch.zeros_like(a))


def _right_shift(a: Tensor, by: Tensor) -> Tensor:
    fits, safe = _in_range(a, by)
    gone = torch.zeros_like(a) if not a.dtype.is_signed else torch.where(a < 0, -1, 0).to(a.dtype)
    return torch.where(fits, a >> safe, gone)  # npy_rshift: shifted out altogether, the sign is left


ufunc(np.left_shift, _left_shift)
ufunc(np.right_shift, _right_shift)


def _gcd(a: Tensor, b: Tensor) -> Tensor:
    return torch.abs(torch.gcd(a, b))  # of the smallest integer torch's has the sign of a remainder


def _lcm(a: Tensor, b: Tensor) -> Tensor:
    if not a.dtype.is_signed:
        return torch.lcm(a, b)
    divisor = _gcd(a, b)
    safe = torch.where(divisor == 0, torch.ones_like(divisor), divisor)
    # by negative absolute values, which even the smallest integer has
    return torch.div(-torch.abs(a), safe, rounding_mode="trunc") * -torch.abs(b)


ufunc(np.gcd, _gcd)
ufunc(np.lcm, _lcm)


def _bitwise_count(a: Tensor) -> Tensor:
    """Return how many bits of the absolute value are set, counted in pairs, fours and eights."""
    if a.dtype == torch.bool:
        return a.to(torch.uint8)
    bits = torch.abs(a.to(torch.int64)) if a.dtype.is_signed else a.to(torch.int64)
    bits = bits - ((bits >> 1) & 0x5555555555555555)
    bits = (bits & 0x3333333333333333) + ((bits >> 2) & 0x3333333333333333)
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F
    for shift in (8, 16, 32):
        bits = bits + (bits >> shift)
    return (bits & 0x7F).to(torch.uint8)


ufunc(np.bitwise_count, _bitwise_count)


_BITS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}  # by the size in bytes


def _swap_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    if kwargs.get("inplace", args[1] if len(args) > 1 else False):
        return Cause.OPTION("inplace")
    return None


@op(np.ndarray.byteswap, scalar=False, limits=_swap_limits)
def byteswap(a: Tensor, /, inplace: bool = False) -> Tensor:
    lying = in_order(a, "A")
    if lying.is_complex():  # each part by itself
        parts = torch.view_as_real(lying)
        return torch.view_as_complex(torch.stack([_swapped(part) for part in parts.unbind(-1)], -1))
    return _swapped(lying)


def _swapped(a: Tensor) -> Tensor:
    size = a.element_size()
    if size == 1:
        return a.clone()
    bits = a.view(_BITS[size])
    swapped = torch.zeros_like(bits)
    for byte in range(size):
        swapped = swapped | (((bits >> (8 * byte)) & 0xFF) << (8 * (size - 1 - byte)))
    return swapped.view(a.dtype)
