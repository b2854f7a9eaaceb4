"""Handlers for lists, deques and long tuples from outside whose items are read one by one.

A function that appends to a list at each call would else be recorded again for each length. An appended item
is a store that waits, as a store to an attribute is (`stores.py`); an item or the length is a read of its
own; no guard is on the length. The registry and `recorder.py` list the handlers; `attributes_items.py`,
`containers.py` and `calls.py` use the other functions.
"""

from __future__ import annotations

import functools
import operator
from collections import deque
from typing import Any

from npcompile.frontend.program.guards import TruthIs
from npcompile.frontend.program.object_steps import Append, is_own
from npcompile.frontend.program.reads import ReadItem
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.reads import note_read
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.special_methods import is_followed
from npcompile.frontend.record.state import READ_BY_ITEM, Deferred
from npcompile.frontend.record.stores import check_storable
from npcompile.frontend.rewrite.hooks import Hooks
from npcompile.lower.plan.values import Value


def appending(recording: Recording, obj: Any, name: str) -> Any:
    """Return the function for the statement `obj.name.append(...)`."""
    if (
        recording.on
        and is_followed(recording, obj)
        and id(obj) not in recording.builder.objects
        and is_own(obj, name)
    ):
        kept = recording.getattr(obj, name)
        if grows(recording, kept):
            return functools.partial(append_to_history, recording, kept)
        function = recording.getattr(kept, "append")
        return lambda value: recording.discard(recording.call(function, value))
    return Hooks.appending(recording, obj, name)


def grows(recording: Recording, obj: Any) -> bool:
    """Return True if an append to this is to be a step of the program.

    Deques from outside are, and lists from outside of which not all was read (reading all decides the
    length), or which a call may have changed.
    """
    if not recording.on or type(obj) not in (list, deque):
        return False
    if id(obj) in recording.builder.loose:
        return id(obj) in recording.builder.containers
    if type(obj) is deque and id(obj) in recording.builder.containers:
        return True
    return id(obj) in recording.builder.unread or id(obj) in recording.builder.appended


def append_to_history(recording: Recording, kept: Any, value: Any) -> None:
    """Do `kept.append(value)`, and note it as a store that waits. kept: an object that `grows`."""
    kept.append(recording.builder.tracked.meant(value))
    if recording.on:
        recording.note(_appended, recording, kept, value, None)


def _appended(recording: Recording, kept: Any, value: Any, _: None) -> None:
    """Note an append, which Python has done, as a store that waits."""
    builder = recording.builder
    check_storable(recording, value, f"a {type(kept).__name__}")
    builder.unread.pop(id(kept), None)
    builder.appended.setdefault(id(kept), []).append(value)
    recording.effects.waiting[id(kept), len(recording.effects.waiting)] = Deferred(
        kept, Append(), value, builder.where()
    )


def item_of_history(recording: Recording, obj: Any, index: Any, result: Any) -> tuple[Any, ...]:
    """Return `obj[index]` in a tuple, for a list, tuple or deque from outside that was not read as a whole.

    Returns an empty tuple for other objects. result: the item that Python gave.
    """
    builder = recording.builder
    if type(obj) not in READ_BY_ITEM or type(index) is not int or id(obj) in builder.loose:
        return ()
    added = builder.appended.get(id(obj), [])
    if not added and id(obj) not in builder.unread:
        return ()
    builder.ref(index, True)
    if -len(added) <= index < 0:
        return (added[index],)  # the list holds the number that a stand-in among these stands for
    if added and (type(obj) is deque or index >= len(obj) - len(added)):
        return ()
    if index < 0:
        index += len(added)  # its place at replay, before the appends are stored
    return (note_read(recording, ReadItem, index, None, builder.containers[id(obj)], result),)


def length_of_history(recording: Recording, obj: Any, result: int) -> tuple[Any, ...]:
    """Return `len(obj)` in a tuple, for a list, tuple or deque from outside that was not read as a whole.

    Returns an empty tuple for other objects. result: the length that Python gave.
    """
    builder = recording.builder
    added = len(builder.appended.get(id(obj), ()))
    if id(obj) in builder.loose or (id(obj) not in builder.unread and (not added or type(obj) is deque)):
        return ()
    place = "length", "", builder.containers[id(obj)]
    if place not in recording.reads_seen:
        length = builder.tracked.result(result - added)
        builder.tracked.number(length, builder.add("number", len, (place[2],), {}, Value("int")))
        recording.reads_seen[place] = None, length
    length = recording.reads_seen[place][1]
    if not added:
        return (length,)
    builder.constant(added)
    return (builder.number(operator.add, (length, added), {}, result),)


def truth_of_list(recording: Recording, x: Any) -> Any:
    """Return the truth of a list or tuple that was not read as a whole; guard its truth, not its length."""
    if id(x) not in recording.builder.loose:
        if id(x) in recording.builder.appended:
            return bool(x)
        if id(x) in recording.builder.unread:
            result = bool(x)
            recording.note(recording.builder.guard, TruthIs(result), recording.builder.containers[id(x)])
            return result
    return PASS
