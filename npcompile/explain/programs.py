"""Explains one residual program: what each step became, on which line, and which kernels a replay calls.

`npcompile.explain` shows the result, `ExplainedProgram`, as text; its fields are for programs to read.
"""

from __future__ import annotations

import math
import types
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from torch import fx

from npcompile.diagnostics.host_calls import function_of, has_mask, host_reason, is_sized_by_data
from npcompile.diagnostics.reason import Reason
from npcompile.diagnostics.words import count_text
from npcompile.frontend.catalog import purity
from npcompile.frontend.catalog.python_operators import GETITEM, SETITEM
from npcompile.frontend.graph.constant_folding import Constant
from npcompile.frontend.program.array_facts import with_items
from npcompile.frontend.program.object_steps import Build, Store
from npcompile.frontend.program.printing import (
    call_text,
    guard_text,
    index_text,
    is_named_by_guard,
    literal,
    step_text,
    type_text,
)
from npcompile.frontend.program.program import Program
from npcompile.frontend.program.text_steps import Format, fill, join, percent
from npcompile.lower.device.kernel_graphs import KernelGraphs
from npcompile.lower.device.segment_kernel import SegmentKernel
from npcompile.lower.plan.attributes import MaskForm, StepKind, attributes, source_place, step_of, value_of
from npcompile.lower.plan.plan import Plan
from npcompile.lower.plan.plan import Step as Planned
from npcompile.lower.plan.values import Value, c_strides

if TYPE_CHECKING:
    from npcompile.runtime.recorded_program import RecordedProgram


Became = Literal[
    "kernel",
    "scalar step",
    "view",
    "write in place",
    "copy",
    "library call",
    "host call",
    "opaque call",
    "store",
    "text",
    "object",
    "guard",
    "read",
    "part",
    "left out",
]
# The steps of a program that are neither computed by kernels nor calls of NumPy's.
_OTHERS: dict[StepKind, Became] = {
    "number": "scalar step",
    "opaque": "opaque call",
    "read": "read",
    "part": "part",
}


@dataclass(frozen=True)
class Kernel:
    """The kernel of a segment: ops that were compiled together.

    Attributes
    ----------
    number : int
        Its number within the program, from 1.
    lines : tuple of int
        The lines of the function that are in it.
    kernels : int
        The number of loops that one call runs.
    bytes_written : int
        Bytes that one call writes.
    threads : int or None
        Threads that it uses; None on a GPU.
    seconds : float
        The time that compiling it took.
    from_disk : bool
        It was compiled by an earlier process.
    form : {"native", "general", "triton", "interpreter"}
        One C call; torch operators among the loops; Triton; not compiled.
    source : str
        The generated C++ or Triton.
    ended : str
        Why the next op is not in it; empty at the program's end.
    checks : int
        The number of flags it gives that tell whether NumPy would have raised.
    error : str or None
        Why there is no kernel.
    bytes_moved : int
        Bytes of its arguments and results, which one call has to read or write at least.
    operations : int
        Results of one element that the ops of one call compute, and the elements that reductions take.
    graph : str
        How often its kernels were launched as one CUDA graph, or why they never are; empty for one kernel.
    """

    number: int
    lines: tuple[int, ...]
    kernels: int
    bytes_written: int
    threads: int | None
    seconds: float
    from_disk: bool
    form: str
    source: str = field(repr=False)
    ended: str
    checks: int
    error: str | None
    bytes_moved: int = 0
    operations: int = 0
    graph: str = ""

    def __str__(self) -> str:
        if self.error is not None:
            return f"kernel {self.number}: not compiled: {self.error}"
        parts = [
            f"{self.kernels} kernel{'s' * (self.kernels != 1)}",
            f"writes {size_text(self.bytes_written)}",
        ]
        if self.form == "interpreter":
            parts = ["operation by operation, not compiled"]
        if self.threads is not None:
            parts.append(f"{self.threads} thread{'s' * (self.threads != 1)}")
        parts.append(
            {"general": "C++ with torch operators", "native": "C++", "triton": "Triton"}.get(self.form, "")
        )
        if self.form != "interpreter":
            parts.append("from disk" if self.from_disk else f"compiled in {duration_text(self.seconds)}")
        if self.checks:
            parts.append("checks indices")
        parts.append(self.graph)
        text = f"kernel {self.number}: {', '.join(part for part in parts if part)}"
        return f"{text}; ends because {self.ended}" if self.ended else text


