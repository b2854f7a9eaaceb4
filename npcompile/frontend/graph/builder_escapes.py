"""Escapes: objects and containers that leave a recording, as they are answered, stored, or handed to calls.

Lists and dicts from outside stay the objects that they are; containers and objects made inside are made again
at replay, by steps of their own.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from operator import length_hint
from types import BuiltinFunctionType
from typing import Any

from torch import fx

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.graph.equal_objects import EqualObjects
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.graph.visible_objects import VisibleObjects
from npcompile.frontend.program.equality import DICTS, is_shared
from npcompile.frontend.program.guards import SameObject
from npcompile.frontend.program.object_steps import Build, Container, contents
from npcompile.frontend.program.signature import MADE_ANEW
from npcompile.frontend.program.structure import Leaf, Literal, Mapping, Row, Structure
from npcompile.lower.plan.attributes import annotate
from npcompile.lower.plan.values import Value

_DECIDED: tuple[type, ...] = (tuple, *MADE_ANEW)
# The most items in containers that one recording goes through: each takes about a microsecond.
MOST_THINGS = 16_384
ANSWERED = 16  # a thing in an answer counts as this many: each stands in the program's source


class EscapeBuilder(VisibleObjects, EqualObjects):
    """The escapes of a recording, on top of what is shown of containers and where equal objects came from."""

    def through(self, container: Any, weight: int = 1) -> Any:
        """Return a container, or an iterator, to be gone through item by item.

        weight: each item counts as this many. Raises Unfollowed after too many.
        """
        self.things += weight * length_hint(container)
        if self.things > MOST_THINGS:
            raise Unfollowed(Cause.THINGS_GONE_THROUGH(MOST_THINGS))
        return container

    def leave(self, obj: Any) -> fx.Node:
        """Return the step that makes an object, made inside and needed itself, of what it holds now.

        From here on it is like one from outside.
        """
        if id(obj) in self.leaving:
            raise Unfollowed(Cause.HOLDS_ITSELF(type(obj).__name__))
        self.leaving.add(id(obj))
        names, values = ((), tuple(obj)) if isinstance(obj, tuple) else contents(obj)
        refs = tuple(self._held(value) for value in self.through(values))
        self.leaving.discard(id(obj))
        node = self.add("host", Build(type(obj), names), refs, {}, Value("object"))
        self.tracked.keep(obj, node)
        del self.objects[id(obj)]
        self.show_held(obj)
        return node

    def _held(self, value: Any) -> Any:
        """Return a value that an object holds, as an argument of the step that makes the object."""
        kind = type(value)
        known = self.tracked.get(value)
        if kind in (list, dict):
            if known is not None and known.node is not None:
                return known.node
            if known is not None or id(value) in self.shown:
                raise Unfollowed(Cause.SHARED_IN_OBJECT(kind.__name__))
            self.shown.add(id(value))
        if kind in _DECIDED and (node := self.origin(value)) is not None:
            return node  # one from outside stays that object: `made.bounds is self.bounds`
        if kind is tuple and self.is_literal(value):
            return value
        if kind in (list, tuple):
            return kind([self._held(item) for item in self.through(value)])
        if kind is dict:
            made = self._entries(value, self._held)
            return (
                made
                if type(made) is dict
                else self.add("host", Container(dict), (made,), {}, Value("object"))
            )
        return self.ref(value)

    def container(self, name: str, leaf: Any) -> None:
        """Note a dict among the arguments, for stores to it: its items are leaves of their own."""
        node = self.graph.create_node("placeholder", name, name=name)
        annotate(node, "input", Value("object")).container_type = type(leaf)
        self.inputs.append(node)
        if id(leaf) in self.containers:
            self.guard(SameObject(), node, self.containers[id(leaf)])
        else:
            self.containers[id(leaf)] = node

    def container_of(self, obj: Any) -> fx.Node | None:
        """Return the step that gave a list or dict itself; None for those made inside."""
        node = self.tracked.node(obj)
        return self.containers.get(id(obj)) if node is None else node

    def handed(self, obj: Any) -> Any:
        """Return an object as `ref` does, for a call that may do anything with it: lists and dicts are the
        objects themselves."""
        kind = type(obj)
        if kind in (list, *DICTS) and (node := self.container_of(obj)) is not None:
            return node
        if kind in _DECIDED and (node := self.origin(obj)) is not None:
            return node
        if kind is tuple and not self.is_literal(obj):
            return tuple([self.handed(item) for item in self.through(obj)])
        return self.ref(obj)

    def loosen(self, *objs: Any) -> None:
        """Note that a call may have changed these: the items of lists and dicts are no longer known."""
        for obj in objs:
            if type(obj) in (list, deque, *DICTS):
                self.loose[id(obj)] = obj
                self.loosen(*(obj.values() if type(obj) in DICTS else obj))
            elif type(obj) is tuple:
                self.loosen(*obj)

    def tight(self, obj: Any, whole: bool = True) -> None:
        """Make sure that the items of this are known. Raises Unfollowed.

        whole: Python looks at items other than one that is read by its index or key.
        """
        if id(obj) in self.loose:
            raise Unfollowed(Cause.CONTENTS_MAY_CHANGE(type(obj).__name__))
        if id(obj) in self.appended:
            raise Unfollowed(Cause.READ_AFTER_APPEND(type(obj).__name__))
        if id(obj) in self.unread:
            self.contents(self.unread.pop(id(obj))[1], obj)
        for value in self.stored_stand_ins.pop(id(obj), ()) if whole else ():
            self._show_number(value)

    def _show_number(self, value: Any) -> None:
        """Follow the numbers that stand-ins stand for, as Python now looks at a container that holds them.

        CPython has one object for equal small numbers: which is meant cannot be told, so each is decided.
        """
        if type(value) is tuple:
            for item in value:
                self._show_number(item)
        elif self.tracked.is_meant(value):
            node, meant = self.tracked.node(value), self.tracked.meant(value)
            if is_shared(meant) and node is not None:
                self.decide(node, meant)
                node = None
            self.tracked.number(meant, node)

    def given_away(self, value: Any) -> Any:
        """Return an object that is stored outside, as an argument of the step that stores it.

        Containers that were made inside are made by a step of their own, of what they hold now; from here on
        they are like those from outside that any call may change.
        """
        kind = type(value)
        if kind in _DECIDED and (node := self.origin(value)) is not None:
            return node
        if kind is tuple:
            if self.is_literal(value):
                return value
            items = tuple([self.given_away(item) for item in value])
            if not any(isinstance(item, fx.Node) for item in items):
                return items
            return self.add("host", Container(kind), (items,), {}, Value("object"))
        if kind not in (list, dict) and id(value) not in self.kept:
            return self.ref(value)
        if (node := self.container_of(value)) is not None:
            return node
        if kind not in (list, dict, OrderedDict, defaultdict):
            raise Unfollowed(Cause.MADE_AND_HANDED_ON(kind.__name__))
        self.tight(value)
        if self.tracked.get(value) is not None or id(value) in self.shown or id(value) in self.leaving:
            raise Unfollowed(Cause.SHARED_STORED(kind.__name__))
        self.leaving.add(id(value))
        made: Any
        if kind is list:
            made = [self.given_away(item) for item in self.through(value)]
        else:
            made = self._entries(value, self.given_away)
        self.leaving.discard(id(value))
        factory = value.default_factory if kind is defaultdict else None
        if factory is not None and type(factory) not in (type, BuiltinFunctionType):
            raise Unfollowed(Cause.DEFAULTDICT())
        node = self.add("host", Container(kind, factory), (made,), {}, Value("object"))
        self.tracked.keep(value, node)
        self.kept.pop(id(value), None)
        self.loose[id(value)] = value
        return node

    def _entries(self, own: dict[Any, Any], held: Callable[[Any], Any]) -> Any:
        """Return a dict as an argument of a step: a dict, or its entries where a key is a step."""
        entries = [(self._key(key), held(item)) for key, item in self.through(own).items()]
        return entries if any(isinstance(key, fx.Node) for key, _ in entries) else dict(entries)

    def _key(self, key: Any) -> Any:
        """Return a key of a dict that leaves: decided, and yet the object that it is."""
        found = self.ref(key, True)
        node = self.origin(key) if type(key) in _DECIDED else self.tracked.node(key)
        return found if node is None else node

    def structure(self, result: Any) -> Structure:
        """Return how the returned object is built."""
        kind = type(result)
        if kind in (list, dict):
            if (node := self.container_of(result)) is not None:
                return Leaf(node)
            self.tight(result)
            if id(result) in self.shown:
                raise Unfollowed(Cause.GIVEN_TWICE(kind.__name__))
            self.shown.add(id(result))
        if kind in _DECIDED and (node := self.origin(result)) is not None:
            return Leaf(node)
        if kind is tuple and self.is_literal(result):
            return Literal(result)
        if kind in (tuple, list):
            return Row(kind, [self.structure(item) for item in self.through(result, ANSWERED)])
        if kind is dict:
            entries = self.through(result, ANSWERED).items()
            return Mapping([(self._key(key), self.structure(item)) for key, item in entries])
        if kind in (bool, str, bytes, type(None), type(Ellipsis)) and self.tracked.node(result) is None:
            return Literal(result)
        ref = self.ref(result)
        return Leaf(ref) if isinstance(ref, fx.Node) else Literal(ref)
