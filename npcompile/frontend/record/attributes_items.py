"""Attributes, items and names: what is inside an array, and what is read from outside the function."""

from __future__ import annotations

import builtins
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
from npcompile.frontend.eager.ndarray import is_basic
from npcompile.frontend.graph import shape_guards
from npcompile.frontend.graph.builder_values import Unfollowed
from npcompile.frontend.graph.coercions import as_index
from npcompile.frontend.graph.constant_folding import folded, without_masks
from npcompile.frontend.graph.graph_builder import GETITEM
from npcompile.frontend.ops import numpy_private
from npcompile.frontend.ops.table import TABLE
from npcompile.frontend.program.array_facts import is_array
from npcompile.frontend.program.call_steps import Call
from npcompile.frontend.program.draw_shapes import GENERATORS, is_draw
from npcompile.frontend.program.equality import DICTS, is_key, place_of
from npcompile.frontend.program.guards import MethodFunctionIs, PropertyIs, TypeIs
from npcompile.frontend.program.object_steps import is_named_tuple, is_own, is_users_mapping
from npcompile.frontend.program.reads import (
    Read,
    ReadAttribute,
    ReadCell,
    ReadClassAttribute,
    ReadGlobal,
    ReadItem,
)
from npcompile.frontend.program.signature import NUMBERS, by_value
from npcompile.frontend.record.appended_lists import Histories
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.state import SIMPLE
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


