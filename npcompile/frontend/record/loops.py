"""Loops are unrolled into the program, item by item, up to a number of trips.

The registry lists `trips_over` as the last handler of iteration; `loop` and `delegate` are hooks. Where the
recording ends inside a loop, Python goes on with the items that are left.
"""

from __future__ import annotations

import enum
import functools
import itertools
import types
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from typing import Any

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.boundary.faults import Source, drawn
from npcompile.frontend.catalog.foreign_arrays import reason_among
from npcompile.frontend.graph import shape_guards
from npcompile.frontend.program.array_facts import is_array
from npcompile.frontend.program.equality import DICTS
from npcompile.frontend.program.object_steps import is_named_tuple
from npcompile.frontend.record.container_keys import note_gone_through, note_members
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.special_methods import is_followed, special_method
from npcompile.frontend.record.state import SIMPLE
from npcompile.frontend.rewrite.statement_forms import MAX_OWN_TRIPS, UNROLLED

# A loop is unrolled into the program up to MAX_TRIPS trips, a nest of loops up to MAX_INNER inner ones.
MAX_TRIPS = 32
MAX_INNER = 128
# A loop of the function itself ends the recording after more steps, too.
MAX_OWN_STEPS = 128

_VIEWS: tuple[type, ...] = (type({}.items()), type({}.keys()), type({}.values()))
_KEPT_VIEWS: tuple[type, ...] = (
    type(OrderedDict().items()),
    type(OrderedDict().keys()),
    type(OrderedDict().values()),
)
# Iterators, which give their items once.
LAZY: frozenset[Any] = frozenset(
    [types.GeneratorType, zip, enumerate, map, filter, reversed]
    + [
        type(iter([])),
        type(iter(())),
        type(iter(range(0))),
        type(iter({})),
        type(iter(set())),
        type(iter("")),
    ]
    + [type(iter({}.items())), type(iter({}.values()))]
    + [type(reversed([]))]
    + [itertools.chain, itertools.pairwise, itertools.product, itertools.zip_longest, itertools.cycle]
    + [itertools.combinations, itertools.combinations_with_replacement, itertools.permutations]
    + [itertools.islice, itertools.filterfalse, itertools.takewhile, itertools.dropwhile]
    + [itertools.count, itertools.repeat, itertools.accumulate, itertools.starmap, itertools.compress]
    + [type(itertools.tee(())[0]), itertools.groupby, type(next(itertools.groupby([0]))[1])]
)
_COUNTED = (range, type(iter(range(0))), itertools.count)  # their numbers are decided


def loop(recording: Recording, obj: Any, whole: bool) -> Any:
    """Return the items of a `for` loop's object, trip by trip. whole: the loop goes over all of them."""
    if not recording.on:
        return obj
    if whole and type(obj) is range:
        _end_before(recording, len(obj))
    trips = trips_over(recording, obj)
    return _own_trips(recording, trips, obj) if len(recording.closures) == 1 else trips


def _end_before(recording: Recording, trips: int) -> None:
    """End the recording before a loop that has more trips than it follows: to record some is in vain."""
    if len(recording.closures) == 1:
        if trips > MAX_OWN_TRIPS:
            recording.stop(Cause.OWN_LOOP_TOO_LONG(MAX_OWN_TRIPS, MAX_OWN_STEPS))
    elif trips > MAX_TRIPS or (recording.loops_open and recording.inner_trips + trips > MAX_INNER):
        recording.stop(Cause.LOOP_TOO_LONG(MAX_TRIPS, MAX_INNER))


def _own_trips(recording: Recording, trips: Iterator[Any], obj: Any) -> Iterator[Any]:
    """Return the trips of a loop of the function itself, where a long loop ends the recording."""
    source = Source(trips)
    return drawn(recording, source, _own_parts(recording, source, obj))


