"""Complex functions on pairs of real tensors, which have NumPy's digits, infinities and signs of zeros.

Each function takes and returns (real part, imaginary part); `codegen/complex_ops.py` calls them. Sources:
NumPy's loops (`loops_arithm_fp`, `loops_unary_complex`, `loops.c.src`) and, for functions that these leave to
C, glibc's `cexp`, `csqrt`, `clog`, `catanh` and `cpow`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

Fma = Callable[[Tensor, Tensor, Tensor], Tensor]  # a * b + c, rounded once


class Pair(NamedTuple):
    re: Tensor
    im: Tensor


class _Limits(NamedTuple):
    """Constants of a float dtype."""

    exponent: float  # the largest number whose exponential is finite, roughly
    large: float  # above, four of them overflow
    tiny: float  # below, a half has fewer digits
    up: float  # the factor that makes tiny numbers ordinary, and the one that undoes it after a square root
    down: float
    epsilon: float


_LIMITS = {
    torch.float64: _Limits(709.0, 2.0**1021, 2.0**-1021, 2.0**54, 2.0**-27, 2.0**-52),
    torch.float32: _Limits(88.0, 2.0**125, 2.0**-125, 2.0**24, 2.0**-12, 2.0**-23),
}


def rounded_twice(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """Return a * b + c, rounded twice, where the processor has no fused multiply-add."""
    return a * b + c


def multiply(a: Pair, b: Pair, fma: Fma) -> Pair:
    """Multiply as NumPy's loop does, with a fused multiply-add where the processor has one."""
    return Pair(fma(a.re, b.re, -(a.im * b.im)), fma(a.re, b.im, a.im * b.re))


def divide(a: Pair, b: Pair) -> Pair:
    """Divide by Smith's algorithm; a division by zero divides both parts by it."""
    flat = b.re.abs() >= b.im.abs()
    larger, smaller = torch.where(flat, b.re, b.im), torch.where(flat, b.im, b.re)
    ratio = smaller / larger
    scale = 1.0 / (larger + smaller * ratio)
    along, across = torch.where(flat, a.re, a.im), torch.where(flat, a.im, a.re)
    zero = (b.re == 0) & (b.im == 0)
    nothing = b.re.abs()
    re = (along + across * ratio) * scale
    im = torch.where(flat, a.im - a.re * ratio, a.im * ratio - a.re) * scale
    return Pair(torch.where(zero, a.re / nothing, re), torch.where(zero, a.im / nothing, im))


def absolute(a: Pair, fma: Fma) -> Tensor:
    """Return the larger part times sqrt(1 + ratio ** 2)."""
    re, im = a.re.abs(), a.im.abs()
    endless = torch.isinf(re) | torch.isinf(im)
    larger, smaller = torch.maximum(re, im), torch.minimum(re, im)
    ratio = torch.where(larger == 0, larger, smaller / larger)
    size = larger * torch.sqrt(fma(ratio, ratio, torch.ones_like(ratio)))
    return torch.where(endless, math.inf, size)


def exp(a: Pair) -> Pair:
    """Do C's cexp: where the exponential overflows, it is taken in steps."""
    limits = _LIMITS[a.re.dtype]
    first = (a.re > limits.exponent) & torch.isfinite(a.re)
    rest = torch.where(first, a.re - limits.exponent, a.re)
    second = first & (rest > limits.exponent)
    rest = torch.where(second, rest - limits.exponent, rest)
    step = math.exp(limits.exponent)
    power = torch.exp(rest)
    endless = torch.isinf(a.re)
    along = []
    for direction in (torch.cos(a.im), torch.sin(a.im)):
        scaled = torch.where(first, direction * step, direction)
        scaled = torch.where(second, scaled * step, scaled)
        far = torch.copysign(torch.where(a.re > 0, math.inf, 0.0).to(a.re.dtype), direction)
        along.append(torch.where(endless, far, power * scaled))
    turning = torch.isfinite(a.im)
    re = torch.where(turning, along[0], torch.where(endless, torch.where(a.re > 0, a.re, 0.0), math.nan))
    still = torch.copysign(torch.zeros_like(a.im), a.im)
    im = torch.where(turning, along[1], torch.where(endless & (a.re < 0), still, math.nan))
    return Pair(torch.where(torch.isnan(a.re), a.re, re), torch.where(a.im == 0, a.im, im))


def sinh(a: Pair) -> Pair:
    """Do C's csinh."""
    along, across = _hyperbolic(a)
    endless, turning = torch.isinf(a.re), torch.isfinite(a.im)
    lost = torch.where(a.re == 0, a.re, torch.where(endless, math.inf, math.nan).to(a.re.dtype))
    re = torch.where(turning, along[0] * across[0], lost)
    return Pair(re, torch.where(a.im == 0, a.im, along[1] * across[1]))


