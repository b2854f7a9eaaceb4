"""Comparisons, extremes, logic, and what a float is. Complex numbers are ordered as NumPy does: by their real
parts, then by their imaginary parts, and NaN in either part is not below, above or equal to anything."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from npcompile.frontend.ops.rules import ufunc

# -- order ---------------------------------------------------------------------------------------------------


def _ordered(
    strict: Callable[[Tensor, Tensor], Tensor], equal: Callable[[Tensor, Tensor], Tensor]
) -> Callable[[Tensor, Tensor], Tensor]:
    """strict orders real parts, equal decides between equal ones; real operands have only the latter."""

    def body(a: Tensor, b: Tensor) -> Tensor:
        if not a.is_complex():
            return equal(a, b)
        (re, im), (other_re, other_im) = torch.view_as_real(a).unbind(-1), torch.view_as_real(b).unbind(-1)
        known = ~(torch.isnan(im) | torch.isnan(other_im))
        return (strict(re, other_re) & known) | ((re == other_re) & equal(im, other_im))

    return body


_ge = _ordered(torch.gt, torch.ge)
_le = _ordered(torch.lt, torch.le)

ufunc(np.equal, torch.eq)
ufunc(np.not_equal, torch.ne)
ufunc(np.less, _ordered(torch.lt, torch.lt))
ufunc(np.less_equal, _le)
ufunc(np.greater, _ordered(torch.gt, torch.gt))
ufunc(np.greater_equal, _ge)


def _extreme(
    real: Callable[[Tensor, Tensor], Tensor], order: Callable[[Tensor, Tensor], Tensor], skips_nan: bool
) -> Callable[[Tensor, Tensor], Tensor]:
    """real for real operands; complex ones by their order, and a NaN wins, or loses to any number. So are
    those of float16, of which NumPy answers with the first where both are zeros."""

    def body(a: Tensor, b: Tensor) -> Tensor:
        if not a.is_complex() and a.dtype != torch.float16:
            return real(a, b)
        return torch.where(torch.isnan(b if skips_nan else a) | order(a, b), a, b)

    return body


def _no_nan(
    real: Callable[[Tensor, Tensor], Tensor], whole: Callable[[Tensor, Tensor], Tensor]
) -> Callable[[Tensor, Tensor], Tensor]:
    return lambda a, b: real(a, b) if a.is_floating_point() else whole(a, b)


ufunc(np.maximum, _extreme(torch.maximum, _ge, skips_nan=False))
ufunc(np.minimum, _extreme(torch.minimum, _le, skips_nan=False))
ufunc(np.fmax, _extreme(_no_nan(torch.fmax, torch.maximum), _ge, skips_nan=True))
ufunc(np.fmin, _extreme(_no_nan(torch.fmin, torch.minimum), _le, skips_nan=True))

# -- logic ---------------------------------------------------------------------------------------------------

ufunc(np.logical_and, torch.logical_and)
ufunc(np.logical_or, torch.logical_or)
ufunc(np.logical_xor, torch.logical_xor)
ufunc(np.logical_not, torch.logical_not)

# -- what a float is -----------------------------------------------------------------------------------------

ufunc(np.isnan, torch.isnan)
ufunc(np.isinf, torch.isinf)
ufunc(np.isfinite, torch.isfinite)
ufunc(np.signbit, torch.signbit)
