"""Handlers for attributes, items and names: each does what Python does, and notes it.

Operations on arrays become ops or host calls. Values from outside (attributes of objects, items of
containers, globals, closure variables) become reads that each replay does again. The registry and
`recorder.py` list the handlers. `attribute_notes.py` notes attributes by the type of their object, and
`stores.py` notes stores.
"""

from __future__ import annotations

import enum
import inspect
import operator
import types
from collections import deque
from typing import Any

import numpy as np

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.catalog import inlining, purity
from npcompile.frontend.catalog.foreign_arrays import reason_among
from npcompile.frontend.catalog.python_operators import GETITEM
from npcompile.frontend.eager.ndarray import is_basic
from npcompile.frontend.graph.coercions import as_index
from npcompile.frontend.graph.constant_folding import folded, without_masks
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.ops.table import TABLE
from npcompile.frontend.program.array_facts import is_array
from npcompile.frontend.program.call_steps import Call
from npcompile.frontend.program.equality import DICTS, is_key, place_of
from npcompile.frontend.program.guards import PropertyIs
from npcompile.frontend.program.object_steps import is_named_tuple, is_users_mapping
from npcompile.frontend.program.reads import (
    ReadAttribute,
    ReadCell,
    ReadGlobal,
    ReadItem,
)
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.record.appended_lists import item_of_history
from npcompile.frontend.record.attribute_notes import FLAGS, note_member_of_class
from npcompile.frontend.record.container_keys import decide_keys, note_mutation
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.local_objects import computed_attribute
from npcompile.frontend.record.operators import compare_meant, refusal_of
from npcompile.frontend.record.reads import note_read
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.special_methods import note_class_attribute, special_method
from npcompile.frontend.record.state import SIMPLE
from npcompile.frontend.record.stores import note_membership, note_stored_item
from npcompile.frontend.rewrite.call_sites import caller, do
from npcompile.lower.plan.attributes import attributes

# Objects that make arrays of an index: `np.mgrid[0:3, 0:4]`.
_GRIDS = (type(np.mgrid), type(np.ogrid), type(np.r_), type(np.c_))
_INDICES = type(np.s_)


def _getter(obj: Any, name: str) -> Any:
    """Return the function behind a property of an object of the user's, or None."""
    if is_array(obj) or isinstance(obj, type | types.ModuleType | np.generic):
        return None
    found = inspect.getattr_static(type(obj), name, None)
    if type(found) is not property:
        return None
    jitted = hasattr(type(found.fget), "npcompile_function")
    return found.fget if jitted or isinstance(found.fget, types.FunctionType) else None


def attribute_of(recording: Recording, obj: Any, name: str) -> Any:
    """Return `obj.name`: by the user's function where the class computes it, else as Python reads it."""
    if computed := computed_attribute(recording, obj, name):
        return computed[0]
    if (getter := _getter(obj, name)) is not None and recording.note(
        _note_property, recording, obj, name, False
    ):
        return recording.call(getter, obj)
    return plain_attribute(recording, obj, name)


def plain_attribute(recording: Recording, obj: Any, name: str) -> Any:
    """Return `obj.name` as Python reads it."""
    result = getattr(obj, name)
    return recording.note(_noted_attribute, recording, obj, name, result) if recording.on else result


def _noted_attribute(recording: Recording, obj: Any, name: str, result: Any) -> Any:
    """Note an attribute that Python has read; return the object to go on with."""
    for handler in recording.handlers.attribute[type(obj)]:
        if (found := handler(recording, obj, name, result)) is not PASS:
            return found
    raise Unfollowed(Cause.ATTRIBUTE(name, type(obj).__name__))


def _note_property(recording: Recording, obj: Any, name: str, _: bool) -> bool:
    """Return True if a property's getter is called as a function; guard that the class keeps the property."""
    node = recording.builder.tracked.node(obj)
    if isinstance(obj, enum.Enum):
        note_member_of_class(recording, obj, name)
        return True
    if node is None:
        return False
    recording.builder.guard(PropertyIs(name, inspect.getattr_static(type(obj), name)), node)
    return True


def delete_attribute(recording: Recording, obj: Any, name: str) -> None:
    """Do `del obj.name`, which ends the recording."""
    delattr(obj, name)
    if recording.on:
        recording.stop(Cause.DELETED_ATTRIBUTE(name))


def item_of(recording: Recording, obj: Any, index: Any) -> Any:
    """Return `obj[index]`."""
    if (method := special_method(recording, obj, "__getitem__")) is not None:
        return recording.call(method, obj, index)
    return plain_item(recording, obj, index)


def plain_item(recording: Recording, obj: Any, index: Any) -> Any:
    """Return `obj[index]` as Python reads it."""
    own = is_array(obj) or (type(obj) in SIMPLE and recording.builder.container_of(obj) is None)
    result = do(operator.getitem, obj, index if own else recording.builder.tracked.meant(index))
    return recording.note(_getitem, recording, obj, index, result) if recording.on else result


