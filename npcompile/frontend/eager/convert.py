"""Between NumPy arrays and torch tensors: dtypes, and memory shared wherever both sides can express it."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from npcompile.frontend.ops.table import TORCH, Unsupported
from npcompile.lower.device import transfers

TORCH_OF: dict[np.dtype[Any], torch.dtype] = {
    **TORCH,
    # torch holds these and hardly computes with them: ops on them go to NumPy.
    np.dtype(np.uint16): torch.uint16,
    np.dtype(np.uint32): torch.uint32,
    np.dtype(np.uint64): torch.uint64,
}
NUMPY_OF: dict[torch.dtype, np.dtype[Any]] = {t: n for n, t in TORCH_OF.items()}


_WRITEABLE = 0x400  # NPY_ARRAY_WRITEABLE


class _Writeable:
    """Read-only memory shown as writeable, for torch, which has no read-only tensors and warns of them."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = array  # keeps the memory alive
        self.__array_interface__ = {**array.__array_interface__, "data": (array.ctypes.data, False)}


def torch_dtype(dtype: np.dtype[Any]) -> torch.dtype:
    """The torch dtype that holds `dtype`. Raises Unsupported if torch has none (other byte orders too)."""
    if not dtype.isnative or dtype not in TORCH_OF:
        raise Unsupported(f"torch has no dtype {dtype}")
    return TORCH_OF[dtype]


def numpy_dtype(dtype: torch.dtype) -> np.dtype[Any]:
    """The NumPy dtype of a tensor. Raises TypeError where NumPy has none (bfloat16, float8)."""
    try:
        return NUMPY_OF[dtype]
    except KeyError:
        raise TypeError(f"NumPy has no dtype for {dtype}") from None


def memory_of(array: np.ndarray[Any, Any]) -> tuple[torch.Tensor, tuple[int, ...]]:
    """A CPU tensor on the same memory, and the axes it runs along backwards (torch: no negative strides).

    Raises Unsupported where torch cannot express the array: its dtype, or strides that are no whole elements.
    """
    torch_dtype(array.dtype)
    if any(stride % array.itemsize for stride in array.strides):
        raise Unsupported("strides that are no multiple of the item size")
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
        array = np.asarray(_Writeable(array))
    return torch.from_numpy(array), flips


def tensor_of(array: np.ndarray[Any, Any] | np.generic) -> torch.Tensor:
    """A tensor of the array's values, sharing its memory where torch can. Raises Unsupported (dtype)."""
    whole = np.asarray(array)
    torch_dtype(whole.dtype)
    if any(stride < 0 or stride % whole.itemsize for stride in whole.strides) or not whole.flags.aligned:
        whole = whole.copy()
    return memory_of(whole)[0]


def scalar_of(tensor: torch.Tensor) -> Any:
    """The NumPy scalar that a 0-d tensor holds."""
    value: Any = transfers.to_host(tensor.detach().resolve_conj().resolve_neg()).numpy()[()]
    return value
