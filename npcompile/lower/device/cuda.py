"""Compiles segments for a GPU: Inductor turns them into Triton kernels, in this process on a thread of its
own.

The runtime calls `submit` where a program's values lie on a device. A failure of the compiler is the job's
`error`, never an exception of the user's call. So is a compilation that takes too long: its thread cannot be
ended, and another one goes on with the jobs that wait.
"""

from __future__ import annotations

import atexit
import contextlib
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

import torch
from torch import fx

from npcompile.diagnostics import log
from npcompile.diagnostics.reason import Cause
from npcompile.diagnostics.settings import config
from npcompile.lower import adapter
from npcompile.lower.device import parts
from npcompile.lower.device.job import LocalJob
from npcompile.lower.device.kernel_graphs import graphed
from npcompile.lower.device.segment_kernel import SegmentKernel
from npcompile.lower.plan import graph as wire
from npcompile.lower.plan.attributes import result_values, value_of
from npcompile.lower.plan.values import Value

SHORTEST = 1.0  # second: the shortest limit of a compilation
ALIGNED = 16  # bytes: what begins at their multiples is read by vectors

_lock = threading.Lock()
_jobs: dict[str, DeviceJob] = {}
_waiting: queue.SimpleQueue[DeviceJob] = queue.SimpleQueue()
_thread: threading.Thread | None = None  # that compiles
_running: DeviceJob | None = None  # on that thread


class DeviceJob(LocalJob):
    """One segment on its way to a callable on device tensors."""

    def __init__(self, graph: fx.Graph, wanted_by: str = "") -> None:
        super().__init__(graph, wanted_by)
        self._graph = graph
        self._ended = False

    def run(self) -> None:
        """Compile, unless that takes too long."""
        seconds = max(config.compile_seconds, SHORTEST)
        timer = threading.Timer(seconds, self._give_up, (seconds,))
        timer.daemon = True
        timer.start()
        began = time.monotonic()
        kernel, source, kernels, error = None, "", 0, None
        try:
            log.compilation_began(self.wanted_by)
            inputs = [value_of(node) for node in self._graph.find_nodes(op="placeholder")]
            outputs = result_values(self._graph)
            rows, examples = wire.rows_of(self._graph), [_example(value) for value in inputs]
            on_parts = parts.of(rows, inputs, outputs, examples)
            if on_parts is not None:
                whole = on_parts.examples(examples)
                compiled = adapter.compile_device(on_parts.code, whole, on_parts.results)
                kernel = on_parts.around(compiled.run)
            else:
                compiled = adapter.compile_device(_function(rows, outputs), examples, len(outputs))
                kernel = compiled.run
            source, kernels = compiled.source, compiled.kernels
            kernel = SegmentKernel(self._graph, graphed(kernel, source, kernels, inputs, outputs))
        except Exception as failure:  # a failure of the compiler is a reason, never the user's exception
            error = Cause.COMPILATION_FAILED(type(failure).__name__, str(failure))
        finally:
            timer.cancel()
        if self._ends():
            self.kernel, self.source, self.kernels, self.error = kernel, source, kernels, error
            self.finish(time.monotonic() - began)

    def _give_up(self, seconds: float) -> None:
        """End the job, though its thread goes on; another thread takes the jobs that wait."""
        if self._ends():
            self.error = Cause.COMPILE_SECONDS(f"{seconds:g}")
            if _running is self:
                _start()
            self.finish(seconds)

    def _ends(self) -> bool:
        """Tell if the job ends now: it does once, compiled or given up."""
        with _lock:
            ended, self._ended = self._ended, True
            return not ended


def _function(rows: list[tuple[Any, ...]], outputs: tuple[Value, ...]) -> Callable[..., list[torch.Tensor]]:
    """Return a segment as a function of tensors."""

    def segment(*tensors: torch.Tensor) -> list[torch.Tensor]:
        results = list(wire.evaluate(rows, *tensors))
        return [parts.check(result, value) for result, value in zip(results, outputs, strict=True)]

    return segment


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


def submit(graph: fx.Graph, salt: str = "", wanted_by: str = "") -> DeviceJob:
    """Return the job of a segment whose values lie on a GPU. wanted_by: as `compiler.submit`."""
    offsets = [_offset(value_of(node)) for node in graph.find_nodes(op="placeholder")]
    key = wire.key(wire.dump(graph), f"{salt} {offsets}", 1)
    with _lock:
        if (job := _jobs.get(key)) is not None:
            return job
        job = _jobs[key] = DeviceJob(graph, wanted_by)
        if _thread is None:
            _start()
        _waiting.put(job)
    return job


def _start() -> None:
    """Start a thread that compiles; one that is there takes no further job."""
    global _thread
    _thread = threading.Thread(target=_work, name="npcompile-cuda", daemon=True)
    _thread.start()


def _work() -> None:
    global _running
    while _thread is threading.current_thread():
        job = _running = _waiting.get()
        with contextlib.suppress(Exception):  # of a handler of the user's that is told of compilations
            job.run()


@atexit.register
def _wait_for_running() -> None:
    """Wait for the compilation at hand: Python must not end while its thread is in the compiler."""
    with _lock:
        while not _waiting.empty():
            _waiting.get_nowait()
    if _running is not None:
        _running.wait()
