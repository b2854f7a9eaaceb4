"""The device on which jitted functions of a thread or asyncio task compute: `npcompile.device` sets it."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

import torch

current: ContextVar[torch.device | None] = ContextVar("npcompile.device", default=None)
# Devices that were ever asked for: while there is none, the native runtime does not ask for the current one.
used: list[torch.device] = []
drawing: ContextVar[torch.device | None] = ContextVar("npcompile.device.fast_random", default=None)
# Returns the device of the innermost `with npcompile.device(...)`; None outside of any. Every call asks.
current_device: Callable[[], torch.device | None] = current.get


def drawing_device() -> torch.device | None:
    """Return the device of the innermost `with npcompile.device(...)`, if that has `fast_random=True`."""
    return drawing.get()


def is_apart() -> bool:
    """Tell if arrays of the current device lie in memory of their own."""
    device = current_device()
    return device is not None and device.type != "cpu"
