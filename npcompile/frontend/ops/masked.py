"""Ops on the elements that a mask picks, at full length: no element is moved.

They are not NumPy's own functions: `frontend/passes/mask_lowering.py` puts them where a program has
`a[m].min()` or `a[m] = ...`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from npcompile.frontend.ops.reductions import MAXIMUM, MINIMUM, reduce
from npcompile.frontend.ops.rules import cast, dtype_of


@dataclass(frozen=True)
class Extreme:
    """The least or greatest of the picked elements of an array, over these axes; NaN if one of them is.

    Called, it returns a flag, too: False where no element is picked, for which NumPy raises ValueError.
    """

    largest: bool
    checked = True

    @property
    def __name__(self) -> str:
        return "max" if self.largest else "min"

    def __call__(self, a: Tensor, axis: Any, where: Tensor) -> tuple[Tensor, Tensor]:
        reduction = MAXIMUM if self.largest else MINIMUM
        if a.dtype == torch.bool:
            beyond: Any = not self.largest
        elif a.is_floating_point():
            beyond = float("-inf") if self.largest else float("inf")
        else:
            info = torch.iinfo(a.dtype)
            beyond = info.min if self.largest else info.max
        return reduce(reduction, a, axis, None, initial=beyond, where=where), where.any()


def put_where(a: Tensor, mask: Tensor, value: Tensor) -> Tensor:
    """Return the whole of `a` with `value`, in its dtype, where the mask is True."""
    return torch.where(mask, cast(value, dtype_of(a)), a)
