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
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.graph.visible_objects import HOLDING
from npcompile.frontend.program.array_facts import is_array
from npcompile.frontend.program.equality import DICTS, is_key
from npcompile.frontend.program.guards import MembersAre
from npcompile.frontend.program.object_steps import is_named_tuple
from npcompile.frontend.record.appended_lists import length_of_history
from npcompile.frontend.record.container_keys import decide_keys, decide_length_of_set
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.special_methods import is_followed, special_method
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


def loop(recording: Recording, obj: Any) -> Any:
    if not recording.on:
        return obj
    return (
        _own_trips(recording, trips_over(recording, obj), obj)
        if len(recording.closures) == 1
        else trips_over(recording, obj)
    )


def _own_trips(recording: Recording, trips: Iterator[Any], obj: Any) -> Iterator[Any]:
    """A loop of the function itself: where it is long, its body is compiled once."""
    source = Source(trips)
    return drawn(recording, source, _own_parts(recording, source, obj))


def _own_parts(recording: Recording, source: Source, obj: Any) -> Iterator[Iterable[Any]]:
    if is_array(obj) and len(obj) > UNROLLED:
        recording.stop(Cause.LOOP_OVER_ARRAY())
    place = len(recording.own_trips)
    recording.own_trips.append(0)
    before = recording.builder.count
    for trip, item in enumerate(source):
        if recording.done:
            yield (item,)
            yield _rest(recording, source, obj)
            return
        if trip >= MAX_OWN_TRIPS or recording.builder.count - before > MAX_OWN_STEPS:
            recording.stop(Cause.OWN_LOOP_TOO_LONG(MAX_OWN_TRIPS, MAX_OWN_STEPS))
        recording.own_trips[place] += 1
        yield (item,)


def trips_over(recording: Recording, obj: Any) -> Iterator[Any]:
    source = Source(obj)
    return drawn(recording, source, _parts(recording, source, obj))


def _parts(recording: Recording, source: Source, obj: Any) -> Iterator[Iterable[Any]]:
    """What to go over, trip by trip; at once, when nothing is noted any more."""
    obj = _walked(recording, obj)
    if type(obj) in (list, deque, *DICTS):
        recording.note(note_gone_through, recording, obj)
    if type(obj) in (set, frozenset):
        recording.note(note_members, recording, obj)
        recording.note(recording.builder.constant, tuple(obj))
    if is_array(obj):
        recording.builder.asked(obj)
        recording.note(shape_guards.rows, recording.builder, obj)
        source.by_place(obj, functools.partial(_row, recording, obj))
    else:
        source.over(obj)
    if not is_walked(recording, obj):
        recording.stop(Cause.LOOP_OVER(type(obj).__name__))
    if recording.on and not is_known(recording, obj):
        recording.stop(Cause.LOOP_OVER_GIVEN(type(obj).__name__))
    outermost = not recording.loops_open
    if outermost:
        recording.inner_trips = 0
    recording.loops_open += 1
    try:
        trips = 0
        for item in source:
            if recording.done:
                yield (recording.meant(item),)
                yield _rest(recording, source, obj)  # rows of an array are read without the hook, too
                return
            if recording.on:
                counts = not _is_own(recording, item)
                trips += counts
                recording.inner_trips += counts and not outermost
                if trips > MAX_TRIPS or recording.inner_trips > MAX_INNER:
                    recording.stop(Cause.LOOP_TOO_LONG(MAX_TRIPS, MAX_INNER))
                elif type(obj) in _COUNTED:
                    recording.builder.constant(item)
                elif type(obj) is enumerate:
                    recording.builder.constant(item[0])
            yield (item,)
    finally:
        recording.loops_open -= 1


def _rest(recording: Recording, source: Source, obj: Any) -> Iterable[Any]:
    """Give what is left to go over where nothing is noted any more: what Python would have."""
    if recording.meant(obj) is obj:
        return source.left()
    return map(recording.builder.tracked.meant, source.left())


