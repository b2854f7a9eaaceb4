"""Run as a process of its own: what becomes of each program on a GPU, printed as JSON by the program's name.

    python -m tests.triton.lane write       Inductor writes the kernels, Triton compiles them for an H200
    python -m tests.triton.lane interpret   programs are replayed, their kernels run by Triton's interpreter

The programs go the way of programs on a CUDA device. Three things stand in for the GPU: a driver that names
it, its properties, and Inductor's CPU backend set to Triton, since tensors can only lie on the CPU.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
import triton
import triton.language as tl
from torch import fx
from torch._inductor import async_compile, config
from torch._inductor.runtime import hints, triton_helpers
from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase
from triton.compiler import ASTSource

from npcompile.diagnostics.stats import Stats
from npcompile.frontend.pipeline import Traced, trace
from npcompile.frontend.replay.fused_trips import Composer, operations
from npcompile.frontend.replay.replay import Replay
from npcompile.frontend.rewrite.rewriter import rewrite
from npcompile.lower.device.cuda import DeviceJob
from npcompile.lower.device.segment_kernel import SegmentKernel
from npcompile.lower.plan.attributes import attributes, value_of
from npcompile.lower.plan.interpreter import eager
from npcompile.lower.plan.segment import Segment
from tests.checker import same
from tests.triton.programs import CASES, Case

H200 = GPUTarget("cuda", 90, 32)
PROPERTIES = hints.DeviceProperties(
    type="cuda",
    index=0,
    multi_processor_count=132,
    cc=90,
    major=9,
    regs_per_multiprocessor=65536,
    max_threads_per_multi_processor=2048,
    max_threads_per_block=1024,
    warp_size=32,
)


class Driver(DriverBase):
    """Names the GPU that is compiled for; what would launch or time a kernel on it is not there."""

    @classmethod
    def is_active(cls) -> bool:
        return True

    def get_current_target(self) -> GPUTarget:
        return H200

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cpu")

    def get_current_device(self) -> int:
        return 0

    def map_python_to_cpp_type(self, ty: str) -> str:
        raise RuntimeError("there is no GPU to launch on")

    def get_benchmarker(self) -> Any:
        raise RuntimeError("there is no GPU to time on")


def stand_in() -> None:
    """Have Inductor and Triton write for an H200. How reductions are split depends on its properties."""
    triton.runtime.driver.set_active(Driver())
    triton_helpers.set_driver_to_cpu = lambda: None
    hints.DeviceProperties.create = lambda device: PROPERTIES


def recorded(case: Case) -> Traced:
    """The program as it is planned for a GPU, then moved to where tensors can be."""
    args = case.arguments(np.random.default_rng(1))
    names = [f"x{place}" for place in range(len(args))]
    traced = trace(case.function, rewrite(case.function), args, {}, names, None, "cuda")
    if traced.plan is None or traced.program is None:
        raise RuntimeError(traced.reason)
    traced.program.device = "cpu"
    for segment in traced.plan.segments:
        for node in segment.graph.find_nodes(op="placeholder"):
            attributes(node).value = replace(value_of(node), device="cpu")
    return traced


def compiled(graph: fx.Graph) -> DeviceJob:
    job = DeviceJob(graph)
    job.run()
    if job.error is not None:
        raise RuntimeError(job.error)
    return job


def planned(case: Case) -> tuple[Traced, list[fx.Graph]]:
    """The program, and the graphs of its segments: of several trips as one, where the case asks for such."""
    traced = recorded(case)
    if not case.trips:
        return traced, [segment.graph for segment in traced.plan.segments]
    (segment,) = traced.plan.segments
    own = [torch.from_numpy(array) for array in case.arguments(np.random.default_rng(1))]
    places = [int(node.name.removeprefix("x")) for node, _ in segment.inputs]
    kernel = SegmentKernel(segment.graph, eager(segment.graph, "cpu:0"))
    composer = Composer(own)

    def work() -> None:
        for _ in range(case.trips):
            kernel(*[own[place] for place in places])

    composer.compose(work)
    assert composer.refusal is None and operations(composer.graph)
    return traced, [composer.graph]


def write(case: Case) -> dict[str, Any]:
    """The kinds of the plan's steps, the generated text of each segment, and each kernel compiled."""
    sources: dict[str, str] = {}

    def keep(self: Any, name: str, source: str, device_str: str) -> None:
        sources[name] = source

    async_compile.AsyncCompile.triton = keep
    traced, graphs = planned(case)
    plan, jobs = traced.plan, [compiled(graph) for graph in graphs]
    with TemporaryDirectory() as folder:
        kernels = {name: machine_code(name, source, Path(folder)) for name, source in sources.items()}
    return {
        "steps": [step.kind for step in plan.steps],
        "counted": sum(job.kernels for job in jobs),
        "wrapper": "\n".join(job.source for job in jobs),
        "kernels": kernels,
    }


