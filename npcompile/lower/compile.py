"""One segment compiled, in the worker process: graph to Inductor's text, text to library and metadata."""

from __future__ import annotations

import ast
import base64
import io
import operator
import time
from pathlib import Path
from typing import Any

import torch
import torch.fx as fx

from . import adapter, cpp, wrapper
from .graph import inputs_of, load, outputs_of, written
from .kernel import NUMBERS
from .values import Value

# Measured, in nanoseconds an element: x + 1 takes 0.1 in the cache and 0.3 outside, sin 0.7. Waking a second
# thread takes 30 microseconds on a quiet machine; where all cores are taken it waits its turn for 8 to 20
# milliseconds, and the whole kernel waits for it: small work is never worth that.
CHEAP, COSTLY = 0.15, 0.7
PARALLEL_FROM = 100_000.0
# Inductor leaves loops over strided memory unvectorised where it counts few operations. Measured on one
# thread, its choice against vectors always: rows' norms 3.6 ms and 1.3, k-means 7.0 and 4.6, exp and log of
# columns 15 and 2.4; but with two operations on an element, X[::3] * 2 + 1 takes 0.9 ms and 2.0, X[::-1] *
# 2 + 1 1.3 and 4.3.
VECTORISE_FROM = 2.5
REVERSALS = (torch.ops.aten.flip.default, torch.ops.prims.rev.default)
aten = torch.ops.aten
COSTLY_OPERATORS = frozenset(
    (
        *(aten.exp, aten.exp2, aten.expm1, aten.log, aten.log2, aten.log10, aten.log1p, aten.pow, aten.hypot),
        *(aten.sin, aten.cos, aten.tan, aten.asin, aten.acos, aten.atan, aten.atan2, aten.sinh, aten.cosh),
        *(
            aten.tanh,
            aten.asinh,
            aten.acosh,
            aten.atanh,
            aten.fmod,
            aten.remainder,
            aten.sigmoid,
            aten.lgamma,
        ),
        *(aten.erf, aten.erfc),
    )
)


class Rejected(Exception):
    """The segment cannot be compiled as asked; the text says why."""


def compile_segment(
    data: bytes, threads: int, folder: Path, compiler: str, header: cpp.Header
) -> tuple[Path, dict[str, Any]]:
    """The library (in `folder`) and the metadata of a segment.

    Raises Rejected where the traced body's dtypes or shapes are not those that were recorded,
    `cpp.CompilerFailed`, and whatever tracing raises.
    """
    start = time.perf_counter()
    graph = load(data)
    ins, outs = inputs_of(graph), outputs_of(graph)
    with adapter.fake_mode() as mode:
        fakes = [_fake(v) for v in ins]
    layouts = _layouts(graph, mode, [_fake_copy(mode, v) for v in ins], outs)
    costs: list[float] = []

    def settings(traced: fx.Graph) -> dict[str, Any]:
        costs.append(cost(traced))
        return {
            "cpp.threads": allowed_threads(costs[-1], threads),
            "cpp.enable_tiling_heuristics": depth(traced) < VECTORISE_FROM,
        }

    traced = adapter.generate(_flat(graph, len(ins), layouts), fakes, settings)
    program = wrapper.read(traced.wrapper, fakes, traced.constants)
    if len(program.returned) != len(outs):
        raise Rejected(f"{len(program.returned)} values are returned where {len(outs)} were recorded")
    for place, (value, fake) in enumerate(zip(outs, traced.outputs, strict=True)):
        _same(place, value, fake.dtype, _inverse(tuple(fake.shape), layouts[place]))
    for place, (view, order) in enumerate(zip(program.returned, layouts, strict=True)):
        if view is not None:
            shape, strides = _inverse(view.shape, order), _inverse(view.strides, order)
            program.returned[place] = view._replace(shape=shape, strides=strides)
    demanded = [_out(v) for v in outs]
    used = allowed_threads(costs[0], threads)
    emitted = cpp.emit(program, demanded, used)
    wrong = emitted.written - written(graph)
    if wrong:
        raise Rejected(f"inputs {sorted(wrong)} are written without a write step")
    generated = time.perf_counter()
    source, library = folder / "segment.cpp", folder / "segment.so"
    source.write_text(emitted.source)
    cpp.build(source, library, compiler, header)
    metadata: dict[str, Any] = {
        "form": "native" if program.general is None else "general",
        "scratch": emitted.scratch,
        "threads": used,
        "cost": costs[0],
        "kernels": len(program.calls),
        "bytes_written": emitted.bytes_written,
        "source": emitted.source,
        "seconds": [generated - start, time.perf_counter() - generated],
    }
    if program.general is not None:
        metadata["general"] = general(program, demanded, layouts)
        metadata["entries"] = [(k.name, len(k.types)) for k in program.kernels]
        metadata["constants"] = _pack(traced.constants)
    return library, metadata


