"""Casts that round once, where torch rounds twice."""

from __future__ import annotations

import torch

_LOW = (1 << 29) - 1  # the bits of a float64's mantissa that a float32 has no room for


def ready(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """A tensor that torch casts (`to`, `copy_`) to what `tensor` is in that dtype, rounded once, ties to
    even.

    torch takes a float64 to float16 by way of float32, and its two roundings can be off by one ulp. Rounding
    to odd first keeps the side of a tie that the number lies on. Other casts are right as they are.
    """
    if tensor.dtype != torch.float64 or dtype != torch.float16:
        return tensor
    bits = tensor.view(torch.int64)
    low = bits & _LOW
    odd = (bits - low) | ((low != 0).to(torch.int64) << 29)
    return odd.view(torch.float64)