@dataclass(frozen=True)
class Step:
    """One step of a residual program.

    Attributes
    ----------
    line : int or None
        The line in the function's file.
    text : str
        The step as Python.
    type : str
        The type of the value that it gives.
    became : str
        One of `Became`; a "part" is one of several results.
    detail : str
        Details of that, and why.
    mask : {"where", "compaction", None}
        The form that a mask took.
    kernel : int or None
        The number of the kernel that the step is in.
    elsewhere : str
        "file:line" where the step is in a function of another file; `line` is the one that led there.
    reason : Reason or None
        Why a host call is left to NumPy.
    """

    line: int | None
    text: str
    type: str
    became: Became
    detail: str = ""
    mask: MaskForm | None = None
    kernel: int | None = None
    elsewhere: str = ""
    reason: Reason | None = field(default=None, repr=False)

    @property
    def where(self) -> str:
        """The line, or the file and line of another function, for people to read."""
        return self.elsewhere.replace("\\", "/").rpartition("/")[2] or str(self.line or "")


@dataclass(frozen=True)
class ExplainedProgram:
    """A residual program, explained.

    Attributes
    ----------
    signature : str
        The arguments for which it was recorded.
    text : str
        The whole program as Python.
    steps : tuple of Step
        Its steps, in order.
    kernels : tuple of Kernel
        The kernels that a replay calls.
    result : str
        The answer, as Python.
    host_calls : int
        The number of calls of NumPy's that a replay makes.
    has_effects : bool
        A replay writes into arrays from outside, or makes an opaque call.
    others : int
        The number of signatures beside its own that it has answered for.
    codes : tuple of code
        The code of its replay.
    """

    signature: str
    text: str = field(repr=False)
    steps: tuple[Step, ...]
    kernels: tuple[Kernel, ...]
    result: str
    host_calls: int
    has_effects: bool
    others: int = 0
    codes: tuple[types.CodeType, ...] = field(default=(), repr=False)

    @property
    def guards(self) -> tuple[Step, ...]:
        """The checks that must hold for a replay."""
        return tuple(step for step in self.steps if step.became == "guard")

    @property
    def bytes_written(self) -> int:
        """Bytes that the kernels of one replay write."""
        return sum(kernel.bytes_written for kernel in self.kernels)

    @property
    def source(self) -> str:
        """The generated code of all kernels."""
        return "\n".join(kernel.source for kernel in self.kernels)

    def __str__(self) -> str:
        rows = [(s.where, s.text, _became(s), s.type, s.detail) for s in self.steps]
        rows.append(("", f"return {self.result}", "", "", ""))
        first, second, third = (min(56, max(len(row[column]) for row in rows)) for column in (1, 2, 3))
        wide = max(4, max(len(row[0]) for row in rows))
        lines = []
        for line, text, label, gives, detail in rows:
            rest = f"{gives:<{third}}  {detail}" if gives else detail
            lines.append(f"  {line:>{wide}}  {text:<{first}}  {label:<{second}}  {rest}".rstrip())
        lines += [f"  {kernel}" for kernel in self.kernels]
        return "\n".join(lines)


def _became(step: Step) -> str:
    text = step.became if step.kernel is None else f"{step.became} {step.kernel}"
    if step.became in ("view", "write in place") and step.kernel is not None:
        text = f"{step.became}, kernel {step.kernel}"
    return text


