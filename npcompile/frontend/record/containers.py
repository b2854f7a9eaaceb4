"""Containers wherever they come from: their items and lengths, and the owners of their methods.

The registry lists the handlers. An item that is not there is decided, and the exception that says so is, too.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.catalog.foreign_arrays import reason_among
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.program.array_facts import is_array
from npcompile.frontend.program.equality import DICTS
from npcompile.frontend.program.reads import ReadAttribute
from npcompile.frontend.record.appended_lists import length_of_history
from npcompile.frontend.record.attributes_items import item_of
from npcompile.frontend.record.container_keys import decide_length_of_set
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.local_containers import note_count
from npcompile.frontend.record.reads import note_read
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.special_methods import is_followed
from npcompile.frontend.record.state import READ_BY_ITEM, SIMPLE
from npcompile.frontend.record.stores import note_membership
from npcompile.lower.plan.attributes import attributes


def note_owner(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Note the object of a method such as `history.append` that came from outside."""
    if recording.builder.tracked.node(fn) is not None:
        recording.note(_note_owner, recording, fn, None)
    return PASS


def _note_owner(recording: Recording, fn: Any, _: None) -> None:
    note_read(recording, ReadAttribute, "__self__", None, recording.builder.tracked.node(fn), fn.__self__)


def read_item(recording: Recording, obj: Any, index: Any) -> Any:
    """Read an item of anything."""
    if type(obj) not in (list, tuple, *DICTS):
        try:
            return item_of(recording, obj, index)
        except LookupError:
            # A handler that catches it would decide by it.
            if not (is_array(obj) or is_followed(recording, obj)):
                recording.stop(Cause.ITEM(type(obj).__name__))
            raise
    try:
        return item_of(recording, obj, index)
    except (KeyError, IndexError, TypeError) as error:
        if type(error) is not TypeError:
            recording.note(_note_missing, recording, obj, index, error)
        raise


def enter_item(recording: Recording, obj: Any, index: Any) -> Any:
    """Enter an item that a defaultdict or Counter from outside does not have, and give it."""
    if index in obj or id(obj) not in recording.builder.containers:
        return PASS
    recording.note(note_membership, recording, index, obj, None)
    if type(obj) is Counter:
        return recording.note(note_count, recording, 0)
    factory = recording.getattr(obj, "default_factory")
    if factory is None:
        return item_of(recording, obj, index)
    value = recording.call(factory)
    recording.setitem(obj, index, value)
    return value


def _note_missing(recording: Recording, obj: Any, index: Any, error: BaseException) -> Any:
    """Note an item that is not there: the container and the index decide that."""
    recording.builder.ref(index, True)
    if type(obj) in DICTS:
        if recording.builder.tracked.get(obj) is not None:
            note_membership(recording, index, obj, None)
    else:
        recording.builder.asked(obj)
        recording.builder.tight(obj, whole=False)
        node = recording.builder.tracked.node(obj)
        if node is not None and attributes(node).contents_epoch != recording.builder.calls:
            return error
    recording.raising(error)
    return error


def note_length(recording: Recording, obj: Any, result: int) -> int:
    """Note the length of a container, and return it: a step where the lengths of arrays stay open."""
    if id(obj) in recording.builder.kept:
        recording.builder.constant(result)
        return result
    if type(obj) in READ_BY_ITEM and (length := length_of_history(recording, obj, result)):
        return length[0]
    recording.builder.tight(obj, whole=False)
    known = is_array(obj) or type(obj) in SIMPLE or id(obj) in recording.builder.containers
    if not known or (type(obj) in (str, bytes) and recording.builder.traced(obj)):
        raise Unfollowed(reason_among(obj) or Cause.LENGTH(type(obj).__name__))
    if is_array(obj):
        return recording.builder.length(obj, 0)
    recording.builder.asked(obj)
    decide_length_of_set(recording, obj)
    recording.builder.constant(result)
    return result
