"""Segments on the wire: a segment's graph as bytes, back again, and the key that equal segments share."""

from __future__ import annotations

import hashlib
import io
import pickle
import platform
from collections.abc import Callable, Sequence
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import torch
import torch.fx as fx

from npcompile.lower.adapter import OPERATORS
from npcompile.lower.plan.attributes import result_values, value_of
from npcompile.lower.plan.values import Value

# The files that decide a kernel's text: all that compiling a segment imports, and headers that it includes.
SOURCES = (
    "plan/graph.py",
    "plan/attributes.py",
    "plan/values.py",
    "plan/sizes.py",
    "plan/segment.py",
    "adapter.py",
    "loads.py",
    "service/compile.py",
    "codegen/outputs.py",
    "codegen/parsing.py",
    "codegen/wrapper.py",
    "codegen/cpp.py",
    "native/kernel.py",
    "codegen/streaming.py",
    "native/masks.h",
    "native/regions.h",
    "plan/products.py",
    "codegen/product_code.py",
    "native/products.h",
    "arithmetic/casts.py",
    "arithmetic/unsigned.py",
    "codegen/complexes.py",
    "codegen/complex_ops.py",
    "arithmetic/complex_math.py",
    "native/seconds.h",
)
FORMAT = 3  # raised when the wire form, the library's entry point or the metadata change meaning


class Ref(NamedTuple):
    """A node, named by its place: two graphs that differ in names alone are one."""

    place: int


class Overload(NamedTuple):
    """One of torch's operators, by name: it does not pickle."""

    name: str


class Sized(int):
    """A whole number among a graph's arguments that a step of the program, `node`, gives at each replay."""

    node: Any


def write(dst: torch.Tensor, value: Any) -> None:
    """The one in-place effect of a segment: `dst` is a placeholder, whose memory is the caller's."""
    dst.copy_(value)


def rows_of(graph: fx.Graph, marked: bool = False) -> list[tuple[Any, ...]]:
    """The graph as plain data, a row a node, that depends on its structure alone.

    marked: numbers that steps of the program give stay `Sized`.
    Raises TypeError for nodes other than placeholders, calls, output.
    """
    place: dict[fx.Node, int] = {}
    rows: list[tuple[Any, ...]] = []

    for node in graph.nodes:
        if node.op == "placeholder":
            rows.append(("in", _input(value_of(node))))
        elif node.op == "call_function":
            args, kwargs = _plain(node.args, place, marked), _plain(node.kwargs, place, marked)
            rows.append(("call", _target(node.target), args, kwargs))
        elif node.op == "output":
            refs = tuple(Ref(place[n]) for n in node.args[0])
            rows.append(("out", refs, tuple(map(_value, result_values(graph)))))
        else:
            raise TypeError(f"a segment cannot hold a {node.op} node ({node.format_node()})")
        place[node] = len(rows) - 1
    return rows


def pack(rows: list[tuple[Any, ...]]) -> bytes:
    """Rows as bytes; targets are pickled by reference."""
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, protocol=4)
    pickler.fast = True  # no memo: equal structures give equal bytes, whatever objects they share
    pickler.dump(rows)
    return buffer.getvalue()


def dump(graph: fx.Graph) -> bytes:
    """The graph as bytes that depend on its structure alone. Raises TypeError as `rows_of` does."""
    return pack(rows_of(graph))


def unpack(data: bytes) -> list[tuple[Any, ...]]:
    """The rows that `pack` wrote; imports the modules of their targets."""
    rows: list[tuple[Any, ...]] = pickle.loads(data)
    return rows


def evaluate(rows: list[tuple[Any, ...]], *inputs: Any) -> Any:
    """Run the calls of a segment's rows one by one; return what the segment answers.

    An exception tells the call that raised it by name (`culprit`).
    """
    given = iter(inputs)
    values: list[Any] = []
    for row in rows:
        if row[0] == "in":
            values.append(next(given))
        elif row[0] == "call":
            args, kwargs = _resolved(row[2], values), _resolved(row[3], values)
            try:
                values.append(_callable(row[1])(*args, **kwargs))
            except Exception as error:
                vars(error).setdefault("culprit", getattr(row[1], "name", None))
                raise
    return _resolved(rows[-1][1], values)