def _is_own(recording: Recording, item: Any) -> bool:
    """Whether it is an object that the function has made (or a tuple with one): there are as many as it
    has had steps to make them."""
    parts = item if type(item) is tuple else (item,)
    return any(id(part) in recording.builder.objects for part in parts)


def is_walked(recording: Recording, obj: Any) -> bool:
    """Whether it is known what comes of going over this."""
    kind = type(obj)
    if id(obj) in recording.builder.kept or kind in _KEPT_VIEWS:
        return True
    if kind in (list, tuple, dict, range, str, frozenset) or is_array(obj) or kind in LAZY or kind in _VIEWS:
        return True
    if kind is set or (is_named_tuple(kind) and kind.__iter__ is tuple.__iter__):
        return True
    if kind in DICTS:
        return id(obj) in recording.builder.containers
    return kind is deque and recording.builder.tracked.node(obj) is not None


def is_known(recording: Recording, obj: Any) -> bool:
    """Whether it is followed what lies in this, which is walked: of what a call gave nothing is."""
    return (
        is_array(obj)
        or type(obj) in (*SIMPLE, deque)
        or is_named_tuple(type(obj))
        or id(obj) in recording.builder.containers
        or recording.builder.tracked.node(obj) is None
    )


def note_gone_through(recording: Recording, obj: Any) -> None:
    """What lies in a list, dict or deque is asked for as a whole."""
    recording.builder.tight(obj)
    node = recording.builder.tracked.node(obj)
    if node is not None and attributes(node).contents_epoch not in (None, recording.builder.calls):
        raise Unfollowed(Cause.CONTAINER_MAY_HAVE_CHANGED())
    if type(obj) in DICTS:
        recording.builder.constant(tuple(obj))


def note_members(recording: Recording, obj: Any) -> None:
    """Note that it decides what is in a set."""
    node = recording.builder.tracked.node(obj)
    if node is None or attributes(node).members_epoch == recording.builder.calls:
        return  # made inside: that was decided then
    members = tuple(obj)
    if len(members) > MAX_MEMBERS or not all(map(is_key, members)):
        raise Unfollowed(Cause.CONTENTS_DECIDE(type(obj).__name__))
    attributes(node).members_epoch = recording.builder.calls
    recording.builder.guard(MembersAre(type(obj), members), node)


def note_length(recording: Recording, obj: Any, result: int) -> int:
    if id(obj) in recording.builder.kept:
        recording.builder.constant(result)
        return result
    if type(obj) in READ_BY_ITEM and (length := length_of_history(recording, obj, result)):
        return length[0]
    recording.builder.tight(obj)
    known = is_array(obj) or type(obj) in SIMPLE or id(obj) in recording.builder.containers
    if not known or (type(obj) in (str, bytes) and recording.builder.traced(obj)):
        raise Unfollowed(Cause.LENGTH(type(obj).__name__))
    if is_array(obj):
        return recording.builder.length(obj, 0)
    recording.builder.asked(obj)
    decide_length_of_set(recording, obj)
    recording.builder.constant(result)
    return result


def _walked(recording: Recording, obj: Any) -> Any:
    """What a loop goes over, where that is an object's own to say."""
    if (method := special_method(recording, obj, "__iter__")) is not None:
        return recording.call(method, obj)
    if recording.on and isinstance(obj, enum.EnumType):
        members: list[Any] = list(obj)
        for member in members:
            recording.builder.tracked.keep(member, None)
        return members
    if recording.on and is_named_tuple(type(obj)) and is_followed(recording, obj):
        recording.builder.constant(tuple(range(len(obj))))
        return [recording.getitem(obj, place) for place in range(len(obj))]
    return obj


def delegate(recording: Recording, obj: Any) -> Any:
    if recording.on and type(obj) is types.GeneratorType and recording.builder.tracked.get(obj) is None:
        return obj  # what it is sent, it is sent itself
    return recording.iterate(obj)


