"""Stores to objects from outside wait: they become steps before a call that could see them, or at the end.

They are stores to attributes, to items of dicts and lists, and appends to lists. As long as a store waits,
guards still come before it, so that a guard failure has nothing to undo; and no kernel ends at it. The
registry lists `store_attribute`; handlers of containers note their stores here; opaque calls, draws and the
end of a recording make steps of them (`settle`). Objects that were two while recording are guarded to be two
where it matters.
"""

from __future__ import annotations

import types
from typing import Any

from torch import fx

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.graph.unfollowed import Unfollowed
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
from npcompile.frontend.record.container_keys import decide_keys
from npcompile.frontend.record.local_objects import asks_class, descriptor_method
from npcompile.frontend.record.reads import touch
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.special_methods import is_followed, note_class_attribute, special_method
from npcompile.frontend.record.state import Deferred
from npcompile.lower.plan.attributes import attributes, step_of
from npcompile.lower.plan.values import Value

MAX_IDENTIFIED = 64  # objects from outside whose `id` is asked: there is a guard for each pair


def _names(key: Any) -> bool:
    """Return True for a key that is a text, or a tuple with one.

    A new key of another kind may be a count: the dict may then grow with each call.
    """
    return any(map(_names, key)) if type(key) is tuple else type(key) is str


# -- attributes ------------------------------------------------------------------------------------------


def store_attribute(recording: Recording, obj: Any, name: str, value: Any) -> None:
    """Do `obj.name = value`: by the user's method, descriptor or property, or as a plain store."""
    if not is_followed(recording, obj):
        setattr(obj, name, value)
        recording.stop(Cause.STORE_TO_ATTRIBUTE(name))
        return
    method = special_method(recording, obj, "__setattr__")
    if method is not None:
        recording.call(method, obj, name, value)
        return
    found = class_attribute(type(obj), name)
    if (setter := descriptor_method(recording, obj, name, found, "__set__")) is not None:
        recording.call(setter, found, obj, value)
        return
    if (
        type(found) is property
        and isinstance(found.fset, types.FunctionType)
        and asks_class(recording, obj, name)
    ):
        recording.call(found.fset, obj, value)
        return
    _store(recording, obj, name, value)


def _store(recording: Recording, obj: Any, name: str, value: Any) -> None:
    """Do a store to an attribute that no followed code of the user's does."""
    found = class_attribute(type(obj), name)
    plain = is_plain(type(obj), "__setattr__") and not name.startswith("__")
    plain &= type(found) is types.MemberDescriptorType or not hasattr(type(found), "__set__")
    own = id(obj) in recording.builder.objects
    setattr(obj, name, value if own else recording.builder.tracked.meant(value))
    if not plain:
        recording.stop(Cause.STORE_TO_ATTRIBUTE(name))
    elif id(obj) not in recording.builder.objects:
        recording.note(_note_store, recording, obj, name, value, None)


def _note_store(recording: Recording, obj: Any, name: str, value: Any, _: None) -> None:
    """Note a plain store to an attribute of an object from outside: it waits."""
    node = recording.builder.tracked.node(obj)
    assert node is not None
    if recording.effects.read_whole:
        raise Unfollowed(Cause.STORE_AFTER_WHOLE(name))
    note_class_attribute(recording, obj, "__setattr__")
    check_storable(recording, value, f"attribute {name}")
    recording.effects.waiting[id(obj), name] = Deferred(
        obj, StoreAttribute(name), value, recording.builder.where()
    )
    recording.reads_seen[ReadAttribute, name, node] = (recording.builder.tracked.meant(value), value)
    touch(recording, name, node, obj)
    recording.effects.stored.add((node, name))


def check_storable(recording: Recording, value: Any, where: str) -> None:
    """Raise Unfollowed unless a step can store this value."""
    if type(value) in (list, dict, tuple) and recording.builder.container_of(value) is None:
        if type(value) is not tuple and id(value) in recording.builder.shown:
            raise Unfollowed(Cause.STORE_OF_SHARED(type(value).__name__, where))
        recording.builder.tight(value)
        for item in value.values() if type(value) is dict else value:
            check_storable(recording, item, where)
    elif id(value) not in recording.builder.objects and recording.builder.container_of(value) is None:
        recording.builder.ref(value)


# -- containers ------------------------------------------------------------------------------------------


def note_stored_item(recording: Recording, obj: Any, index: Any, value: Any, new: bool) -> None:
    """Note `obj[index] = value` of a list or dict, which Python has done. new: the index is a new key."""
    decide_keys(recording, (index,), None)
    known = recording.builder.tracked.get(obj)
    if known is None:
        return  # made inside
    node = recording.builder.containers.get(id(obj))
    if node is None or id(obj) in recording.builder.loose or (type(obj) is list and type(index) is not int):
        raise Unfollowed(Cause.CONTAINER_IN_PLACE())
    if new and not _names(index):  # the dict may grow with each call
        raise Unfollowed(Cause.CONTAINER_IN_PLACE())
    check_storable(recording, value, f"item {index!r}" if type(index) in (str, int) else "an item")
    if known.node is not None:
        index = index if type(obj) in DICTS else index % len(obj)
        recording.reads_seen[ReadItem, place_of(index), known.node] = (
            recording.builder.tracked.meant(value),
            value,
        )
    if new:
        recording.effects.new_keys.setdefault(id(obj), set()).add(index)
    if recording.builder.tracked.is_meant(value):
        recording.builder.stored_stand_ins.setdefault(id(obj), []).append(value)
    recording.effects.waiting[id(obj), place_of(index)] = Deferred(
        obj, StoreItem(index), value, recording.builder.where()
    )


