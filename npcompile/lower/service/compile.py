"""Compiles one segment, in the worker process: from its graph to Inductor's text, to a library and metadata.

`worker.py` calls `compile_segment`. The outputs of the compiled segment have the dtypes, shapes and strides
that were recorded, or the segment is `Rejected`.
"""

from __future__ import annotations

import ast
import base64
import io
import math
import operator
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import torch
import torch.fx as fx

from npcompile.lower import adapter
from npcompile.lower.arithmetic.complex_math import rounded_twice
from npcompile.lower.codegen import complex_ops, complexes, cpp, product_code, streaming, wrapper
from npcompile.lower.codegen.outputs import Orders, demanded_of, general, in_output_axes, undo_order
from npcompile.lower.native.kernel import NUMBERS
from npcompile.lower.plan import sizes
from npcompile.lower.plan.graph import evaluate, inputs_of, outputs_of, unpack, written
from npcompile.lower.plan.values import Value

# Nanoseconds an element, measured: x + 1 takes 0.1 in the cache and 0.3 outside, sin 0.7.
CHEAP, COSTLY = 0.15, 0.7
# Inductor leaves loops over strided memory unvectorised where it counts few operations. Measured on one
# thread, its choice against vectors always: rows' norms 3.6 ms and 1.3, k-means 7.0 and 4.6, exp and log of
# columns 15 and 2.4; but with two operations on an element, X[::3] * 2 + 1 takes 0.9 ms and 2.0, X[::-1] *
# 2 + 1 1.3 and 4.3.
VECTORISE_FROM = 2.5
aten = torch.ops.aten
REVERSAL_OPERATORS = (aten.flip.default, torch.ops.prims.rev.default)
# Operators with an index that wraps around: tiles, and rolls, whose indices are taken by fmod. Inductor loads
# vectors of their results whole, but for those in which the index wraps around.
WRAPAROUND_OPERATORS = (aten.repeat.default, aten.fmod.Scalar)
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
    data: bytes,
    pattern: sizes.Pattern | None,
    threads: int,
    folder: Path,
    compiler: str,
    header: cpp.Header,
) -> tuple[Path, dict[str, Any]]:
    """Return the library (in `folder`) and the metadata of a segment.

    pattern: says which of the segment's sizes are parameters of the library; None: it is for these sizes
    alone. Raises Rejected where the traced body's dtypes or shapes differ from those recorded, or where
    tracing needs the value of a parameter; `cpp.CompilerFailed`, and whatever tracing raises.
    """
    try:
        try:
            return _compile(data, pattern, threads, folder, compiler, header, {})
        except cpp.TooSmall:
            return _compile(data, pattern, 1, folder, compiler, header, {})
    except cpp.CompilerFailed:
        # Inductor's vector code may name what it has not defined (gathers at places that two arrays give,
        # whose maximum is searched in the same loop); its scalar code does not.
        return _compile(data, pattern, threads, folder, compiler, header, {"cpp.simdlen": 0})


