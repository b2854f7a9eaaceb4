"""Loops, unpacking, exceptions, `with`: what is unrolled, and what ends a recording."""

from __future__ import annotations

import enum
import functools
import itertools
import sys
import types
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.boundary.faults import Source, drawn, told
from npcompile.frontend.catalog.assumed_modules import is_fixed
from npcompile.frontend.graph import shape_guards
from npcompile.frontend.graph.builder_values import Unfollowed
from npcompile.frontend.graph.visible_objects import HOLDING
from npcompile.frontend.program.array_facts import is_array
from npcompile.frontend.program.equality import DICTS, is_key
from npcompile.frontend.program.guards import MembersAre
from npcompile.frontend.program.object_steps import is_named_tuple
from npcompile.frontend.record.formatting import Texts
from npcompile.frontend.record.state import READ_BY_ITEM, SIMPLE
from npcompile.frontend.rewrite.statement_forms import UNROLLED
from npcompile.lower.plan.attributes import attributes

# A loop is unrolled into the program up to this many trips, a nest of loops up to so many of the inner ones.
MAX_TRIPS = 32
MAX_INNER = 128
# Loops of the function itself only up to this many, and so many steps: else the body is compiled once.
MAX_OWN_TRIPS = 16
MAX_OWN_STEPS = 128
# Sets from outside decide as a whole, up to so many things.
MAX_MEMBERS = 64

_VIEWS: tuple[type, ...] = (type({}.items()), type({}.keys()), type({}.values()))
_KEPT_VIEWS: tuple[type, ...] = (
    type(OrderedDict().items()),
    type(OrderedDict().keys()),
    type(OrderedDict().values()),
)
# What things are drawn from, one after the other.
LAZY: frozenset[Any] = frozenset(
    [types.GeneratorType, zip, enumerate, map, filter, reversed, type(iter([])), type(iter(()))]
    + [type(iter(range(0))), type(reversed([])), type(iter({})), type(iter(set())), type(iter(""))]
    + [
        type(iter({}.items())),
        type(iter({}.values())),
        itertools.chain,
        itertools.pairwise,
        itertools.product,
    ]
    + [
        itertools.zip_longest,
        itertools.cycle,
        itertools.combinations,
        itertools.permutations,
        itertools.islice,
    ]
    + [
        itertools.combinations_with_replacement,
        itertools.filterfalse,
        itertools.takewhile,
        itertools.dropwhile,
    ]
    + [itertools.count, itertools.repeat, itertools.accumulate, itertools.starmap, itertools.compress]
    + [type(itertools.tee(())[0]), itertools.groupby, type(next(itertools.groupby([0]))[1])]
)


_COUNTED = (range, type(iter(range(0))), itertools.count)  # they give numbers that are decided


