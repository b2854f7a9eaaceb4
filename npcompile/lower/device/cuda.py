"""Compiles segments for a GPU: Inductor turns them into Triton kernels, in this process on a thread of its
own.

The runtime calls `submit` where a program's values lie on a device. A failure of the compiler is the job's
`error`, never an exception of the user's call.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch
from torch import fx

from npcompile.diagnostics import log
from npcompile.diagnostics.reason import Cause, Reason
from npcompile.lower import adapter
from npcompile.lower.plan import graph as wire
from npcompile.lower.plan.attributes import result_values, value_of
from npcompile.lower.plan.values import Value

ALIGNED = 16  # bytes: what begins at their multiples is read by vectors

_lock = threading.Lock()
_jobs: dict[str, DeviceJob] = {}
_pool: ThreadPoolExecutor | None = None


class DeviceJob:
    """One segment on its way to a callable on device tensors, with the attributes of `compiler.Job`."""

    def __init__(self, graph: fx.Graph, wanted_by: str = "") -> None:
        self.wanted_by = wanted_by
        self.kernel: Callable[..., Any] | None = None
        self.error: Reason | None = None
        self.source = ""
        self.kernels = 0
        self.seconds = 0.0
        self.from_disk = False  # Inductor and Triton keep caches of their own
        self.counted = False
        outputs = result_values(graph)
        self.bytes_written = sum(_nbytes(value) for value in outputs)
        self._graph = graph
        self._event = threading.Event()

    @property
    def done(self) -> bool:
        return self._event.is_set()

    def wait(self, timeout: float | None = None) -> None:
        """Wait until the job is done. Raises TimeoutError after `timeout` seconds; Ctrl-C works."""
        end = None if timeout is None else time.monotonic() + timeout
        while not self._event.wait(0.2 if end is None else max(0.0, min(0.2, end - time.monotonic()))):
            if end is not None and time.monotonic() >= end:
                raise TimeoutError(f"not compiled after {timeout} seconds")

    def run(self) -> None:
        began = time.monotonic()
        try:
            log.compilation_began(self.wanted_by)
            inputs = [value_of(node) for node in self._graph.find_nodes(op="placeholder")]
            outputs = result_values(self._graph)
            compiled = adapter.compile_device(
                self._segment_function(outputs), [_example(value) for value in inputs], len(outputs)
            )
            self.kernel, self.source, self.kernels = compiled.run, compiled.source, compiled.kernels
        except Exception as error:  # a failure of the compiler is a reason, never the user's exception
            self.error = Cause.COMPILATION_FAILED(type(error).__name__, str(error))
        self.seconds = time.monotonic() - began
        try:
            log.compilation_ended(self.wanted_by, self.seconds, self.error)
        finally:  # a handler of the user's may raise
            self._event.set()

    def _segment_function(self, outputs: tuple[Value, ...]) -> Callable[..., list[torch.Tensor]]:
        rows = wire.rows_of(self._graph)

        def segment(*tensors: torch.Tensor) -> list[torch.Tensor]:
            results = list(wire.evaluate(rows, *tensors))
            return [_check(result, value) for result, value in zip(results, outputs, strict=True)]

        return segment


def _check(result: torch.Tensor, value: Value) -> torch.Tensor:
    if result.dtype != value.dtype or tuple(result.shape) != tuple(value.shape):
        raise TypeError(
            f"an op gave {result.dtype}{list(result.shape)} where NumPy gave {value.dtype}{list(value.shape)}"
        )
    return result


def _example(value: Value) -> adapter.DeviceInput:
    numbers = {"int": torch.int64, "float": torch.float64, "complex": torch.complex128, "bool": torch.bool}
    dtype = numbers.get(value.kind, value.dtype)
    assert dtype is not None
    return adapter.DeviceInput(value.shape, value.strides, dtype, value.device, _offset(value))


def _offset(value: Value) -> int:
    """Return the distance of an array's first element from an aligned address, in elements."""
    if value.region is None or value.dtype is None or value.region.offset % value.dtype.itemsize:
        return 0
    return (value.region.offset % ALIGNED) // value.dtype.itemsize


def _nbytes(value: Value) -> int:
    assert value.dtype is not None
    total = value.dtype.itemsize
    for size in value.shape:
        total *= size
    return total


def submit(graph: fx.Graph, salt: str = "", wanted_by: str = "") -> DeviceJob:
    """Return the job of a segment whose values lie on a GPU. wanted_by: as `compiler.submit`."""
    global _pool
    offsets = [_offset(value_of(node)) for node in graph.find_nodes(op="placeholder")]
    key = wire.key(wire.dump(graph), f"{salt} {offsets}", 1)
    with _lock:
        if (job := _jobs.get(key)) is not None:
            return job
        job = _jobs[key] = DeviceJob(graph, wanted_by)
        if _pool is None:
            _pool = ThreadPoolExecutor(1, "npcompile-cuda")
        _pool.submit(job.run)
    return job
