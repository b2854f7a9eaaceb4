"""Sums of values by the places that they belong to, as histograms and counts of numbers have them."""

from __future__ import annotations

import torch
from torch import Tensor

_ROOM = 1 << 16  # sums on a GPU, of all places together
_MOST = 1024  # sums of one place there


def sums_of_one(device: torch.device, length: int) -> int:
    """Return the number of sums that each of so many places has."""
    return 1 if device.type == "cpu" else max(1, min(_MOST, _ROOM // max(length, 1)))


def sums_at(places: Tensor, values: Tensor, length: int) -> Tensor:
    """Return the sum of the values of each place, as float64.

    A GPU's threads wait for each other where they add to one number. There each place has several sums, to
    which neighbours add in turn, and which are added in the end.
    """
    several = sums_of_one(places.device, length)
    if several > 1:
        turns = torch.arange(places.shape[0], device=places.device) % several
        places, length = places * several + turns, length * several
    made = torch.zeros(length, dtype=torch.float64, device=places.device).index_add(0, places, values)
    return made.reshape(-1, several).sum(1) if several > 1 else made
