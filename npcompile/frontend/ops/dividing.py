"""Ops that divide: floor division and remainders by npy_divmod's rules, C's fmod; integers over a known
number.

A processor divides integers one at a time, and NumPy multiplies instead where the divisor is one number: `x
// 10` takes it a third of the time of `x // y`. The bodies for a number divide whole vectors, and are exact.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import torch
from torch import Tensor

from npcompile.frontend.ops.elementwise import wide
from npcompile.frontend.ops.rules import ufunc, ufunc_rule
from npcompile.frontend.ops.table import Op

# The floats in which integers and halves are exact, with enough further digits to tell quotients apart.
_IN_FLOATS = {
    torch.int8: torch.float32,
    torch.uint8: torch.float32,
    torch.int16: torch.float32,
    torch.int32: torch.float64,
}
_MOST = 2**31


def _divisor(b: Tensor) -> Tensor:
    """Return an integer divisor that cannot trap: 1 for 0, and for -1 (the smallest integer over -1
    overflows)."""
    trap = b == 0 if not b.dtype.is_signed else (b == 0) | (b == -1)
    return torch.where(trap, torch.ones_like(b), b)


def _fmod(a: Tensor, b: Tensor) -> Tensor:
    """Do C's fmod. torch's vectorised one gives NaN where the quotient overflows: these are reduced in
    stages."""
    if a.dtype == torch.float64:
        nearer = b * 2.0**1022
        return torch.fmod(torch.fmod(torch.fmod(a, nearer * 2.0**1000), nearer), b)
    if a.is_floating_point():
        return torch.fmod(a.double(), b.double()).to(a.dtype)
    return torch.fmod(a, _divisor(b))


def _divmod(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Do npy_divmod: floor division, and remainder with the sign of the divisor; integers over 0 give 0,
    0."""
    if not a.is_floating_point():
        quotient = torch.div(a, _divisor(b), rounding_mode="floor")
        if b.dtype.is_signed:
            quotient = torch.where(b == -1, -a, quotient)
        return torch.where(b == 0, torch.zeros_like(a), quotient), torch.remainder(a, _divisor(b))
    mod = _fmod(a, b)
    div = (a - mod) / b
    adjust = (mod != 0) & ((b < 0) ^ (mod < 0))
    div = torch.where(adjust, div - 1, div)
    zero = torch.zeros_like(mod)
    modulus = torch.where(mod == 0, torch.copysign(zero, b), torch.where(adjust, mod + b, mod))
    floored = torch.floor(div)
    floored = torch.where(div - floored > 0.5, floored + 1, floored)
    quotient = torch.where(div == 0, torch.copysign(zero, a / b), floored)
    return torch.where(b == 0, a / b, quotient), torch.where(b == 0, mod, modulus)


def _by_number(a: Tensor, number: int) -> tuple[Tensor, Tensor]:
    """Do npy_divmod of integers over a number of 1 or more."""
    if number & (number - 1) == 0:
        return a >> (number.bit_length() - 1), a & (number - 1)
    if a.dtype in _IN_FLOATS:
        quotient = _in_floats(a, number, _IN_FLOATS[a.dtype]).to(a.dtype)
        return quotient, a - quotient * number
    # The quotient is off by 3072 / number at most, and by 1 for truncation: the remainder is small and
    # divided exactly.
    near = (a.double() * (1 / number)).to(a.dtype)
    rest = a - near * number
    further = _in_floats(rest, number, torch.float64).to(a.dtype)
    return near + further, rest - further * number


def _in_floats(a: Tensor, number: int, floats: torch.dtype) -> Tensor:
    """Return the quotient of integers below 2**22, or 2**51, computed in floats.

    Halves are further from a whole quotient than the rounding errors are large.
    """
    return torch.floor((a.to(floats) + 0.5) * (1 / number))


def _is_by_number(a: Tensor, number: int) -> bool:
    if a.is_floating_point():
        return False
    if number & (number - 1) == 0:
        return True
    in_vectors = a.dtype in _IN_FLOATS or a.dtype == torch.int64
    return in_vectors and number < _MOST and a.device.type == "cpu"  # GPUs' compilers multiply themselves


def _divided(a: Tensor, b: Tensor, number: int | None = None) -> tuple[Tensor, Tensor]:
    if number is not None and _is_by_number(a, number):
        return _by_number(a, number)
    return _whole(a, b)


_whole = wide(_divmod)


def _one(part: int, a: Tensor, b: Tensor, number: int | None = None) -> Tensor:
    return _divided(a, b, number)[part]


def _rule(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Apply the ufunc rule with the divisor still known as a number."""
    by = args[1] if len(args) == 2 else None
    number = int(by) if isinstance(by, (int, np.integer)) and not isinstance(by, bool) and by > 0 else None
    return ufunc_rule(op, args, kwargs, functools.partial(op.body, number=number))


ufunc(np.divmod, _divided, rule=_rule)
ufunc(np.floor_divide, functools.partial(_one, 0), rule=_rule)
ufunc(np.remainder, functools.partial(_one, 1), rule=_rule)
ufunc(np.fmod, _fmod)
