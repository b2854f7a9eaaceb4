"""The device on which jitted functions of a thread or asyncio task compute: `npcompile.device` sets it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import torch

from npcompile.lower.mesh.mesh import Mesh

# The device of the innermost `with npcompile.device(...)`: arrays are put there.
current: ContextVar[torch.device | Mesh | None] = ContextVar("npcompile.device", default=None)
# The device on which jitted functions compute: that one, or None while the host answers a call in its place.
computing: ContextVar[torch.device | Mesh | None] = ContextVar("npcompile.device.computing", default=None)
# The device answers, whatever the host may take: it was asked for, or a call on it is being measured.
forced: ContextVar[bool] = ContextVar("npcompile.device.force", default=False)
# Devices that were ever asked for: while there is none, the native runtime does not ask for the current one.
used: list[torch.device | Mesh] = []
drawing: ContextVar[torch.device | None] = ContextVar("npcompile.device.fast_random", default=None)
# Returns the device on which a call computes; None outside of any `with npcompile.device(...)`.
current_device: Callable[[], torch.device | Mesh | None] = computing.get


@contextmanager
def forcing() -> Iterator[None]:
    """Have the device answer all calls of the `with` block."""
    token = forced.set(True)
    try:
        yield
    finally:
        forced.reset(token)


def drawing_device() -> torch.device | None:
    """Return the device of the innermost `with npcompile.device(...)`, if that has `fast_random=True`."""
    return drawing.get()


def is_apart() -> bool:
    """Tell if arrays of the current device lie in memory of their own."""
    device = current_device()
    return device is not None and device.type != "cpu"
