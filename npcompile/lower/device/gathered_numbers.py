"""Numbers that captured work gives: gathered on the device, and copied to the host in one piece.

A copy from the device to the host takes longer than most kernels of a graph, so a graph does one, at its end.
"""

from __future__ import annotations

import torch

from npcompile.lower.device import transfers
from npcompile.lower.device.graphs import using


class GatheredNumbers:
    """Memory for the numbers of captured work, on a device and on the host.

    Whoever launches the work holds this: a graph does not keep the memory that it writes to.

    Parameters
    ----------
    device
        The device.
    most
        The bytes that there are.
    """

    def __init__(self, device: torch.device, most: int) -> None:
        self._most = most
        self._there = torch.empty(most, dtype=torch.uint8, device=device)
        self._here = using.capturer.pinned(most)
        self.nbytes = 0  # used, by the numbers that were added

    def clear(self) -> None:
        """Begin anew, for other work."""
        self.nbytes = 0

    def add(self, number: torch.Tensor) -> torch.Tensor | None:
        """Keep a number that the work has given; return the host's memory that gets it, if any is left."""
        size = number.element_size()
        begins = -(-self.nbytes // size) * size  # torch takes no number that is not aligned
        ends = begins + size
        if ends > self._most:
            return None
        self.nbytes = ends
        there, here = (
            memory[begins:ends].view(number.dtype).reshape(()) for memory in (self._there, self._here)
        )
        there.copy_(number)
        return here

    def give(self) -> None:
        """Copy the numbers to the host; nobody waits, and `note_from_device` tells of it later."""
        if self.nbytes:
            transfers.into_pinned(self._here[: self.nbytes], self._there[: self.nbytes])
