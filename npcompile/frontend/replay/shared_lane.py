"""The lane of a mesh on the host: its arrays lie in memory that the processes of the mesh share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from npcompile.frontend.eager.ndarray import asarray
from npcompile.frontend.replay import residency
from npcompile.frontend.replay.device_lane import Lane
from npcompile.frontend.replay.same_layout import entered
from npcompile.lower.device import transfers
from npcompile.lower.mesh.memory import shared
from npcompile.lower.mesh.mesh import Mesh
from npcompile.lower.plan.values import Value


class SharedLane(Lane):
    """A lane on which NumPy's arrays are copied into shared memory, and back."""

    def __init__(self) -> None:
        super().__init__("cpu")

    @property
    def is_apart(self) -> bool:
        return True

    def holds(self, own: Any, array: Any) -> bool:
        return own is array

    def moved(self, array: Any) -> Any:
        transfers.copies.bytes_to_device += array.nbytes
        return entered(asarray(array), _shared)

    def copy_back(self, host: np.ndarray[Any, Any], array: Any) -> None:
        transfers.copies.bytes_from_device += array.nbytes
        super().copy_back(host, array)

    def leave(self, array: Any, order: tuple[int, ...], apart: int = 1) -> np.ndarray[Any, Any]:
        host = super().leave(array, order, apart)
        if residency.opened() is None:
            transfers.copies.bytes_from_device += array.nbytes
            if apart == 1:  # it lies in shared memory, or is laid out anew
                host = host.copy("K")
        return host

    def kernel(
        self, kernel: Callable[..., Any], inputs: list[Value], outputs: list[Value]
    ) -> Callable[..., Any]:
        return self._on_tensors(kernel, inputs, outputs)


def _shared(memory: torch.Tensor) -> torch.Tensor:
    return shared.copy(memory) if memory.is_contiguous() else shared.copy(memory.contiguous())


def lane_of(mesh: Mesh) -> Lane:
    """Return the lane of a mesh: of its first device, where that has memory of its own."""
    return SharedLane() if mesh.home.type == "cpu" else Lane(str(mesh.home))
