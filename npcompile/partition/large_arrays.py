"""Tells which arrays are too large for native loops that work on whole arrays: blocks do that faster."""

from __future__ import annotations

from typing import Any

import numpy as np

# Work on all of an array of more bytes is the blocks': what a call of a kernel costs is little beside it.
# Loops that do nothing else are timed: `whole_array_loop.py`.
LARGEST = 1 << 15


def is_large(value: Any, most: int = LARGEST) -> bool:
    """Tell if a value is an array of more bytes."""
    return type(value) is np.ndarray and value.nbytes > most