def cosh(a: Pair) -> Pair:
    """Do C's ccosh."""
    along, across = _hyperbolic(a)
    endless, turning = torch.isinf(a.re), torch.isfinite(a.im)
    re = torch.where(turning | ~endless, along[1] * across[0], math.inf)
    flat = torch.where(torch.isnan(a.re), a.im, torch.copysign(torch.ones_like(a.re), a.re) * a.im)
    im = torch.where(a.im == 0, flat, along[0] * across[1])
    return Pair(re, torch.where(~turning & (a.re == 0), 0.0, im))


def _hyperbolic(a: Pair) -> tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor]]:
    """Return (sinh, cosh) of the real part and (cos, sin) of the imaginary one.

    Where the exponential overflows, its half stands in the first pair, and the excess is a factor of the
    second.
    """
    limits = _LIMITS[a.re.dtype]
    size = a.re.abs()
    first = (size > limits.exponent) & torch.isfinite(size)
    rest = torch.where(first, size - limits.exponent, size)
    second = first & (rest > limits.exponent)
    rest = torch.where(second, rest - limits.exponent, rest)
    step = math.exp(limits.exponent)
    one = torch.ones_like(size)
    factor, again = torch.where(first, one * (0.5 * step), one), torch.where(second, one * step, one)
    power = torch.exp(rest)
    safe = torch.where(first, 0.0, a.re)
    along = torch.where(first, torch.copysign(power, a.re), torch.sinh(safe))
    across = torch.where(first, power, torch.cosh(safe))
    return (along, across), (torch.cos(a.im) * factor * again, torch.sin(a.im) * factor * again)


def tanh(a: Pair) -> Pair:
    """Do C's ctanh."""
    limits = _LIMITS[a.re.dtype]
    far = a.re.abs() > limits.exponent / 2
    cos, sin = torch.cos(a.im), torch.sin(a.im)
    near = torch.where(far, 0.0, a.re)
    along, across = torch.sinh(near), torch.cosh(near)
    size = along * along + cos * cos
    ends = torch.copysign(torch.ones_like(a.re), a.re)
    fading = 4 * sin * cos * torch.exp(-2 * a.re.abs())
    re = torch.where(far, ends, along * across / size)
    im = torch.where(far, fading, sin * cos / size)
    # infinities and NaN
    endless = torch.isinf(a.re)
    lost = torch.where(torch.isfinite(a.im), 1.0, math.nan).to(a.re.dtype)
    lost = torch.where(a.re == 0, a.re, lost * math.nan)
    re = torch.where(endless | torch.isfinite(a.im), re, lost)
    nothing = torch.where(torch.isfinite(a.im) & (a.im.abs() > 1), sin * cos, a.im)
    im = torch.where(endless, torch.copysign(torch.zeros_like(a.im), nothing), im)
    return Pair(re, torch.where(torch.isnan(a.re) & (a.im == 0), a.im, im))


def sin(a: Pair) -> Pair:
    """Do C's csin: sinh(i a) / i, but for the sign of an infinite part where the other part is not finite."""
    result = sinh(Pair(-a.im, a.re))
    lost = torch.isinf(a.im) & ~torch.isfinite(a.re)
    return Pair(result.im, torch.where(lost, math.inf, -result.re))


def tan(a: Pair) -> Pair:
    """Do C's ctan."""
    result = tanh(Pair(-a.im, a.re))
    return Pair(result.im, -result.re)


def cos(a: Pair) -> Pair:
    """Do C's ccos."""
    return cosh(Pair(-a.im, a.re))


def sqrt(a: Pair) -> Pair:
    """Do C's csqrt: scaled where the sum of squares would overflow or lose digits."""
    limits = _LIMITS[a.re.dtype]
    size = torch.maximum(a.re.abs(), a.im.abs())
    large, small = size > limits.large, size < limits.tiny
    factor = torch.where(large, 0.25, torch.where(small, limits.up, 1.0)).to(size.dtype)
    back = torch.where(large, 2.0, torch.where(small, limits.down, 1.0)).to(size.dtype)
    re, im = a.re * factor, a.im * factor
    distance = torch.hypot(re, im)
    larger = torch.sqrt(0.5 * (distance + re.abs()))
    other = 0.5 * (im.abs() / larger)
    right = a.re > 0
    real, imaginary = torch.where(right, larger, other) * back, torch.where(right, other, larger) * back
    # on the axes nothing is lost to sums
    along = torch.sqrt(a.re.abs())
    zero = torch.zeros_like(along)
    flat = a.im == 0
    real = torch.where(flat, torch.where(a.re < 0, zero, along), real)
    imaginary = torch.where(flat, torch.where(a.re < 0, along, zero), imaginary)
    halved = torch.sqrt(a.im.abs() * factor * 0.5) * back
    upright = (a.re == 0) & ~flat
    real, imaginary = torch.where(upright, halved, real), torch.where(upright, halved, imaginary)
    # infinities and NaN
    lost = torch.isnan(a.re) | torch.isnan(a.im)
    left, right = a.re == -math.inf, a.re == math.inf
    real = torch.where(lost, math.nan, real)
    imaginary = torch.where(lost, math.nan, imaginary)
    flat = torch.where(torch.isnan(a.im), math.nan, 0.0)
    real = torch.where(left, flat, torch.where(right, math.inf, real))
    imaginary = torch.where(left, math.inf, torch.where(right, flat, imaginary))
    endless = torch.isinf(a.im)
    real, imaginary = torch.where(endless, math.inf, real), torch.where(endless, math.inf, imaginary)
    return Pair(real, torch.copysign(imaginary, a.im))


