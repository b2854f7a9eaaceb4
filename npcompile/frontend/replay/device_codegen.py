"""Code generation of replays on a device: writes when arrays enter the device, and when the host gets them.

An array from outside is copied to the device where it enters, and the host's array is its *twin* from then
on. An array of the device that was handed out has a twin as well. Steps write on the device. Twins are
brought up to date before anybody may look at them: an opaque call, or the caller. After an opaque call the
device's arrays get what the call may have written into their twins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from torch import fx

from npcompile.frontend.ops.table import Op
from npcompile.frontend.program.array_facts import to_tensor
from npcompile.frontend.program.call_steps import Call
from npcompile.frontend.program.guards import TypeIs, ValueEquals
from npcompile.frontend.program.object_steps import Build
from npcompile.frontend.program.program import Program
from npcompile.frontend.program.slice_guards import Check
from npcompile.frontend.replay.codegen import Writer, as_numpy
from npcompile.frontend.replay.device_lane import assign
from npcompile.frontend.replay.residency import Use
from npcompile.frontend.replay.trip_numbers import on_numbers
from npcompile.lower.plan.attributes import attributes, source_place, step_of, value_of
from npcompile.lower.plan.plan import Plan, Step
from npcompile.lower.plan.segment import nodes_in

_INSIDE = frozenset(["segment", "copy", "view", "number", "part"])  # steps that nobody else sees
_GIVEN = _INSIDE | {"input", "guard"}  # steps that depend on what they are given alone


class DeviceWriter(Writer):
    """Writes the text of one replay on a device. Parameters as of `Writer`."""

    def __init__(
        self, program: Program, plan: Plan, general: bool, checks: Mapping[fx.Node, Check] | None = None
    ) -> None:
        super().__init__(program, plan, general, checks)
        self.twins: dict[fx.Node, str] = {}  # by array, the name of its twin
        self.there: dict[Any, fx.Node] = {}  # by place in memory, the first array that has a twin
        self.behind: set[fx.Node] = set()  # arrays that were written since their twins were made
        self.waiting: list[fx.Node] | None = []  # arrays that enter after the check of overlaps
        self.is_writing = False  # has a step been written that writes in place?
        self.handing = False  # are arguments written for a function that takes the host's arrays?
        steps = [*plan.early, *plan.steps]
        self.written = {value_of(node).root for step in steps for node in _written(step)}
        self.later: dict[int, set[Any]] = {}  # by step, the memory that the steps after it use
        self.uses = self._uses()
        used: set[Any] = set()
        for step in reversed(steps):
            self.later[id(step)] = set(used)
            used |= {value_of(node).root for node in _used(step) if value_of(node).kind == "array"}

    def arg(self, value: Any) -> str:
        return self.leaf(value) if self.handing and isinstance(value, fx.Node) else super().arg(value)

    def function(self, op: Op, node: fx.Node) -> Callable[..., Any]:
        return as_numpy(op, True)

    def callee(self, function: Callable[..., Any], node: fx.Node) -> Callable[..., Any]:
        is_of_numbers = step_of(node) == "number" and not attributes(node).call_frames
        return on_numbers(function) if is_of_numbers else function

    def guard(self, node: fx.Node) -> str:
        guard, (about, *others) = node.target, node.args
        if others or not isinstance(guard, ValueEquals | TypeIs) or _is_array(about):
            return super().guard(node)
        return f"not {self.constant(on_numbers(guard), 'guard')}({self.arg(about)})"

    def copy(self, node: fx.Node, value: str) -> None:
        self.put(f"{self.constant(assign, 'assign')}({node.name}, {value})")

    @property
    def gives_back(self) -> bool:  # type: ignore[override]
        return bool(self.behind)

    def first_effect(self) -> int:
        """Return the position of the first step with an effect.

        Writes to the device's copies of host arrays are none: the caller sees them when they are given back.
        """
        first = super().first_effect()
        if self.program.device in (None, "cpu"):
            return first
        steps = self.plan.steps
        inputs = [*self.program.inputs, *(step.node for step in self.plan.early if step.node is not None)]
        seen = {value_of(node).root for node in inputs if attributes(node).wrapped}
        while first < len(steps) and steps[first].kind in _INSIDE:
            if any(value_of(node).root in seen for node in _written(steps[first])):
                break
            first += 1
        return first

    def _uses(self) -> dict[Any, Use]:
        """Return by root how arrays are written: in place, or in copies if the replay may diverge later."""
        pure = self.plan.steps[: self.first_effect()]
        found = dict.fromkeys(self.written, Use.WRITTEN)
        for place, step in enumerate(pure):
            checked = step.segment is not None and step.segment.checks > 0
            if place < len(pure) - 1 or checked:
                found |= {value_of(node).root: Use.UNDONE for node in _written(step)}
        return found

    @property
    def is_private(self) -> bool:
        """Tell if the replay shows its arrays to nobody else, and asks NumPy's arrays for no values."""
        return all(map(_is_private, (*self.plan.early, *self.plan.steps)))

    def alone(self) -> str | None:
        """Return why the work does not depend on the arguments, and on numbers that kernels are given, alone.

        None where it does: device work that was captured is then good for equal numbers.
        """
        for step in (*self.plan.early, *self.plan.steps):
            node = step.node
            if node is None or step.kind in _GIVEN:
                continue
            if step.kind != "read":
                return f"line {source_place(node).top}: NumPy's function is called at each trip"
            users = {step_of(user) for user in node.users}
            if not users <= ({"guard"} if value_of(node).kind == "array" else {"guard", "op"}):
                return f"line {source_place(node).top}: what it reads is no local name of the loop"
        return None

    def begin(self) -> None:
        inputs = [node for node in self.program.inputs if value_of(node).kind == "array"]
        waiting, self.waiting = [*(self.waiting or ()), *inputs], None
        for node in waiting:
            self.enter(node)

    def _step(self, step: Step, number: int) -> None:
        node = step.node
        opaque = node is not None and step.kind == "opaque" and isinstance(node.target, Call)
        if opaque:
            self.catch_up()
        if not self.is_writing and any(
            self.uses[value_of(one).root] is Use.WRITTEN for one in _written(step)
        ):
            self.is_writing = True
            self.put("__lane.begin_writing()")
        self.handing = opaque or (node is not None and _hands_out(node))
        super()._step(step, number)
        self.handing = False
        self.wrote(_written(step))
        if step.kind == "guard" and node is not None and node.target.of_array:  # type: ignore[union-attr]
            self.meet(nodes_in(node.args)[0])
        if node is not None and isinstance(node.target, Build) and value_of(node).kind == "array":
            self.meet(node)  # a constant, which no guard looks at
        if opaque and node is not None:
            if not attributes(node).inert:
                self.renew(self.later[id(step)])
            looked_at = any(step_of(user) == "guard" for user in node.users)
            if value_of(node).kind == "array" and not looked_at:
                self.enter(node)

    def carry_out(self, rest: list[Step], numbers: dict[int, int]) -> None:
        """Write the steps from the first effect on; where one raises, the caller's arrays keep up."""
        written = (node for node in self.twins if value_of(node).root in self.written)
        known = [self._gives_back(node) for node in self._once(written)]
        if not rest or not known:
            super().carry_out(rest, numbers)
            return
        self.put("try:")
        self.indent += "    "
        super().carry_out(rest, numbers)
        self.indent = self.indent[4:]
        self.put("except BaseException:")
        for text in (*known, "raise"):
            self.put(f"    {text}")

    # -- entering ----------------------------------------------------------------------------------------

    def meet(self, node: fx.Node) -> None:
        """Let an array enter that came from outside, or from a host call without device arrays."""
        made = node
        while step_of(made) == "part":
            made = made.all_input_nodes[0]
        if node in self.twins:
            return
        if step_of(made) == "host":
            self.put(f"{node.name} = __lane.enter({node.name})")
            return
        if self.waiting is None:
            self.enter(node)
        elif node not in self.waiting:
            self.waiting.append(node)

    def enter(self, node: fx.Node) -> None:
        """Write that an array enters: its name is the device's array, its twin's the one given."""
        if attributes(node).wrapped:  # it was given as an array of the device
            self.put(f"{node.name} = __lane.enter({node.name})")
            return
        twin = f"__{node.name}_host"
        self.put(f"{twin} = {node.name}")
        place = _place(node)
        same = self.there.get(place) if value_of(node).root in self.written else None
        use = self.uses.get(value_of(node).root, Use.READ)
        given = twin if use is Use.READ else f"{twin}, {self.constant(use, 'use')}"
        self.put(f"{node.name} = {f'__lane.enter({given})' if same is None else same.name}")
        self.twins[node] = twin
        self.there.setdefault(place, node)

    # -- twins -------------------------------------------------------------------------------------------

    def wrote(self, nodes: Iterable[fx.Node]) -> None:
        roots = {value_of(node).root for node in nodes}
        self.behind |= {node for node in self.twins if value_of(node).root in roots}

    def _once(self, nodes: Iterable[fx.Node]) -> list[fx.Node]:
        """Return one of these arrays for each place in memory."""
        found: dict[Any, fx.Node] = {}
        for node in nodes:
            found.setdefault(_place(node), node)
        return list(found.values())

    def _gives_back(self, node: fx.Node) -> str:
        return f"__lane.give_back({self.twins[node]}, {node.name})"

    def catch_up(self) -> None:
        """Write that twins get what was written into their arrays."""
        for node in self._once(node for node in self.twins if node in self.behind):
            self.put(self._gives_back(node))
        self.behind.clear()

    def renew(self, roots: set[Any]) -> None:
        """Write that the arrays in this memory get what may have been written into their twins."""
        for node in self._once(node for node in self.twins if value_of(node).root in roots):
            self.put(f"__lane.renew({node.name}, {self.twins[node]})")

    def _own(self, value: Any) -> str:
        """Return an argument as text, as the device's own steps take it."""
        handing, self.handing = self.handing, False
        text = self.arg(value)
        self.handing = handing
        return text

    def leaf(self, value: Any) -> str:
        """Return a value that leaves as text: the twin of an array, and of a view the twin's view."""
        if not isinstance(value, fx.Node) or value_of(value).kind != "array" or attributes(value).wrapped:
            return self._own(value)
        return self.twin(value)

    def twin(self, node: fx.Node) -> str:
        """Return the name of an array's twin, which is made where there is none."""
        if node in self.twins:
            return self.twins[node]
        name = f"__{node.name}_host"
        if step_of(node) != "view":
            value = value_of(node)
            order = tuple(np.argsort([-stride for stride in value.strides], kind="stable").tolist())
            apart = min(
                (s for n, s in zip(value.shape, value.strides, strict=True) if n > 1 and s), default=1
            )
            self.put(f"{name} = __lane.leave({node.name}, {order}{f', {apart}' if apart > 1 else ''})")
            self.twins[node] = name
            self.there.setdefault(_place(node), node)
            return name
        base = self.twin(node.all_input_nodes[0])
        rest = ", ".join(map(self._own, node.args[1:]))
        if node.target.function is np.ndarray.__getitem__:  # type: ignore[union-attr]
            self.put(f"{name} = {base}[{rest}]")
        else:
            view = self.constant(as_numpy(node.target, False), "f")  # type: ignore[arg-type]
            named = "".join(f", {key}={self._own(arg)}" for key, arg in node.kwargs.items())
            self.put(f"{name} = {view}({base}{', ' if rest else ''}{rest}{named})")
        return name

    def finish(self) -> None:
        self.catch_up()
        super().finish()


