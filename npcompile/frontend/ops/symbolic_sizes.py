"""Arithmetic on lengths and other whole numbers that may be parameters (torch's SymInt) while a segment is
traced.

A comparison becomes a condition of the traced code; asking for a parameter's value would make it a constant.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from npcompile.frontend.ops.table import Weak, weak_int


def as_whole(number: Any) -> int:
    """Return a whole number as `operator.index` does. Raises TypeError for anything else."""
    if isinstance(number, torch.SymInt):
        return number  # type: ignore[return-value]
    return operator.index(number)


def broadcast_shapes(*shapes: Sequence[int]) -> tuple[int, ...]:
    """Broadcast shapes as NumPy does. Raises ValueError where NumPy does."""
    if all(type(length) is int for shape in shapes for length in shape):
        return np.broadcast_shapes(*map(tuple, shapes))
    found: list[int] = []
    for back in range(1, max(map(len, shapes)) + 1):
        common = 1
        for shape in shapes:
            if back <= len(shape) and shape[-back] != 1:
                if common != 1 and common != shape[-back]:
                    raise ValueError("shape mismatch: objects cannot be broadcast to a single shape")
                common = shape[-back]
        found.insert(0, common)
    return tuple(found)


def broadcasts_to(shape: Sequence[int], target: Sequence[int]) -> bool:
    """Tell if arrays of a shape broadcast to another one."""
    try:
        return broadcast_shapes(shape, target) == tuple(target)
    except ValueError:
        return False


def bounds(part: slice, length: int) -> tuple[int, int, int]:
    """Return `part.indices(length)`."""
    if all(type(number) is int or number is None for number in (length, part.start, part.stop, part.step)):
        return part.indices(length)
    step = 1 if part.step is None else as_whole(part.step)
    if step == 0:
        raise ValueError("slice step cannot be zero")
    lowest, highest = (0, length) if step > 0 else (-1, length - 1)
    start, stop = (lowest, highest) if step > 0 else (highest, lowest)
    if part.start is not None:
        start = _clipped(as_whole(part.start), length, lowest, highest)
    if part.stop is not None:
        stop = _clipped(as_whole(part.stop), length, lowest, highest)
    return start, stop, step


def _clipped(place: int, length: int, lowest: int, highest: int) -> int:
    if place < 0:
        place = place + length
        return lowest if place < lowest else place
    return highest if place > highest else place


def span(start: int, stop: int, step: int) -> int:
    """Return `len(range(start, stop, step))`."""
    distance = stop - start if step > 0 else start - stop
    size = step if step > 0 else -step
    return 0 if distance <= 0 else (distance + size - 1) // size


def as_operand(number: int, device: torch.device | None) -> int | Weak:
    """Return a whole number for arithmetic on tensors; it is weak, as Python's own."""
    if isinstance(number, torch.SymInt):
        return weak_int(torch.full((), number, dtype=torch.int64, device=device))
    return number
