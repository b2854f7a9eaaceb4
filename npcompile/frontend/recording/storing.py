"""Stores to what comes from outside: attributes of objects, items of dicts and lists, and lists' `append`.

A store is kept until the next call that could see it, and is a step there, or at the end: so nothing is
decided after it, and it ends no kernel.
"""

from __future__ import annotations

import functools
import types
from collections import deque
from typing import Any, NamedTuple

from torch import fx

from npcompile.frontend.made import Store, class_attribute, is_own, is_plain
from npcompile.frontend.notes import Unfollowed
from npcompile.frontend.program import Read, step_of
from npcompile.frontend.recording.making import Making
from npcompile.lower.values import Value


class Deferred(NamedTuple):
    """A store that is yet to become a step."""

    obj: Any
    store: Store
    value: Any


class Storing(Making):
    """`obj.name = value`, `obj[key] = value`, `obj.name.append(value)`."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._stores: dict[Any, Deferred] = {}
        # For each attribute's name, the objects from outside in which it was read or stored.
        self._touched: dict[str, dict[fx.Node, Any]] = {}
        self._stored: set[tuple[fx.Node, str]] = set()
        self._apart: set[tuple[fx.Node, fx.Node]] = set()  # that are checked to be two objects
        self._open = False  # what objects hold was read as a whole

    # -- attributes ------------------------------------------------------------------------------------------

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
        self._storable(value, f"attribute {name}")
        self._stores[id(obj), name] = Deferred(obj, Store("attribute", name), value)
        self._seen["attribute", repr(name), node] = (value, value)
        self.touch(name, node, obj)
        self._stored.add((node, name))

    def _storable(self, value: Any, where: str) -> None:
        if type(value) in (list, dict, set):
            raise Unfollowed(f"a store of a {type(value).__name__} to {where}")
        if id(value) not in self.notes.objects:
            self.notes.ref(value)

    def touch(self, name: str, node: fx.Node, obj: Any) -> None:
        """Note that an attribute of an object from outside is read or stored."""
        if name == "__dict__":
            self._open = True
            if self._stores:
                raise Unfollowed("what objects hold is read as a whole, after a store")
        self._touched.setdefault(name, {})[node] = type(obj)

    # -- containers ------------------------------------------------------------------------------------------

    def stored_item(self, obj: Any, index: Any, value: Any, new: bool) -> None:
        """Note `obj[index] = value` of a list or dict, which Python has done. new: the index is a new key."""
        self._keys((index,), None)
        known = self.notes.tracked.get(obj)
        if known is None:
            return  # made inside
        node = self.notes.containers.get(id(obj))
        if node is None or new or (type(obj) is list and type(index) is not int):
            raise Unfollowed("a container from outside is used in place")
        self._storable(value, f"item {index!r}")
        for other in self.notes.containers.values():
            self._two(node, other)
        if known.node is not None:
            index = index if type(obj) is dict else index % len(obj)
            self._seen["item", repr(index), known.node] = (value, value)
        self._stores[id(obj), repr(index)] = Deferred(obj, Store("item", index), value)

    def appending(self, obj: Any, name: str) -> Any:
        if self.on and self.is_followed(obj) and id(obj) not in self.notes.objects and is_own(obj, name):
            kept = getattr(obj, name)
            if type(kept) in (list, deque) and self.notes.tracked.get(kept) is None:
                return functools.partial(self._append, obj, name, kept)
        return super().appending(obj, name)

    def _append(self, obj: Any, name: str, kept: Any, value: Any) -> None:
        kept.append(value)
        if self.on:
            self._note(self._appended, obj, name, kept, value, None)

    def _appended(self, obj: Any, name: str, kept: Any, value: Any, _: None) -> None:
        notes = self.notes
        node = notes.tracked.node(obj)
        if (
            node is None
            or notes.tracked.get(kept) is not None
            or self._open
            or (id(obj), name) in self._stores
        ):
            raise Unfollowed("a container from outside is used in place")
        self._storable(value, f"the list {name}")
        if id(kept) not in notes.appended:
            read = notes.add("read", Read("attribute", name), (node,), {}, Value("object"))
            notes.guard("type", type(kept), read)
            notes.appended[id(kept)] = kept, read
            self.touch(name, node, obj)
        self._stores[id(kept), len(self._stores)] = Deferred(kept, Store("append"), value)

    # -- as steps --------------------------------------------------------------------------------------------

    def _two(self, one: fx.Node, other: fx.Node) -> None:
        """Two objects are to be two at replay."""
        pair = (one, other) if one.name < other.name else (other, one)
        if one is not other and pair not in self._apart:
            self._apart.add(pair)
            self.notes.guard("other", None, *pair)

    def settle(self) -> None:
        """The stores that are waiting become steps. Objects that were two must be two then."""
        if not self._stores:
            return
        notes = self.notes
        for stored, name in sorted(self._stored, key=lambda pair: pair[0].name):
            for node, kind in self._touched[name].items():
                if kind is self._touched[name][stored] or step_of(node) not in ("input", "read"):
                    self._two(stored, node)
        waiting, self._stores = self._stores, {}
        for obj, store, value in waiting.values():
            if store.how == "attribute":
                ref = notes.ref(obj)
            else:
                ref = notes.appended[id(obj)][1] if store.how == "append" else notes.containers[id(obj)]
            node = notes.add("opaque", store, (ref, notes.ref(value)), {}, Value("object"))
            node.meta["inert"] = True  # what was stored is known where it is read

    def handed(self, args: Any, kwargs: Any, fn: Any) -> None:
        """An opaque call is about to be made: objects that it is given are made first, and stores that it may
        see are done; `print` sees what it is given."""
        leaving = [arg for arg in (*args, *kwargs.values()) if id(arg) in self.notes.objects]
        for arg in leaving:
            self.notes.leave(arg)
        if fn is not print or leaving:
            self.settle()
