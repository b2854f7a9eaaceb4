"""Equal objects: the recording notes which object a text or a tuple is, where equal ones are decided by
value."""

from __future__ import annotations

import sys
from typing import Any, cast

from torch import fx

from npcompile.frontend.graph.builder import Builder
from npcompile.frontend.program.guards import Guard, IsObject, SameObject
from npcompile.lower.plan.attributes import annotate
from npcompile.lower.plan.values import Value


class EqualObjects(Builder):
    """The steps that such objects came from: where one leaves, or is asked for, it is what its step gives."""

    def whole(self, name: str, leaf: Any) -> None:
        """Note a text or a tuple among the arguments."""
        node = self.graph.create_node("placeholder", name, name=name)
        annotate(node, "input", Value("object"))
        self.inputs.append(node)
        self.came(leaf, node)

    def came(self, obj: Any, node: fx.Node) -> None:
        """Note that a step gave this object."""
        self.origins.setdefault(id(obj), [obj]).append(node)

    def origin(self, obj: Any) -> fx.Node | None:
        """Return the step that gave a text or a tuple; None if none did.

        Several steps that gave this one object, and one that may be a literal's as well, are guarded to do
        so.
        """
        meant = self.tracked.meant(obj)
        steps = self.origins.get(id(meant), [meant])[1:]
        if type(meant) is tuple and (node := self.tracked.node(meant)) not in (None, *steps):
            steps.append(node)  # of which it is followed what lies in it
        if not steps:
            return None
        first, *others = steps
        for other in others:
            self._unite(SameObject(), other, first)
        literal = id(meant) in self.written or self.is_literal(meant)
        if literal or (type(meant) is str and _is_shared(meant)):
            self._unite(IsObject(meant), first)
        return cast("fx.Node", first)

    def is_literal(self, obj: Any) -> bool:
        """Tell if this tuple is one object at each call."""
        return type(obj) is tuple and any(obj is one for one in self.literals)

    def _unite(self, guard: Guard, node: fx.Node, *others: fx.Node) -> None:
        """Add a guard as early as it can be checked: its nodes are arguments, or were read."""
        if (node, *others) in self.checked_ones:
            return
        self.checked_ones.add((node, *others))
        order = {one: place for place, one in enumerate(self.graph.nodes)}
        behind = max((node, *others, *self.inputs[-1:]), key=order.__getitem__)
        with self.graph.inserting_after(behind):
            made = self.graph.create_node("call_function", guard, (node, *others))
        annotate(made, "guard", Value("object"), self.where())


def _is_shared(text: str) -> bool:
    """Tell if CPython may have one object for this text and for literals: it has for texts that look like
    names."""
    return (len(text) < 2 or text.replace("_", "a").isalnum()) and sys.intern(text) is text
