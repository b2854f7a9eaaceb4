"""Square roots that are rounded correctly, as NumPy's are, where torch computes eagerly."""

from __future__ import annotations

import torch
from torch import Tensor

# Dekker's splitting constant for float64: the upper half of a product has 26 bits.
_SPLIT = 2.0**27 + 1
# Below and above these, products of halves lose bits or overflow. Scaling by a power of four is exact.
_TINY, _HUGE, _SCALE = 2.0**-800, 2.0**800, 2.0**512


def square_root(a: Tensor) -> Tensor:
    """Return the square root, correctly rounded as IEEE 754 asks.

    On processors with AVX-512, MKL's, which torch takes on the CPU, is one rounding off in one of a hundred
    numbers. Kernels use the processor's own instruction, and need nothing more.
    """
    if type(a) is not Tensor or a.device.type != "cpu" or not a.is_floating_point():
        return torch.sqrt(a)
    if a.dtype is not torch.float64:  # rounding a float64 root once more is exact (Figueroa 1995)
        return torch.sqrt(a.double()).to(a.dtype)
    scale = torch.ones_like(a).masked_fill(a < _TINY, _SCALE).masked_fill(a > _HUGE, 1 / _SCALE)
    scaled = a * scale
    root = torch.sqrt(scaled)
    above, below = (torch.nextafter(root, torch.full_like(root, bound)) for bound in (torch.inf, 0.0))
    # The number less the square of the root, exact by Dekker's product (Numer. Math. 18, 1971).
    square, high = root * root, root * _SPLIT
    high = high - (high - root)
    low = root - high
    left = (scaled - square) - (((high * high - square) + 2 * high * low) + low * low)
    result = torch.where(left > root * (above - root), above, root)
    result = torch.where(left <= -root * (root - below), below, result)
    result = torch.where((scaled > 0) & (scaled < torch.inf), result, root)
    return result / torch.sqrt(scale)
