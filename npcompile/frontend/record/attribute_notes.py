"""Handlers that note an attribute which Python has just read, by the type of its object.

`attributes_items.py` reads attributes and asks these handlers in the order of the registry. Each takes the
object, the attribute's name and Python's answer. A handler returns the object to go on with, or `PASS`. An
attribute of an array is an op or a fact that is decided; one of an object from outside is read again at each
replay.
"""

from __future__ import annotations

import enum
import inspect
import threading
import types
from typing import Any, NamedTuple

import numpy as np

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.catalog import purity
from npcompile.frontend.catalog.assumed_modules import take
from npcompile.frontend.graph import shape_guards
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.ops.table import TABLE
from npcompile.frontend.program.draw_shapes import GENERATORS, is_draw
from npcompile.frontend.program.guards import MethodFunctionIs, TypeIs
from npcompile.frontend.program.object_steps import is_own
from npcompile.frontend.program.reads import (
    ReadAttribute,
    ReadClassAttribute,
    ReadGlobal,
)
from npcompile.frontend.program.signature import NUMBERS, by_value
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.local_objects import own_attribute
from npcompile.frontend.record.operators import refusal_of
from npcompile.frontend.record.reads import note_read, touch
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.special_methods import note_class_method
from npcompile.lower.plan.attributes import step_of

FLAGS = type(np.empty(0).flags)
_IMMUTABLE = 1 << 8  # Py_TPFLAGS_IMMUTABLETYPE: classes without this flag can be changed by Python code


class _Fields(NamedTuple):
    """A named tuple, for the type of descriptor that its fields have."""

    first: Any


_PLAIN_DESCRIPTORS = (
    type(vars(_Fields)["first"]),  # a field of a named tuple
    types.FunctionType,
    staticmethod,
    classmethod,
    types.MemberDescriptorType,
    types.GetSetDescriptorType,
) + (types.MethodDescriptorType, types.WrapperDescriptorType, types.BuiltinFunctionType, type, np.ufunc)


def _computed(obj: Any, name: str) -> bool:
    """Return True if reading this attribute runs code of the class: a second read would run it again."""
    kind = type(obj)
    if not isinstance(kind.__getattribute__, types.WrapperDescriptorType):  # Python code of the class
        return True
    if isinstance(obj, np.random.BitGenerator):  # its state changes with each draw
        return True
    found = inspect.getattr_static(obj, name, _computed)
    if found is _computed:  # not stored: `__getattr__` made it, or it is in a `threading.local`
        is_local = kind.__getattribute__ is threading.local.__getattribute__
        return not is_local or hasattr(kind, "__getattr__")
    if not isinstance(obj, type) and is_own(obj, name):  # as `self.inv = np.linalg.inv`: no method is bound
        return False
    return hasattr(type(found), "__get__") and not isinstance(found, _PLAIN_DESCRIPTORS)


def attribute_of_made(recording: Recording, obj: Any, name: str, result: Any) -> Any:
    """Note an attribute of an object of the user's that was made inside."""
    return own_attribute(recording, obj, name, result) if id(obj) in recording.builder.objects else PASS


def attribute_of_array(recording: Recording, obj: Any, name: str, result: Any) -> Any:
    """Note an attribute of an array: an op such as `.T`, a fact such as `.shape`, or a method."""
    builder = recording.builder
    builder.files.of(obj, name, result)
    if name in purity.ARRAY_FACTS:
        return _fact_of_array(recording, obj, name, result)
    if name == "device" and isinstance(result, str):
        return result
    if type(result) is FLAGS:
        builder.asked(obj)
        shape_guards.lies(builder, obj)
        return result
    op = TABLE.of(np.ndarray.__dict__.get(name))
    if type(result) in (types.BuiltinFunctionType, types.MethodType, types.MethodWrapperType):
        return result
    if op is None:
        raise Unfollowed(Cause.ARRAY_MEMBER(name))
    if (reason := refusal_of(recording, op, (obj,), {})) is not None:
        raise Unfollowed(reason)
    return builder.op(op, (obj,), {}, result)


def _fact_of_array(recording: Recording, obj: Any, name: str, result: Any) -> Any:
    """Note a shape, a dtype or another fact that is decided, except for lengths that are traced numbers."""
    builder = recording.builder
    traced = builder.general or builder.by_data(obj)
    if traced and name == "shape":
        return tuple(builder.length(obj, axis) for axis in range(len(result)))
    if traced and name in ("size", "nbytes") and (obj.ndim == 1 or builder.general):
        return shape_guards.size(builder, obj, name)
    builder.asked(obj)
    if name == "strides":
        shape_guards.strides(builder, obj)
    builder.constant(result)
    return result


def attribute_of_flags(recording: Recording, obj: Any, name: str, result: Any) -> Any:
    """Note an attribute of `array.flags`, which are decided already."""
    return result if name in purity.FLAGS else PASS


def attribute_of_broadcast(recording: Recording, obj: Any, name: str, result: Any) -> Any:
    """Note an attribute of `np.broadcast(...)`: decided by the lengths of its arrays."""
    if name not in purity.BROADCAST_FACTS:
        return PASS
    shape_guards.lengths(recording.builder, *(of.base for of in obj.iters))
    recording.builder.constant(result)
    return result


