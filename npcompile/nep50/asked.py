"""Asks the installed NumPy what it does: where versions differ, its answer decides, not its version
number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def takes(call: Callable[[], Any]) -> bool:
    """Tell if NumPy does this call rather than raise."""
    try:
        call()
    except (TypeError, ValueError, OverflowError):
        return False
    return True
