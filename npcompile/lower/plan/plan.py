"""Plans a residual program: segments to compile, the steps between them, and the way in which each write is
done.

A segment is a maximal run of ops between steps that need values on the host. Writes are planned in a way that
writes only the bytes of the slice written: a written view is its own mutated input of the segment, where
everything else that the segment reads or writes of that memory is disjoint from it; otherwise the segment
ends at the write, and its value is copied into the slice.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from torch import fx

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.lower.plan.attributes import StepKind, attributes, step_of, value_of
from npcompile.lower.plan.products import Product, fusable, pairs, segment_of
from npcompile.lower.plan.segment import Builder, Open, Segment, given_by, nodes_in, said

_IN_SEGMENT = ("op", "view", "part")
# A longer segment is cut in two: its compilation would take more than some seconds.
MAX_OPS = 200


class Unplannable(Exception):
    """The program cannot be replayed; reason: why. node: the step that comes too late."""

    def __init__(self, reason: Reason, node: fx.Node | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.node = node


@dataclass
class Step:
    """One step of a plan.

    kind: "segment" (`segment`); "view" (NumPy makes the view `node`); "copy" (`node[...] = source`); or the
    step kind of the program's node that is to be run on the host as it is. why: a segment ends here, or a
    write is a copy; None where the program ends.
    """

    kind: StepKind | Literal["segment", "copy"]
    node: fx.Node | None = None
    segment: Segment | None = None
    source: Any = None
    why: Reason | None = None


@dataclass
class Plan:
    """The steps of one program, in order. `early`: reads and decisions that need nothing computed, so they
    come first. `effects`: the place in `steps` of the first step with an effect, or None. `became`: by the
    program's nodes, the steps that carry them out; a view that is not there is made inside the kernels."""

    early: list[Step] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    effects: int | None = None
    written: set[int] = field(default_factory=set)  # roots from outside that are written to
    became: dict[fx.Node, Step] = field(default_factory=dict)

    @property
    def segments(self) -> list[Segment]:
        return [step.segment for step in self.steps if step.segment is not None]


