"""Sums of products: contractions are computed in a dtype in which torch adds as NumPy does."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.ops.table import Unsupported


def contracted(body: Callable[..., Tensor], *operands: Tensor) -> Tensor:
    """Compute a contraction of operands of one dtype in a dtype in which torch sums as NumPy does.

    NumPy adds float16 in float32 and rounds once, takes bool as "any of all", and wraps integers.
    """
    dtype = operands[0].dtype
    if dtype == torch.bool:
        return body(*(item.to(torch.float32) for item in operands)) != 0  # a sum of ones is never 0
    if dtype == torch.float16:
        return body(*(item.to(torch.float32) for item in operands)).to(torch.float16)
    if not dtype.is_floating_point and not dtype.is_complex and operands[0].device.type != "cpu":
        raise Unsupported(Cause.ON_DEVICE("products of integers"))
    return body(*operands)
