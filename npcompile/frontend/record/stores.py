"""Stores to what comes from outside: attributes of objects, items of dicts and lists, and lists' `append`.

A store is kept until the next call that could see it, and is a step there, or at the end: so nothing is
decided after it, and it ends no kernel.
"""

from __future__ import annotations

import types
from typing import Any

from torch import fx

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.graph.builder_values import Unfollowed
from npcompile.frontend.program.array_facts import is_numpy
from npcompile.frontend.program.equality import DICTS, is_key, place_of
from npcompile.frontend.program.guards import DifferentObjects, KeysAre
from npcompile.frontend.program.object_steps import (
    Append,
    StoreAttribute,
    StoreItem,
    class_attribute,
    is_plain,
)
from npcompile.frontend.program.reads import ReadAttribute, ReadItem
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.record.local_objects import Making
from npcompile.frontend.record.state import Deferred
from npcompile.lower.plan.attributes import attributes, step_of
from npcompile.lower.plan.values import Value

MAX_IDENTIFIED = 64  # objects from outside, each of which is checked to be none of the others


def _names(key: Any) -> bool:
    """Whether a key is a text, or has one in it: it says what is meant, not how much there is."""
    return any(map(_names, key)) if type(key) is tuple else type(key) is str


class Storing(Making):
    """`obj.name = value`, `obj[key] = value`, `obj.name.append(value)`."""

    def __post_init__(self, filename: str, libraries: bool) -> None:
        super().__post_init__(filename, libraries)
        self.builder.settle = self.settle

    # -- attributes ------------------------------------------------------------------------------------------

    def store_attribute(self, obj: Any, name: str, value: Any) -> None:
        if not self.is_followed(obj):
            setattr(obj, name, value)
            self.stop(Cause.STORE_TO_ATTRIBUTE(name))
            return
        method = self.protocol(obj, "__setattr__")
        if method is not None:
            self.call(method, obj, name, value)
            return
        found = class_attribute(type(obj), name)
        if (setter := self._of_descriptor(obj, name, found, "__set__")) is not None:
            self.call(setter, found, obj, value)
            return
        if type(found) is property and isinstance(found.fset, types.FunctionType) and self._asks(obj, name):
            self.call(found.fset, obj, value)
            return
        self.store(obj, name, value)

    def store(self, obj: Any, name: str, value: Any) -> None:
        """`object.__setattr__(obj, name, value)`, or what the class does in its place."""
        found = class_attribute(type(obj), name)
        plain = is_plain(type(obj), "__setattr__") and not name.startswith("__")
        plain &= type(found) is types.MemberDescriptorType or not hasattr(type(found), "__set__")
        own = id(obj) in self.builder.objects
        setattr(obj, name, value if own else self.builder.tracked.meant(value))
        if not plain:
            self.stop(Cause.STORE_TO_ATTRIBUTE(name))
        elif id(obj) not in self.builder.objects:
            self.note(self._store, obj, name, value, None)

    def _store(self, obj: Any, name: str, value: Any, _: None) -> None:
        node = self.builder.tracked.node(obj)
        assert node is not None
        if self.effects.read_whole:
            raise Unfollowed(Cause.STORE_AFTER_WHOLE(name))
        self.of_class(obj, "__setattr__")
        self._storable(value, f"attribute {name}")
        self.effects.waiting[id(obj), name] = Deferred(obj, StoreAttribute(name), value, self.builder.where())
        self.reads_seen[ReadAttribute, name, node] = (self.builder.tracked.meant(value), value)
        self.touch(name, node, obj)
        self.effects.stored.add((node, name))

    def _storable(self, value: Any, where: str) -> None:
        """Raises Unfollowed where this is nothing that a step can store."""
        if type(value) in (list, dict, tuple) and self.builder.container_of(value) is None:
            if type(value) is not tuple and id(value) in self.builder.shown:
                raise Unfollowed(Cause.STORE_OF_SHARED(type(value).__name__, where))
            self.builder.tight(value)
            for item in value.values() if type(value) is dict else value:
                self._storable(item, where)
        elif id(value) not in self.builder.objects and self.builder.container_of(value) is None:
            self.builder.ref(value)

    def touch(self, name: str, node: fx.Node, obj: Any) -> None:
        """Note that an attribute of an object from outside is read or stored."""
        if name == "__dict__":
            self.effects.read_whole = True
            if self.effects.waiting:
                raise Unfollowed(Cause.WHOLE_AFTER_STORE())
        self.effects.touched.setdefault(name, {})[node] = type(obj)

    # -- containers ------------------------------------------------------------------------------------------

    def stored_item(self, obj: Any, index: Any, value: Any, new: bool) -> None:
        """Note `obj[index] = value` of a list or dict, which Python has done. new: the index is a new key."""
        self._keys((index,), None)
        known = self.builder.tracked.get(obj)
        if known is None:
            return  # made inside
        node = self.builder.containers.get(id(obj))
        if node is None or id(obj) in self.builder.loose or (type(obj) is list and type(index) is not int):
            raise Unfollowed(Cause.CONTAINER_IN_PLACE())
        if new and not _names(index):  # it may grow from call to call
            raise Unfollowed(Cause.CONTAINER_IN_PLACE())
        self._storable(value, f"item {index!r}" if type(index) in (str, int) else "an item")
        if known.node is not None:
            index = index if type(obj) in DICTS else index % len(obj)
            self.reads_seen[ReadItem, place_of(index), known.node] = (
                self.builder.tracked.meant(value),
                value,
            )
        if new:
            self.effects.new_keys.setdefault(id(obj), set()).add(index)
        self.effects.waiting[id(obj), place_of(index)] = Deferred(
            obj, StoreItem(index), value, self.builder.where()
        )

    def entry(self, own: dict[Any, Any], name: str, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """What `setdefault` of a dict from outside gives, in a tuple: an item that is read or stored."""
        if name != "setdefault" or len(args) not in (1, 2) or self.builder.tracked.get(own) is None:
            return ()
        self.note(self.among, args[0], own, None)
        if args[0] not in own:
            self.setitem(own, args[0], args[1] if len(args) == 2 else None)
            return (own[args[0]],)
        return (self.getitem(own, args[0]),)

    def among(self, key: Any, own: dict[Any, Any], result: Any) -> Any:
        """Note that it decides whether a dict has this key."""
        self.builder.ref(key, True)
        node = self.builder.tracked.node(own)
        if node is None:
            if self.builder.tracked.get(own) is None:
                raise Unfollowed(Cause.IN_DICT())
            return result  # the signature decides
        self.builder.tight(own)
        if attributes(node).contents_epoch != self.builder.calls:
            raise Unfollowed(Cause.KEY_MAY_HAVE_CHANGED())
        if attributes(node).keys is None:
            new = self.effects.new_keys.get(id(own), ())
            keys = tuple(key for key in own if key not in new)
            if not all(map(is_key, keys)):
                raise Unfollowed(Cause.CONTAINER_CONTENTS())
            attributes(node).keys = keys
            self.builder.guard(KeysAre(keys), node)
        return result

    # -- as steps --------------------------------------------------------------------------------------------

    def _two(self, one: fx.Node, other: fx.Node) -> None:
        """Two objects are to be two at replay."""
        pair = (one, other) if one.name < other.name else (other, one)
        if one is not other and pair not in self.effects.apart:
            self.effects.apart.add(pair)
            self.builder.guard(DifferentObjects(), *pair)

    def identity(self, obj: Any, result: int) -> int:
        """`id(obj)`: which of several objects are one is decided; that number means nothing else."""
        node = self.builder.tracked.node(obj)
        if id(obj) not in self.builder.objects:
            if node is None or not self.is_followed(obj) or len(self.effects.identified) > MAX_IDENTIFIED:
                raise Unfollowed(Cause.ID())
            for other in self.effects.identified:
                self._two(node, other)
            self.effects.identified.append(node)
        self.builder.ids.add(result)
        return result

    def settle(self) -> None:
        """The stores that are waiting become steps. Objects that were two must be two then."""
        if not self.effects.waiting:
            return
        builder = self.builder
        items = [obj for obj, store, *_ in self.effects.waiting.values() if type(store) is not StoreAttribute]
        self.effects.changed |= {builder.containers[id(obj)] for obj in items}
        self.set_apart()
        waiting, self.effects.waiting = self.effects.waiting, {}
        for obj, store, value, (line, _, elsewhere) in waiting.values():
            ref = builder.ref(obj) if type(store) is StoreAttribute else builder.containers[id(obj)]
            node = builder.add("opaque", store, (ref, builder.given_away(value)), {}, Value("object"))
            builder.show(builder.tracked.meant(value))
            known = attributes(node)
            known.place = known.place._replace(line=line, elsewhere=elsewhere)
            known.inert = True  # what was stored is known where it is read
        # What is read of these from here on would be read before what was appended is stored.
        builder.loose.update((id(obj), obj) for obj, store, *_ in waiting.values() if type(store) is Append)
        builder.appended.clear()
        self.effects.new_keys.clear()

    def set_apart(self) -> None:
        """Where a store to one of two objects would be seen in the other, they are to be two at replay."""
        for stored, name in sorted(self.effects.stored, key=lambda pair: pair[0].name):
            for node, kind in self.effects.touched[name].items():
                if kind is self.effects.touched[name][stored] or step_of(node) not in ("input", "read"):
                    self._two(stored, node)
        for one in sorted(self.effects.changed, key=lambda node: node.name):
            for other in self.builder.containers.values():
                if attributes(one).container_type is attributes(other).container_type:
                    self._two(one, other)

    def handed(self, args: Any, kwargs: Any, fn: Any) -> None:
        """An opaque call is about to be made: objects that it is given are made first, and stores that it may
        see are done; `print` sees what it is given."""
        leaving = [arg for arg in (*args, *kwargs.values()) if id(arg) in self.builder.objects]
        for arg in leaving:
            self.builder.leave(arg)
        plain = all(is_numpy(arg) or type(arg) in (*NUMBERS, bool, str) for arg in args)
        if fn is not print or not plain or kwargs:
            self.settle()
