"""Copies the memory under the arguments of one operation, so that the operation can be repeated on the
copy."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from npcompile.frontend.eager.dispatch import map_arrays
from npcompile.frontend.eager.ndarray import ndarray

_LINE = 64  # copies lie as the originals do within this many bytes: NumPy's answers depend on alignment


class Mirror:
    """Arguments with all the memory that their arrays lie in, as it was when the mirror was made.

    Arrays that overlap do so in each copy. Raises TypeError for arguments that cannot be copied as bytes
    (objects, and arrays of ours, which may lie on a device).
    """

    def __init__(self, arguments: Any) -> None:
        self.arguments = arguments
        self.arrays: list[np.ndarray[Any, Any]] = []
        map_arrays(arguments, self.arrays.append, (np.ndarray, ndarray))
        spans: list[tuple[int, int]] = []
        for array in self.arrays:
            if type(array) is not np.ndarray or array.dtype.hasobject:
                raise TypeError(f"a {type(array).__name__} of dtype {array.dtype}")
            if array.size:
                spans.append(np.lib.array_utils.byte_bounds(array))
        self.spans = _merged(spans)
        self._bytes = [ctypes.string_at(low, high - low) for low, high in self.spans]

    def copy(self) -> Copy:
        """Return a copy of the memory, as it was."""
        return Copy(
            self, [_aligned(data, low) for data, (low, _) in zip(self._bytes, self.spans, strict=True)]
        )

    def place(self, array: np.ndarray[Any, Any]) -> tuple[int, int, tuple[int, ...]] | None:
        """Return an array's place in the arguments' memory: (span, offset, strides); None: elsewhere."""
        return _place(array, [low for low, _ in self.spans], self.spans)


class Copy:
    """One copy of the memory, with the arguments on it."""

    def __init__(self, mirror: Mirror, memory: list[np.ndarray[Any, Any]]) -> None:
        self._mirror = mirror
        self._memory = memory  # keeps it alive
        self._starts = [int(block.ctypes.data) for block in memory]
        self._spans = [(low, low + block.size) for low, block in zip(self._starts, memory, strict=True)]
        self.arrays = [self._on_copy(array) for array in mirror.arrays]

    def arguments(self, change: Callable[[np.ndarray[Any, Any]], Any]) -> Any:
        """Return the arguments on the copy, each array through `change`; one object stays one."""
        made: dict[int, Any] = {}
        left = iter(self.arrays)

        def changed(array: np.ndarray[Any, Any]) -> Any:
            mine = next(left)
            if id(array) not in made:
                made[id(array)] = change(mine)
            return made[id(array)]

        return map_arrays(self._mirror.arguments, changed, np.ndarray)

    def place(self, array: np.ndarray[Any, Any]) -> tuple[int, int, tuple[int, ...]] | None:
        """Return an array's place in the copy, as `Mirror.place` does."""
        return _place(array, self._starts, self._spans)

    def shown(
        self, place: tuple[int, int, tuple[int, ...]] | None, like: np.ndarray[Any, Any]
    ) -> np.ndarray[Any, Any]:
        """Return the array of that shape and dtype at a place of the copy."""
        if place is None:  # no element: no memory
            return np.lib.stride_tricks.as_strided(np.empty(0, like.dtype), like.shape, like.strides)
        span, offset, strides = place
        return np.ndarray(like.shape, like.dtype, self._memory[span], offset, strides)

    def _on_copy(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        made = self.shown(self._mirror.place(array), array)
        if not array.flags.writeable:
            made.flags.writeable = False
        return made


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for low, high in sorted(spans):
        if merged and low < merged[-1][1]:
            merged[-1] = merged[-1][0], max(high, merged[-1][1])
        else:
            merged.append((low, high))
    return merged


def _aligned(data: bytes, address: int) -> np.ndarray[Any, Any]:
    """Return the bytes at an address that is aligned as `address` is."""
    room = np.empty(len(data) + _LINE, np.uint8)
    start = (address - int(room.ctypes.data)) % _LINE
    block = room[start : start + len(data)]
    block[:] = np.frombuffer(data, np.uint8)
    return block


def _place(
    array: np.ndarray[Any, Any], starts: list[int], spans: list[tuple[int, int]]
) -> tuple[int, int, tuple[int, ...]] | None:
    if not array.size:
        return None
    low, _ = np.lib.array_utils.byte_bounds(array)
    for index, (begin, end) in enumerate(spans):
        if begin <= low < end:
            return index, int(array.ctypes.data) - starts[index], array.strides
    return None
