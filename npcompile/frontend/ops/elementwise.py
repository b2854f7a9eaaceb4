"""Ops for elementwise arithmetic: one statement per ufunc. Bodies get tensors of the loop's dtypes.

NumPy computes float16 in float32 and rounds once at the end; torch's own float16 functions do that too, and
bodies of several steps are `wide`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from npcompile.frontend.ops.rules import dtype_of, ufunc
from npcompile.lower.arithmetic import complex_math
from npcompile.lower.codegen.complexes import in_pairs, modulus


def wide(body: Callable[..., Any]) -> Callable[..., Any]:
    """Return the body with float16 operands made float32: the rule rounds the result once."""

    @functools.wraps(body)
    def widened(*operands: Tensor) -> Any:
        return body(*[item.float() if item.dtype == torch.float16 else item for item in operands])

    return widened


def by_parts(body: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return the body applied to real and imaginary parts alike where the operands are complex."""

    @functools.wraps(body)
    def parted(*operands: Tensor) -> Tensor:
        if operands[0].is_complex():
            return torch.view_as_complex(body(*[torch.view_as_real(item) for item in operands]))
        return body(*operands)

    return parted


def copied(body: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """Return the body for floats; integers and bools are copied."""

    @functools.wraps(body)
    def answer(a: Tensor) -> Tensor:
        return body(a) if a.is_floating_point() else a.clone()

    return answer


# -- the four operations -------------------------------------------------------------------------------------

ufunc(np.add, by_parts(torch.add))  # torch would multiply by a complex alpha: infinities become NaN
ufunc(np.subtract, by_parts(torch.subtract))
ufunc(np.multiply, torch.multiply)
ufunc(np.divide, torch.true_divide)
ufunc(np.square, lambda a: torch.multiply(a, a))
ufunc(np.negative, by_parts(torch.negative))
ufunc(np.positive, torch.clone)


# -- signs and sizes -----------------------------------------------------------------------------------------


def _absolute(a: Tensor) -> Tensor:
    if a.is_complex():
        return modulus(a)
    return a.clone() if a.dtype == torch.bool else torch.abs(a)


def _sign(a: Tensor) -> Tensor:
    if a.is_complex():  # npy_csign: of an infinite number its direction, of two infinite parts NaN
        re, im = torch.view_as_real(a).unbind(-1)
        size = torch.hypot(re, im)
        zero, endless = torch.zeros_like(size), torch.isinf(re)
        along_re = torch.where(endless, torch.copysign(zero + 1, re), zero)
        along_im = torch.where(endless, zero, torch.copysign(zero + 1, im))
        parts = []
        for part, along in ((re, along_re), (im, along_im)):
            direction = torch.where(endless & torch.isinf(im), math.nan, along)
            finite = torch.where(size == 0, zero, part / size)
            parts.append(torch.where(torch.isinf(size), direction, finite))
        return torch.complex(*parts)
    return torch.where(torch.isnan(a), a, torch.sign(a)) if a.is_floating_point() else torch.sign(a)


def _heaviside(a: Tensor, of_zero: Tensor) -> Tensor:
    step = torch.where(a < 0, torch.zeros_like(a), torch.ones_like(a))
    return torch.where(torch.isnan(a), a, torch.where(a == 0, of_zero, step))


ufunc(np.absolute, _absolute)
ufunc(np.fabs, torch.abs)
ufunc(np.sign, _sign)
ufunc(np.heaviside, _heaviside)
ufunc(np.copysign, torch.copysign)
ufunc(np.conjugate, lambda a: torch.conj_physical(a) if a.is_complex() else a.clone())


# -- rounding ------------------------------------------------------------------------------------------------

ufunc(np.rint, by_parts(torch.round))
ufunc(np.floor, copied(torch.floor))
ufunc(np.ceil, copied(torch.ceil))
ufunc(np.trunc, copied(torch.trunc))


def _modf(a: Tensor) -> tuple[Tensor, Tensor]:
    whole = torch.trunc(a)
    rest = torch.where(torch.isinf(a), torch.zeros_like(a), a - whole)
    return torch.copysign(rest, a), whole


ufunc(np.modf, _modf)


# -- exponentials and logarithms -----------------------------------------------------------------------------


def _expm1(a: Tensor) -> Tensor:
    """Do expm1 as Kahan does: compiled code has it as exp(a) - 1, which loses all digits near 0."""
    if a.is_complex():
        return torch.expm1(a)
    power = torch.exp(a)
    less = power - 1
    near = torch.where(less == 0, a, less * (a / torch.log(power)))
    return torch.where((less == -1) | torch.isinf(power), less, near)


def _log1p(a: Tensor) -> Tensor:
    """Do NumPy's `nc_log1p` (funcs.inc.src): torch's gives no infinity beside a NaN."""
    if not a.is_complex():
        return torch.log1p(a)
    real = a.real + 1
    return torch.complex(torch.log(torch.hypot(real, a.imag)), torch.arctan2(a.imag, real))


ufunc(np.exp, torch.exp)
ufunc(np.exp2, torch.exp2)
expm1 = wide(_expm1)
ufunc(np.expm1, expm1)
ufunc(np.log, torch.log)
ufunc(np.log2, torch.log2)
ufunc(np.log10, torch.log10)
ufunc(np.log1p, _log1p)


def _logaddexp(a: Tensor, b: Tensor) -> Tensor:
    larger = torch.maximum(a, b) + torch.log1p(torch.exp(-torch.abs(a - b)))
    return torch.where(a == b, a + math.log(2), larger)


def _logaddexp2(a: Tensor, b: Tensor) -> Tensor:
    larger = torch.maximum(a, b) + torch.log1p(torch.exp2(-torch.abs(a - b))) * math.log2(math.e)
    return torch.where(a == b, a + 1, larger)


ufunc(np.logaddexp, wide(_logaddexp))
ufunc(np.logaddexp2, wide(_logaddexp2))


# -- trigonometry --------------------------------------------------------------------------------------------


def _half_exponential(size: Tensor) -> tuple[Tensor, Tensor]:
    """Return where the vectorised sinh and cosh overflow too early, and exp(size) / 2 without overflow."""
    root = torch.exp(size / 2)
    return size > (80 if size.dtype == torch.float32 else 700), root / 2 * root


def _sinh(a: Tensor) -> Tensor:
    if a.is_complex():
        return torch.sinh(a)
    large, exponential = _half_exponential(torch.abs(a))
    return torch.where(large, torch.copysign(exponential, a), torch.sinh(a))


def _cosh(a: Tensor) -> Tensor:
    if a.is_complex():
        return torch.cosh(a)
    large, exponential = _half_exponential(torch.abs(a))
    return torch.where(large, exponential, torch.cosh(a))


def _arccos(a: Tensor) -> Tensor:
    """Do arccos with the imaginary part's sign opposite to the operand's; torch loses the sign of a zero."""
    if not a.is_complex():
        return torch.arccos(a)
    angle = torch.arccos(a)
    size = angle.imag.abs()
    # Not copysign of -a.imag: the sign of -NaN depends on the device.
    return torch.complex(angle.real, torch.where(torch.signbit(a.imag), size, -size))


def _arccosh(a: Tensor) -> Tensor:
    """Do arccosh without squaring the operand, as compiled code does: the square overflows."""
    if a.is_complex():
        return torch.arccosh(a)
    above = a - 1
    near = torch.log1p(above + torch.sqrt(2 * above + above * above))
    return torch.where(a < 1, math.nan, torch.where(a > 1e8, torch.log(a) + math.log(2), near))


_complex_arctanh = in_pairs(torch.arctanh, complex_math.arctanh)


def _arctanh(a: Tensor) -> Tensor:
    """Do arctanh without the logarithm of a quotient that is nearly 1, as compiled code has it."""
    if a.is_complex():
        return _complex_arctanh(a)
    size = torch.abs(a)
    return torch.copysign(torch.log1p(2 * size / (1 - size)) / 2, a)


def _hypot(a: Tensor, b: Tensor) -> Tensor:
    """Do hypot; CUDA's own is infinite beside the largest numbers, to which a much smaller one adds
    nothing."""
    a, b = a.abs(), b.abs()
    larger, smaller = torch.maximum(a, b), torch.minimum(a, b)
    return torch.where(smaller <= larger * 2.0**-28, larger, torch.hypot(a, b))


ufunc(np.sin, torch.sin)
ufunc(np.cos, torch.cos)
ufunc(np.tan, torch.tan)
ufunc(np.arcsin, torch.arcsin)
ufunc(np.arccos, _arccos)
ufunc(np.arctan, in_pairs(torch.arctan, complex_math.arctan))
ufunc(np.sinh, wide(_sinh))
ufunc(np.cosh, wide(_cosh))
ufunc(np.tanh, torch.tanh)
ufunc(np.arcsinh, torch.arcsinh)
ufunc(np.arccosh, wide(_arccosh))
ufunc(np.arctanh, wide(_arctanh))
ufunc(np.arctan2, torch.arctan2)
ufunc(np.hypot, _hypot)


def _scaled(numerator: float, denominator: float) -> Callable[[Tensor], Tensor]:
    """Return the multiplication by a ratio that is computed in the operand's dtype, as NumPy's C does."""

    def body(a: Tensor) -> Tensor:
        kind = dtype_of(a).type
        return a * float(kind(numerator) / kind(denominator))

    return wide(body)


ufunc(np.degrees, _scaled(180.0, math.pi))
ufunc(np.rad2deg, _scaled(180.0, math.pi))
ufunc(np.radians, _scaled(math.pi, 180.0))
ufunc(np.deg2rad, _scaled(math.pi, 180.0))


# -- binary representations ----------------------------------------------------------------------------------


def _two_to(exponent: Tensor) -> Tensor:
    """Return 2.0**exponent exactly, as float64, for exponents of normal numbers."""
    return ((exponent.long() + 1023) << 52).view(torch.float64)


def _ldexp(a: Tensor, exponent: Tensor) -> Tensor:
    if a.dtype != torch.float64:
        few = exponent.clamp(-400, 400)  # beyond, every float32 is 0 or infinite
        return (a.double() * _two_to(few)).float()
    many = exponent.long().clamp(-2200, 2200)
    first = many.clamp(-969, 1023)  # 53 bits away from the subnormals: only the last step rounds
    second = (many - first).clamp(-969, 1023)
    return a * _two_to(first) * _two_to(second) * _two_to((many - first - second).clamp(-1022, 1023))


# Of 0 and -0 float16's answer is the second one since NumPy 2.5, as that of the other dtypes always was.
_NEXT_OF_SAME_IS_SECOND = bool(np.signbit(np.nextafter(np.float16(0.0), np.float16(-0.0))))


def _nextafter(a: Tensor, b: Tensor) -> Tensor:
    if a.dtype != torch.float16:
        return torch.nextafter(a, b)
    bits = a.view(torch.int16)
    outwards = (b > a) == (a > 0)
    moved = torch.where(outwards, bits + 1, bits - 1).view(torch.float16)
    smallest = torch.copysign(torch.full_like(a, 2.0**-24), b)
    moved = torch.where(a == 0, smallest, moved)
    same = b if _NEXT_OF_SAME_IS_SECOND else a
    return torch.where(torch.isnan(a) | torch.isnan(b), a + b, torch.where(a == b, same, moved))


ufunc(np.ldexp, _ldexp)
ufunc(np.frexp, wide(torch.frexp))
ufunc(np.nextafter, _nextafter)


def _spacing(a: Tensor) -> Tensor:
    """Return the distance to the next float away from 0, signed; for float16 to the next one above."""
    if a.dtype == torch.float16:
        above = _nextafter(a, torch.full_like(a, math.inf))
        return torch.where(torch.isfinite(a), (above.float() - a.float()).to(a.dtype), math.nan)
    size = torch.abs(a)
    step = (size.view(torch.int32 if a.dtype == torch.float32 else torch.int64) + 1).view(a.dtype) - size
    return torch.where(torch.isfinite(a), torch.where(a == 0, step, torch.copysign(step, a)), math.nan)


ufunc(np.spacing, _spacing)
