"""Mesh: a number of devices of one kind that compute a segment together, each with a part of the rows."""

from __future__ import annotations

from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Mesh:
    """`size` devices of one kind. Its arrays lie in the memory of the first, where all processes reach them.

    kind: "cpu" or "cuda".
    """

    kind: str
    size: int

    type = "mesh"  # as a torch.device has one: its arrays do not lie where NumPy's do

    @property
    def home(self) -> torch.device:
        """The device whose memory holds the arrays."""
        return torch.device("cpu") if self.kind == "cpu" else torch.device(self.kind, 0)

    def device_of(self, rank: int) -> torch.device:
        """Return the device of one of its processes."""
        return torch.device("cpu") if self.kind == "cpu" else torch.device(self.kind, rank)

    def __str__(self) -> str:
        return f"{self.kind}*{self.size}"


def mesh_of(device: str | None) -> Mesh | None:
    """Return the mesh that a program's device names; None for a single device."""
    kind, star, size = (device or "").partition("*")
    return Mesh(kind, int(size)) if star else None
