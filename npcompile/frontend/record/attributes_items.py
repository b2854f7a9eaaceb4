"""Attributes, items and names: what is inside an array, and what is read from outside the function."""

from __future__ import annotations

import enum
import inspect
import operator
import threading
import types
from collections import deque
from typing import Any, NamedTuple

import numpy as np

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.catalog import inlining, purity
from npcompile.frontend.catalog.assumed_modules import is_fixed, take
from npcompile.frontend.catalog.python_operators import GETITEM
from npcompile.frontend.eager.ndarray import is_basic
from npcompile.frontend.graph import shape_guards
from npcompile.frontend.graph.coercions import as_index
from npcompile.frontend.graph.constant_folding import folded, without_masks
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.ops import numpy_private
from npcompile.frontend.ops.table import TABLE
from npcompile.frontend.program.array_facts import is_array
from npcompile.frontend.program.call_steps import Call
from npcompile.frontend.program.draw_shapes import GENERATORS, is_draw
from npcompile.frontend.program.equality import DICTS, is_key, place_of
from npcompile.frontend.program.guards import MethodFunctionIs, PropertyIs, TypeIs
from npcompile.frontend.program.object_steps import is_named_tuple, is_own, is_users_mapping
from npcompile.frontend.program.reads import (
    ReadAttribute,
    ReadCell,
    ReadClassAttribute,
    ReadGlobal,
    ReadItem,
)
from npcompile.frontend.program.signature import NUMBERS, by_value
from npcompile.frontend.record.appended_lists import item_of_history
from npcompile.frontend.record.container_keys import decide_keys, note_mutation
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.local_objects import computed_attribute, own_attribute
from npcompile.frontend.record.operators import compare_meant, refusal_of
from npcompile.frontend.record.reads import note_read, touch
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.special_methods import note_class_attribute, note_class_method, special_method
from npcompile.frontend.record.state import SIMPLE
from npcompile.frontend.record.stores import note_membership, note_stored_item
from npcompile.frontend.rewrite.call_sites import caller, do
from npcompile.lower.plan.attributes import attributes, step_of

_GRIDS = (type(np.mgrid), type(np.ogrid), type(np.r_), type(np.c_))  # `np.mgrid[0:3, 0:4]` makes arrays
_INDICES = type(np.s_)
_FLAGS = type(np.empty(0).flags)
_IMMUTABLE = 1 << 8  # Py_TPFLAGS_IMMUTABLETYPE: in a class that Python code made, more may change


def _getter(obj: Any, name: str) -> Any:
    """The function behind a property of an object of the user's, or None."""
    if is_array(obj) or isinstance(obj, type | types.ModuleType | np.generic):
        return None
    found = inspect.getattr_static(type(obj), name, None)
    if type(found) is not property:
        return None
    jitted = hasattr(type(found.fget), "npcompile_function")
    return found.fget if jitted or isinstance(found.fget, types.FunctionType) else None


def _computed(obj: Any, name: str) -> bool:
    """Whether reading this attribute runs code of the class: reading it again would run it again."""
    kind = type(obj)
    if not isinstance(kind.__getattribute__, types.WrapperDescriptorType):  # Python code of the class
        return True
    if isinstance(obj, np.random.BitGenerator):  # its state, which draws change
        return True
    found = inspect.getattr_static(obj, name, _computed)
    if found is _computed:  # it is nowhere: `__getattr__` made it, or it is this thread's
        is_local = kind.__getattribute__ is threading.local.__getattribute__
        return not is_local or hasattr(kind, "__getattr__")
    if not isinstance(obj, type) and is_own(obj, name):  # `self.inv = np.linalg.inv`: it binds to nothing
        return False
    return hasattr(type(found), "__get__") and not isinstance(found, _PLAIN_DESCRIPTORS)


class _Fields(NamedTuple):
    first: Any


_PLAIN_DESCRIPTORS = (
    type(vars(_Fields)["first"]),  # a field of a named tuple
    types.FunctionType,
    staticmethod,
    classmethod,
    types.MemberDescriptorType,
    types.GetSetDescriptorType,
) + (types.MethodDescriptorType, types.WrapperDescriptorType, types.BuiltinFunctionType, type, np.ufunc)


def attribute_of(recording: Recording, obj: Any, name: str) -> Any:
    if computed := computed_attribute(recording, obj, name):
        return computed[0]
    if (getter := _getter(obj, name)) is not None and recording.note(
        _note_property, recording, obj, name, False
    ):
        return recording.call(getter, obj)
    result = getattr(obj, name)
    return recording.note(_noted_attribute, recording, obj, name, result) if recording.on else result


