"""From a residual program to a plan: segments to compile, the steps between them, and how each write is done.

A segment is a maximal run of ops between steps that need values on the host. Writes are planned so that only the bytes
of the slice written are written: a written view is its own mutated input of the segment, where everything else that the
segment reads or writes of that memory is disjoint from it; else the segment ends at the write, and its value is copied
into the slice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import fx

from npcompile.lower.graph import write
from npcompile.lower.values import Value

_IN_SEGMENT = ("op", "view", "part")


class Unplannable(Exception):
    """The program cannot be replayed; the message is the reason."""


@dataclass
class Segment:
    """Ops that are compiled together. `inputs` are nodes of the program, each with the axes to be flipped first (a
    kernel's input has no negative strides), `outputs` likewise nodes. `checks` counts the trailing outputs that are
    flags: False means that NumPy would have raised."""

    graph: fx.Graph
    inputs: list[tuple[fx.Node, tuple[int, ...]]]
    outputs: list[fx.Node]
    writes: list[fx.Node]
    checks: int
    ops: list[fx.Node]

    @property
    def values(self) -> list[Value]:
        return [_value(node) for node in self.graph.find_nodes(op="placeholder")]

    @property
    def results(self) -> list[Value]:
        return list(self.graph.output_node().meta["values"])


@dataclass
class Step:
    """One step of a plan.

    kind: "segment" (`segment`); "view" (NumPy makes the view `node`); "copy" (`node[...] = source`); or the step kind
    of the program's node that is to be run on the host as it is.
    """

    kind: str
    node: fx.Node | None = None
    segment: Segment | None = None
    source: Any = None


@dataclass
class Plan:
    """The steps of one program, in order. `early`: reads and decisions that need nothing computed, so they come first.
    `effects`: the place in `steps` of the first step with an effect, or None."""

    early: list[Step] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    effects: int | None = None
    written: set[int] = field(default_factory=set)  # roots from outside that are written to

    @property
    def segments(self) -> list[Segment]:
        return [step.segment for step in self.steps if step.segment is not None]


def stored(value: Any, dtype: torch.dtype, shape: tuple[int, ...]) -> torch.Tensor:
    """A value as it will lie in memory that it is written to."""
    if not isinstance(value, torch.Tensor):
        return torch.full(shape, value, dtype=dtype)
    return value.to(dtype).broadcast_to(shape)


def flipped_axes(value: Value) -> tuple[int, ...]:
    """The axes along which a value lies backwards in memory."""
    return tuple(axis for axis, stride in enumerate(value.strides) if stride < 0)


def first(pair: tuple[Any, Any]) -> Any:
    """The result of a checked op."""
    return pair[0]


def flag(pair: tuple[Any, torch.Tensor | None]) -> torch.Tensor:
    """The flag of a checked op."""
    return torch.ones((), dtype=torch.bool) if pair[1] is None else pair[1]


def _value(node: fx.Node) -> Value:
    value: Value = node.meta["value"]
    return value


def _step(node: fx.Node) -> str:
    return str(node.meta.get("step", "input"))


def _nodes(arg: Any) -> list[fx.Node]:
    found: list[fx.Node] = []
    fx.node.map_arg(arg, lambda node: found.append(node) or node)
    return found


class _Open:
    """The segment being gathered."""

    def __init__(self) -> None:
        self.ops: list[fx.Node] = []
        self.inside: set[fx.Node] = set()
        self.reads: list[
            fx.Node
        ] = []  # arrays of the host that it reads (as they are, or through a view of them)
        self.writes: list[tuple[fx.Node, fx.Node]] = []  # the write's node, its destination
        self.renamed: dict[fx.Node, fx.Node] = {}  # an array of the segment -> the write that renewed it
        self.saved: list[fx.Node] = []  # writes whose value is copied to its place after the segment
        self.checked = False


class Planner:
    """Walks a program once, in order."""

    def __init__(
        self, graph: fx.Graph, inputs: list[fx.Node], weak: Mapping[str, Callable[..., Any]], device: str
    ) -> None:
        self.graph = graph
        self.device = device
        self.weak = weak  # by kind of Python number: makes one of a 0-d tensor, inside a segment
        self.plan = Plan()
        self.open = _Open()
        self.early: set[fx.Node] = set(inputs)  # values that are there before anything is computed
        self.opaque = False  # an opaque call has been passed: what is read after it is read there
        self.host: set[fx.Node] = set(inputs)
        self.lazy: set[fx.Node] = (
            set()
        )  # views of arrays of the host that nothing on the host has asked for yet
        self.same: dict[
            Any, fx.Node
        ] = {}  # (root, region, dtype) -> the first node of the host that is just this
        self.outside = {_value(node).root for node in inputs if _value(node).kind == "array"}
        self.outside |= {_value(node).root for node in graph.nodes if _step(node) == "read"}
        self.shown: Counter[int] = Counter()  # how many arrays have shown a root so far
        self.written = {
            self._place(node.args[0])  # type: ignore[arg-type]
            for node in graph.nodes
            if _step(node) == "write"
        }
        for node in inputs:
            self._meet(node)

    def run(self) -> Plan:
        for node in self.graph.nodes:
            if node.op != "output" and _value(node).kind == "array":
                self.shown[_value(node).root] += 1
            if node.op == "call_function":
                step = _step(node)
                if step in _IN_SEGMENT:
                    self._op(node)
                elif step == "write":
                    self._write(node)
                else:
                    self._between(node, step)
            elif node.op == "output":
                self.close()
                for leaf in _nodes(node.args):
                    self._on_host(leaf)
        return self.plan

    # -- places ------------------------------------------------------------------------------------------------

    def _place(self, node: fx.Node) -> Any:
        value = _value(node)
        return node if value.region is None else (value.root, value.region, value.dtype)

    def _meet(self, node: fx.Node) -> None:
        self.same.setdefault(self._place(node), node)

    def _canonical(self, node: fx.Node) -> fx.Node:
        return self.same.get(self._place(node), node)

    def _overlap(self, a: fx.Node, b: fx.Node) -> bool:
        one, other = _value(a), _value(b)
        if one.root != other.root:
            return False
        return one.region is None or other.region is None or one.region.overlaps(other.region)

    # -- steps -------------------------------------------------------------------------------------------------

    def _op(self, node: fx.Node) -> None:
        args = _nodes((node.args, node.kwargs))
        if _step(node) == "view" and args[0] not in self.open.inside:
            self.host_view(node)
            return
        if _step(node) == "part" and args[0] not in self.open.inside:
            self._between(node, "part")
            return
        for arg in args:
            if arg not in self.open.inside and _value(arg).kind == "array" and self._reads_a_write(arg):
                self.close()
                break
        for arg in args:
            if arg not in self.open.inside and _value(arg).kind == "array":
                self.open.reads.append(self._canonical(arg))
        self.open.ops.append(node)
        self.open.inside.add(node)
        self.open.checked |= bool(getattr(node.target, "checked", False)) and not node.meta.get("unchecked")

    def host_view(self, node: fx.Node) -> None:
        self.lazy.add(node)
        self._meet(node)

    def _reads_a_write(self, arg: fx.Node) -> bool:
        """Whether the open segment has written a part of this array, other than exactly this array."""
        canonical = self._canonical(arg)
        return any(dst is not canonical and self._overlap(dst, arg) for _, dst in self.open.writes)

    def _write(self, node: fx.Node) -> None:
        dst, value = node.args
        assert isinstance(dst, fx.Node)
        if self._renews(node, dst):
            return
        owner = self._owner(dst)
        if owner in self.open.inside and not self._split(owner):
            self._save(node, dst)
            return
        inside = isinstance(value, fx.Node) and value in self.open.inside
        target = self._canonical(dst)
        clash = any(read is not target and self._overlap(read, target) for read in self.open.reads)
        clash |= any(other is not target and self._overlap(other, target) for _, other in self.open.writes)
        if isinstance(value, fx.Node) and not inside and _value(value).kind == "array":
            self.close()  # from one array of the host to another: a copy, without any kernel
            self._on_host(value)
            self._copy(target, value)
            return
        if _value(dst).dtype is None:
            raise Unplannable("a write into an array of a dtype that programs cannot compute in")
        if clash or self.open.checked:
            if inside:
                self._save(node, dst)
                return
            self.close()
        self._on_host(target)
        self.open.writes.append((node, target))
        self.open.ops.append(node)

    def _save(self, node: fx.Node, dst: fx.Node) -> None:
        """End the segment with the written value among its outputs, and copy it to its place."""
        node.meta["value"] = _value(dst).renewed(-1, _value(dst).shape, _value(dst).dtype)
        self.open.ops.append(node)
        self.open.saved.append(node)
        self.close()
        self._copy(self._canonical(dst), node)

    def _split(self, owner: fx.Node) -> bool:
        """End the segment with an array that is written from here on; what does not lead to it goes on after it."""
        if self.open.writes or self.open.renamed:
            return False
        needed: set[fx.Node] = set()
        rest = [owner]
        while rest:
            node = rest.pop()
            if node in self.open.inside and node not in needed:
                needed.add(node)
                rest.extend(_nodes((node.args, node.kwargs)))
        later = [node for node in self.open.ops if node not in needed]
        earlier = [node for node in self.open.ops if node in needed]
        self.open = _Open()
        for node in earlier:
            self._op(node)
        self.close()
        for node in later:
            self._op(node)
        return True

    def _copy(self, target: fx.Node, source: fx.Node) -> None:
        self._on_host(target)
        self._effect(target)
        self.plan.steps.append(Step("copy", target, source=source))

    def _renews(self, node: fx.Node, dst: fx.Node) -> bool:
        """A write over the whole of an array of the open segment that nothing else shows: a new value by its name."""
        if dst not in self.open.inside or _step(dst) == "view" or self.shown[_value(dst).root] > 1:
            return False
        self.open.ops.append(node)
        self.open.renamed[dst] = node
        return True

    def _owner(self, node: fx.Node) -> fx.Node:
        while _step(node) == "view":
            node = _nodes(node.args)[0]
        return node

    def _between(self, node: fx.Node, step: str) -> None:
        """A step on the host."""
        args = _nodes((node.args, node.kwargs))
        effect = step == "opaque"
        if step in ("read", "guard", "number") and not self.opaque and all(arg in self.early for arg in args):
            self.plan.early.append(Step(step, node))
            self.early.add(node)
            self._now_there(node, step)
            return
        self.opaque |= effect
        if effect or self.open.writes or any(self._owner(arg) in self.open.inside for arg in args):
            self.close()
        for arg in args:
            self._on_host(arg)
        if step == "guard" and self.plan.effects is not None:
            raise Unplannable(f"{node.args[0]} decides after {self._cause()}: resuming there is to come")
        if effect and self.plan.effects is None:
            self.plan.effects = len(self.plan.steps)
        self.plan.steps.append(Step(step, node))
        self._now_there(node, step)

    def _now_there(self, node: fx.Node, step: str) -> None:
        if step != "guard":
            self.host.add(node)
            if _value(node).kind == "array":
                self._meet(node)

    def _cause(self) -> str:
        """The first effect, in words."""
        assert self.plan.effects is not None
        step = self.plan.steps[self.plan.effects]
        return (
            f"the call of {getattr(step.node.target, 'name', step.node)}"
            if step.kind == "opaque" and step.node
            else "a write"
        )

    def _on_host(self, node: fx.Node) -> None:
        """Make sure that a node's value is there when the next step runs."""
        if node in self.host:
            return
        if node in self.lazy:
            self._on_host(_nodes(node.args)[0])
            self.plan.steps.append(Step("view", node))
            self.lazy.discard(node)
            self.host.add(node)

    def _effect(self, dst: fx.Node) -> None:
        if _value(dst).root in self.outside:
            self.plan.written.add(_value(dst).root)
            if self.plan.effects is None:
                self.plan.effects = len(self.plan.steps)

    # -- closing a segment -------------------------------------------------------------------------------------

    def close(self) -> None:
        """End the open segment: what is used after it becomes its outputs."""
        current, self.open = self.open, _Open()
        if not current.ops:
            return
        members = set(current.ops)
        outputs: list[fx.Node] = list(current.saved)
        for node in current.ops:
            if node in current.inside and any(user not in members for user in node.users):
                owner = self._owner(node)
                if owner not in outputs and not (_step(owner) != "part" and "parts" in owner.meta):
                    outputs.append(owner)
        segment = _Builder(self, current, outputs).segment()
        if segment is None:
            return
        if segment.checks and self.plan.effects is not None:
            raise Unplannable(f"indices are checked after {self._cause()}: resuming there is to come")
        for _, dst in current.writes:
            self._effect(dst)
        self.plan.steps.append(Step("segment", segment=segment))
        for node in outputs:
            self.host.add(node)
            if _value(node).kind == "array":
                self._meet(node)
        for node in current.ops:
            if _step(node) == "view" and node not in self.host:
                self.host_view(node)


class _Builder:
    """Makes the graph of one segment."""

    def __init__(self, planner: Planner, current: _Open, outputs: list[fx.Node]) -> None:
        self.planner = planner
        self.current = current
        self.outputs = outputs
        self.graph = fx.Graph()
        self.inputs: list[tuple[fx.Node, tuple[int, ...]]] = []
        self.env: dict[fx.Node, fx.Node] = {}
        self.raw: dict[fx.Node, fx.Node] = {}  # placeholders, by the program's node
        self.flags: list[fx.Node] = []
        self.last: fx.Node | None = None

    def segment(self) -> Segment | None:
        destinations = [dst for _, dst in self.current.writes]
        if not self.outputs and not destinations and not self.current.checked:
            return None
        for node in self.current.ops:
            if _step(node) == "write":
                self._write(node)
            else:
                self._op(node)
        results = [self.env[node] for node in self.outputs]
        output = self.graph.output((*results, *self.flags))
        output.meta["values"] = (
            *(replace(_value(node), device=self.planner.device) for node in self.outputs),
            *(Value("scalar", torch.bool, device=self.planner.device) for _ in self.flags),
        )
        ops = [node for node in self.current.ops if _step(node) != "write"]
        return Segment(self.graph, self.inputs, self.outputs, destinations, len(self.flags), ops)

    def _op(self, node: fx.Node) -> None:
        args = fx.node.map_arg(node.args, self._arg)
        kwargs = fx.node.map_arg(node.kwargs, self._arg)
        result = self.graph.call_function(node.target, args, kwargs)  # type: ignore[arg-type]
        if getattr(node.target, "checked", False):
            if not node.meta.get("unchecked"):
                self.flags.append(self.graph.call_function(flag, (result,)))
            result = self.graph.call_function(first, (result,))
        self.env[node] = result

    def _write(self, node: fx.Node) -> None:
        dst, value = node.args
        assert isinstance(dst, fx.Node)
        there = _value(dst)
        source = value
        if isinstance(value, fx.Node):
            source = self.env[value] if value in self.env else self._source(value)
        laid = self.graph.call_function(stored, (source, there.dtype, there.shape))
        target = self.planner._canonical(dst)
        if self.current.renamed.get(dst) is not None:
            self.env[dst] = laid
        elif node in self.current.saved:
            self.env[node] = laid
        else:
            placeholder = self.placeholder(target)
            if axes := flipped_axes(_value(target)):
                laid = self.graph.call_function(torch.flip, (laid, axes))
            self.graph.call_function(write, (placeholder, laid))

    def _source(self, node: fx.Node) -> fx.Node:
        """A written value that comes from outside the segment: numbers as plain 0-d tensors."""
        if _value(node).kind == "array":
            return self._arg(node)
        return self.placeholder(node)

    def placeholder(self, node: fx.Node) -> fx.Node:
        if node not in self.raw:
            self.planner._on_host(node)
            with self.graph.inserting_before(self._start()):
                made = self.graph.placeholder(f"a{len(self.raw)}")
            value = _value(node)
            strides = tuple(abs(stride) for stride in value.strides)
            made.meta["value"] = replace(value, strides=strides, device=self.planner.device)
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
        if node in self.env:
            return self.env[node]
        value = _value(node)
        if value.kind in ("int", "float", "complex"):
            self.env[node] = self.graph.call_function(
                self.planner.weak[value.kind], (self.placeholder(node),)
            )
            return self.env[node]
        canonical = self.planner._canonical(node)
        if value.kind != "array" or canonical in self.raw or self._must_be_input(canonical):
            placeholder = self.placeholder(canonical)
            axes = flipped_axes(value)
            return self.graph.call_function(torch.flip, (placeholder, axes)) if axes else placeholder
        base = _nodes(canonical.args)[0]
        args = (self._arg(base), *canonical.args[1:])
        view = self.graph.call_function(canonical.target, args, canonical.kwargs)  # type: ignore[arg-type]
        if getattr(canonical.target, "checked", False):  # a basic index cannot fail
            view = self.graph.call_function(first, (view,))
        self.env[node] = view
        return view

    def _must_be_input(self, node: fx.Node) -> bool:
        """Arrays that are no views, and views that the program writes; other views are made inside the segment."""
        return _step(node) != "view" or self.planner._place(node) in self.planner.written


def plan(
    graph: fx.Graph, inputs: list[fx.Node], weak: Mapping[str, Callable[..., Any]], device: str = "cpu"
) -> Plan:
    """The plan of a residual program, its segments to run on a device.

    weak: by kind of Python number, what makes one of a 0-d tensor inside a segment. Raises Unplannable with the reason
    where the program cannot be replayed.
    """
    return Planner(graph, inputs, weak, device).run()