def _compile(
    data: bytes,
    pattern: sizes.Pattern | None,
    threads: int,
    folder: Path,
    compiler: str,
    header: cpp.Header,
    instead: dict[str, Any],
) -> tuple[Path, dict[str, Any]]:
    """Compile a segment with `instead` in place of Inductor's own settings of these names."""
    start = time.perf_counter()
    rows = unpack(data)
    ins, outs = inputs_of(rows), outputs_of(rows)

    def builder(cost: float) -> Builder:
        return Builder(cost, cpp.allowed_threads(cost, threads), start, folder, compiler, header)

    if product_code.written_by_hand(rows):
        if pattern is not None:
            raise Rejected("products that share a matrix have code for their sizes alone")
        return _build_products(rows, ins, outs, builder(CHEAP * sum(math.prod(value.shape) for value in ins)))
    lowering, layouts = _complex_lowering(rows, ins, outs)
    form = complexes.CodeSignature(ins, outs, lowering is not None)
    fakes = _fake_tensors(form.inputs)
    costs: list[float] = []

    def settings(traced: fx.Graph) -> dict[str, Any]:
        costs.append(cost(traced))
        return {
            "cpp.threads": cpp.allowed_threads(costs[-1], threads),
            "cpp.enable_tiling_heuristics": depth(traced) < VECTORISE_FROM
            and all(node.target not in WRAPAROUND_OPERATORS for node in traced.nodes),
            **instead,
        }

    values: tuple[int, ...] = ()
    symbols: adapter.Symbols | None = None
    if pattern is None:
        graph = _one_call_graph(lambda _: rows, 0, len(fakes), layouts, lowering)
        traced = adapter.generate(graph, fakes, settings)
    else:
        values = pattern.values(sizes.form(rows).sizes) or ()
        symbols = adapter.Symbols(values)
        symbolic = _symbolic_inputs(rows, pattern, symbols, form.parts)
        rows_of = partial(sizes.symbolic, rows, pattern.parameters)
        graph = _one_call_graph(rows_of, len(values), len(fakes), layouts, lowering)
        inputs = [*symbols.numbers, *symbolic]
        traced = adapter.generate(graph, inputs, settings, None if symbolic else symbols)
        if fixed := symbols.fixed():
            raise Rejected(f"sizes {fixed} cannot be parameters")
        if traced.constants:
            raise Rejected("code for any size that holds constant arrays")
    program = wrapper.read(traced.wrapper, fakes, traced.constants, values, form.places)
    orders = form.orders(layouts)
    _check_outputs(program, traced, form, orders)
    in_output_axes(program, orders)
    built = builder(costs[0])
    emitted, metadata = built.build(program, rows, form, pattern is not None)
    if symbols is not None:
        metadata["sized"] = _parameters(symbols, symbolic, traced, program, form, emitted, layouts)
    if program.general is not None:
        metadata["general"] = general(program, [demanded_of(v) for v in form.outputs], orders)
        metadata["entries"] = [(k.name, len(k.types)) for k in program.kernels]
        metadata["constants"] = _pack(traced.constants)
    return built.library, metadata


def _build_products(
    rows: list[tuple[Any, ...]], ins: list[Value], outs: list[Value], builder: Builder
) -> tuple[Path, dict[str, Any]]:
    """Build the library of a segment that `product_code` has code for."""
    form = complexes.CodeSignature(ins, outs, False)
    program = product_code.program_of(rows, _fake_tensors(ins), builder.threads)
    _, metadata = builder.build(program, rows, form, False)
    return builder.library, metadata


def _symbolic_inputs(
    rows: list[tuple[Any, ...]], pattern: sizes.Pattern, symbols: adapter.Symbols, parts: bool
) -> list[torch.Tensor]:
    """Return fake inputs of the code whose lengths and strides are expressions of the parameters."""
    with symbols.mode:
        ins = inputs_of(sizes.symbolic(rows, pattern.parameters, symbols.numbers))
        form = complexes.CodeSignature(ins, [], parts)
        return [_fake_tensor(_with_symbolic_strides(value)) for value in form.inputs]


def _check_outputs(
    program: wrapper.Program, traced: adapter.Traced, form: complexes.CodeSignature, orders: Orders
) -> None:
    """Raise Rejected unless the generated code returns the outputs that were recorded."""
    if len(program.returned) != len(form.outputs):
        raise Rejected(f"{len(program.returned)} values are returned where {len(form.outputs)} were recorded")
    for place, (value, fake) in enumerate(zip(form.outputs, traced.outputs, strict=True)):
        shape = undo_order(tuple(map(adapter.hint, fake.shape)), orders[place])
        _check_output(place, value, fake.dtype, shape)


class Builder(NamedTuple):
    """Writes a segment's program as C++ and compiles it to a library.

    cost: of one run, in nanoseconds; start: when work on the segment began, as `time.perf_counter` has it.
    """

    cost: float
    threads: int
    start: float
    folder: Path
    compiler: str
    header: cpp.Header

    @property
    def library(self) -> Path:
        return self.folder / "segment.so"

    def build(
        self,
        program: wrapper.Program,
        rows: list[tuple[Any, ...]],
        form: complexes.CodeSignature,
        sized: bool,
    ) -> tuple[cpp.Emitted, dict[str, Any]]:
        """Write and compile the code; return it with the library's metadata."""
        demanded = [demanded_of(v) for v in form.outputs]
        emitted = cpp.emit(program, demanded, self.threads, sized)
        wrong = emitted.written - written(rows)
        if wrong:
            raise Rejected(f"inputs {sorted(wrong)} are written without a write step")
        generated = time.perf_counter()
        if emitted.fixed and self.threads != cpp.allowed_threads(self.cost, self.threads, fixed=True):
            raise cpp.TooSmall
        source = self.folder / "segment.cpp"
        source.write_text(emitted.source)
        cpp.build(source, self.library, self.compiler, self.header)
        return emitted, {
            "form": "native" if program.general is None else "general",
            "scratch": emitted.scratch,
            "threads": self.threads,
            "table": (self.threads,),
            "fixed": emitted.fixed,
            "cost": self.cost,
            "kernels": len(program.calls),
            "bytes_written": emitted.bytes_written,
            "source": emitted.source,
            "seconds": [generated - self.start, time.perf_counter() - generated],
            "parts": form.parts,
        }


