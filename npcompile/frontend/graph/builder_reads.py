"""Reads: the recording notes what the function reads from outside (globals, closures, attributes, items), and
guards it."""

from __future__ import annotations

from collections import deque
from enum import Enum
from inspect import CO_NESTED
from random import Random
from types import FunctionType
from typing import Any

import numpy as np
from torch import fx

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.catalog.inlining import is_users_class
from npcompile.frontend.graph.builder_values import ValueBuilder
from npcompile.frontend.graph.memmaps import refuse_text
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.program.array_facts import facts, is_array
from npcompile.frontend.program.equality import DICTS, is_key, place_of
from npcompile.frontend.program.guards import (
    ArrayMatches,
    CodeIs,
    ContentsEqual,
    IsObject,
    LengthIs,
    SameObject,
    TypeIs,
    ValueEquals,
    keys_are,
)
from npcompile.frontend.program.reads import Read, ReadGlobal, ReadItem, ReadMemmap
from npcompile.frontend.program.signature import MADE_ANEW, NUMBERS, by_value
from npcompile.frontend.program.structure import Structure
from npcompile.lower.plan.attributes import attributes, step_of, value_of
from npcompile.lower.plan.sizes import SMALLEST
from npcompile.lower.plan.values import Value

# Containers from outside are read as a whole, up to this many things.
MAX_CONTENTS = 64
# The most items that an opaque call's result may hold in all: more are left to Python.
MAX_GIVEN = 256


class ReadBuilder(ValueBuilder):
    """Reads, and the guards on values that were read."""

    def placeholder(self, name: str, leaf: Any) -> None:
        super().placeholder(name, leaf)
        if type(leaf) is np.memmap:
            self.files.met(value_of(self.inputs[-1]).root)

    def structure(self, result: Any) -> Structure:
        if type(result) is np.memmap:
            raise Unfollowed(Cause.MEMMAP_ANSWERED())
        return super().structure(result)

    def opened(self, container: Any, node: fx.Node) -> None:
        """Follow a container from outside: a dict's items are read now, those of others where they are
        needed."""
        self.tracked.keep(container, node)
        if type(container) in DICTS:
            self.contents(node, container)
        else:
            self.unread[id(container)] = container, node

    def typed(self, value: Any, node: fx.Node, call: fx.Node) -> None:
        """Guard the type of a number that an opaque call gave; and the identity of an array that was known
        before."""
        refuse_text((node.args, node.kwargs), value)
        if not is_called(call):
            if node is not call:
                gives = attributes(call)
                if gives.items is None:
                    gives.items = {}
                gives.items[place_of(node.args[1])] = node
            return
        if is_array(value) and (known := self.tracked.node(value)) not in (None, node):
            self.guard(SameObject(), node, known)
        elif type(value) in NUMBERS or isinstance(value, np.generic):
            self.guard(TypeIs(type(value)), node)

    def held(self, container: Any, node: fx.Node) -> None:
        """Note that a step gave a container. An opaque call has to give one of this type and size again."""
        known = attributes(node)
        known.result_count = len(container)
        if not is_called(node):
            known.items, known.given_epoch = {}, self.calls  # its items are known, up to the next call
            return
        if step_of(node) == "opaque" and _holds_more(container, MAX_GIVEN):
            raise Unfollowed(Cause.CALL_GIVES_TOO_MANY(MAX_GIVEN))
        self.guard(TypeIs(type(container)), node)
        if type(container) is dict:
            self.guard(keys_are(tuple(container)), node)
        else:
            self.guard(LengthIs(len(container)), node)

    def contents(self, node: fx.Node, container: Any) -> None:
        """Follow the items of a container from outside.

        All are read at once: a small int among them must not be taken for another int of equal value.
        """
        if len(container) > MAX_CONTENTS:
            raise Unfollowed(Cause.CONTAINER_TOO_LONG(MAX_CONTENTS))
        items = list(container.items() if type(container) in DICTS else enumerate(container))
        if type(container) in DICTS and all(map(is_key, container)):
            attributes(node).keys = keys = tuple(container)
            self.guard(keys_are(keys), node)
        else:
            self.guard(LengthIs(len(items)), node)
        attributes(node).contents_epoch = self.calls
        attributes(node).items = found = {}
        for key, item in items:
            known = self.tracked.node(item)
            if known is None or not self._is_item(known, node, key, len(items)):
                self.outside(ReadItem(key), node, item, within=True)
                known = self.read_last
            found[place_of(key)] = known

    def _is_item(self, item: fx.Node, node: fx.Node, key: Any, count: int) -> bool:
        """Tell if this was read from that place in a list already."""
        target = item.target
        if type(target) is not ReadItem or item.args != (node,):
            return False
        return type(target.name) is int and type(key) is int and target.name % count == key

    def outside(self, read: Read, base: fx.Node | None, value: Any, within: bool = False) -> Any:
        """Note that a value from outside was read; return it, numbers as objects of their own.

        within: the value only lies in a container that was read, and nobody has asked for it yet.
        """
        if type(value) in NUMBERS and type(read) is not ReadItem:
            value = self.tracked.stand(value)
        if type(value) is np.memmap:
            base = self.add("read", read, () if base is None else (base,), {}, Value("object"))
            attributes(base).incidental = within
            self.guard(TypeIs(np.memmap), base)
            read = ReadMemmap("view")
        node = self.add("read", read, () if base is None else (base,), {}, self.value(value, outside=True))
        attributes(node).incidental = within
        return self.read_as(node, value)

    def read_as(self, node: fx.Node, value: Any) -> Any:
        """Note the value of a step that reads, or of an opaque call, and guard it for the replay."""
        read = node.target
        kind = type(value)
        is_number = kind in NUMBERS or isinstance(value, np.generic)
        known = self.tracked.get(value)
        if known is not None and known.node is not None and not is_number:
            self.guard(SameObject(), node, known.node)  # known by another path, which leads here, too
        elif is_array(value):
            self.guard(ArrayMatches(facts(value)), node)
            self.know(value, node)
        elif is_number:
            self.guard(TypeIs(kind), node)
            if self.counting and kind is int and value >= SMALLEST and isinstance(read, Read):
                self.counted(node, value)
            self.know(value, node)
        elif kind in (bool, str, bytes, type(None)):
            self.guard(ValueEquals(value), node)
            if kind in MADE_ANEW:
                self.came(value, node)
        elif kind in (list, deque, *DICTS):
            self.guard(TypeIs(kind), node)
            self.containers[id(value)] = node
            attributes(node).container_type = kind
            self.opened(value, node)
        elif kind is tuple and (
            not is_fixed(value) or (self.counting and is_shape(value) and isinstance(read, Read))
        ):
            self.guard(TypeIs(kind), node)
            self.tracked.keep(value, node)
            self.contents(node, value)
        elif is_users_class(kind) or kind in _STREAMS:
            self.guard(TypeIs(kind), node)  # its contents are read anew
            self.tracked.keep(value, node)
        elif isinstance(value, Enum):
            self.guard(IsObject(value), node)
            self.tracked.keep(value, None)
        elif kind is FunctionType and value.__code__.co_flags & CO_NESTED and type(read) is not ReadGlobal:
            self.guard(CodeIs(value.__code__), node)  # made in a call: another object at the next one
            self.tracked.keep(value, node)
        elif kind is tuple or (kind is slice and _decides(value)):
            self.guard(ContentsEqual(value), node)
            self.came(value, node)
            for part in value if kind is tuple else (value,):
                self.constant(part)
        else:
            self.guard(IsObject(value), node)
            if kind is not FunctionType and not by_value(value):
                self.tracked.keep(value, node)
        self.read_last = node
        return value


