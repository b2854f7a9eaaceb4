"""Asking the NumPy that is installed what it does: where versions differ, that decides, no version number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def takes(call: Callable[[], Any]) -> bool:
    """Whether NumPy does this, rather than raise."""
    try:
        call()
    except (TypeError, ValueError, OverflowError):
        return False
    return True
