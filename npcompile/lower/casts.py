"""Casts as C does them: rounded once where torch rounds twice, and between floats and unsigned integers."""

from __future__ import annotations

import torch

_LOW = (1 << 29) - 1  # the bits of a float64's mantissa that a float32 has no room for
_SIGN = -(2**63)
_FLOATS = frozenset({torch.float16, torch.float32, torch.float64})
_SHORT = frozenset({torch.int8, torch.int16, torch.uint8, torch.uint16})


def ready(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """A tensor that torch casts (`to`, `copy_`) to what `tensor` is in that dtype for NumPy on x86-64.

    - float64 to float16: torch goes by way of float32, and its two roundings can be off by one ulp. Rounding
      to odd first keeps the side of a tie that the number lies on.
    - Floats to short and to unsigned integers: what does not fit is cast to the signed integer that the
      processor has an instruction for (32 bits for short ones, else 64), whose low bits are kept. Of floats
      that neither int32 nor uint32 holds, NumPy's own uint32 depends on where in the array the float lies;
      here it does not.
    - uint64 to floats: torch's compiled code takes them for signed.

    Other casts are right as they are.
    """
    if tensor.dtype == dtype:
        return tensor
    if tensor.dtype in _FLOATS and dtype in _SHORT:
        return tensor.to(torch.int32)
    if tensor.dtype in _FLOATS and dtype == torch.uint32:
        return tensor.to(torch.int64)
    if tensor.dtype in _FLOATS and dtype == torch.uint64:
        return _as_uint64(tensor)
    if tensor.dtype == torch.uint64 and (dtype in _FLOATS or dtype.is_complex):
        return _of_uint64(tensor, dtype)
    if tensor.dtype in (torch.uint16, torch.uint32):
        return tensor.to(torch.int64)
    if tensor.dtype != torch.float64 or dtype != torch.float16:
        return tensor
    bits = tensor.view(torch.int64)
    low = bits & _LOW
    odd = (bits - low) | ((low != 0).to(torch.int64) << 29)
    return odd.view(torch.float64)


def _as_uint64(tensor: torch.Tensor) -> torch.Tensor:
    wide = tensor.to(torch.float32) if tensor.dtype == torch.float16 else tensor
    large = wide >= 2.0**63
    return torch.where(large, (wide - 2.0**63).to(torch.int64) ^ _SIGN, wide.to(torch.int64))


def _of_uint64(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Halved where the highest bit is set; the bit that falls off is remembered: rounding is the same."""
    bits = tensor.to(torch.int64)
    half = ((bits >> 1) & (2**63 - 1)) | (bits & 1)
    wide = torch.float32 if dtype in (torch.float16, torch.float32, torch.complex64) else torch.float64
    return torch.where(bits < 0, half.to(wide) * 2, bits.to(wide))
