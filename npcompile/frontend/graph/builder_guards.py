"""Guards: what a recording takes for decided, so that its program is valid only where it is decided alike."""

from __future__ import annotations

from typing import Any

from torch import fx

from npcompile.frontend.graph.builder_escapes import EscapeBuilder
from npcompile.frontend.program.guards import Guard, IsObject, SameObject, ValueEquals, ValuesEqual
from npcompile.lower.plan.attributes import attributes, step_of, value_of
from npcompile.lower.plan.values import Value


class GuardBuilder(EscapeBuilder):
    """Decisions about values, and about which objects are one."""

    def decide(self, node: fx.Node, value: Any) -> None:
        """Guard that a node has this value, at this point of the program."""
        if node not in self.decided:
            self.decided.add(node)
            self.guard(ValueEquals(value), node)

    def confused(self, node: fx.Node, value: Any) -> None:
        """Guard that a node has this value, because another value is the same object."""
        if node not in self.decided:
            self.decide(node, value)
            attributes(next(iter(reversed(self.graph.nodes)))).is_collision = True

    def equated(self, one: fx.Node, other: fx.Node) -> bool:
        """Guard that two sizes, which are one object now, are equal: it does not matter which is meant. In a
        program for many lengths all whole numbers that are worked out may be sizes."""
        worked_out = all(step_of(node) == "number" and value_of(node).kind == "int" for node in (one, other))
        if not (self.general and worked_out) and not {one, other} <= self.sizes | self.counts:
            return False
        self.guard(ValuesEqual(), other, one)
        return True

    def united(self, one: fx.Node | None, other: fx.Node | None, value: Any) -> fx.Node:
        """Guard that two are one object, which they are now: either is the other. None: what is decided."""
        if one is not None and other is not None:
            self.guard(SameObject(), other, one)
            return one
        node = one if other is None else other
        assert node is not None
        self.identify(node, value)
        return node

    def guard(self, guard: Guard, *nodes: fx.Node) -> None:
        self.add("guard", guard, nodes, {}, Value("object"))

    def identify(self, node: fx.Node, obj: Any) -> None:
        """Guard that a node is this object."""
        if node not in self.decided:
            self.decided.add(node)
            self.guard(IsObject(obj), node)
