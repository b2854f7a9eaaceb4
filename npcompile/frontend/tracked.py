"""Which live objects a recording knows, and what step each came from: followed by identity.

Arrays are followed by weak reference, so that temporaries die as they would, and so are objects that calls
gave (a file that nobody holds is closed, and what was written to it can be read). Numbers are kept alive. An
object that stands for two things at once (the literal 3 and an argument that is 3: CPython has one object
for both) is decided by value, for both; two sizes that are equal are guarded to be so.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from torch import fx


class Known(NamedTuple):
    """A followed object: `node` is the step it came from, or None for what the signature and the guards
    decide."""

    holder: Any  # the object, or a weak reference to it
    node: fx.Node | None


def fresh(value: Any) -> Any:
    """The same number as another object where Python makes one: so that identity tells it from its equals."""
    kind = type(value)
    if kind is float:
        return value * 1.0
    if kind is int:
        return value + 1 - 1
    if kind is complex:
        return complex(value.real, value.imag)
    if isinstance(value, np.generic) and not isinstance(value, np.bool_):
        return np.array(value)[()]
    return value


class Tracked:
    """The followed objects, by identity."""

    def __init__(
        self, decide: Callable[[fx.Node, Any], None], equate: Callable[[fx.Node, fx.Node], bool]
    ) -> None:
        self._known: dict[int, Known] = {}
        self._decide = decide  # adds a guard that a node has this value, because it has an equal
        self._equate = equate  # adds a guard that two are equal, if that will do

    def get(self, obj: Any) -> Known | None:
        return self._known.get(id(obj))

    def node(self, obj: Any) -> fx.Node | None:
        known = self._known.get(id(obj))
        return None if known is None else known.node

    def clear(self) -> None:
        """Follow nothing any more: what is followed by weak reference can tell."""
        self._known.clear()

    def array(self, array: Any, node: fx.Node, ended: Callable[[fx.Node], None] | None = None) -> None:
        """Follow an array (or another object that can be referred to weakly). ended: called with
        the node when it dies, while it is followed."""
        key = id(array)

        def died(reference: Any, known: dict[int, Known] = self._known, key: int = key) -> None:
            entry = known.get(key)
            if entry is not None and entry.holder is reference:
                del known[key]
                if ended is not None:
                    ended(node)

        self._known[key] = Known(weakref.ref(array, died), node)

    def keep(self, obj: Any, node: fx.Node | None) -> None:
        """Follow an object, keeping it alive: containers and objects from outside."""
        self._known[id(obj)] = Known(obj, node)

    def number(self, value: Any, node: fx.Node | None) -> None:
        """Follow a number: Python's or NumPy's."""
        known = self._known.get(id(value))
        if known is None:
            self._known[id(value)] = Known(value, node)
        elif known.node is not node and not (known.node and node and self._equate(known.node, node)):
            for other in (known.node, node):
                if other is not None:
                    self._decide(other, value)
            self._known[id(value)] = Known(value, None)
