"""The order in which NumPy writes items, where it decides the answer: an array is read while it is written.

NumPy copies what overlaps the array it writes to, with two exceptions: the mask of a masked store, and the
source of a copy along one axis. Both are read item by item, after the items before were written.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided


def is_read_late(mask: Any, array: Any) -> bool:
    """Tell if items of a mask lie on items of the array that are written before NumPy reads them.

    A mask that lies on the array item by item is read in time.
    """
    if not isinstance(mask, np.ndarray) or not np.may_share_memory(mask, array):
        return False
    at, to = mask.__array_interface__, array.__array_interface__
    return bool(at["data"][0] != to["data"][0] or mask.strides != array.strides or mask.shape != array.shape)


def read_places(array: Any, source: Any) -> np.ndarray[Any, Any] | None:
    """Return which item of `source` each item of `array` is after `array[...] = source`.

    None where it is the one at its own place: NumPy copies the source first, or reads each item in time.
    """
    if array.ndim != 1 or source.ndim == 0 or source.shape[-1] != array.shape[0]:
        return None
    to, step = array.strides[0], source.strides[-1]
    if to == step or to * step <= 0 or not np.may_share_memory(array, source):
        return None
    # Arrays of ints that lie as these two do, on memory that tells where each item came from.
    spans = [np.lib.array_utils.byte_bounds(one) for one in (array, source)]
    low, high = min(span[0] for span in spans), max(span[1] for span in spans)
    starts = [one.__array_interface__["data"][0] - low for one in (array, source)]
    unit = math.gcd(to, step, *starts)
    memory = np.zeros((high - low) // unit + 1, np.intp)
    made, read = (
        as_strided(memory[start // unit :], array.shape, (stride // unit * memory.itemsize,))
        for start, stride in zip(starts, (to, step), strict=True)
    )
    read[...] = np.arange(array.shape[0])
    made[...] = read
    return made.copy()