def log(a: Pair, fma: Fma) -> Pair:
    """Do C's clog: near the unit circle by way of the distance from it."""
    if a.re.dtype == torch.float32:  # whose squares a float64 holds exactly
        wide = log(Pair(a.re.double(), a.im.double()), fma)
        return Pair(wide.re.float(), torch.atan2(a.im, a.re))
    one, other = a.re.abs(), a.im.abs()
    larger, smaller = torch.maximum(one, other), torch.minimum(one, other)
    beyond = _square_less_one(larger, smaller, fma)
    near = (larger < 2) & (larger >= 0.5) & (beyond >= -0.5) & (beyond < 3)
    large, small = larger > 2.0**1022, larger < 2.0**-1021
    scale = torch.where(large, 0.5, torch.where(small, 2.0**54, 1.0)).double()
    twos = torch.where(large, 1.0, torch.where(small, -54.0, 0.0)).double()
    far = torch.log(torch.hypot(larger * scale, smaller * scale)) + twos * math.log(2.0)
    real = torch.where(near, torch.log1p(torch.where(near, beyond, 0.0)) / 2, far)
    real = torch.where(torch.isinf(one) | torch.isinf(other), math.inf, real)
    return Pair(real, torch.atan2(a.im, a.re))


def arctanh(a: Pair) -> Pair:
    """Do C's catanh: near the poles at 1 and -1, and far from 0, without squares that lose digits."""
    if a.re.dtype == torch.float32:
        wide = arctanh(Pair(a.re.double(), a.im.double()))
        return Pair(wide.re.float(), wide.im.float())
    size, height = a.re.abs(), a.im.abs()
    gap = 1 - size
    near = torch.log1p(4 * size / (gap * gap + height * height)) / 4
    near = torch.where((size == 1) & (height < 2.0**-104), (math.log(2.0) - torch.log(height)) / 2, near)
    half = torch.hypot(size / 2, height / 2)
    distant = torch.where(height <= 1, 1 / size, size / half / half / 4)
    far = (size >= 2.0**56) | (height >= 2.0**56)
    real = torch.where(far, distant, near)
    turn = torch.atan2(2 * height, gap * (1 + size) - height * height) / 2
    imaginary = torch.where(far, math.pi / 2, turn)
    # infinities and NaN
    real = torch.where(torch.isinf(size) | torch.isinf(height) | (size == 0), 0.0, real)
    lost = torch.isnan(height) | (torch.isnan(size) & ~torch.isinf(height))
    imaginary = torch.where(lost, math.nan, imaginary)
    return Pair(torch.copysign(real, a.re), torch.copysign(imaginary, a.im))


def arctan(a: Pair) -> Pair:
    """Do C's catan: arctanh(i a) / i."""
    result = arctanh(Pair(-a.im, a.re))
    return Pair(result.im, -result.re)


def power(a: Pair, b: Pair, fma: Fma) -> Pair:
    """Do C's cpow: the exponential of the logarithm times the exponent."""
    return exp(_c_product(b, log(a, fma)))


def _c_product(a: Pair, b: Pair) -> Pair:
    """Multiply as C does: an infinite operand makes the product infinite (C11, annex G.5.1)."""
    products = a.re * b.re, a.im * b.im, a.re * b.im, a.im * b.re
    re, im = products[0] - products[1], products[2] + products[3]
    endless_a, endless_b = (torch.isinf(one.re) | torch.isinf(one.im) for one in (a, b))
    overflow = functools.reduce(torch.logical_or, map(torch.isinf, products))
    mended = torch.isnan(re) & torch.isnan(im) & (endless_a | endless_b | overflow)
    (a_re, a_im), (b_re, b_im) = _boxed(a, endless_a), _boxed(b, endless_b)
    return Pair(
        torch.where(mended, math.inf * (a_re * b_re - a_im * b_im), re),
        torch.where(mended, math.inf * (a_re * b_im + a_im * b_re), im),
    )


def _boxed(a: Pair, endless: Tensor) -> Pair:
    """Return infinite parts as 1 and finite ones beside them as 0, with their signs; NaN as 0."""
    made = []
    for part in a:
        reduced = torch.where(endless, torch.isinf(part).to(part.dtype), part.abs())
        made.append(torch.copysign(torch.where(torch.isnan(part), 0.0, reduced), part))
    return Pair(*made)


def _square_less_one(x: Tensor, y: Tensor, fma: Fma) -> Tensor:
    """Return x * x + y * y - 1, with the rounding errors of products and sums added at the end."""
    square, other = x * x, y * y
    lost = fma(x, x, -square) + fma(y, y, -other)
    first, rest = _exact_sum(square, torch.full_like(square, -1.0))
    second, more = _exact_sum(first, other)
    return second + (rest + more + lost)


def _exact_sum(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Return the sum, and exactly its rounding error (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)