def _is_array(value: Any) -> bool:
    return isinstance(value, fx.Node) and value_of(value).kind == "array"


def _is_private(step: Step) -> bool:
    node = step.node
    if node is None or step.segment is not None:
        return True
    if step.kind == "opaque" or isinstance(node.target, Call) or _hands_out(node):
        return False
    if step.kind == "guard" and any(value_of(arg).kind == "array" for arg in nodes_in(node.args)):
        target: Any = node.target
        return bool(target.about_array_itself)
    return True


def _hands_out(node: fx.Node) -> bool:
    """Tell if a step makes an object that holds arrays, or a tensor on an array's memory.

    The host's arrays are to be in it: a tensor lies where it lay when it was recorded.
    """
    return isinstance(node.target, Build) or node.target is to_tensor


def _place(node: fx.Node) -> Any:
    value = value_of(node)
    return node if value.region is None else (value.root, value.region, value.dtype)


def _written(step: Step) -> list[fx.Node]:
    """Return the arrays that a step writes to."""
    if step.segment is not None:
        return list(step.segment.writes)
    return [step.node] if step.kind == "copy" and step.node is not None else []


def _used(step: Step) -> list[fx.Node]:
    """Return the arrays that a step uses."""
    found = _written(step) + nodes_in(step.source)
    if step.segment is not None:
        found += [node for node, _ in step.segment.inputs]
    elif step.node is not None:
        found += nodes_in((step.node.args, step.node.kwargs))
    return found