def depth(graph: fx.Graph) -> float:
    """How many operations are done on an element, views aside (a flip is one in a kernel)."""
    work: list[int] = []
    for node in graph.nodes:
        value = node.meta.get("val")
        if node.op == "call_function" and isinstance(value, torch.Tensor):
            if not getattr(node.target, "is_view", False) and node.target not in REVERSALS:
                sizes = [a.meta["val"].numel() for a in node.all_input_nodes if _tensor(a)]
                work.append(max([value.numel(), *sizes]))
    return sum(work) / max(max(work, default=1), 1)


def allowed_threads(nanoseconds: float, threads: int) -> int:
    return threads if nanoseconds >= PARALLEL_FROM else 1


def cost(graph: fx.Graph) -> float:
    """A rough estimate of one run on one thread, in nanoseconds."""
    total = 0.0
    for node in graph.nodes:
        value = node.meta.get("val")
        if node.op == "call_function" and isinstance(value, torch.Tensor):
            sizes = [value.numel(), *(a.meta["val"].numel() for a in node.all_input_nodes if _tensor(a))]
            packet = getattr(node.target, "overloadpacket", None)
            total += max(sizes) * (COSTLY if packet in COSTLY_OPERATORS else CHEAP)
    return total


def _tensor(node: fx.Node) -> bool:
    return isinstance(node.meta.get("val"), torch.Tensor)


def _fake(value: Value) -> torch.Tensor:
    """An input as the graph sees it: numbers and NumPy scalars are 0-d tensors."""
    if value.kind in NUMBERS:
        return torch.empty((), dtype=NUMBERS[value.kind])
    assert value.dtype is not None
    return torch.empty_strided(value.shape, value.strides, dtype=value.dtype, device=value.device)


def _fake_copy(mode: Any, value: Value) -> torch.Tensor:
    with mode:
        return _fake(value)


def _out(value: Value) -> cpp.Out:
    assert value.dtype is not None
    return cpp.Out(value.shape, value.strides, value.dtype.itemsize)


def _layouts(
    graph: fx.Graph, mode: Any, fakes: list[torch.Tensor], outs: list[Value]
) -> list[tuple[int, ...] | None]:
    """For each output the axis order in which to lay it out, None where the traced body's own layout will do.

    Runs the body on fake tensors. Dtypes and shapes are compared with what was recorded (Rejected); an output
    that shares memory with an input or another output is made a copy.
    """
    with mode, torch.no_grad():
        results = _run(graph, *fakes)
    seen = {adapter.memory_of(f) for f in fakes}
    orders: list[tuple[int, ...] | None] = []
    for place, (value, result) in enumerate(zip(outs, results, strict=True)):
        if not isinstance(result, torch.Tensor):
            raise Rejected(f"output {place} is a {type(result).__name__}, not a tensor")
        _same(place, value, result.dtype, tuple(result.shape))
        memory = adapter.memory_of(result)
        view = wrapper.View(wrapper.Memory(-1, 0), 0, *wrapper.metadata(result))
        if memory not in seen and cpp.same_layout(view, _out(value)):
            orders.append(None)
        else:
            orders.append(_order(place, value))
        seen.add(memory)
    return orders


