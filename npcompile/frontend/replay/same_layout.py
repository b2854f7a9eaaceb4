"""Copies arrays between memories; each copy is laid out as its original, as kernels are made for layouts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from npcompile.frontend.eager.ndarray import ndarray


def entered(array: Any, move: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """Return the array, moved and laid out as it was: kernels were made for that layout."""
    memory = array._memory
    sizes = [(stride, size) for stride, size in zip(memory.stride(), memory.shape, strict=True) if size > 1]
    end = 1
    for stride, size in sorted(sizes):
        if stride < end and memory.numel():  # its elements share memory: all of it is moved
            span = 1 + sum(stride * (size - 1) for stride, size in sizes)
            there = move(memory.as_strided((span,), (1,))).as_strided(memory.shape, memory.stride())
            return ndarray._of(there, array._flips, None, None)
        end = stride * size
    return ndarray._of(laid_as(move(memory), memory.shape, memory.stride()), array._flips, None, None)


def laid_as(tensor: torch.Tensor, shape: tuple[int, ...], strides: tuple[int, ...]) -> torch.Tensor:
    """Return a tensor with these strides, in elements: itself where it has them."""
    if tensor.stride() == strides or not tensor.numel():
        return tensor
    made = torch.empty_strided(shape, strides, dtype=tensor.dtype, device=tensor.device)
    return made.copy_(tensor)
