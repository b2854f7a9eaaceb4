"""Ops that compare: order, extremes, logic, and the classes of floats (NaN, infinite, negative).

Complex numbers are ordered as NumPy orders them: by their real parts, then by their imaginary parts; a number
with NaN in either part is not below, above or equal to any.
"""

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
    """Return a comparison; `strict` compares real parts, and `equal` decides where they are equal.

    Real operands have only the latter.
    """

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
    """Return the body of an extreme: `real` for real operands, and the order of complex numbers for complex
    ones.

    A complex NaN wins, or with `skips` loses to any number. float16 goes by the order, too: NumPy returns the
    first operand where both are zeros.
    """

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

# -- classes of floats ---------------------------------------------------------------------------------------

ufunc(np.isnan, torch.isnan)
ufunc(np.isinf, torch.isinf)
ufunc(np.isfinite, torch.isfinite)
ufunc(np.signbit, torch.signbit)