# Types whose methods are called anew at each replay, of the very object that is there then.
_STREAMS = (np.random.Generator, np.random.RandomState)


# The types of a slice's ends for which it is decided as a whole.
_ENDS = (int, np.integer, type(None))


def is_fixed(value: tuple[Any, ...]) -> bool:
    """Tell if a tuple holds only whole numbers, texts, slices and the like (a shape, names).

    These are decided on as a rule: the tuple is decided as a whole.
    """
    return all(is_fixed(item) if type(item) is tuple else _decides(item) for item in value)


def _holds_more(container: Any, most: int) -> bool:
    """Tell if more than `most` items lie in a container, and in those that lie in it."""
    left, count = [container], 0
    while left and count <= most:
        one = left.pop()
        count += len(one)
        items = one.values() if isinstance(one, dict) else one
        left += [item for item in items if isinstance(item, (tuple, list, dict))] if count <= most else []
    return count > most


def is_steady(function: Any, args: tuple[Any, ...]) -> bool:
    """Tell if a call gives a number of one type each time: a clock's, or a random one."""
    called = getattr(function, "function", None)
    if getattr(called, "__module__", None) == "time" or type(getattr(called, "__self__", None)) is Random:
        return True
    return bool(args) and isinstance(args[0], _STREAMS)


def is_called(node: fx.Node) -> bool:
    """Tell if this is the result of an opaque call, or a part of it."""
    while step_of(node) == "part":
        (node,) = node.all_input_nodes
    return step_of(node) == "opaque"


def is_shape(value: tuple[Any, ...]) -> bool:
    """Tell if a tuple may be that of an array's lengths."""
    return bool(value) and all(type(item) is int for item in value)


def _decides(item: Any) -> bool:
    if type(item) is slice:
        return all(isinstance(end, _ENDS) for end in (item.start, item.stop, item.step))
    return type(item) in (int, FunctionType) or by_value(item)
