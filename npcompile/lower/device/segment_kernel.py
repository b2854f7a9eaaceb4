"""The kernel of a segment on a device, which tells the segment to whoever watches the work of a thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

import torch
from torch import fx


class Watcher(Protocol):
    """Is told of kernels that are called."""

    def call(self, kernel: SegmentKernel, tensors: tuple[torch.Tensor, ...]) -> list[torch.Tensor]:
        """Call a kernel's `run`, and return what it gives."""


class SegmentKernel:
    """A segment's kernel: tensors in, a list of tensors out.

    graph: of the segment. run: does its work.
    """

    __slots__ = ("graph", "run")

    def __init__(self, graph: fx.Graph, run: Callable[..., list[torch.Tensor]]) -> None:
        self.graph, self.run = graph, run

    def __call__(self, *tensors: torch.Tensor) -> list[torch.Tensor]:
        watcher = _here.watcher
        return self.run(*tensors) if watcher is None else watcher.call(self, tensors)


class _Here(threading.local):
    watcher: Watcher | None = None


_here = _Here()


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """Tell a watcher of the kernels that this thread calls in the `with` block."""
    _here.watcher = watcher
    try:
        yield
    finally:
        _here.watcher = None
