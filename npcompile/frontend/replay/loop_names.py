"""Tells what the names of a loop's trip stand for: numbers, and arrays with their copies on a device."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from npcompile.frontend.eager.ndarray import ndarray
from npcompile.frontend.program.signature import NUMBERS, key_of
from npcompile.frontend.replay.residency import Residency, is_plain

_CHANGING = frozenset((*NUMBERS, bool))


@dataclass
class LoopArray:
    """One array that names stand for. value: the user's. copy: its copy on the device."""

    value: Any
    copy: Any
    layout: Any


@dataclass
class LoopNames:
    """Holds what the names of a trip stand for.

    places: by name, the array's number; -1 for another value. sharing: arrays that share memory with others.
    """

    values: tuple[Any, ...]
    places: tuple[int, ...]
    arrays: list[LoopArray]
    sharing: frozenset[int]
    key: Hashable

    @classmethod
    def of(cls, table: Residency, values: tuple[Any, ...], stored: int) -> LoopNames | None:
        """Return what values are; None where they are no numbers and arrays on the device.

        stored: this many of the names are stored in a trip; their numbers may be others at the next.
        """
        found: dict[int, int] = {}
        places: list[int] = []
        arrays: list[LoopArray] = []
        key: list[Any] = []
        for place, value in enumerate(values):
            kind = type(value)
            if kind is np.ndarray or kind is ndarray:
                if id(value) not in found:
                    copy = table.find(value) if kind is np.ndarray else value
                    if copy is None or copy._flips or not _may_be_copied(copy._memory):
                        return None
                    layout = kind, key_of(value, []), copy._memory.device
                    found[id(value)] = len(arrays)
                    arrays.append(LoopArray(value, copy, layout))
                    key.append(layout)
                places.append(found[id(value)])
                key.append(found[id(value)])
            elif is_plain(value):
                places.append(-1)
                key.append(type(value) if place < stored and may_change(value) else exactly(value))
            else:
                return None
        if not arrays or len({array.copy._memory.device for array in arrays}) > 1:
            return None
        sharing = _sharing(arrays)
        return cls(values, tuple(places), arrays, sharing, (*key, sharing))


def may_change(value: Any) -> bool:
    """Tell if a value is a number: a trip may give its name another one."""
    return type(value) in _CHANGING or isinstance(value, np.generic)


def exactly(value: Any) -> Hashable:
    """Return what tells a number from all others, signs of zeros among them."""
    return type(value), repr(value)


def place_of(array: ndarray) -> int:
    """Return the address of the memory that an array of the device lies in."""
    return int(array._memory.untyped_storage().data_ptr())


def share_memory(one: Any, other: Any) -> bool:
    if type(one) is np.ndarray:
        return bool(np.may_share_memory(one, other))
    return place_of(one) == place_of(other)


def _sharing(arrays: list[LoopArray]) -> frozenset[int]:
    """Return the numbers of the arrays that share memory with others."""
    found: set[int] = set()
    for place, one in enumerate(arrays):
        for before, other in enumerate(arrays[:place]):
            if type(one.value) is type(other.value) and share_memory(one.value, other.value):
                found |= {place, before}
    return frozenset(found)


def _may_be_copied(tensor: torch.Tensor) -> bool:
    """Tell if a tensor has elements, each in memory of its own."""
    if tensor.is_contiguous():
        return tensor.numel() > 0
    end = 1
    for stride, size in sorted((s, n) for s, n in zip(tensor.stride(), tensor.shape, strict=True) if n > 1):
        if stride < end:
            return False
        end = stride * size
    return tensor.numel() > 0
