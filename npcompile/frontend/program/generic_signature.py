"""Generic signatures: splits the lengths from a signature: calls of other lengths may share a program."""

from __future__ import annotations

from typing import Any

import numpy as np

from npcompile.lower.plan.sizes import SMALLEST, Pattern, pattern


def split_lengths(key: Any) -> tuple[Any, tuple[int, ...]]:
    """Return a signature without the lengths of its arrays, and the lengths.

    Of arrays in neither C nor Fortran order those strides count as lengths that do not follow from lengths (a
    column's). Those whose elements share memory or lie unevenly stay as they are, and so do lengths of 0 and
    1.
    """
    lengths: list[int] = []

    def without(part: Any) -> Any:
        if type(part) is not tuple:
            return part
        if len(part) == 4 and isinstance(part[0], np.dtype) and type(part[1]) is tuple:
            dtype, shape, strides, flags = part
            form: tuple[Any, ...] = ()
            if not flags & 3:  # neither C nor Fortran order
                if (lies := _form(shape, strides, dtype.itemsize)) is None:
                    return part
                form, free = lies
                lengths.extend(free)
            lengths.extend([n for n in shape if n >= SMALLEST])
            return dtype, tuple([n if n < SMALLEST else "a length" for n in shape]), flags, form
        return tuple(map(without, part))

    general = without(key)
    return general, tuple(lengths)


def without_layouts(key: Any) -> Any:
    """Return a signature without lengths and layouts of arrays: equal for lengths of 0, 1 and more."""
    if type(key) is not tuple:
        return key
    if len(key) == 4 and isinstance(key[0], np.dtype) and type(key[1]) is tuple:
        return key[0], len(key[1])
    return tuple(map(without_layouts, key))


def _form(
    shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int
) -> tuple[tuple[Any, ...], list[int]] | None:
    """Return an array's layout without lengths, and the strides, in elements, that do not follow from
    lengths.

    None where elements share memory, or lie unevenly.
    """
    axes = [axis for axis, length in enumerate(shape) if length > 1]
    axes.sort(key=lambda axis: abs(strides[axis]))
    known: list[Any] = []
    free: list[int] = []
    regular = 1
    for axis in axes:
        stride, rest = divmod(abs(strides[axis]), max(itemsize, 1))
        if rest or stride < regular:
            return None
        known.append((axis, strides[axis] < 0, stride == regular))
        if stride != regular:
            free.append(stride)
        regular = stride * shape[axis]
    return tuple(known), free


def pattern_of(*lengths: tuple[int, ...]) -> Pattern | None:
    """Return the pattern that lengths followed: those that never differed have to stay."""
    return pattern(list(lengths))
