"""Compiles segments for a mesh, and calls them: jobs and kernels of programs on several devices.

A kernel gives the values that one device alone gives. Where the processes cannot do a segment, or gave other
values when it was first run, one device does it, and the job tells why.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch
from torch import fx

from npcompile.diagnostics import log
from npcompile.diagnostics.reason import Cause, Reason
from npcompile.diagnostics.settings import config
from npcompile.lower import adapter
from npcompile.lower.device.job import LocalJob
from npcompile.lower.mesh.memory import shared
from npcompile.lower.mesh.mesh import Mesh
from npcompile.lower.mesh.messages import Compile, Compiled, Inline, Ran, is_small, opened, sent
from npcompile.lower.mesh.placement import largest
from npcompile.lower.mesh.pool import Ended, Failed, pool_of
from npcompile.lower.mesh.sharded import WHOLE, dtype_of
from npcompile.lower.plan import graph as wire
from npcompile.lower.plan.values import Value, c_strides

_lock = threading.Lock()
_jobs: dict[str, MeshJob] = {}
_threads: ThreadPoolExecutor | None = None


class MeshJob(LocalJob):
    """One segment on its way to a callable on tensors of a mesh's home.

    collectives: how many times the processes exchange values in a run. inputs: the axis along which each
    input is split, or `WHOLE`; empty if one device does all.
    """

    def __init__(self, mesh: Mesh, graph: fx.Graph, key: str, compiled: bool, wanted_by: str) -> None:
        super().__init__(graph, wanted_by)
        self.mesh, self.key = mesh, key
        self.collectives = 0
        self.inputs: tuple[int, ...] = ()
        self._rows = wire.rows_of(graph)
        self._request = Compile(key, wire.pack(self._rows), compiled)
        self._reasons: list[Reason] = []
        self._listeners: list[Callable[[Reason], Any]] = []

    def tell(self, listener: Callable[[Reason], Any]) -> None:
        """Call a function with each reason why one device does more than its part, now and later."""
        for reason in self._reasons:
            listener(reason)
        self._listeners.append(listener)

    def because(self, reason: Reason) -> None:
        """Note why one device does more than its part."""
        if reason not in self._reasons:
            self._reasons.append(reason)
            for listener in self._listeners:
                listener(reason)

    def run(self) -> None:
        began = time.monotonic()
        try:
            log.compilation_began(self.wanted_by)
            answer = self._ask()
            self.inputs, self.collectives = answer.inputs, answer.collectives
            self.source, self.kernels = answer.source, answer.kernels
            for op in answer.gathered:
                self.because(Cause.GATHERED(op.op, op.why))
            self.kernel = _Kernel(self, self._rows, answer, self._whole(answer))
        except Exception as error:  # a failure of the compiler is a reason, never the user's exception
            self.error = Cause.COMPILATION_FAILED(type(error).__name__, str(error))
        self.finish(time.monotonic() - began)

    def _whole(self, answer: Compiled) -> Callable[..., list[torch.Tensor]]:
        """Return what one device does: op by op, unless it is a GPU that does all of it in any case."""
        home, rows = self.mesh.home, self._rows

        def whole(*tensors: torch.Tensor) -> list[torch.Tensor]:
            return alone(rows, tensors, home)

        if answer.rows is not None or not self._request.compiled or home.type == "cpu":
            return whole
        inputs = [
            adapter.DeviceInput(value.shape, value.strides, dtype_of(value), str(home))
            for value in wire.inputs_of(rows)
        ]
        results = len(wire.outputs_of(rows)) + len(wire.written(rows))
        compiled = adapter.compile_device(whole, inputs, results)
        self.source, self.kernels = compiled.source, compiled.kernels
        return compiled.run

    def _ask(self) -> Compiled:
        """Return what all processes agree on: where they do not, one device is to do all."""
        whole = Compiled("")
        try:
            answers = pool_of(self.mesh).compile(self._request)
        except Ended as ended:
            self.because(Cause.MESH_ENDED(str(self.mesh), str(ended)))
            return whole
        first = answers[0]
        error = next((answer.error for answer in answers if answer.error), "")
        if error or any(answer[1:6] != first[1:6] for answer in answers):
            self.because(Cause.NOT_SPLIT(str(self.mesh), error or "the processes differ"))
            return whole
        if first.rows is None:
            why = _why_whole(wire.inputs_of(self._rows), self.mesh.size)
            self.because(Cause.NOT_SPLIT(str(self.mesh), why))
        return first


def _why_whole(inputs: Sequence[Value], size: int) -> str:
    arrays = [value for value in inputs if value.kind == "array" and value.shape]
    if not arrays:
        return "it takes no arrays"
    rows = largest(arrays).shape[0]
    return f"its largest array has {rows} rows, which are not {size} equal parts"


class _Kernel:
    """Runs a segment on the processes of a mesh: tensors of the mesh's home in, a list of such out."""

    def __init__(
        self,
        job: MeshJob,
        rows: list[tuple[Any, ...]],
        answer: Compiled,
        whole: Callable[..., list[torch.Tensor]],
    ) -> None:
        """whole: does it on one device; returns the results, then what written inputs are to hold."""
        self._job, self._whole = job, whole
        self._is_split = answer.rows is not None
        self._is_checked = False
        self._axes = answer.results
        self._home = job.mesh.home
        self._inputs = wire.inputs_of(rows)
        self._written = sorted(wire.written(rows))
        self._results = [*wire.outputs_of(rows), *(self._inputs[place] for place in self._written)]

    def __call__(self, *tensors: torch.Tensor) -> list[torch.Tensor]:
        found = self._found(tensors)
        count = len(self._results) - len(self._written)
        for place, value in zip(self._written, found[count:], strict=True):
            tensors[place].copy_(value)
        return found[:count]

    def _found(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Return the results, then what the inputs are to hold that the segment writes."""
        if not self._is_split:
            return self._whole(*tensors)
        try:
            found = self._in_parts(tensors)
            if self._is_checked:
                return found
            whole = self._whole(*tensors)
            self._is_checked = all(map(is_close, found, whole))
            if self._is_checked:
                return whole
            why = Cause.NOT_SPLIT(str(self._job.mesh), "its parts gave other values than one device")
        except Ended as ended:
            why = Cause.MESH_ENDED(str(self._job.mesh), str(ended))
        except Failed as failed:
            why = Cause.NOT_SPLIT(str(self._job.mesh), str(failed))
        self._is_split = False
        self._job.because(why)
        return self._whole(*tensors)

    def _in_parts(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Have the processes do it. Raises Ended, Failed."""
        ranks = range(self._job.mesh.size)
        reachable = [_reachable(tensor) for tensor in tensors]
        made = [_made(value, self._home) for value in self._results]
        inputs = [[sent(tensor) for tensor in reachable] for _ in ranks]
        results = [[sent(one) if isinstance(one, torch.Tensor) else one for one in made] for _ in ranks]
        if self._job.mesh.kind == "cuda":
            torch.cuda.synchronize(self._home)
        answers = pool_of(self._job.mesh).run(self._job.key, inputs, results)
        return [
            one if isinstance(one, torch.Tensor) else self._assembled(at, answers)
            for at, one in enumerate(made)
        ]

    def _assembled(self, at: int, answers: Sequence[Ran]) -> torch.Tensor:
        """Return a small result of the values that came with the answers."""
        parts = [opened(answer.values[at]) for answer in answers if at in answer.values]
        axis = self._axes[at]
        return (parts[0] if axis == WHOLE else torch.cat(parts, axis)).to(self._home)


def alone(
    rows: list[tuple[Any, ...]], tensors: Sequence[torch.Tensor], home: torch.device
) -> list[torch.Tensor]:
    """Return the results of a segment, then what the inputs are to hold that it writes: by one device."""
    with torch.no_grad(), torch.device(home):
        outputs, stores = wire.evaluate_by(rows, tensors, _call, _stored)
    return [*outputs, *stores.values()]


def _call(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    return function(*args, **kwargs)


def _stored(_: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    return value.clone()


def _reachable(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor with these values in memory that the processes can reach."""
    on_host = tensor.device.type == "cpu" and not is_small(tensor.shape, tensor.dtype)
    return shared.copy(tensor) if on_host and shared.place(tensor) is None else tensor


def _made(value: Value, home: torch.device) -> torch.Tensor | Inline:
    """Return memory for a result; a small one travels with the answer."""
    assert value.dtype is not None
    if is_small(value.shape, value.dtype):
        return Inline(b"", value.dtype, value.shape)
    strides = c_strides(value.shape) if value.doubled else tuple(map(abs, value.strides))
    if home.type == "cpu":
        return shared.empty(value.shape, strides, value.dtype)
    return torch.empty_strided(value.shape, strides, dtype=value.dtype, device=home)


def is_close(found: torch.Tensor, whole: torch.Tensor) -> bool:
    """Tell if results differ by no more than another order of sums makes of them."""
    if found.dtype != whole.dtype or found.shape != whole.shape:
        return False
    if not (found.is_floating_point() or found.is_complex()):
        return bool(torch.equal(found, whole))
    within = math.sqrt(torch.finfo(found.dtype).eps)
    finite = whole.abs()[torch.isfinite(whole)]
    scale = float(finite.max()) if finite.numel() else 0.0
    return torch.allclose(found, whole, rtol=within, atol=within * scale, equal_nan=True)


def submit(mesh: Mesh, graph: fx.Graph, salt: str = "", wanted_by: str = "") -> MeshJob:
    """Return the job of a segment. salt, wanted_by: as `compiler.submit`."""
    global _threads
    compiled = config.backend != "interpreter"  # else its parts are done op by op
    key = wire.key(wire.dump(graph), f"{salt} {mesh} {compiled}", 1)
    with _lock:
        if (job := _jobs.get(key)) is not None:
            return job
        job = _jobs[key] = MeshJob(mesh, graph, key, compiled, wanted_by)
        if _threads is None:
            _threads = ThreadPoolExecutor(1, "npcompile-mesh")
        _threads.submit(job.run)
    return job
