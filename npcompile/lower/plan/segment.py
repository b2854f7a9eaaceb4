"""One segment's graph: the ops that are compiled together, with their inputs, outputs and writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import torch
from torch import fx

from npcompile.lower.arithmetic import unsigned
from npcompile.lower.arithmetic.casts import prepared_for_cast
from npcompile.lower.plan.attributes import (
    annotate,
    attributes,
    result_values,
    set_results,
    step_of,
    value_of,
)
from npcompile.lower.plan.graph import Sized, rows_of, write
from npcompile.lower.plan.sizes import steps_of
from npcompile.lower.plan.values import Value

_OF_NUMBERS = {float: torch.float64, complex: torch.complex128}


@dataclass
class Segment:
    """Ops that are compiled together. `inputs` are nodes of the program, each with the axes to be flipped
    first (a kernel's input has no negative strides), `outputs` likewise nodes. `checks` counts the trailing
    outputs that are
    flags: False means that NumPy would have raised."""

    graph: fx.Graph
    inputs: list[tuple[fx.Node, tuple[int, ...]]]
    outputs: list[fx.Node]
    writes: list[fx.Node]
    checks: int
    ops: list[fx.Node]

    @property
    def values(self) -> list[Value]:
        return [value_of(node) for node in self.graph.find_nodes(op="placeholder")]

    @property
    def numbers(self) -> list[fx.Node]:
        """The program's steps that give whole numbers among the arguments of its ops."""
        return steps_of(rows_of(self.graph, marked=True))

    @property
    def results(self) -> list[Value]:
        return list(result_values(self.graph))


def stored(value: Any, dtype: torch.dtype, like: torch.Tensor | tuple[int, ...]) -> torch.Tensor:
    """A value as it will lie in memory that it is written to: `like` that tensor, or of that shape."""
    shape = like.shape if isinstance(like, torch.Tensor) else like
    if not isinstance(value, torch.Tensor):
        number = getattr(value, "item", lambda: value)()  # torch drops imaginary parts of NumPy's complex64
        value = torch.full((), number, dtype=_OF_NUMBERS.get(type(number), dtype))
    while value.dim() > len(shape):  # leading axes of one element are dropped
        value = value[0]
    return prepared_for_cast(value, dtype).to(dtype).broadcast_to(shape)


def flipped_axes(value: Value) -> tuple[int, ...]:
    """The axes along which a value lies backwards in memory."""
    return tuple([axis for axis, stride in enumerate(value.strides) if stride < 0])


def first(pair: tuple[Any, Any]) -> Any:
    """The result of a checked op."""
    return pair[0]


def flag(pair: tuple[Any, torch.Tensor | None]) -> torch.Tensor:
    """The flag of a checked op."""
    return torch.ones((), dtype=torch.bool) if pair[1] is None else pair[1]


def given_by(node: fx.Node) -> str | None:
    """Return the name of the opaque call that a value is of, or is a part of."""
    while step_of(node) == "part":
        node = nodes_in(node.args)[0]
    return str(getattr(node.target, "name", node)) if step_of(node) == "opaque" else None


def said(node: fx.Node) -> str:
    """A value in the user's own words, where it has any: a step's name may be one that was made up."""
    if (given := given_by(node)) is not None:
        return f"what {given} gave"
    return f"what {str(node).rstrip('0123456789').rstrip('_')} is" if step_of(node) == "read" else str(node)


def nodes_in(arg: Any) -> list[fx.Node]:
    found: list[fx.Node] = []
    fx.node.map_arg(arg, found.append)
    return found


COMPLEX = 4  # operations that one on complex numbers is: it is done on parts, with their infinities and NaN


class Open:
    """The segment being gathered. work: what its operations are to the compiler, real ones being 1."""

    def __init__(self) -> None:
        self.ops: list[fx.Node] = []
        self.work = 0
        self.inside: set[fx.Node] = set()
        # Arrays of the host that it reads, as they are or through a view.
        self.reads: list[fx.Node] = []
        self.writes: list[tuple[fx.Node, fx.Node]] = []  # the write's node, its destination
        self.renamed: dict[fx.Node, fx.Node] = {}  # an array of the segment -> the write that renewed it
        self.saved: list[fx.Node] = []  # writes whose value is copied to its place after the segment
        self.checked = False

    def add(self, node: fx.Node) -> None:
        self.ops.append(node)
        self.work += COMPLEX if step_of(node) == "op" and _has_complex_values(node) else 1


def _has_complex_values(node: fx.Node) -> bool:
    """Tell if a step gives complex numbers, or is given any."""
    for item in (node, *node.all_input_nodes):
        dtype = value_of(item).dtype
        if dtype is not None and dtype.is_complex:
            return True
    return False


class Places(Protocol):
    """The planner as a builder sees it: it tells where the program's values are."""

    # By kind of Python number: makes one of a 0-d tensor, inside a segment.
    weak: Mapping[str, Callable[..., Any]]
    device: str
    written: set[Any]  # places of arrays that the program writes

    def canonical(self, node: fx.Node) -> fx.Node: ...

    def place(self, node: fx.Node) -> Any: ...

    def on_host(self, node: fx.Node) -> None: ...


class Builder:
    """Makes the graph of one segment."""

    def __init__(self, places: Places, current: Open, outputs: list[fx.Node]) -> None:
        self.places = places
        self.current = current
        self.outputs = outputs
        self.graph = fx.Graph()
        self.inputs: list[tuple[fx.Node, tuple[int, ...]]] = []
        self.env: dict[fx.Node, fx.Node] = {}
        self.raw: dict[fx.Node, fx.Node] = {}  # placeholders, by the program's node
        self.flags: list[fx.Node] = []
        self.written: set[fx.Node] = set()

    def segment(self) -> Segment | None:
        destinations = [dst for _, dst in self.current.writes]
        self.written = set(destinations)
        if not self.outputs and not destinations and not self.current.checked:
            return None
        ops = []
        for node in self.current.ops:
            if step_of(node) == "write":
                self._write(node)
            else:
                self._op(node)
                ops.append(node)
        results = [self.env[node] for node in self.outputs]
        values = [
            *(replace(value_of(node), device=self.places.device) for node in self.outputs),
            *(Value("scalar", torch.bool, device=self.places.device) for _ in self.flags),
        ]
        set_results(self.graph, (*results, *self.flags), values)
        return Segment(self.graph, self.inputs, self.outputs, destinations, len(self.flags), ops)

    def _op(self, node: fx.Node) -> None:
        operands = getattr(node.target, "operands", ())
        args = tuple([self._args(arg, place in operands) for place, arg in enumerate(node.args)])
        kwargs = {key: self._args(arg, key in operands) for key, arg in node.kwargs.items()}
        result = self.graph.call_function(node.target, args, kwargs)  # type: ignore[arg-type]
        if getattr(node.target, "checked", False):
            if not attributes(node).unchecked:
                self.flags.append(self.graph.call_function(flag, (result,)))
            result = self.graph.call_function(first, (result,))
        if self._reads_written(node) and step_of(node) == "op" and value_of(node).kind in ("array", "scalar"):
            # A body may answer with a view (an element does): it must not see what is written later.
            result = self.graph.call_function(torch.clone, (result,))
        self.env[node] = result

    def _reads_written(self, node: fx.Node) -> bool:
        """Tell if a step reads an array that the segment writes."""
        if not self.written:
            return False
        return any(self.places.canonical(arg) in self.written for arg in node.all_input_nodes)

    def _write(self, node: fx.Node) -> None:
        dst, value = node.args
        assert isinstance(dst, fx.Node)
        there = value_of(dst)
        source, inside = value, False
        if isinstance(value, fx.Node):
            weak = value_of(value).kind in self.places.weak
            inside = value in self.current.inside if weak else value in self.env
            source = self.env[value] if inside else self._source(value)
        target = self.places.canonical(dst)
        renamed = self.current.renamed.get(dst) is not None
        like: Any = there.shape
        if node not in self.current.saved:
            like = self.env[dst] if renamed else self.placeholder(target)
        elif dst in self.env:
            like = self.env[dst]
        elif inside and isinstance(value, fx.Node) and not attributes(value).broadcast:
            like = source if value_of(value).shape == there.shape else like
        elif target in self.raw and value_of(target).shape == there.shape:
            like = self.raw[target]
        laid = self.graph.call_function(stored, (source, there.dtype, like))
        kept = node in self.current.saved or renamed
        if kept and isinstance(value, fx.Node) and self.places.canonical(value) in self.written:
            laid = self.graph.call_function(torch.clone, (laid,))  # its memory is written to further down
        if node in self.current.saved:
            self.env[node] = laid
        elif renamed:
            self.env[dst] = laid
        else:
            placeholder = self.placeholder(target)
            if axes := flipped_axes(value_of(target)):
                laid = self.graph.call_function(unsigned.flipped, (laid, axes))
            self.graph.call_function(write, (placeholder, laid))

    def _source(self, node: fx.Node) -> fx.Node:
        """A written value that comes from outside the segment: numbers as plain 0-d tensors."""
        if value_of(node).kind == "array":
            return self._arg(node)
        return self.placeholder(node)

    def placeholder(self, node: fx.Node) -> fx.Node:
        if node not in self.raw:
            self.places.on_host(node)
            with self.graph.inserting_before(self._start()):
                made = self.graph.placeholder(f"a{len(self.raw)}")
            value = value_of(node)
            strides = tuple(map(abs, value.strides))
            annotate(made, "input", replace(value, strides=strides, device=self.places.device))
            self.raw[node] = made
            self.inputs.append((node, flipped_axes(value)))
        return self.raw[node]

    def _start(self) -> fx.Node:
        """The first node that is not a placeholder."""
        for node in self.graph.nodes:
            if node.op != "placeholder":
                return node
        return self.graph._root

    def _arg(self, node: fx.Node) -> fx.Node:
        """A node of the program as a node of the segment."""
        value = value_of(node)
        if node in self.current.inside and value.kind in self.places.weak:
            return self.graph.call_function(self.places.weak[value.kind], (self.env[node],))
        if node in self.env:
            return self.env[node]
        if value.kind in ("int", "float", "complex"):
            self.env[node] = self.graph.call_function(self.places.weak[value.kind], (self.placeholder(node),))
            return self.env[node]
        canonical = self.places.canonical(node)
        if value.kind != "array" or canonical in self.raw or self._must_be_input(canonical):
            placeholder = self.placeholder(canonical)
            axes = flipped_axes(value)
            return self.graph.call_function(unsigned.flipped, (placeholder, axes)) if axes else placeholder
        base = nodes_in(canonical.args)[0]
        args = (self._arg(base), *(self._args(arg, False) for arg in canonical.args[1:]))
        kwargs = {key: self._args(arg, False) for key, arg in canonical.kwargs.items()}
        view = self.graph.call_function(canonical.target, args, kwargs)  # type: ignore[arg-type]
        if getattr(canonical.target, "checked", False):  # a basic index cannot fail
            view = self.graph.call_function(first, (view,))
        self.env[node] = view
        return view

    def _args(self, arg: Any, operand: bool) -> Any:
        """An argument, with the nodes of the segment. Where it is no operand, numbers stay numbers."""
        return fx.node.map_arg(arg, self._arg if operand else self._static)

    def _static(self, node: fx.Node) -> Any:
        size = attributes(node).recorded_size
        if size is None:
            return self._arg(node)
        number = Sized(size)
        number.node = node
        return number

    def _must_be_input(self, node: fx.Node) -> bool:
        """Arrays that are no views, and views that the program writes; other views are made inside the
        segment."""
        known = attributes(node)
        return known.kind != "view" or known.dynamic_view or self.places.place(node) in self.places.written
