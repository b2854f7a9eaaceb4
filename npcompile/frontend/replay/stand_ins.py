"""Arrays that stand in for a loop's own while its trips are captured, in other memory and laid out alike."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from npcompile.frontend.eager.ndarray import ndarray


class Refused(Exception):
    """Trips are not captured; the message says why."""


def like(tensor: torch.Tensor) -> torch.Tensor:
    """Return memory with the same strides."""
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=tensor.device)


def laid_like(array: ndarray, own: torch.Tensor) -> ndarray:
    """Return an array of the device on other memory, which may be written if this one may."""
    made: ndarray = ndarray._of_tensor(own)
    known = array._layout_known
    if known is not None:
        made._layout_known = made._layout.view(known.dtype)
        made._layout_known.flags.writeable = known.flags.writeable
    return made


def stand_in(host: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return an array that is laid out as another, in memory of its own."""
    low, high = np.lib.array_utils.byte_bounds(host)
    made: np.ndarray[Any, Any] = np.ndarray(
        host.shape, host.dtype, np.empty(high - low, np.uint8), 0, host.strides
    )
    made.flags.writeable = host.flags.writeable
    return made


def maker(host: np.ndarray[Any, Any]) -> Callable[[], np.ndarray[Any, Any]]:
    """Return a function that makes arrays laid out as one that a replay has made."""
    owner = host if host.base is None else host.base
    if type(owner) is not np.ndarray or not owner.flags.owndata or not owner.flags.c_contiguous:
        raise Refused("a view is made at each trip")
    shape, dtype, strides, whole = host.shape, host.dtype, host.strides, owner.shape
    offset = host.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    if offset or math.prod(whole) != host.size or owner.dtype != dtype:
        raise Refused("a view is made at each trip")
    if owner is host:
        return lambda: np.empty(shape, dtype)
    return lambda: np.ndarray(shape, dtype, np.empty(whole, dtype), 0, strides)