class Access(Histories):
    """`a.b`, `a[b]`, global names and closure variables."""

    def attribute_of(self, obj: Any, name: str) -> Any:
        if computed := self.computed(obj, name):
            return computed[0]
        if (getter := _getter(obj, name)) is not None and self.note(self._property, obj, name, False):
            return self.call(getter, obj)
        result = getattr(obj, name)
        return self.note(self._noted_attribute, obj, name, result) if self.on else result

    def _noted_attribute(self, obj: Any, name: str, result: Any) -> Any:
        """Note an attribute that Python has read, by the type of the object; returns what to hand on."""
        for handler in self.handlers.attribute[type(obj)]:
            if (found := handler(self, obj, name, result)) is not PASS:
                return found
        raise Unfollowed(Cause.ATTRIBUTE(name, type(obj).__name__))

    def attribute_note(self, obj: Any, name: str, result: Any) -> Any:
        if id(obj) in self.builder.objects:
            return self.own(obj, name, result)
        if is_array(obj):
            self.builder.files.of(obj, name, result)
            if name in purity.ARRAY_FACTS:
                traced = self.builder.general or self.builder.by_data(obj)
                if traced and name == "shape":
                    return tuple(self.builder.length(obj, axis) for axis in range(len(result)))
                if traced and name in ("size", "nbytes") and (obj.ndim == 1 or self.builder.general):
                    return shape_guards.size(self.builder, obj, name)
                self.builder.asked(obj)
                if name == "strides":
                    shape_guards.strides(self.builder, obj)
                self.builder.constant(result)
                return result
            if name == "device" and isinstance(result, str):
                return result
            if type(result) is _FLAGS:
                self.builder.asked(obj)
                shape_guards.lies(self.builder, obj)
                return result
            op = TABLE.of(np.ndarray.__dict__.get(name))
            if type(result) in (types.BuiltinFunctionType, types.MethodType, types.MethodWrapperType):
                return result
            if op is None:
                raise Unfollowed(Cause.ARRAY_MEMBER(name))
            if (reason := self._refuses(op, (obj,), {})) is not None:
                raise Unfollowed(reason)
            return self.builder.op(op, (obj,), {}, result)
        if type(obj) is _FLAGS and name in purity.FLAGS:
            return result
        if type(obj) is np.broadcast and name in purity.BROADCAST_FACTS:
            shape_guards.lengths(self.builder, *(of.base for of in obj.iters))
            self.builder.constant(result)
            return result
        if isinstance(obj, np.generic):
            if name in purity.ARRAY_FACTS or type(result) is types.BuiltinFunctionType:
                self.builder.constant(result)
                return result
            return self.builder.number(ReadAttribute(name), (obj,), {}, result)
        if isinstance(obj, types.ModuleType):
            if not is_fixed(obj) or not take(vars(obj), name):
                return self._read(ReadGlobal, name, vars(obj), None, result)
            self.builder.constant(result)
            return result
        if isinstance(obj, enum.Enum):
            if vars(obj).get(name, _computed) is result:
                return self._read(ReadGlobal, name, vars(obj), None, result)
            self._of_member(obj, name)
        known = self.builder.tracked.get(obj)
        if known is not None and known.node is None:
            if (
                type(result) is types.BuiltinFunctionType
                and result.__self__ is not obj
                and not by_value(result)
            ):
                raise Unfollowed(Cause.ATTRIBUTE_METHOD(name, type(obj).__name__))
            self.builder.constant(result)
            if type(result) not in NUMBERS:
                self.builder.tracked.keep(result, None)
            return result
        if known is not None and known.node is not None and type(obj) not in NUMBERS:
            return self._attribute(obj, known.node, name, result)
        if isinstance(obj, enum.Enum):
            self.builder.constant(result)
            return result
        if type(obj) is super:
            return self._of_super(obj, name, result)
        if type(obj) in SIMPLE or isinstance(obj, np.dtype | np.ufunc | numpy_private.DISPATCHER | type):
            if isinstance(obj, type) and isinstance(result, enum.Enum):
                return self._read(ReadClassAttribute, name, obj, None, result)
            if isinstance(obj, type) and obj.__module__ not in ("builtins", "numpy"):
                if (
                    isinstance(result, types.MethodType)
                    and result.__self__ is obj
                    and not _computed(obj, name)
                ):
                    self.of_class_method(obj, name, result)
                    return result
                if type(result) is types.BuiltinFunctionType and obj.__flags__ & _IMMUTABLE:
                    return result  # `itertools.chain.from_iterable`
                if _computed(obj, name) or isinstance(result, types.MethodType):
                    raise Unfollowed(Cause.ATTRIBUTE_OF_CLASS(name, obj.__name__))
                return self._read(ReadClassAttribute, name, obj, None, result)
            self.builder.constant(result)
            return result
        if type(obj) in NUMBERS and self.builder.tracked.node(obj) is not None:
            if type(result) is types.BuiltinFunctionType:
                return result  # what is called on the number itself
            if callable(result):
                raise Unfollowed(Cause.MEMBER(type(obj).__name__, name))
            return self.builder.number(ReadAttribute(name), (obj,), {}, result)
        if type(obj) in NUMBERS:
            self.builder.constant(result)
            return result
        raise Unfollowed(Cause.ATTRIBUTE(name, type(obj).__name__))

    def _attribute(self, obj: Any, node: Any, name: str, result: Any) -> Any:
        """An attribute of an object from outside: read again at replay."""
        if type(obj) in GENERATORS and is_draw(getattr(result, "__func__", None)):
            if step_of(node) == "opaque":  # of others, the type is decided
                self.builder.guard(TypeIs(type(obj)), node)
            return result
        if isinstance(result, types.MethodType) and result.__self__ is obj:
            read = self.builder.add("read", ReadAttribute(name), (node,), {}, self.builder.value(result))
            self.builder.guard(MethodFunctionIs(result.__func__), read)
            return result
        if isinstance(result, types.MethodType) and result.__self__ is type(obj):  # made anew at each read
            read = self.builder.add("read", ReadAttribute(name), (node,), {}, self.builder.value(result))
            self.builder.guard(MethodFunctionIs(result.__func__), read)
            self.builder.identify(self.builder.inside(read, ReadAttribute, "__self__"), result.__self__)
            return result
        if type(result) is types.BuiltinFunctionType and result.__self__ is obj:
            return result
        if _computed(obj, name):
            raise Unfollowed(Cause.ATTRIBUTE_BY_CLASS(name, type(obj).__name__))
        self.touch(name, node, obj)
        return self._read(ReadAttribute, name, None, node, result)

    def _of_super(self, obj: Any, name: str, result: Any) -> Any:
        """An attribute of `super()`: of the first of the further classes that has it."""
        kinds = obj.__self_class__.__mro__
        rest = kinds[kinds.index(obj.__thisclass__) + 1 :]
        owner = next((kind for kind in rest if name in vars(kind)), None)
        if owner is object and type(result) is types.MethodWrapperType:
            return result
        if owner is None or type(vars(owner)[name]) is not types.FunctionType:
            raise Unfollowed(Cause.ATTRIBUTE_OF_SUPER(name))
        self._read(ReadClassAttribute, "__mro__", obj.__self_class__, None, kinds)
        self._read(ReadClassAttribute, name, owner, None, vars(owner)[name])
        return result

    def _of_member(self, obj: enum.Enum, name: str) -> None:
        """A method or a property of a member of the user's enumeration: as long as the class has this one."""
        owner = next((kind for kind in type(obj).__mro__ if name in vars(kind)), None)
        if owner is not None and isinstance(vars(owner)[name], types.FunctionType | property):
            self._read(ReadClassAttribute, name, owner, None, vars(owner)[name])

    def _property(self, obj: Any, name: str, _: bool) -> bool:
        """A property's getter is a function like others, as long as the class has this property."""
        node = self.builder.tracked.node(obj)
        if isinstance(obj, enum.Enum):
            self._of_member(obj, name)
            return True
        if node is None:
            return False
        self.builder.guard(PropertyIs(name, inspect.getattr_static(type(obj), name)), node)
        return True

    def delattr(self, obj: Any, name: str) -> None:
        delattr(obj, name)
        if self.on:
            self.stop(Cause.DELETED_ATTRIBUTE(name))

    def item_of(self, obj: Any, index: Any) -> Any:
        if (method := self.protocol(obj, "__getitem__")) is not None:
            return self.call(method, obj, index)
        own = is_array(obj) or (type(obj) in SIMPLE and self.builder.container_of(obj) is None)
        result = do(operator.getitem, obj, index if own else self.builder.tracked.meant(index))
        return self.note(self._getitem, obj, index, result) if self.on else result

    def _getitem(self, obj: Any, index: Any, result: Any) -> Any:
        if is_array(obj):
            op, index = TABLE.of(GETITEM), as_index(self.builder, index)
            if type(index) is list and index and all(type(item) is int for item in index):
                if self.builder.traced(index):
                    index = self.builder.call("host", np.array, (index,), {}, np.array(index))
            reason = Cause.NOT_AN_OP() if op is None else self._refuses(op, (obj, index), {})
            if op is None or reason is not None:
                if (found := folded(self.builder, (obj, index), {}, result)) is not None:
                    return found[0]
                places = None if op is None else without_masks(self.builder, index)
                if op is not None and places is not None and self._refuses(op, (obj, places), {}) is None:
                    return self.builder.op(op, (obj, places), {}, result)
                return self.builder.host(GETITEM, (obj, index), {}, result)
            return self.builder.op(op, (obj, index), {}, result, view=is_array(result) and is_basic(index))
        if type(obj) is _FLAGS and index in purity.FLAGS:
            return result
        if type(obj) is _INDICES:  # `np.s_[1:, k]` is what it is asked for
            return result
        if type(obj) in _GRIDS:
            return self.builder.host(Call("grid", obj.__getitem__), (index,), {}, result)
        if item := self.of_history(obj, index, result):
            return item[0]
        self.builder.tight(obj)
        known = self.builder.tracked.get(obj)
        if known is not None and known.node is not None:
            if is_users_mapping(obj):
                return self._keyed(obj, known.node, index, result)
            if (
                type(obj) not in (list, dict, tuple)
                and not self._is_other_dict(obj)
                and not is_named_tuple(type(obj))
            ):
                raise Unfollowed(Cause.ITEM(type(obj).__name__))
            index = self.builder.ref(index, True)
            if type(index) is slice and attributes(known.node).contents_epoch == self.builder.calls:
                return result  # what is in it is known
            return self._item(obj, known.node, index, result)
        if id(obj) in self.builder.objects and is_named_tuple(type(obj)):
            self.builder.ref(index, True)
            return result
        if type(obj) not in SIMPLE:
            raise Unfollowed(Cause.ITEM(type(obj).__name__))
        self.builder.ref(index, True)
        if type(obj) in (str, bytes, range):
            self.builder.constant(result)
        return result

    def _keyed(self, obj: Any, node: Any, key: Any, result: Any) -> Any:
        """An item of a dict of the user's own (`class Bunch(dict)`), from outside: read as attributes are."""
        self.builder.ref(key, True)
        if getattr(obj, "__dict__", None) is obj or not is_key(key):
            raise Unfollowed(Cause.ITEM(type(obj).__name__))  # or stores to attributes would show in it
        place = ReadItem, place_of(key), node
        seen = self.reads_seen.get(place)
        if seen is not None and seen[0] is result:
            return seen[1]
        self.of_class(obj, "__getitem__")
        value = self.builder.tracked.stand(result) if type(result) in NUMBERS else result
        read = self.builder.outside(ReadItem(key), node, value)
        self.reads_seen[place] = result, read
        return read

    def _is_other_dict(self, obj: Any) -> bool:
        """Whether it is a dict of another kind of which all that lies in it is known: to ask one for what is
        not there may change it."""
        node = self.builder.containers.get(id(obj))
        return (
            type(obj) in DICTS and node is not None and attributes(node).contents_epoch == self.builder.calls
        )

    def _item(self, obj: Any, node: Any, index: Any, result: Any) -> Any:
        """An item of a container from outside, which was read as a whole: a number is that one."""
        if type(obj) in (list, tuple, deque) and type(index) is int:
            index %= len(obj)
        place = ReadItem, place_of(index), node
        if (type(result) in NUMBERS or isinstance(result, np.generic)) and place not in self.reads_seen:
            item = (attributes(node).items or {}).get(place_of(index))
            current = attributes(node).contents_epoch == self.builder.calls
            if item is not None and current and not attributes(item).looked_up:
                attributes(item).incidental, attributes(item).looked_up = False, True
                value = self.builder.tracked.stand(result)
                self.builder.tracked.number(value, item)
                self.reads_seen[place] = result, value
        found = self.builder.tracked.node(result)
        given = attributes(node).given_epoch
        known = (attributes(node).contents_epoch if given is None else given) == self.builder.calls
        if place not in self.reads_seen and found is not None and known:
            if found is (attributes(node).items or {}).get(place_of(index)):
                attributes(found).incidental = False
                self.reads_seen[place] = result, result
        return self._read(ReadItem, index, None, node, result)

    def _asked_of(self, own: Any, name: str, args: tuple[Any, ...], result: Any) -> Any:
        """A method that shows what is in a container from outside. In arguments the signature decides what is
        there; of others that is checked: the keys and their order, or the item that was asked for."""
        for key in args[:1]:
            self.builder.ref(key, True)
        self.builder.tight(own)
        node = self.builder.tracked.node(own)
        if node is None:
            return result
        if type(own) not in DICTS:
            raise Unfollowed(Cause.CONTAINER_CONTENTS())
        self.among("", own, None)
        if name in ("items", "keys"):
            self.builder.constant(tuple(own))
        if name == "get" and args[0] in own:
            return self._item(own, node, args[0], result)
        return result

    def compare_with_dict(self, op: str, a: Any, b: Any) -> Any:
        """`in` of a dict from outside."""
        if op in ("in", "not in") and type(b) in DICTS and self.builder.tracked.get(b) is not None:
            return self.note(self.among, a, b, self.compared(op, a, b))
        return PASS

    def store_item(self, obj: Any, index: Any, value: Any) -> None:
        if (method := self.protocol(obj, "__setitem__")) is not None:
            self.call(method, obj, index, value)
            return
        if self.on and is_array(obj):
            do(operator.setitem, obj, index, self.builder.tracked.meant(value))
            self.note(self.builder.store, obj, index, value)
            return
        if self.on and type(obj) in (list, deque):
            self.note(self.builder.tight, obj)
        new = self.on and type(obj) in DICTS and index not in obj
        if type(obj) in (list, dict) and self.builder.container_of(obj) is None:  # made inside
            do(operator.setitem, obj, index, value)
        else:
            do(operator.setitem, obj, self.builder.tracked.meant(index), self.builder.tracked.meant(value))
        if self.on:
            if type(obj) in (list, dict) or id(obj) in self.builder.containers:
                self.note(self.stored_item, obj, index, value, new)
            else:
                self.stop(Cause.STORE_INTO(type(obj).__name__))

    def delete_item(self, obj: Any, index: Any) -> None:
        self.note(self._keys, (index,), None)
        del obj[index]
        if self.on:
            self.note(self._mutated, obj, None)

    # -- names -------------------------------------------------------------------------------------------

    def load_global(self, name: str, value: Any) -> Any:
        if not self.on:
            return value
        space = caller().f_globals
        if inlining.is_numpys(space):
            self.builder.constant(tuple(value) if type(value) is list else value)
            return value
        return self.note(self._read, ReadGlobal, name, space, None, value)

    def load_free(self, name: str, value: Any) -> Any:
        return self.note(self._free, name, value) if self.on else value

    def _free(self, name: str, value: Any) -> Any:
        for cells, function in reversed(self.closures):
            if name in cells and cells[name].cell_contents is value:
                if function is None:
                    return self._read(ReadCell, name, cells[name], None, value)
                closure = self.builder.inside(function, ReadAttribute, "__closure__")
                cell = self.builder.inside(closure, ReadItem, list(cells).index(name))
                return self._read(ReadAttribute, "cell_contents", None, cell, value)
        raise Unfollowed(Cause.CLOSURE_VARIABLE(name))

    def _read(self, how: type[Read], name: Any, holder: Any, base: Any, value: Any) -> Any:
        """A value from outside: followed if it is data, guarded if it decides."""
        builder = self.builder
        if how is ReadGlobal and name not in holder:
            return self._of_python(name, holder, value)
        place = (how, place_of(name), id(holder) if base is None else base)
        seen = self.reads_seen.get(place)
        if seen is not None and seen[0] is value:
            return seen[1]
        read = builder.outside(how(name, holder), base, value)
        self.reads_seen[place] = (value, read)
        return read

    def _of_python(self, name: str, space: dict[str, Any], value: Any) -> Any:
        """A name that the function's module has not."""
        if (name, id(space)) not in self.not_in_module:
            self.not_in_module[name, id(space)] = space, name
        if take(vars(builtins), name) or vars(builtins).get(name) is not value:
            return value
        return self._read(ReadGlobal, name, vars(builtins), None, value)

    def store_global(self, name: str, value: Any) -> Any:
        if self.on:
            self.stop(Cause.STORE_TO_GLOBAL(name))
        return self.seen_as(value)[0] if self.is_over() else value

    def store_free(self, name: str, value: Any) -> Any:
        if self.on:
            self.stop(Cause.STORE_TO_CLOSURE(name))
        return self.seen_as(value)[0] if self.is_over() else value