def attribute_of_scalar(recording: Recording, obj: Any, name: str, result: Any) -> Any:
    """Note an attribute of a NumPy scalar: a decided fact, or a number such as `.real`."""
    if name in purity.ARRAY_FACTS or type(result) is types.BuiltinFunctionType:
        recording.builder.constant(result)
        return result
    return recording.builder.number(ReadAttribute(name), (obj,), {}, result)


def attribute_of_module(recording: Recording, obj: Any, name: str, result: Any) -> Any:
    """Note a name of a module: read again, unless the module is assumed to stay unchanged."""
    if not take(vars(obj), name):
        return note_read(recording, ReadGlobal, name, vars(obj), None, result)
    recording.builder.constant(result)
    return result


def attribute_of_member(recording: Recording, obj: Any, name: str, result: Any) -> Any:
    """Note an attribute of a member of an enumeration."""
    if vars(obj).get(name, _computed) is result:
        return note_read(recording, ReadGlobal, name, vars(obj), None, result)
    note_member_of_class(recording, obj, name)
    return PASS


def attribute_of_followed(recording: Recording, obj: Any, name: str, result: Any) -> Any:
    """Note an attribute of an object that is decided, or that comes from outside."""
    known = recording.builder.tracked.get(obj)
    if known is None:
        return PASS
    if known.node is not None:
        if type(obj) in NUMBERS:
            return PASS
        return _attribute_from_outside(recording, obj, known.node, name, result)
    if type(result) is types.BuiltinFunctionType and result.__self__ is not obj and not by_value(result):
        raise Unfollowed(Cause.ATTRIBUTE_METHOD(name, type(obj).__name__))
    recording.builder.constant(result)
    if type(result) not in NUMBERS:
        recording.builder.tracked.keep(result, None)
    return result


def attribute_of_constant(recording: Recording, obj: Any, name: str, result: Any) -> Any:
    """Note an attribute of an object that is decided."""
    recording.builder.constant(result)
    return result


def attribute_of_class(recording: Recording, obj: Any, name: str, result: Any) -> Any:
    """Note an attribute of a class: a constant of a built-in class, else read again."""
    if isinstance(result, enum.Enum):
        return note_read(recording, ReadClassAttribute, name, obj, None, result)
    if obj.__module__ in ("builtins", "numpy"):
        recording.builder.constant(result)
        return result
    if isinstance(result, types.MethodType) and result.__self__ is obj and not _computed(obj, name):
        note_class_method(recording, obj, name, result)  # type: ignore[arg-type]
        return result
    if type(result) is types.BuiltinFunctionType and obj.__flags__ & _IMMUTABLE:
        return result  # `itertools.chain.from_iterable`
    if _computed(obj, name) or isinstance(result, types.MethodType):
        raise Unfollowed(Cause.ATTRIBUTE_OF_CLASS(name, obj.__name__))
    return note_read(recording, ReadClassAttribute, name, obj, None, result)


def attribute_of_number(recording: Recording, obj: Any, name: str, result: Any) -> Any:
    """Note an attribute of a number, such as `x.real`: a step, if the number is traced."""
    if recording.builder.tracked.node(obj) is None:
        recording.builder.constant(result)
        return result
    if type(result) is types.BuiltinFunctionType:
        return result  # a method, which `call` records with the number
    if callable(result):
        raise Unfollowed(Cause.MEMBER(type(obj).__name__, name))
    return recording.builder.number(ReadAttribute(name), (obj,), {}, result)


def _attribute_from_outside(recording: Recording, obj: Any, node: Any, name: str, result: Any) -> Any:
    """Note an attribute of an object from outside, which each replay reads again.

    A method is guarded to have the function that it has now. Raises Unfollowed if reading runs code of the
    class.
    """
    if type(obj) in GENERATORS and is_draw(getattr(result, "__func__", None)):
        if step_of(node) == "opaque":  # the types of other steps' results are decided already
            recording.builder.guard(TypeIs(type(obj)), node)
        return result
    if isinstance(result, types.MethodType) and result.__self__ is obj:
        read = recording.builder.add(
            "read", ReadAttribute(name), (node,), {}, recording.builder.value(result)
        )
        recording.builder.guard(MethodFunctionIs(result.__func__), read)
        return result
    if isinstance(result, types.MethodType) and result.__self__ is type(obj):  # a class method
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


def attribute_of_super(recording: Recording, obj: Any, name: str, result: Any) -> Any:
    """Note an attribute of `super()`: read again from the first class after this one that has it."""
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


def note_member_of_class(recording: Recording, obj: enum.Enum, name: str) -> None:
    """Note that a member of an enumeration has a method or property, as long as its class has this one."""
    owner = next((kind for kind in type(obj).__mro__ if name in vars(kind)), None)
    if owner is not None and isinstance(vars(owner)[name], types.FunctionType | property):
        note_read(recording, ReadClassAttribute, name, owner, None, vars(owner)[name])