def _own_parts(recording: Recording, source: Source, obj: Any) -> Iterator[Iterable[Any]]:
    """Yield the trips of a loop of the function itself. A block compiles the body of a long one once."""
    if is_array(obj) and obj.ndim and len(obj) > UNROLLED:
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
    """Iterate any object, trip by trip."""
    source = Source(obj)
    return drawn(recording, source, _parts(recording, source, obj))


def _parts(recording: Recording, source: Source, obj: Any) -> Iterator[Iterable[Any]]:
    """Yield the items of a loop one by one, and all that are left at once when nothing is noted any more."""
    obj = _walked(recording, obj)
    if type(obj) in (list, deque, *DICTS):
        recording.note(note_gone_through, recording, obj)
    if type(obj) in (set, frozenset):
        recording.note(note_members, recording, obj)
        recording.note(recording.builder.constant, tuple(obj))
    if is_array(obj) and obj.ndim:
        recording.builder.asked(obj)
        recording.note(shape_guards.rows, recording.builder, obj)
        source.by_place(obj, functools.partial(_row, recording, obj))
    else:
        source.over(obj)
    if not is_walked(recording, obj):
        recording.stop(reason_among(obj) or Cause.LOOP_OVER(type(obj).__name__))
    if recording.on and not is_known(recording, obj):
        made = Cause.TEXT_DECIDES() if type(obj) is str else Cause.LOOP_OVER_GIVEN(type(obj).__name__)
        recording.stop(made)
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


def _walked(recording: Recording, obj: Any) -> Any:
    """Return what a loop iterates: the answer of a user's `__iter__`, or the items of an enum or named
    tuple."""
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


def _row(recording: Recording, array: Any, position: int) -> Any:
    """Return a row of an array."""
    recording.builder.constant(position)
    return recording.getitem(array, position)


def _rest(recording: Recording, source: Source, obj: Any) -> Iterable[Any]:
    """Give the items that are left where nothing is noted any more, as Python would have them."""
    if recording.meant(obj) is obj:
        return source.left()
    return map(recording.builder.tracked.meant, source.left())


def _is_own(recording: Recording, item: Any) -> bool:
    """Return True for an object that the function has made, or a tuple with one.

    A trip over one is not counted: the function had a step for each that it made.
    """
    parts = item if type(item) is tuple else (item,)
    return any(id(part) in recording.builder.objects for part in parts)


def is_walked(recording: Recording, obj: Any) -> bool:
    """Return True if the recording knows how an object gives its items."""
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
    """Return True if the recording follows the items of an object.

    It follows those of lists and the like, and those of objects that no step gave.
    """
    if _is_made_text(recording, obj):
        return False
    return (
        is_array(obj)
        or type(obj) in (*SIMPLE, deque)
        or is_named_tuple(type(obj))
        or id(obj) in recording.builder.containers
        or recording.builder.tracked.node(obj) is None
    )


def _is_made_text(recording: Recording, obj: Any) -> bool:
    """Return True for a text that a step gives: its characters are others in another call."""
    return type(obj) in (str, bytes) and recording.builder.traced(obj)


def walkable(recording: Recording, fn: Any, obj: Any) -> Any:
    """Return the object that a function such as `zip` or `list` iterates in place of another."""
    if is_array(obj) and (obj.ndim or fn is not iter):  # `iter` of a 0-d array raises
        return list(recording.iterate(obj)) if fn is reversed else recording.iterate(obj)
    known = type(obj) in SIMPLE or id(obj) in recording.builder.containers
    known = known and not _is_made_text(recording, obj)
    if not is_walked(recording, obj) or (not known and recording.builder.tracked.node(obj) is not None):
        recording.stop(Cause.ITEMS_NOT_FOLLOWED(fn.__name__, type(obj).__name__))
    elif recording.on:  # the result holds the items that were read
        recording.note(note_gone_through, recording, obj)
    return obj


def delegate(recording: Recording, obj: Any) -> Any:
    """Return the object that `yield from` goes over."""
    if recording.on and type(obj) is types.GeneratorType and recording.builder.tracked.get(obj) is None:
        return obj  # `yield from` sends to the generator itself
    return recording.iterate(obj)
