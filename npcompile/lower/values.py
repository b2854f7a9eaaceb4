"""What is known of each value in a residual program: the data that planning and compiling work on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch


class Region(Protocol):
    """A part of some root's memory."""

    def overlaps(self, other: Region) -> bool: ...


@dataclass(frozen=True)
class Value:
    """One value of a residual program, as it was when it was recorded.

    kind: "array" (an ndarray, 0-d too), "scalar" (a NumPy scalar), "int", "float", "complex", "bool" (Python numbers),
    "object" (anything else that steps pass on). The rest is for arrays and scalars. Strides count elements.
    """

    kind: str
    dtype: torch.dtype | None = None
    shape: tuple[int, ...] = ()
    strides: tuple[int, ...] = ()
    root: int = -1  # values with the same root may share memory
    region: Region | None = None
    device: str = "cpu"
