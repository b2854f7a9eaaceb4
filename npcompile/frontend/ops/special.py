"""Ops on `scipy.special`'s ufuncs that torch has too. It imports SciPy: it is loaded once a program has
SciPy.

Bodies compute float32 in float64 and round once. Complex numbers are left to SciPy, and so are the functions
of which torch's have fewer digits: Bessel functions of the first and second kind, incomplete gamma functions.
`pseudo_huber` is left to it, too: its formula makes 30 units in the last place of one unit of `log1p`.

Answers are within 4 units of SciPy's where SciPy is that near to the truth. Off by more are its erfc far from
0, its log_ndtr, its gammaln near the roots, and most Bessel functions.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from scipy import special  # type: ignore[import-untyped]
from torch import Tensor

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops.elementwise import expm1
from npcompile.frontend.ops.power import cube_root
from npcompile.frontend.ops.reductions import array_dtype
from npcompile.frontend.ops.rules import UFUNC_KEYWORDS, ufunc_limits, ufunc_rule
from npcompile.frontend.ops.table import TABLE, Op


def _limits(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    if any(array_dtype(item).kind == "c" for item in args):
        return Cause.COMPLEX_NUMBERS()
    return ufunc_limits(op, args, kwargs)


def _in_float64(body: Callable[..., Tensor]) -> Callable[..., Tensor]:
    @functools.wraps(body)
    def answer(*operands: Tensor) -> Tensor:
        return body(*[item.double() for item in operands])

    return answer


def _register(np_ufunc: np.ufunc, body: Callable[..., Tensor]) -> None:
    TABLE.add(
        Op(
            name=f"scipy.special.{np_ufunc.__name__}",
            objects=(np_ufunc,),
            rule=ufunc_rule,
            body=_in_float64(body),
            operands=frozenset(range(np_ufunc.nin)),
            accepts=UFUNC_KEYWORDS,
            limits=_limits,
        )
    )


def _logit(a: Tensor) -> Tensor:
    """Compute `log(a / (1 - a))`: near 1/2, where the quotient is near 1, as `log1p` of what it is above 1.

    Kahan's `log(1 + t) * t / ((1 + t) - 1)` stands for `log1p`, as one logarithm then serves both.
    """
    is_near = torch.abs(a - 0.5) < 0.25
    above = (2 * a - 1) / (1 - a)
    quotient = torch.where(is_near, 1 + above, a / (1 - a))
    rounded = torch.where(quotient == 1, 1.0, quotient - 1)
    log = torch.log(quotient)
    near = torch.where(quotient == 1, above, log * (above / rounded))
    return torch.where(is_near, near, log)


# psi on [1, 2], as SciPy has it from Boost, is `(a - root) * (_PSI_SLOPE + over / under)`, of polynomials
# in `a - 1`. The root is in three parts, as one float64 has too few digits of it.
_PSI_ROOT = (1569415565 / 2**30, 381566830 / 2**60, 0.9016312093258695918615325266959189453125e-19)
_PSI_SLOPE = 0.99558162689208984
_PSI_OVER = (
    0.25479851061131551,
    -0.32555031186804491,
    -0.65031853770896507,
    -0.28919126444774784,
    -0.045251321448739056,
    -0.0020713321167745952,
)
_PSI_UNDER = (
    1.0,
    2.0767117023730469,
    1.4606242909763515,
    0.43593529692665969,
    0.054151797245674225,
    0.0021284987017821144,
    -0.55789841321675513e-6,
)


def _polynomial(coefficients: tuple[float, ...], a: Tensor) -> Tensor:
    found = torch.full_like(a, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        found = found * a + coefficient
    return found


# psi at 10 and more is `log(a) - 1 / (2 * a)` less a series in `1 / a**2`, whose coefficients these are.
_PSI_SERIES = (0.0, 1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)


def _psi(a: Tensor) -> Tensor:
    """Compute psi as SciPy does, but for its series around the root at -0.504.

    torch's loses its digits near the root at 1.46.
    """
    size = torch.where(a < 0, 1 - a, a)
    place, added = torch.where(size < 1, size + 1, size), torch.where(size < 1, -1 / size, 0.0)
    for _ in range(8):  # psi(x + 1) = psi(x) + 1 / x
        is_above = place > 2
        place = torch.where(is_above, place - 1, place)
        added = torch.where(is_above, added + 1 / place, added)
    from_root = place - _PSI_ROOT[0] - _PSI_ROOT[1] - _PSI_ROOT[2]
    ratio = _polynomial(_PSI_OVER, place - 1) / _polynomial(_PSI_UNDER, place - 1)
    small = added + (from_root * _PSI_SLOPE + from_root * ratio)
    large = torch.log(size) - 0.5 / size - _polynomial(_PSI_SERIES, 1 / (size * size))
    found = torch.where(size <= 10, small, large)
    fraction = a - torch.trunc(a)
    reflected = torch.where(fraction == 0, math.nan, found - math.pi / torch.tan(math.pi * fraction))
    return torch.where(a < 0, reflected, torch.where(a == 0, -1 / a, found))


def _gammaln(a: Tensor) -> Tensor:
    """Return gammaln: infinite at the smallest numbers, whose reciprocals overflow, and -inf at -inf."""
    found = torch.where(torch.isinf(1 / a), math.inf, torch.lgamma(a))
    return torch.where(torch.isinf(a), a, found)


def _rel_entr(a: Tensor, b: Tensor) -> Tensor:
    """Compute `a log(a / b)` as SciPy does: by `log1p` near 1, by two logarithms where `a / b` overflows."""
    ratio = a / b
    near = (ratio > 0.5) & (ratio < 2)
    found = torch.where(near, a * torch.log1p((a - b) / b), a * torch.log(ratio))
    is_normal = (ratio > torch.finfo(a.dtype).tiny) & (ratio < math.inf)
    found = torch.where(is_normal, found, a * (torch.log(a) - torch.log(b)))
    found = torch.where((a > 0) & (b > 0), found, math.inf)
    found = torch.where((a == 0) & (b >= 0), 0.0, found)
    return torch.where(torch.isnan(a) | torch.isnan(b), math.nan, found)


def _exprel(a: Tensor) -> Tensor:
    """Compute `(exp(a) - 1) / a`, which is 1 at 0, and infinite where SciPy has it so."""
    found = torch.where(torch.abs(a) < 1e-16, 1.0, expm1(a) / a)
    return torch.where(a > 717.0, math.inf, found)


def _huber(delta: Tensor, a: Tensor) -> Tensor:
    """Compute the Huber loss: a square within `delta`, a straight line beyond, infinite for less than 0."""
    size = torch.abs(a)
    found = torch.where(size <= delta, 0.5 * a * a, delta * (size - 0.5 * delta))
    return torch.where(delta < 0, math.inf, found)


def _exp10(a: Tensor) -> Tensor:
    """Compute `10**a`, which SciPy has as 0 where the answer would have the fewest digits."""
    return torch.where(a < -308.2547155599167, 0.0, torch.pow(10.0, a))


_register(special.erf, torch.erf)
_register(special.erfc, torch.special.erfc)
_register(special.erfinv, lambda a: torch.erfinv(a) + 0.0)  # it gives 0.0 for -0.0
_register(special.erfcx, torch.special.erfcx)
_register(special.ndtr, lambda a: torch.special.erfc(a * -math.sqrt(0.5)) / 2)
_register(special.ndtri, torch.special.ndtri)
_register(special.log_ndtr, torch.special.log_ndtr)
_register(special.gammaln, _gammaln)
_register(special.psi, _psi)
_register(special.i0, torch.special.i0)
_register(special.i0e, torch.special.i0e)
_register(special.i1, torch.special.i1)
_register(special.i1e, torch.special.i1e)
_register(special.k0, torch.special.modified_bessel_k0)
_register(special.k1, torch.special.modified_bessel_k1)
_register(special.k0e, torch.special.scaled_modified_bessel_k0)
_register(special.k1e, torch.special.scaled_modified_bessel_k1)
_register(special.expit, torch.special.expit)
_register(special.logit, _logit)
_register(special.log_expit, torch.nn.functional.logsigmoid)
_register(special.xlogy, torch.special.xlogy)
_register(special.xlog1py, torch.special.xlog1py)
_register(special.entr, torch.special.entr)
_register(special.rel_entr, _rel_entr)
_register(special.huber, _huber)
_register(special.log1p, torch.log1p)
_register(special.expm1, expm1)
_register(special.exprel, _exprel)
_register(special.exp2, torch.exp2)
_register(special.exp10, _exp10)
_register(special.cbrt, cube_root)
