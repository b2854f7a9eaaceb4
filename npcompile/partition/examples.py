"""Makes small values of the types of a call's arguments, for native code that is typed after the call."""

from __future__ import annotations

from typing import Any

import numpy as np

from npcompile.frontend.loops.entry.values import TEXTS, key_of, scalar_of


def example_of(value: Any) -> Any:
    """Return a value of the same type at a region's entry that keeps no array of the user's alive.

    None where there is none: lists and other objects are typed by what they hold.
    """
    if type(value) is tuple:
        parts = tuple(map(example_of, value))
        return None if any(part is None for part in parts) else parts
    if type(value) is not np.ndarray:
        return value if scalar_of(value) is not None or type(value) in TEXTS else None
    ndim, dtype = value.ndim, value.dtype
    if dtype.hasobject:
        return None
    key = key_of(value)
    for made in (np.zeros((2,) * ndim, dtype), np.zeros((2,) * ndim, dtype, "F"), _sparse(ndim, dtype)):
        made.flags.writeable = value.flags.writeable
        if key_of(made) == key:
            return made
    return None  # it is not aligned


def _sparse(ndim: int, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Return an array whose items lie apart along each axis."""
    made: np.ndarray[Any, Any] = np.zeros((4,) * ndim, dtype)[(slice(None, None, 2),) * ndim]
    return made