class Control(Texts):
    """What a function goes over, and how."""

    def loop(self, obj: Any) -> Any:
        if not self.on:
            return obj
        return self._own_trips(self.trips(obj), obj) if len(self.closures) == 1 else self.trips(obj)

    def _own_trips(self, trips: Iterator[Any], obj: Any) -> Iterator[Any]:
        """A loop of the function itself: where it is long, its body is compiled once."""
        source = Source(trips)
        return drawn(self, source, self._own_parts(source, obj))

    def _own_parts(self, source: Source, obj: Any) -> Iterator[Iterable[Any]]:
        if is_array(obj) and len(obj) > UNROLLED:
            self.stop(Cause.LOOP_OVER_ARRAY())
        place = len(self.own_trips)
        self.own_trips.append(0)
        before = self.builder.count
        for trip, item in enumerate(source):
            if self.done:
                yield (item,)
                yield self._rest(source, obj)
                return
            if trip >= MAX_OWN_TRIPS or self.builder.count - before > MAX_OWN_STEPS:
                self.stop(Cause.OWN_LOOP_TOO_LONG(MAX_OWN_TRIPS, MAX_OWN_STEPS))
            self.own_trips[place] += 1
            yield (item,)

    def trips(self, obj: Any) -> Iterator[Any]:
        source = Source(obj)
        return drawn(self, source, self._parts(source, obj))

    def _parts(self, source: Source, obj: Any) -> Iterator[Iterable[Any]]:
        """What to go over, trip by trip; at once, when nothing is noted any more."""
        obj = self._walked(obj)
        if type(obj) in (list, deque, *DICTS):
            self.note(self._gone_through, obj)
        if type(obj) in (set, frozenset):
            self.note(self.members, obj)
            self.note(self.builder.constant, tuple(obj))
        if is_array(obj):
            self.builder.asked(obj)
            self.note(shape_guards.rows, self.builder, obj)
            source.by_place(obj, functools.partial(self._row, obj))
        else:
            source.over(obj)
        if not self.is_walked(obj):
            self.stop(Cause.LOOP_OVER(type(obj).__name__))
        if self.on and not self.is_known(obj):
            self.stop(Cause.LOOP_OVER_GIVEN(type(obj).__name__))
        outermost = not self.loops_open
        if outermost:
            self.inner_trips = 0
        self.loops_open += 1
        try:
            trips = 0
            for item in source:
                if self.done:
                    yield (self.meant(item),)
                    yield self._rest(source, obj)  # rows of an array are read without the hook, too
                    return
                if self.on:
                    counts = not self._is_own(item)
                    trips += counts
                    self.inner_trips += counts and not outermost
                    if trips > MAX_TRIPS or self.inner_trips > MAX_INNER:
                        self.stop(Cause.LOOP_TOO_LONG(MAX_TRIPS, MAX_INNER))
                    elif type(obj) in _COUNTED:
                        self.builder.constant(item)
                    elif type(obj) is enumerate:
                        self.builder.constant(item[0])
                yield (item,)
        finally:
            self.loops_open -= 1

    def _rest(self, source: Source, obj: Any) -> Iterable[Any]:
        """Give what is left to go over where nothing is noted any more: what Python would have."""
        if self.meant(obj) is obj:
            return source.left()
        return map(self.builder.tracked.meant, source.left())

    def _is_own(self, item: Any) -> bool:
        """Whether it is an object that the function has made (or a tuple with one): there are as many as it
        has had steps to make them."""
        parts = item if type(item) is tuple else (item,)
        return any(id(part) in self.builder.objects for part in parts)

    def is_walked(self, obj: Any) -> bool:
        """Whether it is known what comes of going over this."""
        kind = type(obj)
        if id(obj) in self.builder.kept or kind in _KEPT_VIEWS:
            return True
        if (
            kind in (list, tuple, dict, range, str, frozenset)
            or is_array(obj)
            or kind in LAZY
            or kind in _VIEWS
        ):
            return True
        if kind is set or (is_named_tuple(kind) and kind.__iter__ is tuple.__iter__):
            return True
        if kind in DICTS:
            return id(obj) in self.builder.containers
        return kind is deque and self.builder.tracked.node(obj) is not None

    def is_known(self, obj: Any) -> bool:
        """Whether it is followed what lies in this, which is walked: of what a call gave nothing is."""
        return (
            is_array(obj)
            or type(obj) in (*SIMPLE, deque)
            or is_named_tuple(type(obj))
            or id(obj) in self.builder.containers
            or self.builder.tracked.node(obj) is None
        )

    def _gone_through(self, obj: Any) -> None:
        """What lies in a list, dict or deque is asked for as a whole."""
        self.builder.tight(obj)
        node = self.builder.tracked.node(obj)
        if node is not None and attributes(node).contents_epoch not in (None, self.builder.calls):
            raise Unfollowed(Cause.CONTAINER_MAY_HAVE_CHANGED())
        if type(obj) in DICTS:
            self.builder.constant(tuple(obj))

    def members(self, obj: Any) -> None:
        """Note that it decides what is in a set."""
        node = self.builder.tracked.node(obj)
        if node is None or attributes(node).members_epoch == self.builder.calls:
            return  # made inside: that was decided then
        members = tuple(obj)
        if len(members) > MAX_MEMBERS or not all(map(is_key, members)):
            raise Unfollowed(Cause.CONTENTS_DECIDE(type(obj).__name__))
        attributes(node).members_epoch = self.builder.calls
        self.builder.guard(MembersAre(type(obj), members), node)

    def _length(self, obj: Any, result: int) -> int:
        if id(obj) in self.builder.kept:
            self.builder.constant(result)
            return result
        if type(obj) in READ_BY_ITEM and (length := self.length_of_history(obj, result)):
            return length[0]
        self.builder.tight(obj)
        known = is_array(obj) or type(obj) in SIMPLE or id(obj) in self.builder.containers
        if not known or (type(obj) in (str, bytes) and self.builder.traced(obj)):
            raise Unfollowed(Cause.LENGTH(type(obj).__name__))
        if is_array(obj):
            return self.builder.length(obj, 0)
        self.builder.asked(obj)
        self._of_set(obj)
        self.builder.constant(result)
        return result

    def _walked(self, obj: Any) -> Any:
        """What a loop goes over, where that is an object's own to say."""
        if (method := self.protocol(obj, "__iter__")) is not None:
            return self.call(method, obj)
        if self.on and isinstance(obj, enum.EnumType):
            members: list[Any] = list(obj)
            for member in members:
                self.builder.tracked.keep(member, None)
            return members
        if self.on and is_named_tuple(type(obj)) and self.is_followed(obj):
            self.builder.constant(tuple(range(len(obj))))
            return [self.getitem(obj, place) for place in range(len(obj))]
        return obj

    def delegate(self, obj: Any) -> Any:
        if self.on and type(obj) is types.GeneratorType and self.builder.tracked.get(obj) is None:
            return obj  # what it is sent, it is sent itself
        return self.iterate(obj)

    def _row(self, array: Any, position: int) -> Any:
        self.builder.constant(position)
        return self.getitem(array, position)

    def unpack(self, value: Any, count: int) -> Any:
        return self._unpacked(value, count + 1)

    def unpack_star(self, value: Any, before: int, after: int) -> Any:
        return self._unpacked(value, None)

    def flat_array(self, obj: Any) -> Any:
        """The array of a flat view that the function has made, and has not begun to go through."""
        if self.on and type(obj) is np.flatiter and id(obj) in self.flat_views and obj.index == 0:
            return obj.base
        return None

    def _unpacked(self, value: Any, most: int | None) -> Any:
        if self.flat_array(value) is not None:
            return [*itertools.islice(self.iterate(value), most)]
        if self.on and is_array(value):
            return list(self.iterate(value))
        if self.on and type(value) in (list, deque, *DICTS):
            self.note(self._gone_through, value)
        if self.on and (self.is_followed(value) or type(value) in (set, frozenset)):
            return list(itertools.islice(self.iterate(value), most))
        if self.on and not (self.is_walked(value) and self.is_known(value)):
            self.stop(Cause.TAKEN_APART(type(value).__name__))
        return value

    def trying(self, begins: bool) -> None:
        self.builder.tries += 1 if begins else -1

    def raising(self, exc: Any) -> Any:
        if self.on:
            if isinstance(exc, type) and issubclass(exc, BaseException):
                exc = self.call(exc)
            self.raised = exc
        if isinstance(exc, BaseException):
            self.builder.holds(exc, *exc.args)
        return exc

    def reraising(self) -> None:
        self.raised = sys.exc_info()[1]  # else the recording has ended where it was caught

    def is_decided(self, exc: Any) -> bool:
        """Whether this exception is raised wherever the program is valid: by a `raise` of the user's, or for
        what is decided (a key that is not in a dict)."""
        return exc is not None and exc is self.raised

    def caught(self, exc: Any) -> None:
        if self.inside_numpy and type(exc) in (TypeError, KeyError, AttributeError):
            return  # NumPy asks by `try` what type something has: the signature decides that
        decided = self.is_decided(exc)
        self.raised = None  # it holds frames, and what is in them would live on
        told(exc)
        if self.on and not decided:
            self.stop(Cause.CAUGHT(type(exc).__name__))

    def define(self, function: Any) -> Any:
        self.inner_functions[id(function)] = self.builder.made[id(function)] = function
        if self.ended:  # a generator goes on after the recording
            self.unhook()
        return function

    def discard(self, value: Any) -> None:
        if self.on:
            self.note(self.builder.unused, None)

    def key(self, value: Any) -> Any:
        return self.note(self._keys, (value,), value) if self.on else value

    def keys(self, values: Any) -> Any:
        if not self.on:
            return values
        result = list(values)
        return self.note(self._keys, result, result)

    def build(self, value: Any) -> Any:
        if self.on and type(value) in (dict, set):
            self.note(self._keys, value, value)
        if self.is_over():
            return self.shown(value)
        if self.on and type(value) in HOLDING:
            self.builder.holds(value, *value, *(value.values() if isinstance(value, dict) else ()))
        return value

    def unsupported(self, what: str, line: int) -> None:
        if self.on:
            self.stop(Cause[what]())

    def imported(self, name: str, value: Any) -> None:
        if self.on and isinstance(value, types.ModuleType) and not is_fixed(value):
            self.stop(Cause.IMPORT(name))