class Planner:
    """Walks a program once, in order."""

    def __init__(
        self, graph: fx.Graph, inputs: list[fx.Node], weak: Mapping[str, Callable[..., Any]], device: str
    ) -> None:
        self.graph = graph
        self.device = device
        self.weak = weak  # by kind of Python number: makes one of a 0-d tensor, inside a segment
        self.plan = Plan()
        self.open = Open()
        self.early: set[fx.Node] = set(inputs)  # values that are there before anything is computed
        self.opaque = False  # an opaque call has been passed: what is read after it is read there
        self.host: set[fx.Node] = set(inputs)
        # Views of arrays of the host that nothing on the host has asked for yet.
        self.lazy: set[fx.Node] = set()
        self.same: dict[Any, fx.Node] = {}  # place -> the first node of the host that is just this
        self.outside: set[int] = set()  # the roots of arrays from outside
        self.changed: set[int] = set()  # the roots of those that the program writes to
        self.shown: Counter[int] = Counter()  # arrays that have shown a root so far
        self.stored: set[int] = set()  # the roots of arrays that the steps so far write to
        writes: list[fx.Node] = []
        for node in inputs:
            value = value_of(node)
            if value.kind == "array":
                self.outside.add(value.root)
        for node in graph.nodes:
            known = attributes(node)
            if known.kind == "read":
                self.outside.add(known.value.root)
            elif known.kind == "write":
                dst = node.args[0]
                assert isinstance(dst, fx.Node)
                writes.append(dst)
                self.changed.add(value_of(dst).root)
        self.written = {self.place(dst) for dst in writes}
        self.targets = set(writes)
        for node in inputs:
            self._meet(node)

    def run(self) -> Plan:
        shared = pairs(self.graph) if self.device == "cpu" else {}
        for node in self.graph.nodes:
            known = attributes(node)
            if node.op != "output" and known.value.kind == "array":
                self.shown[known.value.root] += 1
            if node in shared:
                self._shared(*shared[node])
            elif node.op == "call_function" and node not in self.plan.became:
                if known.kind == "library" and self.device == "cpu" and fusable(node, self.open.inside):
                    known.kind = "op"
                step = known.kind
                if step in _IN_SEGMENT:
                    self._op(node)
                elif step == "write":
                    self._write(node)
                    self.stored.add(value_of(nodes_in(node.args)[0]).root)
                else:
                    self._between(node, step)
            elif node.op == "output":
                self.close()
                for leaf in nodes_in(node.args):
                    self.on_host(leaf)
        return self.plan

    # -- places ------------------------------------------------------------------------------------------

    def place(self, node: fx.Node) -> Any:
        """Return the place of an array: its memory, and the array from outside that it is of. Equal places
        are one array.

        Two arrays from outside that lay in one memory may lie apart at the next call. Only where that memory
        is written to does a replay check how they lie (`Overlap`), and they are one here.
        """
        value = value_of(node)
        if value.region is None:
            return attributes(node).same_view or node
        source = node if value.root in self.outside and value.root not in self.changed else None
        while source is not None and step_of(source) == "view":
            source = source.all_input_nodes[0]
        return value.root, value.region, value.dtype, source

    def _meet(self, node: fx.Node) -> None:
        """Note an array of the host. It stands for its place if it is the first, or the first written to.

        Another array on the memory that is written to may be one that NumPy does not let be written to. Views
        of one array may all be written to.
        """
        place = self.place(node)
        known = self.same.setdefault(place, node)
        if node in self.targets and known not in self.targets and _viewed(node) is not _viewed(known):
            if known in self.open.reads:
                self.close(Cause.WRITTEN_FROM_HERE(str(known)))
            self.same[place] = node

    def canonical(self, node: fx.Node) -> fx.Node:
        return self.same.get(self.place(node), node)

    def _overlap(self, a: fx.Node, b: fx.Node) -> bool:
        one, other = value_of(a), value_of(b)
        if one.root != other.root:
            return False
        return one.region is None or other.region is None or one.region.overlaps(other.region)

    # -- steps -------------------------------------------------------------------------------------------

    def _op(self, node: fx.Node) -> None:
        known = attributes(node)
        if self.open.work >= MAX_OPS and known.kind != "part":  # results stay with what gives them
            self._shorten()
        args = node.all_input_nodes
        if known.dynamic_view:  # it fails, if it does, before what comes after it, or any effect
            late = bool(self.open.writes) and self.plan.effects is not None
            if late or any(self._owner(arg) in self.open.inside for arg in args):
                self.close(Cause.MOVING_VIEW(str(node)))
            self.host_view(node)
            if self.canonical(node) is node:
                self.on_host(node)
            return
        if known.kind == "view" and args[0] not in self.open.inside:
            self.host_view(node)
            return
        if known.kind == "part" and args[0] not in self.open.inside:
            self._between(node, "part")
            return
        if self.open.writes:
            for arg in args:
                if arg not in self.open.inside and value_of(arg).kind == "array" and self._reads_a_write(arg):
                    self.close(Cause.READS_PARTLY_WRITTEN(str(node), str(arg)))
                    break
        checked = bool(getattr(node.target, "checked", False)) and not known.unchecked
        if checked and self.open.writes:
            # A check and a write do not share a segment: the check comes before it or after it.
            self.close(Cause.CHECKS_AFTER_WRITE(str(node)))
        for arg in args:
            if arg not in self.open.inside and value_of(arg).kind == "array":
                self.open.reads.append(self.canonical(arg))
        self.open.add(node)
        self.open.inside.add(node)
        self.open.checked |= checked

    def host_view(self, node: fx.Node) -> None:
        self.lazy.add(node)
        self._meet(node)

    def _reads_a_write(self, arg: fx.Node) -> bool:
        """Tell if the open segment has written a part of this array, other than exactly this array."""
        canonical = self.canonical(arg)
        return any(dst is not canonical and self._overlap(dst, arg) for _, dst in self.open.writes)

    def _write(self, node: fx.Node) -> None:
        dst, value = node.args
        assert isinstance(dst, fx.Node)
        if isinstance(value, fx.Node) and self.place(value) == self.place(dst):
            return  # onto itself: the store that `a[i] += b` ends with
        if self._renews(node, dst):
            return
        owner = self._owner(dst)
        if owner in self.open.inside and not self._split(owner):
            self._save(node, dst, Cause.PART_MADE_AND_WRITTEN(str(dst), str(owner)))
            return
        inside = isinstance(value, fx.Node) and value in self.open.inside
        target = self.canonical(dst)
        clash = any(read is not target and self._overlap(read, target) for read in self.open.reads)
        clash |= any(other is not target and self._overlap(other, target) for _, other in self.open.writes)
        clash |= inside and self._reads_old(value)
        if isinstance(value, fx.Node) and not inside and value_of(value).kind == "array":
            why = Cause.COPIED_WHOLE(str(value))
            self.close(why)
            self.on_host(value)
            self._copy(node, target, value, why)
            return
        if value_of(dst).dtype is None:
            raise Unplannable(Cause.UNUSUAL_WRITE_DTYPE())
        doubled = value_of(dst).doubled
        if doubled and not inside:
            raise Unplannable(Cause.OVERLAPPING_WRITE(), node)
        if clash or self.open.checked or doubled:
            why = Cause.WRITE_OVERLAPS(str(dst)) if clash else Cause.CHECKED_FIRST()
            why = Cause.SHOWN_TWICE(str(dst)) if doubled else why
            if inside:
                self._save(node, dst, why)
                return
            self.close(why)
        self.on_host(target)
        self.open.writes.append((node, target))
        self.open.add(node)

    def _reads_old(self, value: Any) -> bool:
        """Tell if a value was read from an array before the open segment wrote to it.

        Inductor may read it where it is used, which is after that write.
        """
        if not self.open.writes:
            return False
        places = {node: place for place, node in enumerate(self.open.ops)}
        written = {dst: places[node] for node, dst in self.open.writes}
        rest, seen = [value], {value}
        while rest:
            node = rest.pop()
            for arg in nodes_in((node.args, node.kwargs)):
                if arg in self.open.inside:
                    if arg not in seen:
                        seen.add(arg)
                        rest.append(arg)
                elif value_of(arg).kind == "array" and places[node] < written.get(self.canonical(arg), -1):
                    return True
        return False

    def _save(self, node: fx.Node, dst: fx.Node, why: Reason) -> None:
        """End the segment with the written value among its outputs, and copy it to its place."""
        attributes(node).value = value_of(dst).renewed(-1, value_of(dst).shape, value_of(dst).dtype)
        self.open.add(node)
        self.open.saved.append(node)
        self.close(why)
        self._copy(node, self.canonical(dst), node, why)

    def _split(self, owner: fx.Node) -> bool:
        """End the segment with an array that is written from here on; what does not lead to it goes on
        after it."""
        if self.open.writes or self.open.renamed:
            return False
        needed: set[fx.Node] = set()
        rest = [owner]
        while rest:
            node = rest.pop()
            if node in self.open.inside and node not in needed:
                needed.add(node)
                rest.extend(nodes_in((node.args, node.kwargs)))
        later = [node for node in self.open.ops if node not in needed]
        earlier = [node for node in self.open.ops if node in needed]
        self.open = Open()
        for node in earlier:
            self._op(node)
        self.close(Cause.WRITTEN_FROM_HERE(str(owner)))
        for node in later:
            self._op(node)
        return True

    def _shorten(self) -> None:
        """End the open segment, which is as long as one may be, at the place where least is handed on."""
        why = Cause.SEGMENT_FULL(MAX_OPS)
        ops = self.open.ops
        if self.open.writes or self.open.renamed:
            self.close(why)
            return
        place = self._narrowest(ops)
        self.open = Open()
        for node in ops[:place]:
            self._op(node)
        self.close(why)
        for node in ops[place:]:
            self._op(node)

    def _narrowest(self, ops: list[fx.Node]) -> int:
        """Where in the second half of these to cut them, so that the fewest bytes cross."""
        places = {node: place for place, node in enumerate(ops)}
        until = [max((places.get(user, len(ops)) for user in node.users), default=0) for node in ops]
        crossing = [0] * (len(ops) + 2)
        for place in reversed(range(len(ops))):
            node = ops[place]
            owner = places.get(self._owner(node), place)
            if owner != place:  # a view: what crosses is what it shows
                until[owner] = max(until[owner], until[place])
                continue
            value = value_of(node)
            size = math.prod(value.shape) * (8 if value.dtype is None else value.dtype.itemsize)
            crossing[place + 1] += size
            crossing[max(until[place], place) + 1] -= size
        crossing = list(itertools.accumulate(crossing))
        second = range(len(ops), len(ops) // 2, -1)
        apart = [at for at in second if at == len(ops) or step_of(ops[at]) != "part"]
        return min(apart, key=crossing.__getitem__)

    def _copy(self, node: fx.Node, target: fx.Node, source: fx.Node, why: Reason) -> None:
        self.on_host(target)
        self._effect(target)
        self._add(Step("copy", target, source=source, why=why), node)

    def _add(self, step: Step, *nodes: fx.Node) -> None:
        self.plan.steps.append(step)
        self.plan.became.update(dict.fromkeys(nodes, step))

    def _renews(self, node: fx.Node, dst: fx.Node) -> bool:
        """A write over the whole of an array of the open segment that nothing else shows: a new value by
        its name."""
        if dst not in self.open.inside or step_of(dst) == "view" or self.shown[value_of(dst).root] > 1:
            return False
        self.open.add(node)
        self.open.renamed[dst] = node
        return True

    def _owner(self, node: fx.Node) -> fx.Node:
        while step_of(node) == "view":
            node = nodes_in(node.args)[0]
        return node

    def _between(self, node: fx.Node, step: StepKind) -> None:
        """A step on the host."""
        args = node.all_input_nodes
        effect = step == "opaque"
        early = step in ("read", "guard", "number") and not self.opaque and self.early.issuperset(args)
        if early and not (self.stored and self._reads_stored(node)):
            self.plan.early.append(Step(step, node))
            self.plan.became[node] = self.plan.early[-1]
            self.early.add(node)
            self._now_there(node, step)
            return
        self.opaque |= effect and not attributes(node).inert
        if effect or self.open.writes or any(self._owner(arg) in self.open.inside for arg in args):
            self.close(Cause.ON_HOST_NEXT("a decision" if step == "guard" else str(node)))
        for arg in args:
            self.on_host(arg)
        if step == "guard" and self.plan.effects is not None:
            raise Unplannable(self._decides_late(args[0]), node)
        if effect and self.plan.effects is None:
            self.plan.effects = len(self.plan.steps)
        self._add(Step(step, node), node)
        self._now_there(node, step)

    def _reads_stored(self, node: fx.Node) -> bool:
        """Tell if a step reads items of an array that a step before it writes to."""
        reads = () if getattr(node.target, "reads_no_items", False) else node.all_input_nodes
        return any(value_of(arg).root in self.stored for arg in reads)

    def _shared(self, first: Product, second: Product) -> None:
        """Two products that read their matrix once, as a segment of their own."""
        segment = segment_of(first, second)
        inputs = [node for node, _ in segment.inputs]
        if self.open.writes or any(self._owner(node) in self.open.inside for node in inputs):
            self.close(Cause.PRODUCTS_NEXT(str(first.node), str(second.node)))
        for node in inputs:
            self.on_host(node)
        why = Cause.TWO_PRODUCTS()
        self._add(Step("segment", segment=segment, why=why), *segment.outputs)
        for node in segment.outputs:
            attributes(node).kind = "op"
            self._now_there(node, "library")

    def _now_there(self, node: fx.Node, step: StepKind) -> None:
        if step != "guard":
            self.host.add(node)
            if value_of(node).kind == "array":
                self._meet(node)

    def _decides_late(self, node: fx.Node) -> Reason:
        given, called = given_by(node), self._called()
        if given is not None and called is not None:
            return Cause.CALLED_AGAIN(called) if given == called else Cause.GIVEN_DECIDES(given, called)
        return Cause.DECIDES_AFTER(said(node), self._cause())

    def _cause(self) -> str:
        """The first effect, in words."""
        called = self._called()
        return "a write" if called is None else f"the call of {called}"

    def _called(self) -> str | None:
        """Return the name of the call that is the first effect; None where that is a write."""
        assert self.plan.effects is not None
        for step in self.plan.steps[self.plan.effects : self.plan.effects + 1]:  # none: it is being added
            if step.kind == "opaque" and step.node:
                return str(getattr(step.node.target, "name", None) or step.node)
        return None

    def on_host(self, node: fx.Node) -> None:
        """Make sure that a node's value is there when the next step runs."""
        if node in self.host:
            return
        if node in self.lazy:
            self.on_host(nodes_in(node.args)[0])
            self._add(Step("view", node), node)
            self.lazy.discard(node)
            self.host.add(node)
        else:
            raise Unplannable(Cause.NOT_THERE(str(node)))

    def _effect(self, dst: fx.Node) -> None:
        if value_of(dst).root in self.outside:
            self.plan.written.add(value_of(dst).root)
            if self.plan.effects is None:
                self.plan.effects = len(self.plan.steps)

    # -- closing a segment -------------------------------------------------------------------------------

    def close(self, why: Reason | None = None) -> None:
        """End the open segment, for this reason: what is used after it becomes its outputs."""
        current, self.open = self.open, Open()
        if not current.ops:
            return
        members = set(current.ops)
        outputs: list[fx.Node] = list(current.saved)
        for node in current.ops:
            if node in current.inside and not members.issuperset(node.users):
                owner = self._owner(node)
                known = attributes(owner)
                if owner not in outputs and not (known.kind != "part" and known.result_count is not None):
                    outputs.append(owner)
        for write in current.saved:  # the targets of saved values
            owner = self._owner(nodes_in(write.args[0])[0])
            if owner in current.inside and owner not in outputs:
                outputs.append(owner)
        segment = Builder(self, current, outputs).segment()
        if segment is None:
            return
        if segment.checks and self.plan.effects is not None:
            late = next(node for node in current.ops if getattr(node.target, "checked", False))
            raise Unplannable(Cause.CHECKED_AFTER(self._cause()), late)
        for _, dst in current.writes:
            self._effect(dst)
        self._add(Step("segment", segment=segment, why=why), *current.ops)
        for node in outputs:
            self.host.add(node)
            if value_of(node).kind == "array":
                self._meet(node)
        for node in current.ops:
            if node not in self.host and step_of(node) == "view":
                self.host_view(node)


def plan(
    graph: fx.Graph, inputs: list[fx.Node], weak: Mapping[str, Callable[..., Any]], device: str = "cpu"
) -> Plan:
    """The plan of a residual program, its segments to run on a device.

    weak: by kind of Python number, what makes one of a 0-d tensor inside a segment. Raises Unplannable with
    the reason where the program cannot be replayed.
    """
    return Planner(graph, inputs, weak, device).run()


def _viewed(node: fx.Node) -> fx.Node:
    """Return the array that a view is one of; any other array itself."""
    while step_of(node) == "view":
        node = node.all_input_nodes[0]
    return node
