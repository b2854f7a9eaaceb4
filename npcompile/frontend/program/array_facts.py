"""Facts about arrays that programs depend on: which values are arrays, and how each lies in memory.

Arrays are NumPy's own, memory-mapped ones, and `npcompile.ndarray`, on a device too. Subclasses of the user's
are none.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import torch

from npcompile.frontend.eager.dispatch import map_arrays
from npcompile.frontend.eager.ndarray import asarray, ndarray
from npcompile.frontend.eager.strided import Strided

ARRAYS = frozenset((np.ndarray, np.memmap, ndarray))


def is_array(obj: Any) -> bool:
    return type(obj) in ARRAYS


def is_numpy(obj: Any) -> bool:
    """Tell whether this is an array or a NumPy scalar, on which NumPy's operators act."""
    return isinstance(obj, np.ndarray | np.generic) or type(obj) is ndarray


def layout(array: Any) -> np.ndarray[Any, Any]:
    """Return the NumPy array that lies as this one does: itself, or a stand-in for device memory, whose
    elements are never read."""
    kind = type(array)
    found: np.ndarray[Any, Any] = array._layout if kind is ndarray else array
    return on_memory_of(found) if kind is np.memmap else found


def layouts(value: Any) -> Any:
    """Return arguments with each device array and memmap replaced by a NumPy array of the same layout."""
    return map_arrays(value, layout, (Strided, np.memmap))


# The plain arrays on the memory of memmaps, by the memmaps' ids: each keeps its memmap alive.
_on_memory: WeakValueDictionary[int, np.ndarray[Any, Any]] = WeakValueDictionary()


def on_memory_of(mapped: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the plain array on a memmap's memory.

    As long as somebody holds it, it is one object: a memmap that is given twice is seen to be one.
    """
    found = _on_memory.get(id(mapped))
    if found is None or _lies(found) != _lies(mapped):  # it may have been given another shape
        found = _on_memory[id(mapped)] = mapped.view(np.ndarray)
    return found


def _lies(array: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    return array.dtype, array.shape, array.strides, array.flags.num


def is_uneven(array: np.ndarray[Any, Any]) -> bool:
    """Tell whether no tensor can be laid over an array: over fields of records, say."""
    size = array.itemsize  # of texts and records it may be 0
    if not (array.flags.aligned and size):
        return True
    for stride in array.strides:
        if stride % size:
            return True
    return False


_WRITEABLE = 0x0400  # NPY_ARRAY_WRITEABLE


def facts(array: Any) -> tuple[Any, ...]:
    """Return the facts on which a kernel relies of an array from outside: dtype, shape, strides, flags."""
    array = layout(array)
    writeable = bool(array.flags.num & _WRITEABLE)  # of what is broadcast `.writeable` warns
    return array.dtype, array.shape, array.strides, writeable, array.flags.aligned


def outline(array: Any) -> tuple[Any, ...]:
    """Return the facts that hold whatever an array's lengths are: dtype, number of axes, flags."""
    array = layout(array)
    return array.dtype, array.ndim, array.flags.num


def order_of(known: tuple[Any, ...]) -> int:
    """Return the memory order of an array with these `facts`: 1 for C, 2 for Fortran, 3 both, 0 neither."""
    dtype, shape, strides, *_ = known
    packed = [math.prod(shape[axis + 1 :]) * dtype.itemsize for axis in range(len(shape))]
    turned = [math.prod(shape[:axis]) * dtype.itemsize for axis in range(len(shape))]
    return _is_packed(shape, strides, packed) + 2 * _is_packed(shape, strides, turned)


def _is_packed(shape: tuple[int, ...], strides: tuple[int, ...], regular: list[int]) -> bool:
    return 0 not in shape and all(
        n == 1 or stride == at for n, stride, at in zip(shape, strides, regular, strict=True)
    )


def from_tensor(tensor: torch.Tensor) -> Any:
    """Return `tensor.numpy()`; for a tensor on a device the device array on its memory.

    Raises what torch raises.
    """
    if tensor.device.type == "cpu" or tensor.requires_grad:
        return tensor.numpy()
    return asarray(tensor)


def to_tensor(array: Any) -> torch.Tensor:
    """Return `torch.from_numpy(array)`; for a device array the tensor of its memory."""
    return array.npcompile_tensor() if type(array) is ndarray else torch.from_numpy(array)


def after_writing(array: Any, write: Callable[[Any], Any], *read: Any) -> Any:
    """Return a copy of the array as it is after `write(array)`; the array itself is left as it was.

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
    """Return a copy of the array as it is after `array[index] = value`."""
    masks = index if type(index) is tuple else (index,)
    return after_writing(array, lambda made: made.__setitem__(index, value), value, *masks)


def with_copied(array: Any, value: Any, where: Any) -> Any:
    """Return a copy of the array as it is after `np.copyto(array, value, where=where)`."""
    return after_writing(array, lambda made: np.copyto(made, value, where=where), value, where)