def _with_symbolic_strides(value: Value) -> Value:
    """Return an input with strides that follow from its lengths, which may be parameters, where they do so
    now."""
    strides: list[Any] = list(value.strides)
    regular: Any = 1
    lengths, now = [list(map(adapter.hint, numbers)) for numbers in (value.shape, strides)]
    for axis in sorted(range(len(strides)), key=lambda a: (now[a], lengths[a])):
        if now[axis] == adapter.hint(regular):
            strides[axis] = regular
        regular = strides[axis] * value.shape[axis]
    return replace(value, strides=tuple(strides))


def _parameters(
    symbols: adapter.Symbols,
    inputs: list[torch.Tensor],
    traced: adapter.Traced,
    program: wrapper.Program,
    form: complexes.CodeSignature,
    emitted: cpp.Emitted,
    orders: Orders,
) -> dict[str, Any]:
    """Return the part of the metadata that `fitting.fit` needs to fit a library to other sizes."""
    assert program.function is not None
    return {
        "names": symbols.names,
        "conditions": symbols.conditions(),
        "strides": [[symbols.text(s) for s in fake.stride()] for fake in inputs],
        "shapes": [[symbols.text(n) for n in shape] for shape in form.shapes(traced.outputs)],
        "orders": orders,
        "function": ast.unparse(program.function),
        "kernels": [(kernel.name, kernel.types) for kernel in program.kernels],
        "entry": emitted.entry,
        "streamed": streaming.FENCE in emitted.entry,
        "elements": sum(math.prod(map(adapter.hint, v.shape)) for v in (*inputs, *traced.outputs)),
    }


def depth(graph: fx.Graph) -> float:
    """Return how many operations are done on an element, without views (a flip is one in a kernel)."""
    work: list[int] = []
    for node in graph.nodes:
        value = node.meta.get("val")
        if node.op == "call_function" and isinstance(value, torch.Tensor):
            if not getattr(node.target, "is_view", False) and node.target not in REVERSAL_OPERATORS:
                work.append(_elements(node))
    return sum(work) / max(max(work, default=1), 1)


def cost(graph: fx.Graph) -> float:
    """Return a rough estimate of the time of one run on one thread, in nanoseconds."""
    total = 0.0
    for node in graph.nodes:
        value = node.meta.get("val")
        if node.op == "call_function" and isinstance(value, torch.Tensor):
            packet = getattr(node.target, "overloadpacket", None)
            total += _elements(node) * (COSTLY if packet in COSTLY_OPERATORS else CHEAP)
    return total


def _elements(node: fx.Node) -> int:
    """Return how many elements the largest of an operation's result and operands has."""
    values = [a.meta["val"] for a in (node, *node.all_input_nodes) if _tensor(a)]
    return max(math.prod(map(adapter.hint, value.shape)) for value in values)


def _tensor(node: fx.Node) -> bool:
    return isinstance(node.meta.get("val"), torch.Tensor)


def _fake_tensor(value: Value) -> torch.Tensor:
    """Return an input as the graph sees it: numbers and NumPy scalars are 0-d tensors."""
    if value.kind in NUMBERS:
        return torch.empty((), dtype=NUMBERS[value.kind])
    assert value.dtype is not None
    return torch.empty_strided(value.shape, value.strides, dtype=value.dtype, device=value.device)


def _fake_tensors(values: list[Value]) -> list[torch.Tensor]:
    with adapter.fake_mode():
        return [_fake_tensor(value) for value in values]


