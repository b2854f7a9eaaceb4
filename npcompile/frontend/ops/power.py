"""Ops for powers, roots and reciprocals: the ufuncs that NumPy's `**` runs (`nep50/powers.py`)."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import torch
from torch import Tensor

from npcompile.frontend.ops.elementwise import wide
from npcompile.frontend.ops.rules import dtype_of, ufunc, ufunc_rule
from npcompile.frontend.ops.square_root import square_root
from npcompile.frontend.ops.table import Op
from npcompile.lower.arithmetic import complex_math
from npcompile.lower.codegen.complexes import in_pairs, whole_power
from npcompile.nep50 import powers


def _inverse(a: Tensor, zero: float) -> Tensor:
    """Return 1 / a of complex numbers, by the larger part, as NumPy divides: NaN for 0.

    zero: 0.0 where NumPy divides 1 + 0j, -0.0 where it takes the reciprocal: they differ in signs of zeros.
    """
    re, im = torch.view_as_real(a).unbind(-1)
    flat = torch.abs(im) <= torch.abs(re)
    ratio = torch.where(flat, im / re, re / im)
    size = torch.where(flat, re + im * ratio, re * ratio + im)
    return torch.complex(
        torch.where(flat, 1 / size, (ratio + zero) / size),
        torch.where(flat, (zero - ratio) / size, -1 / size),
    )


def _reciprocal(a: Tensor) -> Tensor:
    if a.is_floating_point():
        return torch.reciprocal(a)
    if a.is_complex():
        return _inverse(a, -0.0)
    # NumPy converts 1.0 / a to the integer; the processor turns infinity into the smallest int32 or int64.
    of_zero = torch.iinfo(a.dtype).min if a.dtype in (torch.int32, torch.int64) else 0
    one = a == 1 if not a.dtype.is_signed else (a == 1) | (a == -1)
    return torch.where(one, a, torch.where(a == 0, torch.full_like(a, of_zero), torch.zeros_like(a)))


ufunc(np.reciprocal, _reciprocal)


SHORT_POWERS = 4  # static exponents up to here are products: within 2 ulp, and many times faster than pow


def _power_of(a: Tensor, exponent: int) -> Tensor:
    result = a
    for bit in bin(exponent)[3:]:
        result = result * result
        if bit == "1":
            result = result * a
    return result


_pow = in_pairs(torch.pow, functools.partial(complex_math.power, fma=complex_math.rounded_twice))


def _complex_power(a: Tensor, b: Tensor, static: int | None) -> Tensor:
    """Do npy_cpow: products for whole exponents below 100; 0 has positive powers only."""
    if static is not None and 0 < abs(static) < 100:
        power = torch.multiply(a, a) if abs(static) == 2 else whole_power(a, abs(static))
        power = power if static > 0 else _inverse(power, 0.0)
        power = torch.where(a == 0, torch.zeros_like(a) if static > 0 else _nans(a), power)
        return power if static in _WRITTEN_OUT else _times_one(power, a)
    of_zero = torch.where(b.real > 0, 0.0, math.nan).to(a.dtype)
    of_zero = torch.where(b.real > 0, of_zero, torch.complex(of_zero.real, of_zero.real))
    whole = (b.imag == 0) & (b.real == torch.trunc(b.real)) & (torch.abs(b.real) < 100)
    power = torch.where(whole, _whole_powers(a, torch.where(whole, b.real, 0.0)), _pow(a, b))
    return torch.where(b == 0, torch.ones_like(a), torch.where(a == 0, of_zero, power))


_WRITTEN_OUT = (1, 2, 3)  # the whole powers of complex numbers that NumPy does without a loop


def _times_one(power: Tensor, a: Tensor) -> Tensor:
    """Return the power as the loop of products, which begins with 1 + 0j: 1 times an infinite number has a
    NaN."""
    infinite = torch.isinf(a.real) | torch.isinf(a.imag)
    return torch.where(infinite, _nans(a), power)


def _nans(a: Tensor) -> Tensor:
    """Return NaN in both parts."""
    part = torch.full_like(a.real, math.nan)
    return torch.complex(part, part)


def _whole_powers(a: Tensor, exponents: Tensor) -> Tensor:
    """Return products, as `whole_power` takes them, for whole exponents below 100 that are known at run
    time."""
    size = torch.abs(exponents).to(torch.int32)
    result, square = torch.where(size & 1 != 0, a, torch.ones_like(a)), a
    for bit in range(1, 7):
        square = square * square
        result = torch.where(size & (1 << bit) != 0, result * square, result)
    result = torch.where(size == 2, a * a, result)
    result = torch.where(exponents < 0, _inverse(result, 0.0), result)
    written_out = (exponents == 1) | (exponents == 2) | (exponents == 3)
    return torch.where(written_out, result, _times_one(result, a))


def _float_power(a: Tensor, b: Tensor, static: int | None) -> Tensor:
    if static is not None and 2 <= static <= SHORT_POWERS:
        return wide(functools.partial(_power_of, exponent=static))(a)
    if b.numel() == 1 and powers.takes_square_root(dtype_of(a)):  # NumPy's loop for one exponent
        return torch.where(b == 0.5, square_root(a), torch.pow(a, b))
    return torch.pow(a, b)


def _power(a: Tensor, b: Tensor, static: int | None = None) -> tuple[Tensor, Tensor | None]:
    """Return the power, and if NumPy has it: integers to negative integer powers are an error."""
    if a.is_complex():
        return _complex_power(a, b, static), None
    if a.is_floating_point():
        return _float_power(a, b, static), None
    if static is None:
        result = torch.pow(a, b)
        return result, (b >= 0).all() if b.dtype.is_signed and result.numel() else None
    if static < 0 and a.numel():
        raise ValueError("Integers to negative integer powers are not allowed.")
    return (_power_of(a, static) if static > 0 else torch.ones_like(a)), None


def _power_rule(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Apply the ufunc rule with the exponent still known: a static one needs no check at run time."""
    exponent = args[1] if len(args) == 2 else None
    static = None
    if isinstance(exponent, (int, float, np.integer, np.floating)) and not isinstance(exponent, bool):
        if exponent == int(exponent) if np.isfinite(exponent) else False:
            static = int(exponent)
    return ufunc_rule(op, args, kwargs, functools.partial(_power, static=static))


def _sure_power(args: tuple[Any, ...], result: Any) -> bool:
    """Tell if a power cannot fail: only integers to negative integer powers do."""
    return bool(result.dtype.kind in "fcb")


ufunc(np.power, _power, checked=True, sure=_sure_power, rule=_power_rule)
ufunc(np.float_power, lambda a, b: _complex_power(a, b, None) if a.is_complex() else torch.pow(a, b))
ufunc(np.sqrt, square_root)


def cube_root(a: Tensor) -> Tensor:
    size = torch.abs(a)
    root = torch.pow(size, 1 / 3)
    # One step of Newton: 1/3 is not exact, nor is the power.
    better = root - (root - size / (root * root)) / 3
    return torch.copysign(torch.where((size == 0) | torch.isinf(size), size, better), a)


ufunc(np.cbrt, wide(cube_root))
