"""The end of a device's memory: what nobody needs is released, and the work is tried once more.

Whoever keeps copies on a device adds a function to `holders` that lets go of those that are not needed.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import TypeVar

import torch

Result = TypeVar("Result")

holders: list[Callable[[], None]] = []


class DeviceMemoryError(MemoryError):
    """There is no memory left on a device, after what is not needed was released."""


def is_exhausted(error: BaseException | None) -> bool:
    """Tell if a device without memory is behind an exception."""
    while error is not None and not isinstance(error, torch.OutOfMemoryError):
        error = error.__cause__
    return error is not None


def release() -> None:
    """Let go of all memory on devices that nobody needs."""
    for holder in holders:
        holder()
    gc.collect()  # of cycles that hold tensors
    if torch.cuda.is_initialized():
        torch.cuda.empty_cache()


def tried_again(work: Callable[[], Result]) -> Result:
    """Do work that may be done twice; once more, after a release, where the device has no memory for it."""
    try:
        return work()
    except torch.OutOfMemoryError:
        pass  # the exception holds the frames, and with them tensors, until here
    release()
    return work()


def told(error: BaseException | None) -> str:
    """Return the words of the device's own error that say how many bytes were asked for, and are free."""
    while error is not None and not isinstance(error, torch.OutOfMemoryError):
        error = error.__cause__
    return str(error).partition("\n")[0].partition(". Including")[0].strip()