def evaluate_by(
    rows: list[tuple[Any, ...]],
    inputs: Sequence[Any],
    call: Callable[[Callable[..., Any], Any, Any], Any],
    stored: Callable[[Any, Any], Any],
) -> tuple[Any, dict[int, Any]]:
    """Return what a segment answers and, by their places, what the inputs that it writes hold in the end.

    No input is written to. call: makes a call of a function with its arguments. stored: returns what an array
    holds once a value is written to all of it.
    """
    values: list[Any] = []
    places = [place for place, row in enumerate(rows) if row[0] == "in"]
    for place, row in enumerate(rows):
        if row[0] == "in":
            values.append(inputs[places.index(place)])
        elif row[0] == "call" and row[1] is write:
            values[row[2][0].place] = stored(values[row[2][0].place], _resolved(row[2][1], values))
            values.append(None)
        elif row[0] == "call":
            args, kwargs = _resolved(row[2], values), _resolved(row[3], values)
            values.append(call(_callable(row[1]), args, kwargs))
    return _resolved(rows[-1][1], values), {place: values[places[place]] for place in sorted(written(rows))}


def _resolved(arg: Any, values: list[Any]) -> Any:
    """An argument of a row with the values that it refers to."""
    if isinstance(arg, Ref):
        return values[arg.place]
    if isinstance(arg, dict):
        return {k: _resolved(v, values) for k, v in arg.items()}
    if isinstance(arg, (tuple, list)):
        items = [_resolved(a, values) for a in arg]
        return type(arg)(*items) if hasattr(arg, "_fields") else type(arg)(items)
    if isinstance(arg, slice):
        return slice(*(_resolved(a, values) for a in (arg.start, arg.stop, arg.step)))
    return arg


def _callable(target: Any) -> Any:
    return attrgetter(target.name)(torch.ops) if isinstance(target, Overload) else target


def inputs_of(rows: list[tuple[Any, ...]]) -> list[Value]:
    return [Value(*row[1]) for row in rows if row[0] == "in"]


def outputs_of(rows: list[tuple[Any, ...]]) -> list[Value]:
    return [Value(*value) for value in rows[-1][2]]


def written(rows: list[tuple[Any, ...]]) -> set[int]:
    """The places, among the inputs, of those that the segment writes into."""
    inputs = [place for place, row in enumerate(rows) if row[0] == "in"]
    return {inputs.index(row[2][0].place) for row in rows if row[0] == "call" and row[1] is write}


def key(data: bytes, salt: str, threads: int) -> str:
    """The name of a segment's kernels: its structure and all that the compiler's answer depends on."""
    parts = [data, salt.encode(), str(threads).encode(), _versions()]
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()


def _value(value: Value) -> tuple[Any, ...]:
    """Return a value with only what the compiler needs: its memory's root and region are the planner's
    alone."""
    shape = tuple(map(int, value.shape))
    return value.kind, value.dtype, shape, tuple(map(int, value.strides)), -1, None, value.device


def _input(value: Value) -> tuple[Any, ...]:
    kind, dtype, shape, _, *rest = _value(value)
    return kind, dtype, shape, regular(value), *rest


def regular(value: Value) -> tuple[int, ...]:
    """An input's strides. That of an axis of one element means nothing and NumPy leaves anything there: made
    regular."""
    _, _, shape, strides, *_ = _value(value)
    found: list[int] = []
    inner = 1
    for n, stride in zip(reversed(shape), reversed(strides), strict=True):
        found.insert(0, inner if n == 1 or 0 in shape else stride)
        inner = found[0] * max(n, 1)
    return tuple(found)


def _target(target: Any) -> Any:
    return Overload(str(target)) if isinstance(target, OPERATORS) else target


def _plain(arg: Any, place: dict[fx.Node, int], marked: bool) -> Any:
    """Return an argument with nodes as references to their rows.

    fx keeps arguments in its own immutable lists and dicts: plain ones are smaller and load anywhere.
    """
    if isinstance(arg, fx.Node):
        return Ref(place[arg])
    if isinstance(arg, Sized) and not marked:
        return int(arg)
    if isinstance(arg, tuple):
        items = [_plain(a, place, marked) for a in arg]
        return type(arg)(*items) if hasattr(arg, "_fields") else tuple(items)
    if isinstance(arg, list):
        return [_plain(a, place, marked) for a in arg]
    if isinstance(arg, dict):
        return {k: _plain(v, place, marked) for k, v in arg.items()}
    if isinstance(arg, slice):
        return slice(*[_plain(a, place, marked) for a in (arg.start, arg.stop, arg.step)])
    return arg


@cache
def _versions() -> bytes:
    """This machine's and this code's part of every key."""
    digest = hashlib.sha256(f"{FORMAT} {torch.__version__} {platform.machine()}".encode())
    digest.update(cpu_flags().encode())
    for name in SOURCES:
        digest.update((Path(__file__).parents[1] / name).read_bytes())
    return digest.digest()


@cache
def cpu_flags() -> str:
    """The processor's instruction sets, as the kernel lists them; its architecture where it lists none."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith(("flags", "Features")):
                return " ".join(sorted(line.split(":", 1)[1].split()))
    except OSError:
        pass
    return platform.machine()
