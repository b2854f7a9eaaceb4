"""A device that is none: its arrays lie on the host, in memory of their own, as a GPU's do.

What enters it is copied, and what leaves it, so that each copy that a replay forgets shows in the answer. Ops
are interpreted. Random programs run on it by `python -m tests.fuzz --copying-device`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import fx

from npcompile.diagnostics.paths import PACKAGE
from npcompile.frontend.eager.ndarray import asarray, ndarray
from npcompile.frontend.replay import device_lane, fused_trips, replay, residency
from npcompile.frontend.replay.same_layout import entered
from npcompile.lower.device import graphs, transfers
from npcompile.lower.device.job import LocalJob
from npcompile.lower.device.segment_kernel import SegmentKernel
from npcompile.lower.plan import interpreter
from npcompile.partition import partitioned
from npcompile.runtime import function, linking
from tests.programs.taped_graphs import TapedGraphs

TRACE = function.trace


class Lane(device_lane.Lane):
    """The lane of such a device."""

    def __init__(self, device: str) -> None:
        self.device = torch.device("cpu")

    is_apart = True

    def holds(self, own: Any, array: Any) -> bool:
        return own is array

    def moved(self, array: Any) -> Any:
        transfers.crosses("an array enters the device at each trip")
        transfers.copies.bytes_to_device += array.nbytes
        return entered(asarray(array), torch.clone)

    def copy_back(self, host: Any, array: Any) -> None:
        transfers.crosses(transfers.LEAVES)
        transfers.copies.bytes_from_device += array.nbytes
        super().copy_back(host, array)

    def leave(self, array: Any, order: tuple[int, ...], apart: int = 1) -> Any:
        if residency.opened() is None:
            transfers.copies.bytes_from_device += array.nbytes
            array = ndarray._of_tensor(array._tensor.clone())
        host = super().leave(array, order, apart)
        if residency.opened() is not None:
            spoil(host)
        return host

    def give_back(self, host: Any, array: Any) -> None:
        before = transfers.copies.bytes_from_device
        super().give_back(host, array)
        if transfers.copies.bytes_from_device == before:  # its values lie on the device alone
            spoil(host)

    def kernel(self, kernel: Callable[..., Any], inputs: Any, outputs: Any) -> Callable[..., Any]:
        return self._on_tensors(kernel, inputs, outputs)


def spoil(host: Any) -> None:
    """Fill a stale array, so that whoever looks at it without settling shows in the answer."""
    host.fill(np.asarray(113).astype(host.dtype))


def trace(
    fn: Any, rewritten: Any, args: Any, kwargs: Any, names: Any, floats: Any, _: str, *rest: Any
) -> Any:
    return TRACE(fn, rewritten, args, kwargs, names, floats, "copying", *rest)


# Tracebacks show it as little as npcompile's own frames, and see past it.
trace.__code__ = trace.__code__.replace(co_filename=f"{PACKAGE}copying_device.py")


def interpreted(graph: fx.Graph, _: Any = None) -> Callable[..., Any]:
    # As on a device: tensors in, tensors out.
    return SegmentKernel(graph, interpreter.eager(graph, "cpu:0"))


def at_once(graph: fx.Graph) -> LocalJob:
    """Return the job of a segment that is interpreted, which is done; as if one kernel was made of it."""
    job = LocalJob(graph, "")
    job.kernel, job.kernels = interpreted(graph), 1
    job.finish(0.0)
    return job


def use(patch: pytest.MonkeyPatch) -> None:
    """Have everything that is jitted run on it."""
    patch.setenv("NPCOMPILE_BACKEND", "interpreter")
    patch.setattr(function, "trace", trace)
    patch.setattr(linking, "eager", interpreted)
    patch.setattr(replay, "Lane", Lane)
    patch.setattr(partitioned, "is_apart", lambda: True)
    patch.setattr(graphs.using, "capturer", TapedGraphs())
    patch.setattr(fused_trips, "submit", at_once)
