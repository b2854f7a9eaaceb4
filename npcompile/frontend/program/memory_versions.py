"""Value numbering with versions of memory: finds steps that are sure to hold equal values at each replay."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from torch import fx

from npcompile.lower.plan.attributes import attributes, value_of
from npcompile.lower.plan.values import Value

_PURE = ("op", "view", "library", "number")
_NAMED = (np.dtype, type)  # equal where they are the same


class Contents:
    """Follows a program in order: `now(node)` is equal for steps that hold equal values at that point."""

    def __init__(self) -> None:
        self._writes: Counter[int] = Counter()  # to each root
        self._calls = 0  # calls that may have written anywhere
        self._made: dict[fx.Node, Any] = {}  # by node, when it was made: what it held
        self._known: dict[Any, Any] = {}  # by what was worked out: what holds it

    def now(self, node: fx.Node) -> Any:
        held, version = self._made[node]
        return held if version == (current := self._version(value_of(node))) else (node, current)

    def note(self, node: fx.Node) -> None:
        """Go past a step, in the program's order."""
        known = attributes(node)
        step = known.kind
        if step == "write":
            dst: Any = node.args[0]
            self._writes[value_of(dst).root] += 1
        elif step == "opaque" and not known.inert:
            self._calls += 1
        if node.op == "output":
            return
        version = self._version(known.value)
        held: Any = (node, version)
        if step in _PURE:
            try:
                key = node.target, self._frozen(node.args), self._frozen(node.kwargs)
                # Its container may have been written to since: then the version tells the two apart.
                held = self._known.setdefault(key, held)
            except TypeError:  # an argument that has no hash
                pass
        self._made[node] = held, version

    def _version(self, value: Value) -> Any:
        return (self._writes[value.root], self._calls) if value.kind == "array" else 0

    def _frozen(self, arg: Any) -> Any:
        if isinstance(arg, fx.Node):
            return self.now(arg)
        if isinstance(arg, tuple | list):
            return type(arg).__name__, *map(self._frozen, arg)
        if isinstance(arg, dict):
            return tuple((key, self._frozen(item)) for key, item in arg.items())
        if isinstance(arg, slice):
            return "slice", self._frozen(arg.start), self._frozen(arg.stop), self._frozen(arg.step)
        if isinstance(arg, np.ndarray):
            raise TypeError("an array is known by its step")
        return arg if isinstance(arg, _NAMED) else (type(arg), repr(arg))
