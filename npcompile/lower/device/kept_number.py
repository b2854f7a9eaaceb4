"""A number that a kernel is given, on the device: kept there while calls give the same one again.

To fill in a number on a device takes a launch, which costs as much as that of the kernel itself.
"""

from __future__ import annotations

from typing import Any

import torch

from npcompile.lower.device import transfers
from npcompile.lower.device.graphs import using

MOST = 8  # numbers that one input of a kernel keeps; they stay, as captured graphs may read them


class KeptNumber:
    """The numbers that one input of a kernel is given.

    Parameters
    ----------
    dtype
        The type on the device.
    device
        The device.
    """

    __slots__ = ("_device", "_dtype", "_kept", "_last")

    def __init__(self, dtype: torch.dtype | None, device: torch.device) -> None:
        self._dtype, self._device = dtype, device
        self._last: tuple[type, str] | None = None  # the number of the last call, exactly
        self._kept: dict[tuple[type, str], torch.Tensor] = {}

    def tensor(self, number: Any) -> torch.Tensor:
        """Return a number of Python's on the device, which nobody may write to."""
        exactly = type(number), repr(number)
        if (kept := self._kept.get(exactly)) is not None:
            return kept
        made = torch.full((), number, dtype=self._dtype, device=self._device)
        if len(self._kept) < MOST and not _captures():
            if self._last == exactly:
                if self._device.type != "cpu":
                    using.capturer.wait(self._device)  # others may work on other streams
                self._kept[exactly] = made
            self._last = exactly
        return made


def _captures() -> bool:
    """Tell if work is being captured, by us or by the user: its memory is the graph's."""
    if transfers.copies.are_forbidden:
        return True
    return torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing()
