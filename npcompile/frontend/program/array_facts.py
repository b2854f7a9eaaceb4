"""Tells arrays of a recording from other values: NumPy's own, those on a file's memory, ours on a device."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import torch

from npcompile.frontend.eager.ndarray import asarray, ndarray


def is_array(obj: Any) -> bool:
    kind = type(obj)
    return kind is np.ndarray or kind is ndarray or kind is np.memmap


def is_numpy(obj: Any) -> bool:
    """An array or a NumPy scalar: what NumPy's operators act on."""
    return isinstance(obj, np.ndarray | np.generic) or type(obj) is ndarray


def layout(array: Any) -> np.ndarray[Any, Any]:
    """The NumPy array that lies as this one does: itself, or what stands for device memory (never to be
    read)."""
    kind = type(array)
    found: np.ndarray[Any, Any] = array._layout if kind is ndarray else array
    return on_memory_of(found) if kind is np.memmap else found


# The plain arrays on the memory of memmaps, by the memmaps' ids: each keeps its memmap alive.
_on_memory: WeakValueDictionary[int, np.ndarray[Any, Any]] = WeakValueDictionary()


def on_memory_of(mapped: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The plain array on a memmap's memory: one object as long as somebody holds it, so that a memmap that is
    given twice is seen to be one."""
    found = _on_memory.get(id(mapped))
    if found is None or _lies(found) != _lies(mapped):  # it may have been given another shape
        found = _on_memory[id(mapped)] = mapped.view(np.ndarray)
    return found


def _lies(array: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    return array.dtype, array.shape, array.strides, array.flags.num


def is_uneven(array: np.ndarray[Any, Any]) -> bool:
    """Whether no tensor can be laid over it: fields of records and the like."""
    size = array.itemsize  # of texts and records it may be 0
    return not (array.flags.aligned and size) or any(stride % size for stride in array.strides)


_WRITEABLE = 0x0400  # NPY_ARRAY_WRITEABLE


def facts(array: Any) -> tuple[Any, ...]:
    """What a kernel relies on of an array that is not an argument."""
    array = layout(array)
    writeable = bool(array.flags.num & _WRITEABLE)  # of what is broadcast `.writeable` warns
    return array.dtype, array.shape, array.strides, writeable, array.flags.aligned


def outline(array: Any) -> tuple[Any, ...]:
    """The same, whatever its lengths."""
    array = layout(array)
    return array.dtype, array.ndim, array.flags.num


def order_of(known: tuple[Any, ...]) -> int:
    """In which order an array lies that has these `facts`: 1 for C, 2 for Fortran, 3 both, 0 neither."""
    dtype, shape, strides, *_ = known
    packed = [math.prod(shape[axis + 1 :]) * dtype.itemsize for axis in range(len(shape))]
    turned = [math.prod(shape[:axis]) * dtype.itemsize for axis in range(len(shape))]
    return _is_packed(shape, strides, packed) + 2 * _is_packed(shape, strides, turned)


def _is_packed(shape: tuple[int, ...], strides: tuple[int, ...], regular: list[int]) -> bool:
    return 0 not in shape and all(
        n == 1 or stride == at for n, stride, at in zip(shape, strides, regular, strict=True)
    )


def from_tensor(tensor: torch.Tensor) -> Any:
    """`tensor.numpy()`; for a tensor on a device the device array on its memory. Raises what torch raises."""
    if tensor.device.type == "cpu" or tensor.requires_grad:
        return tensor.numpy()
    return asarray(tensor)


def to_tensor(array: Any) -> torch.Tensor:
    """`torch.from_numpy(array)`; for a device array the tensor of its memory."""
    return array.npcompile_tensor() if type(array) is ndarray else torch.from_numpy(array)


def after_writing(array: Any, write: Callable[[Any], Any], *read: Any) -> Any:
    """The array as it is after `write(array)`, as one of its own; itself it is left as it was.

    What of `read` lies on the array is read by NumPy as it is being written.
    """
    if not any(isinstance(item, np.ndarray) and np.may_share_memory(array, item) for item in read):
        made = array.copy()
        write(made)
        return made
    before = array.copy()
    try:
        write(array)
        return array.copy()
    finally:
        array[...] = before


def with_items(array: Any, index: Any, value: Any) -> Any:
    """The array after `array[index] = value`, as one of its own."""
    return after_writing(array, lambda made: made.__setitem__(index, value), value)
