"""CUDA graphs: device work that is captured once and launched again, by one call for all its kernels.

Loops on a device use `capturer`; tests put one in its place that needs no GPU. Captured work reads and writes
the memory that it had when it was captured. Nothing may cross between host and device in it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, Protocol

import torch

from npcompile.diagnostics.garbage import uncollected
from npcompile.lower.device import transfers

_lock = threading.Lock()  # one capture at a time: all graphs of a device share their memory


class Capturer(Protocol):
    """Captures device work."""

    def capture(self, device: torch.device, work: Callable[[], None]) -> Callable[[], None]:
        """Return what launches the device work that `work` does when it is called, which is now.

        Raises
        ------
        Uncapturable
            If an array would cross between host and device.
        """

    def place(self, device: torch.device) -> Hashable:
        """Return the stream on which this thread's work is done: graphs are launched where they were made."""

    def room(self, device: torch.device) -> int:
        """Return the bytes of device memory that nobody holds."""

    def pinned(self, nbytes: int) -> torch.Tensor:
        """Return memory of the host, as bytes, that captured work may write to."""

    def wait(self, device: torch.device) -> None:
        """Return when what this thread has launched is done."""


class CudaGraphs:
    """The capturer of CUDA devices. Memory that work needs in between is shared by all graphs of a device."""

    def __init__(self) -> None:
        # By device: the shared memory; the stream to capture on; a graph that keeps the memory from being
        # given up, as it is where no graph holds it.
        self._pools: dict[torch.device, tuple[Any, torch.cuda.Stream, torch.cuda.CUDAGraph]] = {}

    def capture(self, device: torch.device, work: Callable[[], None]) -> Callable[[], None]:
        with _lock, torch.cuda.device(device):
            if device not in self._pools:
                pool, stream = torch.cuda.graph_pool_handle(), torch.cuda.Stream(device)
                keeper = _captured(pool, stream, device, lambda: torch.zeros(1, device=device))
                self._pools[device] = pool, stream, keeper
            pool, stream, _ = self._pools[device]
            return _captured(pool, stream, device, work).replay

    def place(self, device: torch.device) -> Hashable:
        return torch.cuda.current_stream(device).cuda_stream

    def room(self, device: torch.device) -> int:
        free, _ = torch.cuda.mem_get_info(device)
        kept = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
        return int(free + kept)

    def pinned(self, nbytes: int) -> torch.Tensor:
        return torch.empty(nbytes, dtype=torch.uint8, pin_memory=True)

    def wait(self, device: torch.device) -> None:
        torch.cuda.current_stream(device).synchronize()


def _captured(
    pool: Any, stream: torch.cuda.Stream, device: torch.device, work: Callable[[], Any]
) -> torch.cuda.CUDAGraph:
    graph, outer = torch.cuda.CUDAGraph(), torch.cuda.current_stream(device)
    stream.wait_stream(outer)
    try:
        # Uncollected: a graph that died meanwhile would ask CUDA for what no capture allows.
        with torch.cuda.stream(stream), transfers.forbidden(), uncollected():
            graph.capture_begin(pool=pool, capture_error_mode="thread_local")
            try:
                work()
            finally:
                graph.capture_end()
    finally:
        outer.wait_stream(stream)
    return graph


class Using:
    """Holds the capturer that loops use."""

    def __init__(self) -> None:
        self.capturer: Capturer = CudaGraphs()


using = Using()
