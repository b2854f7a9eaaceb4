"""Casts that give NumPy's values on x86-64: rounded once where torch rounds twice, and between floats and
integers.

Bodies of ops and stores of eager arrays cast through `prepared_for_cast`.
"""

from __future__ import annotations

import torch

_LOW = (1 << 29) - 1  # the bits of a float64's mantissa that a float32 has no room for
_SIGN = -(2**63)
_FLOATS = frozenset({torch.float16, torch.float32, torch.float64})
_INTEGERS = {  # the signed integer by way of which floats are cast
    **dict.fromkeys((torch.int8, torch.int16, torch.int32, torch.uint8, torch.uint16), torch.int32),
    **dict.fromkeys((torch.int64, torch.uint32, torch.uint64), torch.int64),
}


def prepared_for_cast(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return a tensor that torch casts (`to`, `copy_`) as NumPy on x86-64 casts `tensor` to that dtype.
    that dtype.

    - float64 to float16: torch goes by way of float32, and its two roundings can be off by one ulp. Rounding
      to odd first keeps the side of a tie that the number lies on.
    - Floats to integers: to the signed integer that the processor has an instruction for (32 bits for short
      ones, 64 for unsigned ones), whose low bits are kept. A float that does not fit becomes its smallest
      number (a GPU by itself takes the nearest). Of floats that neither int32 nor uint32 holds, NumPy's own
      uint32 depends on where in the array the float lies; here it does not.
    - Complex numbers to real ones: their real parts, cast in these ways.
    - uint64 to floats: torch's compiled code takes them for signed.

    Other casts are right as they are.
    """
    if tensor.dtype == dtype:
        return tensor
    if tensor.is_complex() and not dtype.is_complex and dtype != torch.bool:
        return prepared_for_cast(tensor.real, dtype)
    if tensor.dtype in _FLOATS and dtype in _INTEGERS:
        return _as_uint64(tensor) if dtype == torch.uint64 else _signed(tensor, _INTEGERS[dtype])
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


def _signed(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return floats as int32 or int64, the smallest for all that do not fit, as x86-64 does."""
    if tensor.device.type == "cpu":
        return tensor.to(dtype)
    low = float(torch.iinfo(dtype).min)
    wide = tensor.to(torch.float32) if tensor.dtype == torch.float16 else tensor
    fits = ((wide > low - 1) | (wide >= low)) & (wide < -low)
    return torch.where(fits, wide, low).to(dtype)


def _as_uint64(tensor: torch.Tensor) -> torch.Tensor:
    wide = tensor.to(torch.float32) if tensor.dtype == torch.float16 else tensor
    large = wide >= 2.0**63
    above = _signed(wide - 2.0**63, torch.int64) ^ _SIGN
    return torch.where(large, above, _signed(wide, torch.int64))


def _of_uint64(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return unsigned integers as floats, halved where the highest bit is set.

    The bit that falls off is remembered, and the rounding is right.
    """
    bits = tensor.to(torch.int64)
    half = ((bits >> 1) & (2**63 - 1)) | (bits & 1)
    wide = torch.float32 if dtype in (torch.float16, torch.float32, torch.complex64) else torch.float64
    return torch.where(bits < 0, half.to(wide) * 2, bits.to(wide))
