"""Values of residual programs: their kinds, dtypes and layouts are the data that planning and compiling work
on."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import torch


def tensor_of(array: Any) -> torch.Tensor:
    """A host array as a tensor on its memory. NumPy has two dtypes of 64 bits without sign; torch takes the
    first alone."""
    return torch.from_numpy(array.view("u8") if array.dtype.char == "Q" else array)


class Region(Protocol):
    """A part of some root's memory; `offset`: of its first element, in bytes."""

    @property
    def offset(self) -> int: ...

    def overlaps(self, other: Any) -> bool: ...


ValueKind = Literal["array", "scalar", "int", "float", "complex", "bool", "object"]
NUMBER_KINDS: dict[type, ValueKind] = {int: "int", float: "float", complex: "complex", bool: "bool"}


@dataclass(frozen=True)
class Value:
    """One value of a residual program, as it was when it was recorded.

    kind: "array" (an ndarray, 0-d too), "scalar" (a NumPy scalar), "int", "float", "complex", "bool"
    (Python numbers), "object" (anything else that steps pass on). The rest is for arrays and scalars.
    Strides count elements.
    """

    kind: ValueKind
    dtype: torch.dtype | None = None
    shape: tuple[int, ...] = ()
    strides: tuple[int, ...] = ()
    root: int = -1  # values with the same root may share memory
    region: Region | None = None
    device: str = "cpu"
    holds_objects: bool = False  # elements are, or have fields that are, Python objects
    mapped: bool = False  # to Python it is a memmap

    @property
    def nbytes(self) -> int:
        """Return the bytes of an array's elements; 8 for a number of Python's."""
        return math.prod(self.shape) * (8 if self.dtype is None else self.dtype.itemsize)

    @property
    def doubled(self) -> bool:
        """Tell if several of an array's elements may lie in one place in memory."""
        extent = 1
        for stride, length in sorted(
            (abs(stride), length) for stride, length in zip(self.strides, self.shape, strict=True)
        ):
            if length > 1 and stride < extent:
                return True
            extent += stride * (length - 1)
        return False

    def renewed(self, root: int, shape: tuple[int, ...], dtype: torch.dtype | None) -> Value:
        """Return this kind of value in memory of its own: C order, another root."""
        return replace(
            self,
            root=root,
            region=None,
            shape=shape,
            strides=c_strides(shape),
            dtype=dtype,
            kind="array",
            mapped=False,
        )


def c_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides, in elements, of an array in C order."""
    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))