def size_text(count: int) -> str:
    """Return a number of bytes as text."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= factor:
            return f"{count / factor:.3g} {unit}"
    return f"{count} bytes"


def duration_text(seconds: float) -> str:
    """Return a time as text."""
    for unit, factor in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= factor:
            return f"{seconds / factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def signature_text(program: Program) -> str:
    """Return a program's arguments as text: each with its type, and strides unless it is in C order."""
    parts = []
    for node in program.inputs[program.own :]:
        value = value_of(node)
        text = f"{node.name}: {type_text(value)}"
        if value.kind == "array" and 0 not in value.shape and value.strides != c_strides(value.shape):
            text += f" (strides {', '.join(map(str, value.strides))})"
        parts.append(text)
    if program.device not in (None, "cpu"):
        parts.append(f"on {program.device}")
    return ", ".join(parts) or "no arguments"


def explained(entry: RecordedProgram, others: int = 0) -> ExplainedProgram:
    """Explain one recorded program; others: how many signatures beside its own it has answered for."""
    program, plan = entry.program, entry.plan
    steps = [step for step in plan.steps if step.segment is not None]
    numbers = {id(step): number for number, step in enumerate(steps, 1)}
    kernels = [
        _kernel(number, step, entry.jobs[number - 1] if entry.jobs else None)
        for number, step in enumerate(steps, 1)
    ]
    return ExplainedProgram(
        signature=signature_text(program),
        text=str(program),
        steps=tuple(_step_at(node, plan, numbers) for node in program.graph.nodes if _is_shown(node)),
        kernels=tuple(kernels),
        result=program.result.text(literal),
        host_calls=sum(
            step_of(node) == "host" and node.target not in purity.VIEWS for node in program.graph.nodes
        ),
        has_effects=plan.effects is not None,
        others=others,
        codes=tuple(entry.replay.codes),
    )


def _type(value: Value) -> str:
    if value.kind == "array" and value.dtype is None:  # one that is only written to where it goes
        return f"array{list(value.shape)}"
    return "" if value.kind == "object" else type_text(value)


def _is_shown(node: fx.Node) -> bool:
    return node.op == "call_function" and not is_named_by_guard(node)


def _kernel(number: int, step: Planned, job: Any) -> Kernel:
    assert step.segment is not None
    lines = sorted({line for node in step.segment.ops if (line := source_place(node).line)})
    threads = getattr(getattr(job, "kernel", None), "threads", None)
    form = "interpreter" if job is None else getattr(job, "form", "triton")
    return Kernel(
        number=number,
        lines=tuple(lines),
        kernels=0 if job is None else job.kernels,
        bytes_written=0 if job is None else job.bytes_written,
        threads=threads,
        seconds=0.0 if job is None else job.seconds,
        from_disk=job is not None and job.from_disk,
        form=form,
        source="" if job is None else job.source,
        ended="" if step.why is None else str(step.why),
        checks=step.segment.checks,
        error=None if job is None or job.error is None else str(job.error),
        bytes_moved=sum(map(_bytes, (*step.segment.values, *step.segment.results))),
        operations=sum(map(_operations, step.segment.ops)),
        graph=graph_of(getattr(job, "kernel", None)),
    )


def graph_of(kernel: Any) -> str:
    """Return what came of a segment's kernel as a CUDA graph."""
    graphs = kernel.run if isinstance(kernel, SegmentKernel) else None
    if not isinstance(graphs, KernelGraphs):
        return ""
    if graphs.launches:
        return f"launched as one CUDA graph {count_text(graphs.launches, 'time')}"
    return "" if graphs.refusal is None else f"no CUDA graph: {graphs.refusal}"


def _bytes(value: Value) -> int:
    """Return the bytes of the places in memory that a value's elements lie in."""
    if value.dtype is None or value.kind != "array":
        return 0
    steps = zip(value.shape, value.strides, strict=True)
    return math.prod(length for length, stride in steps if stride) * value.dtype.itemsize


def _operations(node: fx.Node) -> int:
    """Return the elements that an op gives or takes, whichever are more."""
    values = [value_of(each) for each in (node, *node.all_input_nodes)]
    return max((math.prod(value.shape) for value in values if value.kind == "array"), default=1)


