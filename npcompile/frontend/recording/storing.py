"""Stores to attributes of objects from outside.

A store is kept until the next call that could see it, and is a step there, or at the end: so nothing is
decided after it, and it ends no kernel.
"""

from __future__ import annotations

import types
from typing import Any, NamedTuple

from torch import fx

from npcompile.frontend.arrays import is_array
from npcompile.frontend.made import Store, class_attribute, is_plain
from npcompile.frontend.notes import Unfollowed
from npcompile.frontend.program import step_of
from npcompile.frontend.recording.making import Making
from npcompile.lower.values import Value


class Deferred(NamedTuple):
    """A store that is yet to become a step."""

    obj: Any
    name: str
    value: Any


class Storing(Making):
    """`obj.name = value`."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._stores: dict[tuple[int, str], Deferred] = {}
        # For each attribute's name, the objects from outside in which it was read or stored.
        self._touched: dict[str, dict[fx.Node, Any]] = {}
        self._stored: set[tuple[fx.Node, str]] = set()
        self._apart: set[tuple[fx.Node, fx.Node]] = set()  # that are checked to be two objects
        self._open = False  # what objects hold was read as a whole

    def setattr(self, obj: Any, name: str, value: Any) -> None:
        if not self.on or not self.is_followed(obj):
            setattr(obj, name, value)
            if self.on:
                self.stop(f"a store to attribute {name}")
            return
        method = self.protocol(obj, "__setattr__")
        if method is not None:
            self.call(method, obj, name, value)
            return
        found = class_attribute(type(obj), name)
        if type(found) is property and isinstance(found.fset, types.FunctionType) and self._asks(obj, name):
            self.call(found.fset, obj, value)
            return
        self.store(obj, name, value)

    def store(self, obj: Any, name: str, value: Any) -> None:
        """`object.__setattr__(obj, name, value)`, or what the class does in its place."""
        found = class_attribute(type(obj), name)
        plain = is_plain(type(obj), "__setattr__") and not name.startswith("__")
        plain &= type(found) is types.MemberDescriptorType or not hasattr(type(found), "__set__")
        setattr(obj, name, value)
        if not plain:
            self.stop(f"a store to attribute {name}")
        elif id(obj) not in self.notes.objects:
            self._note(self._store, obj, name, value, None)

    def _store(self, obj: Any, name: str, value: Any, _: None) -> None:
        node = self.notes.tracked.node(obj)
        assert node is not None
        if self._open:
            raise Unfollowed(f"a store to attribute {name}, after what objects hold was read as a whole")
        self.of_class(obj, "__setattr__")
        if type(value) in (list, dict, set):
            raise Unfollowed(f"a store of a {type(value).__name__} to attribute {name}")
        if id(value) not in self.notes.objects:
            self.notes.ref(value)
        self._stores[id(obj), name] = Deferred(obj, name, value)
        self._seen["attribute", repr(name), node] = (value, value)
        self.touch(name, node, obj)
        self._stored.add((node, name))

    def touch(self, name: str, node: fx.Node, obj: Any) -> None:
        """Note that an attribute of an object from outside is read or stored."""
        if name == "__dict__":
            self._open = True
            if self._stores:
                raise Unfollowed("what objects hold is read as a whole, after a store")
        self._touched.setdefault(name, {})[node] = type(obj)

    def settle(self) -> None:
        """The stores that are waiting become steps. Objects that were two must be two then."""
        if not self._stores:
            return
        notes = self.notes
        for stored, name in sorted(self._stored, key=lambda pair: pair[0].name):
            for node, kind in self._touched[name].items():
                pair = (stored, node) if stored.name < node.name else (node, stored)
                unlike = kind is not self._touched[name][stored] and step_of(node) in ("input", "read")
                if node is not stored and not unlike and pair not in self._apart:
                    self._apart.add(pair)
                    notes.guard("other", None, *pair)
        waiting, self._stores = self._stores, {}
        for obj, name, value in waiting.values():
            refs = notes.ref(obj), notes.ref(value)
            node = notes.add("opaque", Store(name), refs, {}, Value("object"))
            node.meta["inert"] = True  # what was stored is known where it is read
            if is_array(value):
                node.meta["array"] = True

    def handed(self, args: Any, kwargs: Any, fn: Any) -> None:
        """An opaque call is about to be made: objects that it is given are made first, and stores that it may
        see are done; `print` sees what it is given."""
        leaving = [arg for arg in (*args, *kwargs.values()) if id(arg) in self.notes.objects]
        for arg in leaving:
            self.notes.leave(arg)
        if fn is not print or leaving:
            self.settle()