def set_default(
    recording: Recording, own: dict[Any, Any], name: str, args: tuple[Any, ...]
) -> tuple[Any, ...]:
    """Do `setdefault` of a dict from outside: an item is read or stored; return it in a tuple.

    The tuple is empty for other methods and other dicts.
    """
    if name != "setdefault" or len(args) not in (1, 2) or recording.builder.tracked.get(own) is None:
        return ()
    recording.note(note_membership, recording, args[0], own, None)
    if args[0] not in own:
        default = args[1] if len(args) == 2 else None
        recording.setitem(own, args[0], default)
        return (default,)  # the dict holds the number that a stand-in stands for
    return (recording.getitem(own, args[0]),)


def note_membership(recording: Recording, key: Any, own: dict[Any, Any], result: Any) -> Any:
    """Decide a key, and guard the keys of a dict, where it matters if the dict has the key."""
    recording.builder.ref(key, True)
    node = recording.builder.tracked.node(own)
    if node is None:
        assert id(own) in recording.builder.tracked.known
        return result  # the signature decides
    recording.builder.tight(own, whole=False)
    if attributes(node).contents_epoch != recording.builder.calls:
        raise Unfollowed(Cause.KEY_MAY_HAVE_CHANGED())
    if attributes(node).keys is None:
        new = recording.effects.new_keys.get(id(own), ())
        keys = tuple(key for key in own if key not in new)
        if not all(map(is_key, keys)):
            raise Unfollowed(Cause.CONTAINER_CONTENTS())
        attributes(node).keys = keys
        recording.builder.guard(KeysAre(keys), node)
    return result


# -- as steps --------------------------------------------------------------------------------------------


def _set_two_apart(recording: Recording, one: fx.Node, other: fx.Node) -> None:
    """Guard that two objects are two at replay, too."""
    pair = (one, other) if one.name < other.name else (other, one)
    if one is not other and pair not in recording.effects.apart:
        recording.effects.apart.add(pair)
        recording.builder.guard(DifferentObjects(), *pair)


def identity_of(recording: Recording, obj: Any, result: int) -> int:
    """Note `id(obj)`: objects from outside whose `id` is asked are guarded to be different objects.

    Nothing else follows from the number.
    """
    node = recording.builder.tracked.node(obj)
    if id(obj) not in recording.builder.objects:
        if (
            node is None
            or not is_followed(recording, obj)
            or len(recording.effects.identified) > MAX_IDENTIFIED
        ):
            raise Unfollowed(Cause.ID())
        for other in recording.effects.identified:
            _set_two_apart(recording, node, other)
        recording.effects.identified.append(node)
    recording.builder.ids.add(result)
    return result


def settle(recording: Recording) -> None:
    """Make steps of the stores that wait. Objects that were two are guarded to be two at replay."""
    if not recording.effects.waiting:
        return
    builder = recording.builder
    items = [
        obj for obj, store, *_ in recording.effects.waiting.values() if type(store) is not StoreAttribute
    ]
    recording.effects.changed |= {builder.containers[id(obj)] for obj in items}
    set_apart(recording)
    waiting, recording.effects.waiting = recording.effects.waiting, {}
    for obj, store, value, (line, _, elsewhere) in waiting.values():
        ref = builder.ref(obj) if type(store) is StoreAttribute else builder.containers[id(obj)]
        node = builder.add("opaque", store, (ref, builder.given_away(value)), {}, Value("object"))
        builder.show(builder.tracked.meant(value))
        known = attributes(node)
        known.place = known.place._replace(line=line, elsewhere=elsewhere)
        known.inert = True  # the stored value is known where it is read
    # The items of lists with appends are unknown from here on: a read would come before the appends.
    builder.loose.update((id(obj), obj) for obj, store, *_ in waiting.values() if type(store) is Append)
    builder.appended.clear()
    recording.effects.new_keys.clear()


def set_apart(recording: Recording) -> None:
    """Guard that objects are two where a store to one would otherwise be seen in the other."""
    for stored, name in sorted(recording.effects.stored, key=lambda pair: pair[0].name):
        for node, kind in recording.effects.touched[name].items():
            if kind is recording.effects.touched[name][stored] or step_of(node) not in ("input", "read"):
                _set_two_apart(recording, stored, node)
    for one in sorted(recording.effects.changed, key=lambda node: node.name):
        for other in recording.builder.containers.values():
            if attributes(one).container_type is attributes(other).container_type:
                _set_two_apart(recording, one, other)


def prepare_opaque(recording: Recording, args: Any, kwargs: Any, fn: Any) -> None:
    """Make the objects that an opaque call is given, and do the stores that it may see.

    `print` of arrays, numbers and texts sees none of them.
    """
    leaving = [arg for arg in (*args, *kwargs.values()) if id(arg) in recording.builder.objects]
    for arg in leaving:
        recording.builder.leave(arg)
    plain = all(is_numpy(arg) or type(arg) in (*NUMBERS, bool, str) for arg in args)
    if fn is not print or not plain or kwargs:
        settle(recording)
