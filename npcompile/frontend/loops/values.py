"""Finds the types of values that a loop meets, for its inference."""

from __future__ import annotations

from typing import Any

import numpy as np

from npcompile.lower.loops.types import BOOL, C_TYPES, COMPLEX, FLOAT, INT, Scalar


def scalar_of(value: Any) -> Scalar | None:
    """Return the type of a number's value, None for what a native loop holds in no register.

    A Python int beyond 64 bits has none, as have subclasses of Python's numbers.
    """
    kind = type(value)
    if kind is int:
        return INT if -(1 << 63) <= value < 1 << 63 else None
    python = {bool: BOOL, float: FLOAT, complex: COMPLEX}.get(kind)
    if python is not None:
        return python
    if isinstance(value, np.generic):
        code = f"{value.dtype.kind}{value.dtype.itemsize}"
        return Scalar(code) if code in C_TYPES and value.dtype.type is kind else None
    return None
