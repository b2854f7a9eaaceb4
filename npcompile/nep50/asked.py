"""Asks the installed NumPy what it does: where versions differ, its answer decides, not its version
number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def takes(call: Callable[[], Any]) -> bool:
    """Tell if NumPy does this call rather than raise."""
    try:
        call()
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def clip_keeps_equals() -> bool:
    """Tell if `np.clip` between two numbers keeps a float that equals one of them.

    The sign of 0 shows it: NumPy does so since 2.1, and before takes the bound.
    """
    return bool(np.signbit(np.clip(np.float64(-0.0), 0.0, 1.0)))


def where_wraps() -> bool:
    """Tell if `np.where` casts Python integers by way of int64, and lets them wrap: until NumPy 2.4."""
    return takes(lambda: np.where(True, np.uint8(0), 256))
