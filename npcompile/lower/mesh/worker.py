"""One process of a mesh: traces and compiles segments, and runs them on its part of the rows.

`pool.py` starts it. The first process imports all that is needed, and makes the others by forks. Segments are
compiled on a thread of their own, which also ends the process with the program.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import torch

from npcompile.lower import adapter
from npcompile.lower.mesh.memory import Mapped
from npcompile.lower.mesh.mesh import Mesh
from npcompile.lower.mesh.messages import (
    READY,
    Compile,
    Compiled,
    Inline,
    Ran,
    Run,
    Sent,
    inline,
    received,
)
from npcompile.lower.mesh.placement import rows_to_split
from npcompile.lower.mesh.sharded import WHOLE, example, trace
from npcompile.lower.plan.graph import inputs_of, unpack


@dataclass
class _Segment:
    """A segment as this process runs it, with the axes along which its inputs and results are split."""

    run: Callable[..., Any]
    inputs: list[int]
    results: list[int]


class Worker:
    """One process of a mesh."""

    def __init__(self, mesh: Mesh, rank: int, store: str) -> None:
        import torch.distributed as dist
        from torch.distributed.device_mesh import DeviceMesh

        self.mesh, self.rank = mesh, rank
        self.device = mesh.device_of(rank)
        self.mapped = Mapped()
        self.segments: dict[str, _Segment] = {}
        if mesh.kind == "cuda":
            torch.cuda.set_device(self.device)
        else:
            torch.set_num_threads(max(1, len(os.sched_getaffinity(0)) // mesh.size))
        backend = "nccl" if mesh.kind == "cuda" else "gloo"
        dist.init_process_group(backend, init_method=f"file://{store}", rank=rank, world_size=mesh.size)
        self.group = DeviceMesh(mesh.kind, list(range(mesh.size)))

    # -- compiling ---------------------------------------------------------------------------------------

    def compile(self, request: Compile) -> Compiled:
        rows = unpack(request.data)
        sharded = trace(rows, self.group, self.mesh.size, self.device)
        if sharded is None:
            return Compiled("")
        values = inputs_of(rows)
        run: Callable[..., Any] = sharded.graph
        source, kernels = sharded.graph.code, 0
        if request.compiled:
            parts = [
                example(value, axis, self.mesh.size, torch.device("meta"))
                for value, axis in zip(values, sharded.inputs, strict=True)
            ]
            inputs = [
                adapter.DeviceInput(tuple(one.shape), tuple(one.stride()), one.dtype, str(self.device))
                for one in parts
            ]

            def part(*tensors: torch.Tensor) -> list[torch.Tensor]:
                return list(sharded.graph(*tensors))

            kernel = adapter.compile_device(part, inputs, len(sharded.results))
            run, source = kernel.run, kernel.source
            kernels = kernel.kernels or source.count("async_compile.cpp")
        self.segments[request.key] = _Segment(run, sharded.inputs, sharded.results)
        length = rows_to_split(values, self.mesh.size)
        gathered = tuple(sharded.gathered)
        axes = tuple(sharded.inputs), tuple(sharded.results)
        return Compiled("", *axes, length, gathered, sharded.collectives, source, kernels)

    # -- running -----------------------------------------------------------------------------------------

    def run(self, request: Run) -> dict[int, Inline]:
        """Run a segment, and write this process's parts of the results to where they belong."""
        self.mapped.drop(request.gone)
        segment = self.segments[request.key]
        with torch.no_grad(), torch.device(self.device):
            inputs = [self._part(one, axis) for one, axis in zip(request.inputs, segment.inputs, strict=True)]
            return self._give(segment.run(*inputs), segment.results, request.results)

    def _part(self, what: Sent, axis: int) -> torch.Tensor:
        """Return this process's part of an input, on its device, with its axes in the order that they had."""
        found = received(what, self.mapped)
        if axis != WHOLE:
            found = self._slice(found, axis)
        strides = found.stride()
        order = sorted(range(found.dim()), key=lambda place: -strides[place])
        back = [order.index(place) for place in range(found.dim())]
        return found.permute(order).contiguous().to(self.device).permute(back)

    def _slice(self, whole: torch.Tensor, axis: int) -> torch.Tensor:
        length = whole.shape[axis] // self.mesh.size
        return whole.narrow(axis, self.rank * length, length)

    def _give(
        self, found: Sequence[torch.Tensor], axes: Sequence[int], results: Sequence[Sent]
    ) -> dict[int, Inline]:
        """Write parts of results to where they belong; return those that travel inline."""
        values: dict[int, Inline] = {}
        for at, (part, axis, result) in enumerate(zip(found, axes, results, strict=True)):
            if axis == WHOLE and self.rank:
                continue  # the first process gives it
            if isinstance(result, Inline):
                values[at] = inline(part)
            else:
                whole = received(result, self.mapped)
                _write(whole if axis == WHOLE else self._slice(whole, axis), part)
        if self.mesh.kind == "cuda":
            torch.cuda.synchronize()
        return values


def _write(place: torch.Tensor, part: torch.Tensor) -> None:
    """Write a result to where it belongs, which may be memory that another process has on another device.

    A kernel of this device must not write there: where the memory does not lie in one piece, torch would have
    one do it, and the address is not mapped for it.
    """
    if place.device != part.device and not place.is_contiguous():
        part = part.contiguous().to(place.device)
    place.copy_(part)


def _told(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}"


def main(mesh: Mesh, store: str, ends: Sequence[tuple[int, int]]) -> None:
    """Become the processes of a mesh.

    ends: for each, the descriptors on which runs and compilations are asked for.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    import torch.distributed.tensor  # noqa: F401  (once, before the forks)

    rank = next((rank for rank in range(1, mesh.size) if os.fork() == 0), 0)
    for other, descriptors in enumerate(ends):
        for descriptor in descriptors:
            if other != rank:
                os.close(descriptor)
    runs, compilations = Connection(ends[rank][0]), Connection(ends[rank][1])
    try:
        serve(Worker(mesh, rank, store), runs, compilations)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)  # without waiting for a collective that nobody else takes part in


def serve(worker: Worker, runs: Connection, compilations: Connection) -> None:
    """Answer requests until the program ends."""
    threading.Thread(target=_compile_all, args=(worker, compilations), daemon=True).start()
    runs.send(Ran(READY, "", {}))
    with contextlib.suppress(EOFError, OSError):
        while True:
            request: Run = runs.recv()
            error, values = "", {}
            try:
                values = worker.run(request)
            except Exception as raised:
                error = _told(raised)
            runs.send(Ran(request.number, error, values))


def _compile_all(worker: Worker, compilations: Connection) -> None:
    """Answer requests to compile. They end with the program, while a run may wait for another process."""
    try:
        while True:
            request: Compile = compilations.recv()
            try:
                reply = worker.compile(request)
            except Exception as raised:
                reply = Compiled(_told(raised))
            compilations.send(reply)
    except (EOFError, OSError):
        os._exit(0)