def _complex_lowering(
    rows: list[tuple[Any, ...]], ins: list[Value], outs: list[Value]
) -> tuple[complex_ops.Lowering | None, Orders]:
    """Return the lowering of complex numbers that the body needs, and `_layouts` of the body's outputs.

    The lowering is None if the body has no complex numbers, or applies operators to them that have no
    lowering.
    """
    lowering = complex_ops.Lowering(adapter.fused_multiply_add() or rounded_twice)
    with adapter.fake_mode(), torch.no_grad():
        fakes = [_fake_tensor(v) for v in complexes.CodeSignature(ins, outs, True).inputs]
        try:
            results = lowering.evaluate(rows, fakes)
        except complex_ops.UnknownOperator:
            lowering.saw_complex = False
            fakes = [_fake_tensor(v) for v in ins]
            results = list(evaluate(rows, *fakes))
    return lowering if lowering.saw_complex else None, _layouts(results, fakes, outs)


def _layouts(results: list[Any], fakes: list[torch.Tensor], outs: list[Value]) -> Orders:
    """Return for each output the axis order in which to lay it out, None where the body's own layout will do.

    results: of the body on these fake tensors. Dtypes and shapes are compared with those recorded (Rejected).
    An output that shares memory with an input or another output becomes a copy.
    """
    seen = {adapter.memory_of(f) for f in fakes}
    orders: Orders = []
    for place, (value, result) in enumerate(zip(outs, results, strict=True)):
        if not isinstance(result, torch.Tensor):
            raise Rejected(f"output {place} is a {type(result).__name__}, not a tensor")
        _check_output(place, value, result.dtype, tuple(result.shape))
        if isinstance(result, complexes.Complex):  # its parts are joined in new memory
            orders.append(_axis_order(place, value))
            continue
        memory = adapter.memory_of(result)
        view = wrapper.View(wrapper.Memory(-1, 0), 0, *wrapper.metadata(result))
        if memory not in seen and cpp.same_layout(view, demanded_of(value)):
            orders.append(None)
        else:
            orders.append(_axis_order(place, value))
        seen.add(memory)
    return orders


def _check_output(place: int, value: Value, dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    """Raise Rejected unless an output has the recorded dtype and shape."""
    if dtype != value.dtype or shape != tuple(value.shape):
        recorded = f"{value.dtype}{list(value.shape)}"
        raise Rejected(f"output {place} would be {dtype}{list(shape)} where NumPy gave {recorded}")


def _axis_order(place: int, value: Value) -> tuple[int, ...]:
    """Return the axes from the slowest in memory to the fastest."""
    order = tuple(sorted(range(len(value.shape)), key=lambda a: (-value.strides[a], -value.shape[a])))
    expected = 1
    for axis in reversed(order):
        if value.shape[axis] != 1 and value.strides[axis] != expected and 0 not in value.shape:
            raise Rejected(f"output {place} has strides {value.strides} for shape {value.shape}: not dense")
        expected *= value.shape[axis]
    return order


def _one_call_graph(
    rows_of: Callable[[list[Any]], list[tuple[Any, ...]]],
    numbers: int,
    arity: int,
    orders: Orders,
    lowering: complex_ops.Lowering | None,
) -> fx.GraphModule:
    """Return a graph of one call, which runs the segment: Inductor's passes do not know what else its nodes
    may hold.

    rows_of: returns the segment's rows for its parameters, which are the first arguments of the call.
    """

    def segment(*args: Any) -> tuple[torch.Tensor, ...]:
        rows, inputs = rows_of(list(args[:numbers])), args[numbers:]
        if lowering is not None:
            return tuple(lowering.evaluate(rows, inputs, orders))
        results = evaluate(rows, *inputs)
        return tuple(complexes.in_axis_order(r, o) for r, o in zip(results, orders, strict=True))

    graph = fx.Graph()
    names = [graph.placeholder(f"a{i}") for i in range(numbers + arity)]
    results = graph.call_function(segment, tuple(names))
    graph.output(tuple(graph.call_function(operator.getitem, (results, i)) for i in range(len(orders))))
    return fx.GraphModule(torch.nn.Module(), graph)


def _pack(constants: dict[str, torch.Tensor]) -> str:
    buffer = io.BytesIO()
    torch.save({k: v.clone() for k, v in constants.items()}, buffer)
    return base64.b64encode(buffer.getvalue()).decode()