def _getitem(recording: Recording, obj: Any, index: Any, result: Any) -> Any:
    """Note `obj[index]`, which Python has answered with `result`; return the object to go on with."""
    if is_array(obj):
        op, index = TABLE.of(GETITEM), as_index(recording.builder, index)
        assert op is not None
        if type(index) is list and index and all(type(item) is int for item in index):
            if recording.builder.traced(index):
                index = recording.builder.call("host", np.array, (index,), {}, np.array(index))
        if refusal_of(recording, op, (obj, index), {}) is not None:
            if (found := folded(recording.builder, (obj, index), {}, result)) is not None:
                return found[0]
            places = without_masks(recording.builder, index)
            if places is not None and refusal_of(recording, op, (obj, places), {}) is None:
                return recording.builder.op(op, (obj, places), {}, result)
            return recording.builder.host(GETITEM, (obj, index), {}, result)
        return recording.builder.op(op, (obj, index), {}, result, view=is_array(result) and is_basic(index))
    if type(obj) is FLAGS and index in purity.FLAGS:
        return result
    if type(obj) is _INDICES:  # `np.s_[1:, k]` is the index itself
        return result
    if type(obj) in _GRIDS:
        return recording.builder.host(Call("grid", obj.__getitem__), (index,), {}, result)
    if item := item_of_history(recording, obj, index, result):
        return item[0]
    recording.builder.tight(obj, whole=type(index) is slice)
    known = recording.builder.tracked.get(obj)
    if known is not None and known.node is not None:
        if is_users_mapping(obj):
            return _keyed(recording, obj, known.node, index, result)
        if (
            type(obj) not in (list, dict, tuple)
            and not _is_other_dict(recording, obj)
            and not is_named_tuple(type(obj))
        ):
            raise Unfollowed(reason_among(obj) or Cause.ITEM(type(obj).__name__))
        index = recording.builder.ref(index, True)
        if type(index) is slice and attributes(known.node).contents_epoch == recording.builder.calls:
            return result  # all items are known
        return _item_from_outside(recording, obj, known.node, index, result)
    if id(obj) in recording.builder.objects and is_named_tuple(type(obj)):
        recording.builder.ref(index, True)
        return result
    if type(obj) not in SIMPLE:
        raise Unfollowed(reason_among(obj) or Cause.ITEM(type(obj).__name__))
    recording.builder.ref(index, True)
    if type(obj) in (str, bytes, range):
        recording.builder.constant(result)
    return result


def _keyed(recording: Recording, obj: Any, node: Any, key: Any, result: Any) -> Any:
    """Note an item of a dict of the user's own class (`class Bunch(dict)`) from outside: a read."""
    recording.builder.ref(key, True)
    if getattr(obj, "__dict__", None) is obj or not is_key(key):
        raise Unfollowed(
            reason_among(obj) or Cause.ITEM(type(obj).__name__)
        )  # a store to an attribute would change an item
    place = ReadItem, place_of(key), node
    seen = recording.reads_seen.get(place)
    if seen is not None and seen[0] is result:
        return seen[1]
    note_class_attribute(recording, obj, "__getitem__")
    value = recording.builder.tracked.stand(result) if type(result) in NUMBERS else result
    read = recording.builder.outside(ReadItem(key), node, value)
    recording.reads_seen[place] = result, read
    return read


def _is_other_dict(recording: Recording, obj: Any) -> bool:
    """Return True for a dict of another class than `dict` whose items are all known.

    Items of other ones are not followed: a read of a missing key may change a `defaultdict`.
    """
    node = recording.builder.containers.get(id(obj))
    return (
        type(obj) in DICTS and node is not None and attributes(node).contents_epoch == recording.builder.calls
    )


def _item_from_outside(recording: Recording, obj: Any, node: Any, index: Any, result: Any) -> Any:
    """Note an item of a container from outside.

    Where the container was read as a whole and no call has come since, a number is the one that was read
    then.
    """
    if type(obj) in (list, tuple, deque) and type(index) is int:
        index %= len(obj)
    place = ReadItem, place_of(index), node
    if (type(result) in NUMBERS or isinstance(result, np.generic)) and place not in recording.reads_seen:
        item = (attributes(node).items or {}).get(place_of(index))
        current = attributes(node).contents_epoch == recording.builder.calls
        if item is not None and current and not attributes(item).looked_up:
            attributes(item).incidental, attributes(item).looked_up = False, True
            value = recording.builder.tracked.stand(result)
            recording.builder.tracked.number(value, item)
            recording.reads_seen[place] = result, value
    found = recording.builder.tracked.node(result)
    given = attributes(node).given_epoch
    known = (attributes(node).contents_epoch if given is None else given) == recording.builder.calls
    if place not in recording.reads_seen and found is not None and known:
        if found is (attributes(node).items or {}).get(place_of(index)):
            attributes(found).incidental = False
            recording.reads_seen[place] = result, result
    return note_read(recording, ReadItem, index, None, node, result)