def _row(recording: Recording, array: Any, position: int) -> Any:
    recording.builder.constant(position)
    return recording.getitem(array, position)


def unpack(recording: Recording, value: Any, count: int) -> Any:
    return _unpacked(recording, value, count + 1)


def unpack_star(recording: Recording, value: Any, before: int, after: int) -> Any:
    return _unpacked(recording, value, None)


def flat_array(recording: Recording, obj: Any) -> Any:
    """The array of a flat view that the function has made, and has not begun to go through."""
    if recording.on and type(obj) is np.flatiter and id(obj) in recording.flat_views and obj.index == 0:
        return obj.base
    return None


def _unpacked(recording: Recording, value: Any, most: int | None) -> Any:
    if flat_array(recording, value) is not None:
        return [*itertools.islice(recording.iterate(value), most)]
    if recording.on and is_array(value):
        return list(recording.iterate(value))
    if recording.on and type(value) in (list, deque, *DICTS):
        recording.note(note_gone_through, recording, value)
    if recording.on and (is_followed(recording, value) or type(value) in (set, frozenset)):
        return list(itertools.islice(recording.iterate(value), most))
    if recording.on and not (is_walked(recording, value) and is_known(recording, value)):
        recording.stop(Cause.TAKEN_APART(type(value).__name__))
    return value


def trying(recording: Recording, begins: bool) -> None:
    recording.builder.tries += 1 if begins else -1


def raising(recording: Recording, exc: Any) -> Any:
    if recording.on:
        if isinstance(exc, type) and issubclass(exc, BaseException):
            exc = recording.call(exc)
        recording.raised = exc
    if isinstance(exc, BaseException):
        recording.builder.holds(exc, *exc.args)
    return exc


def reraising(recording: Recording) -> None:
    recording.raised = sys.exc_info()[1]  # else the recording has ended where it was caught


def is_decided(recording: Recording, exc: Any) -> bool:
    """Whether this exception is raised wherever the program is valid: by a `raise` of the user's, or for
    what is decided (a key that is not in a dict)."""
    return exc is not None and exc is recording.raised


def caught(recording: Recording, exc: Any) -> None:
    if recording.inside_numpy and type(exc) in (TypeError, KeyError, AttributeError):
        return  # NumPy asks by `try` what type something has: the signature decides that
    decided = is_decided(recording, exc)
    recording.raised = None  # it holds frames, and what is in them would live on
    told(exc)
    if recording.on and not decided:
        recording.stop(Cause.CAUGHT(type(exc).__name__))


def define(recording: Recording, function: Any) -> Any:
    recording.inner_functions[id(function)] = recording.builder.made[id(function)] = function
    if recording.ended:  # a generator goes on after the recording
        recording.unhook()
    return function


def discard(recording: Recording, value: Any) -> None:
    if recording.on:
        recording.note(recording.builder.unused, None)


def take_key(recording: Recording, value: Any) -> Any:
    return recording.note(decide_keys, recording, (value,), value) if recording.on else value


def take_keys(recording: Recording, values: Any) -> Any:
    if not recording.on:
        return values
    result = list(values)
    return recording.note(decide_keys, recording, result, result)


def build(recording: Recording, value: Any) -> Any:
    if recording.on and type(value) in (dict, set):
        recording.note(decide_keys, recording, value, value)
    if recording.is_over():
        return recording.shown(value)
    if recording.on and type(value) in HOLDING:
        recording.builder.holds(value, *value, *(value.values() if isinstance(value, dict) else ()))
    return value


def unsupported(recording: Recording, what: str, line: int) -> None:
    if recording.on:
        recording.stop(Cause[what]())


def imported(recording: Recording, name: str, value: Any) -> None:
    if recording.on and isinstance(value, types.ModuleType) and not is_fixed(value):
        recording.stop(Cause.IMPORT(name))
