"""Converts between NumPy arrays and torch tensors; memory is shared wherever both sides can express it.

The eager array, host steps of programs and kernels' general form use it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.ops.table import TORCH, Unsupported
from npcompile.lower.device import transfers

TORCH_OF: dict[np.dtype[Any], torch.dtype] = {
    **TORCH,
    # torch stores these but has few operators for them (`lower/arithmetic/unsigned.py`).
    np.dtype(np.uint16): torch.uint16,
    np.dtype(np.uint32): torch.uint32,
    np.dtype(np.uint64): torch.uint64,
}
NUMPY_OF: dict[torch.dtype, np.dtype[Any]] = {t: n for n, t in TORCH_OF.items()}


_WRITEABLE = 0x400  # NPY_ARRAY_WRITEABLE


class _ShownWriteable:
    """Read-only memory shown as writeable to torch, which has no read-only tensors and warns of them."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = array  # keeps the memory alive
        self.__array_interface__ = {**array.__array_interface__, "data": (array.ctypes.data, False)}


def torch_dtype(dtype: np.dtype[Any]) -> torch.dtype:
    """Return the torch dtype that holds `dtype`. Raises Unsupported if torch has none (other byte orders
    too)."""
    if not dtype.isnative or dtype not in TORCH_OF:
        raise Unsupported(Cause.DTYPE(str(dtype)))
    return TORCH_OF[dtype]


def numpy_dtype(dtype: torch.dtype) -> np.dtype[Any]:
    """Return the NumPy dtype of a tensor. Raises TypeError where NumPy has none (bfloat16, float8)."""
    try:
        return NUMPY_OF[dtype]
    except KeyError:
        raise TypeError(f"NumPy has no dtype for {dtype}") from None


def memory_of(array: np.ndarray[Any, Any]) -> tuple[torch.Tensor, tuple[int, ...]]:
    """Return a CPU tensor on the same memory, and the axes along which the array runs backwards in it.

    torch has no negative strides. Raises Unsupported where torch cannot express the array: its dtype, or
    strides that are not whole elements.
    """
    torch_dtype(array.dtype)
    if any(stride % array.itemsize for stride in array.strides):
        raise Unsupported(Cause.UNEVEN())
    flips = tuple(axis for axis, stride in enumerate(array.strides) if stride < 0)
    if flips:
        reverse = slice(None, None, -1)
        array = array[tuple(reverse if axis in flips else slice(None) for axis in range(array.ndim))]
    if any(
        stride < 0 for stride in array.strides
    ):  # length 0 or 1: NumPy keeps the sign, no element is affected
        array = np.lib.stride_tricks.as_strided(array, strides=tuple(abs(s) for s in array.strides))
    if array.dtype.char == "Q":  # NumPy's second uint64: torch takes the first alone
        array = array.view(np.uint64)
    if not array.flags.num & _WRITEABLE:  # `.writeable` warns of what `broadcast_arrays` gave
        array = np.asarray(_ShownWriteable(array))
    return torch.from_numpy(array), flips


def tensor_of(array: np.ndarray[Any, Any] | np.generic) -> torch.Tensor:
    """Return a tensor of the array's values, which shares its memory where torch can.

    Raises Unsupported for a dtype that torch lacks.
    """
    whole = np.asarray(array)
    torch_dtype(whole.dtype)
    if any(stride < 0 or stride % whole.itemsize for stride in whole.strides) or not whole.flags.aligned:
        whole = whole.copy()
    return memory_of(whole)[0]


def scalar_of(tensor: torch.Tensor, place: Any = ()) -> Any:
    """Return the NumPy scalar that a tensor holds at a place, which has an integer for each axis."""
    value: Any = transfers.to_host(tensor.detach().resolve_conj().resolve_neg()).numpy()[place]
    return value