def _step_at(node: fx.Node, plan: Plan, numbers: dict[int, int]) -> Step:
    return replace(_step(node, plan, numbers), elsewhere=source_place(node).elsewhere)


def _step(node: fx.Node, plan: Plan, numbers: dict[int, int]) -> Step:
    kind = step_of(node)
    line = source_place(node).line
    planned = plan.became.get(node)
    number = None if planned is None else numbers.get(id(planned))
    if kind == "guard":
        return Step(line, f"guard({guard_text(node)})", "", "guard")
    if kind == "write":
        return _write(node, plan, planned, number)
    text = f"{node.name} = {_call(node)}"
    gives = _type(value_of(node))
    if isinstance(node.target, Store):
        return Step(line, step_text(node), "", "store", "done at each replay, after all decisions")
    if isinstance(node.target, Format) or node.target in (join, percent, fill):
        return Step(line, text, gives, "text", "made at each replay")
    if isinstance(node.target, Constant):
        return Step(line, text, gives, "object", "a constant")
    if isinstance(node.target, Build):
        return Step(line, text, gives, "object", "made of what it holds")
    if kind == "op":
        if number is None:
            return Step(line, text, gives, "left out", "nothing needs it")
        mask, detail = _masked(node)
        return Step(line, text, gives, "kernel", detail, mask, number)
    if kind == "view":
        detail = "" if number is not None or planned is None else "made by NumPy"
        return Step(line, text, gives, "view", detail, None, number)
    if kind == "library":
        return Step(line, text, gives, "library call", _library(node))
    if kind == "host" and node.target in purity.VIEWS:
        return Step(line, text, gives, "view", "made by NumPy")
    if kind == "host":
        reason = host_reason(node)
        mask = "compaction" if is_sized_by_data(node) else None
        return Step(line, text, gives, "host call", str(reason), mask, reason=reason)
    detail = "called again at each replay, in its place" if kind == "opaque" else ""
    return Step(line, text, gives if kind != "opaque" else "", _OTHERS[kind], detail)


def _call(node: fx.Node) -> str:
    if node.target is GETITEM:
        return f"{literal(node.args[0])}[{index_text(node.args[1])}]"
    if node.target is with_items or function_of(node) is SETITEM:
        array, index, value = (literal(arg) for arg in node.args)
        return f"{array} with [{index}] = {value}"
    return call_text(node)


def _write(node: fx.Node, plan: Plan, planned: Planned | None, number: int | None) -> Step:
    dst: Any = node.args[0]
    line, text = source_place(node).line, f"{literal(dst)}[...] = {literal(node.args[1])}"
    if planned is None:
        return Step(line, text, "", "left out", "it is there already")
    if planned.kind == "copy":
        return Step(line, text, "", "copy", str(planned.why))
    if dst in _members(planned):
        return Step(line, text, "", "kernel", "the whole array anew", None, number)
    return Step(line, text, "", "write in place", "", None, number)


def _members(planned: Planned) -> Sequence[fx.Node]:
    return [] if planned.segment is None else planned.segment.ops


# -- why -----------------------------------------------------------------------------------------------------


def _masked(node: fx.Node) -> tuple[MaskForm | None, str]:
    """Return the form of a mask inside a kernel, and why it is possible; None where there is no mask."""
    if (form := attributes(node).mask_form) is not None:
        return form[0], str(form[1])
    if function_of(node) is SETITEM and has_mask(node):
        return "where", "the mask as a `where`: one value for all its places, so the size stays"
    if isinstance(node.kwargs.get("where"), fx.Node) or function_of(node) in (np.putmask, np.place):
        return "where", "the mask as a `where`: the size stays"
    return None, ""


def _library(node: fx.Node) -> str:
    if getattr(node.target, "library", False):
        return "by NumPy (its BLAS, LAPACK, FFT, sorting, scans): the fastest on the CPU, with its own digits"
    if function_of(node) is GETITEM:
        return "an element at a place that a step gave"
    return "NumPy makes several views"
