"""Elementwise ufuncs: one statement each."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from npcompile.frontend.ops.rules import ufunc


def _add(a: Tensor, b: Tensor) -> Tensor:
    if a.is_complex():  # by parts: torch multiplies by a complex alpha first, and infinities become NaN
        return torch.view_as_complex(torch.view_as_real(a) + torch.view_as_real(b))
    return torch.add(a, b)


def _subtract(a: Tensor, b: Tensor) -> Tensor:
    if a.is_complex():
        return torch.view_as_complex(torch.view_as_real(a) - torch.view_as_real(b))
    return torch.subtract(a, b)


ufunc(np.add, _add)
ufunc(np.subtract, _subtract)
ufunc(np.multiply, torch.multiply)
ufunc(np.equal, torch.eq)