def _noted_attribute(recording: Recording, obj: Any, name: str, result: Any) -> Any:
    """Note an attribute that Python has read, by the type of the object; returns what to hand on."""
    for handler in recording.handlers.attribute[type(obj)]:
        if (found := handler(recording, obj, name, result)) is not PASS:
            return found
    raise Unfollowed(Cause.ATTRIBUTE(name, type(obj).__name__))


def attribute_note(recording: Recording, obj: Any, name: str, result: Any) -> Any:
    if id(obj) in recording.builder.objects:
        return own_attribute(recording, obj, name, result)
    if is_array(obj):
        recording.builder.files.of(obj, name, result)
        if name in purity.ARRAY_FACTS:
            traced = recording.builder.general or recording.builder.by_data(obj)
            if traced and name == "shape":
                return tuple(recording.builder.length(obj, axis) for axis in range(len(result)))
            if traced and name in ("size", "nbytes") and (obj.ndim == 1 or recording.builder.general):
                return shape_guards.size(recording.builder, obj, name)
            recording.builder.asked(obj)
            if name == "strides":
                shape_guards.strides(recording.builder, obj)
            recording.builder.constant(result)
            return result
        if name == "device" and isinstance(result, str):
            return result
        if type(result) is _FLAGS:
            recording.builder.asked(obj)
            shape_guards.lies(recording.builder, obj)
            return result
        op = TABLE.of(np.ndarray.__dict__.get(name))
        if type(result) in (types.BuiltinFunctionType, types.MethodType, types.MethodWrapperType):
            return result
        if op is None:
            raise Unfollowed(Cause.ARRAY_MEMBER(name))
        if (reason := refusal_of(recording, op, (obj,), {})) is not None:
            raise Unfollowed(reason)
        return recording.builder.op(op, (obj,), {}, result)
    if type(obj) is _FLAGS and name in purity.FLAGS:
        return result
    if type(obj) is np.broadcast and name in purity.BROADCAST_FACTS:
        shape_guards.lengths(recording.builder, *(of.base for of in obj.iters))
        recording.builder.constant(result)
        return result
    if isinstance(obj, np.generic):
        if name in purity.ARRAY_FACTS or type(result) is types.BuiltinFunctionType:
            recording.builder.constant(result)
            return result
        return recording.builder.number(ReadAttribute(name), (obj,), {}, result)
    if isinstance(obj, types.ModuleType):
        if not is_fixed(obj) or not take(vars(obj), name):
            return note_read(recording, ReadGlobal, name, vars(obj), None, result)
        recording.builder.constant(result)
        return result
    if isinstance(obj, enum.Enum):
        if vars(obj).get(name, _computed) is result:
            return note_read(recording, ReadGlobal, name, vars(obj), None, result)
        _of_member(recording, obj, name)
    known = recording.builder.tracked.get(obj)
    if known is not None and known.node is None:
        if type(result) is types.BuiltinFunctionType and result.__self__ is not obj and not by_value(result):
            raise Unfollowed(Cause.ATTRIBUTE_METHOD(name, type(obj).__name__))
        recording.builder.constant(result)
        if type(result) not in NUMBERS:
            recording.builder.tracked.keep(result, None)
        return result
    if known is not None and known.node is not None and type(obj) not in NUMBERS:
        return _attribute_from_outside(recording, obj, known.node, name, result)
    if isinstance(obj, enum.Enum):
        recording.builder.constant(result)
        return result
    if type(obj) is super:
        return _of_super(recording, obj, name, result)
    if type(obj) in SIMPLE or isinstance(obj, np.dtype | np.ufunc | numpy_private.DISPATCHER | type):
        if isinstance(obj, type) and isinstance(result, enum.Enum):
            return note_read(recording, ReadClassAttribute, name, obj, None, result)
        if isinstance(obj, type) and obj.__module__ not in ("builtins", "numpy"):
            if isinstance(result, types.MethodType) and result.__self__ is obj and not _computed(obj, name):
                note_class_method(recording, obj, name, result)
                return result
            if type(result) is types.BuiltinFunctionType and obj.__flags__ & _IMMUTABLE:
                return result  # `itertools.chain.from_iterable`
            if _computed(obj, name) or isinstance(result, types.MethodType):
                raise Unfollowed(Cause.ATTRIBUTE_OF_CLASS(name, obj.__name__))
            return note_read(recording, ReadClassAttribute, name, obj, None, result)
        recording.builder.constant(result)
        return result
    if type(obj) in NUMBERS and recording.builder.tracked.node(obj) is not None:
        if type(result) is types.BuiltinFunctionType:
            return result  # what is called on the number itself
        if callable(result):
            raise Unfollowed(Cause.MEMBER(type(obj).__name__, name))
        return recording.builder.number(ReadAttribute(name), (obj,), {}, result)
    if type(obj) in NUMBERS:
        recording.builder.constant(result)
        return result
    raise Unfollowed(Cause.ATTRIBUTE(name, type(obj).__name__))