def _same(place: int, value: Value, dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    if dtype != value.dtype or shape != tuple(value.shape):
        recorded = f"{value.dtype}{list(value.shape)}"
        raise Rejected(f"output {place} would be {dtype}{list(shape)} where NumPy gave {recorded}")


def _order(place: int, value: Value) -> tuple[int, ...]:
    """The axes from the slowest in memory to the fastest."""
    order = tuple(sorted(range(len(value.shape)), key=lambda a: (-value.strides[a], -value.shape[a])))
    expected = 1
    for axis in reversed(order):
        if value.shape[axis] != 1 and value.strides[axis] != expected and 0 not in value.shape:
            raise Rejected(f"output {place} has strides {value.strides} for shape {value.shape}: not dense")
        expected *= value.shape[axis]
    return order


def _inverse(items: tuple[int, ...], order: tuple[int, ...] | None) -> tuple[int, ...]:
    """Back from the permuted axes to the output's own."""
    if order is None:
        return items
    result = [0] * len(items)
    for place, axis in enumerate(order):
        result[axis] = items[place]
    return tuple(result)


def _run(graph: fx.Graph, *args: torch.Tensor) -> Any:
    """What a segment's graph answers. A GraphModule's text cannot say dtypes, classes or complex inf."""
    return fx.Interpreter(torch.nn.Module(), graph=graph).run(*args)


def _flat(segment_graph: fx.Graph, arity: int, orders: list[tuple[int, ...] | None]) -> fx.GraphModule:
    """The segment as a graph of one call: its nodes may pass on what Inductor's passes do not know."""

    def segment(*args: torch.Tensor) -> tuple[torch.Tensor, ...]:
        results = _run(segment_graph, *args)
        return tuple(
            r if o is None else r.permute(o).clone(memory_format=torch.contiguous_format)
            for r, o in zip(results, orders, strict=True)
        )

    graph = fx.Graph()
    results = graph.call_function(segment, tuple(graph.placeholder(f"a{i}") for i in range(arity)))
    graph.output(tuple(graph.call_function(operator.getitem, (results, i)) for i in range(len(orders))))
    return fx.GraphModule(torch.nn.Module(), graph)


def general(program: wrapper.Program, outs: list[cpp.Out], orders: list[tuple[int, ...] | None]) -> str:
    """The text of `run(inputs, outputs)`: the wrapper's own statements on torch tensors.

    What can be an output's own memory is `outputs[i]` from the start; the rest is copied there at the end.
    """
    assert program.general is not None
    own = cpp.placed(program, outs)
    lines = []
    for number, statement in enumerate(program.general.body):
        match statement:
            case ast.Assign(targets=[ast.Tuple()], value=ast.Name(id="args")):
                lines.append(f"{ast.unparse(statement.targets[0])} = inputs")
            case ast.Expr(value=ast.Call(func=func)) if ast.unparse(func) == "args.clear":
                pass
            case ast.Assign(targets=[name], value=ast.Call(args=[shape, strides, _])) if (
                program.allocated.get(number) in own
            ):
                # The wrapper may use this memory for something of another shape before it is the output's.
                place, form = own[program.allocated[number]], f"{ast.unparse(shape)}, {ast.unparse(strides)}"
                lines.append(f"{ast.unparse(name)} = reinterpret_tensor(outputs[{place}], {form}, 0)")
            case ast.Return(value=ast.Tuple(elts=values)):
                for place, value in enumerate(values):
                    if place not in own.values():
                        lines.append(f"outputs[{place}]{_permute(orders[place])}.copy_({ast.unparse(value)})")
            case _:
                lines.append(ast.unparse(statement))
    return "def run(inputs, outputs):\n" + "".join(f"    {line}\n" for line in [*lines, "return None"])


def _permute(order: tuple[int, ...] | None) -> str:
    return "" if order is None else f".permute({order})"


def _pack(constants: dict[str, torch.Tensor]) -> str:
    buffer = io.BytesIO()
    torch.save({k: v.clone() for k, v in constants.items()}, buffer)
    return base64.b64encode(buffer.getvalue()).decode()