def machine_code(name: str, source: str, folder: Path) -> dict[str, Any]:
    """A kernel's PTX and the size of its binary, compiled as Inductor has it compiled, with the first block
    sizes that Inductor would try."""
    path = folder / f"{name}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    tuner = getattr(module, name)
    chosen, meta = tuner.configs[0], tuner.triton_meta
    constants = {**meta["constants"], **chosen.kwargs}
    kernel = ASTSource(tuner.fn, meta["signature"], constants, meta["configs"][0])
    options = {
        "num_warps": chosen.num_warps,
        "num_stages": chosen.num_stages,
        "enable_fp_fusion": meta["enable_fp_fusion"],
    }
    made = triton.compile(kernel, target=H200, options=options).asm
    return {"ptx": made["ptx"], "binary_bytes": len(made["cubin"])}


def interpret(case: Case) -> dict[str, Any]:
    """Replays the program on fresh arguments: answers, and what is left in the arguments, must be NumPy's."""
    # The interpreter has no CUDA library to call. These are the functions of it that the programs need.
    triton_helpers.libdevice = SimpleNamespace(
        sqrt=lambda x: tl.sqrt(x),
        exp=lambda x: tl.exp(x),
        log=lambda x: tl.log(x),
        isnan=lambda x: x != x,
        isinf=lambda x: tl.abs(x) == float("inf"),
    )
    runs: list[int] = []
    traced, graphs = planned(case)
    if case.trips:
        got, want = (case.arguments(np.random.default_rng(2)) for _ in range(2))
        compiled(graphs[0]).kernel(*[torch.from_numpy(array) for array in got])
        for _ in range(case.trips):
            case.function(*want)
        same(got, want, ulp=case.ulp, scale=case.scale)
        return {"runs": 1, "segments": len(graphs)}
    kernels = [on_arrays(segment, compiled(segment.graph), runs) for segment in traced.plan.segments]
    replay = Replay(traced.program, traced.plan).link(kernels, Stats())
    args, plain = (case.arguments(np.random.default_rng(2)) for _ in range(2))
    got, want = replay(*args), case.function(*plain)
    same(got, want, ulp=case.ulp, scale=case.scale)
    same(args, plain, ulp=case.ulp, scale=case.scale)
    return {"runs": len(runs), "segments": len(traced.plan.segments)}


def on_arrays(segment: Segment, job: DeviceJob, runs: list[int]) -> Callable[..., Any]:
    """A segment's kernel, called as kernels of the host are: arrays in, one result or a tuple of them out."""

    def run(*arrays: np.ndarray) -> Any:
        runs.append(1)
        tensors = job.kernel(*[torch.from_numpy(array) for array in arrays])
        results = [
            tensor.numpy() if value.kind == "array" else tensor.numpy()[()]
            for tensor, value in zip(tensors, segment.results, strict=True)
        ]
        return results[0] if len(results) == 1 else tuple(results)

    return run


def outcome(do: Callable[[Case], dict[str, Any]], case: Case) -> dict[str, Any]:
    """One program's failure is its own."""
    try:
        return do(case)
    except Exception:
        return {"error": traceback.format_exc()}


if __name__ == "__main__":
    stand_in()
    what = {"write": write, "interpret": interpret}[sys.argv[1]]
    with config.patch(cpu_backend="triton", fx_graph_cache=False):
        json.dump({name: outcome(what, case) for name, case in CASES.items()}, sys.stdout)