def _attribute_from_outside(recording: Recording, obj: Any, node: Any, name: str, result: Any) -> Any:
    """An attribute of an object from outside: read again at replay."""
    if type(obj) in GENERATORS and is_draw(getattr(result, "__func__", None)):
        if step_of(node) == "opaque":  # of others, the type is decided
            recording.builder.guard(TypeIs(type(obj)), node)
        return result
    if isinstance(result, types.MethodType) and result.__self__ is obj:
        read = recording.builder.add(
            "read", ReadAttribute(name), (node,), {}, recording.builder.value(result)
        )
        recording.builder.guard(MethodFunctionIs(result.__func__), read)
        return result
    if isinstance(result, types.MethodType) and result.__self__ is type(obj):  # made anew at each read
        read = recording.builder.add(
            "read", ReadAttribute(name), (node,), {}, recording.builder.value(result)
        )
        recording.builder.guard(MethodFunctionIs(result.__func__), read)
        recording.builder.identify(recording.builder.inside(read, ReadAttribute, "__self__"), result.__self__)
        return result
    if type(result) is types.BuiltinFunctionType and result.__self__ is obj:
        return result
    if _computed(obj, name):
        raise Unfollowed(Cause.ATTRIBUTE_BY_CLASS(name, type(obj).__name__))
    touch(recording, name, node, obj)
    return note_read(recording, ReadAttribute, name, None, node, result)


def _of_super(recording: Recording, obj: Any, name: str, result: Any) -> Any:
    """An attribute of `super()`: of the first of the further classes that has it."""
    kinds = obj.__self_class__.__mro__
    rest = kinds[kinds.index(obj.__thisclass__) + 1 :]
    owner = next((kind for kind in rest if name in vars(kind)), None)
    if owner is object and type(result) is types.MethodWrapperType:
        return result
    if owner is None or type(vars(owner)[name]) is not types.FunctionType:
        raise Unfollowed(Cause.ATTRIBUTE_OF_SUPER(name))
    note_read(recording, ReadClassAttribute, "__mro__", obj.__self_class__, None, kinds)
    note_read(recording, ReadClassAttribute, name, owner, None, vars(owner)[name])
    return result


def _of_member(recording: Recording, obj: enum.Enum, name: str) -> None:
    """A method or a property of a member of the user's enumeration: as long as the class has this one."""
    owner = next((kind for kind in type(obj).__mro__ if name in vars(kind)), None)
    if owner is not None and isinstance(vars(owner)[name], types.FunctionType | property):
        note_read(recording, ReadClassAttribute, name, owner, None, vars(owner)[name])


def _note_property(recording: Recording, obj: Any, name: str, _: bool) -> bool:
    """A property's getter is a function like others, as long as the class has this property."""
    node = recording.builder.tracked.node(obj)
    if isinstance(obj, enum.Enum):
        _of_member(recording, obj, name)
        return True
    if node is None:
        return False
    recording.builder.guard(PropertyIs(name, inspect.getattr_static(type(obj), name)), node)
    return True


def delete_attribute(recording: Recording, obj: Any, name: str) -> None:
    delattr(obj, name)
    if recording.on:
        recording.stop(Cause.DELETED_ATTRIBUTE(name))


def item_of(recording: Recording, obj: Any, index: Any) -> Any:
    if (method := special_method(recording, obj, "__getitem__")) is not None:
        return recording.call(method, obj, index)
    own = is_array(obj) or (type(obj) in SIMPLE and recording.builder.container_of(obj) is None)
    result = do(operator.getitem, obj, index if own else recording.builder.tracked.meant(index))
    return recording.note(_getitem, recording, obj, index, result) if recording.on else result