def note_asked_of(recording: Recording, own: Any, name: str, args: tuple[Any, ...], result: Any) -> Any:
    """Note a method that shows what is in a container from outside, and has given `result`.

    The signature decides on the contents of arguments. Of other containers the program checks what the method
    depends on: all keys and their order, or the item that was asked for.
    """
    for key in args[:1]:
        recording.builder.ref(key, True)
    recording.builder.tight(own, whole=name not in ("get", "keys"))
    node = recording.builder.tracked.node(own)
    if node is None:
        return result
    if type(own) not in DICTS:
        raise Unfollowed(Cause.CONTAINER_CONTENTS())
    note_membership(recording, "", own, None)
    if name in ("items", "keys"):
        recording.builder.constant(tuple(own))
    if name == "get" and args[0] in own:
        return _item_from_outside(recording, own, node, args[0], result)
    return result


def compare_with_dict(recording: Recording, op: str, a: Any, b: Any) -> Any:
    """Decide `in` and `not in` of a dict from outside."""
    if op in ("in", "not in") and type(b) in DICTS and recording.builder.tracked.get(b) is not None:
        return recording.note(note_membership, recording, a, b, compare_meant(recording, op, a, b))
    return PASS


def store_item(recording: Recording, obj: Any, index: Any, value: Any) -> None:
    """Do `obj[index] = value`: by the user's function where the class has one, else as Python does it."""
    if (method := special_method(recording, obj, "__setitem__")) is not None:
        recording.call(method, obj, index, value)
        return
    if recording.on and is_array(obj):
        do(operator.setitem, obj, index, recording.builder.tracked.meant(value))
        recording.note(recording.builder.store, obj, index, value)
        return
    if recording.on and type(obj) in (list, deque):
        recording.note(recording.builder.tight, obj, False)
    new = recording.on and type(obj) in DICTS and index not in obj
    if type(obj) in (list, dict) and recording.builder.container_of(obj) is None:  # made inside
        do(operator.setitem, obj, index, value)
    else:
        do(
            operator.setitem,
            obj,
            recording.builder.tracked.meant(index),
            recording.builder.tracked.meant(value),
        )
    if recording.on:
        if type(obj) in (list, dict) or id(obj) in recording.builder.containers:
            recording.note(note_stored_item, recording, obj, index, value, new)
        else:
            recording.stop(Cause.STORE_INTO(type(obj).__name__))


def delete_item(recording: Recording, obj: Any, index: Any) -> None:
    """Do `del obj[index]`."""
    recording.note(decide_keys, recording, (index,), None)
    del obj[index]
    if recording.on:
        recording.note(note_mutation, recording, obj, None)


# -- names -------------------------------------------------------------------------------------------


def load_global(recording: Recording, name: str, value: Any) -> Any:
    """Note that a global or builtin name was read; return the object to go on with."""
    if not recording.on:
        return value
    space = caller().f_globals
    if inlining.is_numpys(space):
        recording.builder.constant(tuple(value) if type(value) is list else value)
        return value
    return recording.note(note_read, recording, ReadGlobal, name, space, None, value)


def load_free(recording: Recording, name: str, value: Any) -> Any:
    """Note that a closure variable was read; return the object to go on with."""
    return recording.note(_read_free, recording, name, value) if recording.on else value


def _read_free(recording: Recording, name: str, value: Any) -> Any:
    """Note a read of a closure variable, in the closure of the innermost running function that has it."""
    for cells, function in reversed(recording.closures):
        if name in cells and cells[name].cell_contents is value:
            if function is None:
                return note_read(recording, ReadCell, name, cells[name], None, value)
            closure = recording.builder.inside(function, ReadAttribute, "__closure__")
            cell = recording.builder.inside(closure, ReadItem, list(cells).index(name))
            return note_read(recording, ReadAttribute, "cell_contents", None, cell, value)
    raise Unfollowed(Cause.CLOSURE_VARIABLE(name))


def store_global(recording: Recording, name: str, value: Any) -> Any:
    """End the recording before a global name is bound; return the object to bind."""
    if recording.on:
        recording.stop(Cause.STORE_TO_GLOBAL(name))
    return recording.seen_as(value)[0] if recording.is_over() else value


def store_free(recording: Recording, name: str, value: Any) -> Any:
    """End the recording before a closure variable is bound; return the object to bind."""
    if recording.on:
        recording.stop(Cause.STORE_TO_CLOSURE(name))
    return recording.seen_as(value)[0] if recording.is_over() else value