def _getitem(recording: Recording, obj: Any, index: Any, result: Any) -> Any:
    if is_array(obj):
        op, index = TABLE.of(GETITEM), as_index(recording.builder, index)
        if type(index) is list and index and all(type(item) is int for item in index):
            if recording.builder.traced(index):
                index = recording.builder.call("host", np.array, (index,), {}, np.array(index))
        reason = Cause.NOT_AN_OP() if op is None else refusal_of(recording, op, (obj, index), {})
        if op is None or reason is not None:
            if (found := folded(recording.builder, (obj, index), {}, result)) is not None:
                return found[0]
            places = None if op is None else without_masks(recording.builder, index)
            if op is not None and places is not None and refusal_of(recording, op, (obj, places), {}) is None:
                return recording.builder.op(op, (obj, places), {}, result)
            return recording.builder.host(GETITEM, (obj, index), {}, result)
        return recording.builder.op(op, (obj, index), {}, result, view=is_array(result) and is_basic(index))
    if type(obj) is _FLAGS and index in purity.FLAGS:
        return result
    if type(obj) is _INDICES:  # `np.s_[1:, k]` is what it is asked for
        return result
    if type(obj) in _GRIDS:
        return recording.builder.host(Call("grid", obj.__getitem__), (index,), {}, result)
    if item := item_of_history(recording, obj, index, result):
        return item[0]
    recording.builder.tight(obj)
    known = recording.builder.tracked.get(obj)
    if known is not None and known.node is not None:
        if is_users_mapping(obj):
            return _keyed(recording, obj, known.node, index, result)
        if (
            type(obj) not in (list, dict, tuple)
            and not _is_other_dict(recording, obj)
            and not is_named_tuple(type(obj))
        ):
            raise Unfollowed(Cause.ITEM(type(obj).__name__))
        index = recording.builder.ref(index, True)
        if type(index) is slice and attributes(known.node).contents_epoch == recording.builder.calls:
            return result  # what is in it is known
        return _item_from_outside(recording, obj, known.node, index, result)
    if id(obj) in recording.builder.objects and is_named_tuple(type(obj)):
        recording.builder.ref(index, True)
        return result
    if type(obj) not in SIMPLE:
        raise Unfollowed(Cause.ITEM(type(obj).__name__))
    recording.builder.ref(index, True)
    if type(obj) in (str, bytes, range):
        recording.builder.constant(result)
    return result


def _keyed(recording: Recording, obj: Any, node: Any, key: Any, result: Any) -> Any:
    """An item of a dict of the user's own (`class Bunch(dict)`), from outside: read as attributes are."""
    recording.builder.ref(key, True)
    if getattr(obj, "__dict__", None) is obj or not is_key(key):
        raise Unfollowed(Cause.ITEM(type(obj).__name__))  # or stores to attributes would show in it
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
    """Whether it is a dict of another kind of which all that lies in it is known: to ask one for what is
    not there may change it."""
    node = recording.builder.containers.get(id(obj))
    return (
        type(obj) in DICTS and node is not None and attributes(node).contents_epoch == recording.builder.calls
    )


def _item_from_outside(recording: Recording, obj: Any, node: Any, index: Any, result: Any) -> Any:
    """An item of a container from outside, which was read as a whole: a number is that one."""
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
    """A method that shows what is in a container from outside. In arguments the signature decides what is
    there; of others that is checked: the keys and their order, or the item that was asked for."""
    for key in args[:1]:
        recording.builder.ref(key, True)
    recording.builder.tight(own)
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
    """`in` of a dict from outside."""
    if op in ("in", "not in") and type(b) in DICTS and recording.builder.tracked.get(b) is not None:
        return recording.note(note_membership, recording, a, b, compare_meant(recording, op, a, b))
    return PASS


def store_item(recording: Recording, obj: Any, index: Any, value: Any) -> None:
    if (method := special_method(recording, obj, "__setitem__")) is not None:
        recording.call(method, obj, index, value)
        return
    if recording.on and is_array(obj):
        do(operator.setitem, obj, index, recording.builder.tracked.meant(value))
        recording.note(recording.builder.store, obj, index, value)
        return
    if recording.on and type(obj) in (list, deque):
        recording.note(recording.builder.tight, obj)
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
    recording.note(decide_keys, recording, (index,), None)
    del obj[index]
    if recording.on:
        recording.note(note_mutation, recording, obj, None)


# -- names -------------------------------------------------------------------------------------------


def load_global(recording: Recording, name: str, value: Any) -> Any:
    if not recording.on:
        return value
    space = caller().f_globals
    if inlining.is_numpys(space):
        recording.builder.constant(tuple(value) if type(value) is list else value)
        return value
    return recording.note(note_read, recording, ReadGlobal, name, space, None, value)


def load_free(recording: Recording, name: str, value: Any) -> Any:
    return recording.note(_read_free, recording, name, value) if recording.on else value


def _read_free(recording: Recording, name: str, value: Any) -> Any:
    for cells, function in reversed(recording.closures):
        if name in cells and cells[name].cell_contents is value:
            if function is None:
                return note_read(recording, ReadCell, name, cells[name], None, value)
            closure = recording.builder.inside(function, ReadAttribute, "__closure__")
            cell = recording.builder.inside(closure, ReadItem, list(cells).index(name))
            return note_read(recording, ReadAttribute, "cell_contents", None, cell, value)
    raise Unfollowed(Cause.CLOSURE_VARIABLE(name))


def store_global(recording: Recording, name: str, value: Any) -> Any:
    if recording.on:
        recording.stop(Cause.STORE_TO_GLOBAL(name))
    return recording.seen_as(value)[0] if recording.is_over() else value


def store_free(recording: Recording, name: str, value: Any) -> Any:
    if recording.on:
        recording.stop(Cause.STORE_TO_CLOSURE(name))
    return recording.seen_as(value)[0] if recording.is_over() else value
