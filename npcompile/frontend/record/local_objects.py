"""Local objects: the function makes them of the user's classes; a recording follows their attributes.

Such an object is no step: its attributes are followed as local names are. When it leaves the function
(returned, stored outside, handed to an opaque call), a step makes it of the attributes that it then has
(`EscapeBuilder.leave`).

The registry lists the handlers that make objects. Attributes that run code of the user's (properties,
descriptors, `__getattr__`) and partial objects are here as well, wherever the object comes from.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
from typing import Any

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.boundary.faults import performs
from npcompile.frontend.catalog import inlining
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.program.guards import AttributeAbsent, LengthIs, TextKeysAre, TypeIs
from npcompile.frontend.program.object_steps import (
    class_attribute,
    is_absent,
    is_named_tuple,
    is_own,
    is_plain,
    is_users_mapping,
)
from npcompile.frontend.program.reads import ReadAttribute, ReadClassAttribute, ReadItem, ReadStatic
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.reads import note_read, touch
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.special_methods import (
    GENERATED,
    ask_method,
    is_followed,
    note_class_attribute,
    note_class_method,
    note_held_by_class,
    special_method,
)
from npcompile.frontend.record.user_functions import note_defaults
from npcompile.frontend.rewrite.call_sites import do
from npcompile.lower.plan.attributes import step_of


@dataclasses.dataclass
class _Listed:
    """A dataclass with a field that has a factory."""

    items: list[Any] = dataclasses.field(default_factory=list)


_FACTORY: Any = _Listed.__init__.__defaults__[0]  # type: ignore[index]  # in place of a factory


@performs
def _make(recording: Recording, kind: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Make an object of a class of the user's as Python does; return it in a tuple.

    The tuple is empty where Python itself is to make the object.
    """
    if not inlining.is_users_class(kind):
        return ()
    if hasattr(kind, "__del__"):  # a block drops its objects at its end, which would run it
        recording.stop(Cause.FINALIZED(kind.__name__))
        return ()
    if class_attribute(type(kind), "__call__") is not type.__dict__["__call__"]:
        return ()
    init: Any = kind.__init__  # type: ignore[misc]
    plain = init.npcompile_function() if hasattr(type(init), "npcompile_function") else init
    if is_named_tuple(kind):
        new = getattr(kind.__new__, "__code__", None)
        if init is object.__init__ and new is not None and new.co_filename.startswith(GENERATED):
            result = do(kind, *args, **kwargs)
            return (_note_made(recording, result, kind, "__new__"),)
    if not is_plain(kind, "__new__"):
        return ()
    if init is object.__init__ and not args and not kwargs:
        return (_note_made(recording, object.__new__(kind), kind, "__init__"),)
    if type(plain) is not types.FunctionType:
        return ()
    if plain.__code__.co_filename.startswith(GENERATED):
        return _make_record(recording, kind, args, kwargs)
    obj = _note_made(recording, object.__new__(kind), kind, "__init__")
    if recording.call(init, obj, *args, **kwargs) is not None:
        raise TypeError(f"__init__() should return None, not '{type(obj).__name__}'")
    return (obj,)


def _note_made(recording: Recording, obj: Any, kind: type, decides: str) -> Any:
    """Follow an object that has just been made. decides: the method of its class that says how."""
    recording.note(_follow_made, recording, obj, kind, decides, obj)
    return obj


def _follow_made(recording: Recording, obj: Any, kind: type, decides: str, _: Any) -> None:
    """Note the parts of a class that decide how its objects are made, and follow the object."""
    note_read(recording, ReadClassAttribute, decides, kind, None, getattr(kind, decides))
    for name in ("__new__", "__getattribute__", "__setattr__", "__del__"):
        note_held_by_class(recording, kind, name)
    note_held_by_class(recording, type(kind), "__call__")
    if is_named_tuple(kind) and kind.__new__.__defaults__:
        new: Any = kind.__new__
        note_defaults(recording, new, None)
    recording.builder.objects[id(obj)] = obj


def _make_record(
    recording: Recording, kind: type, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    """Make an object of a dataclass, field by field, as its generated `__init__` does; return it in a tuple.

    The tuple is empty where Python itself is to make the object.
    """
    if not dataclasses.is_dataclass(kind) or "__init__" not in vars(kind):
        return ()
    names = kind.__dataclass_fields__
    if len(dataclasses.fields(kind)) != len(names) or type(kind.__setattr__) is types.FunctionType:
        frozen = kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
        if not frozen or len(dataclasses.fields(kind)) != len(names):
            return ()
    if any(type(class_attribute(kind, name)) is property for name in names):
        return ()
    init: Any = kind.__init__
    signature = inspect.signature(init)
    _, *taken = signature.parameters
    if {*taken} != {field.name for field in dataclasses.fields(kind) if field.init}:
        return ()  # it was generated for another class
    try:
        bound = signature.bind(None, *args, **kwargs)
    except TypeError:
        return ()  # Python itself is to raise
    obj = _note_made(recording, object.__new__(kind), kind, "__init__")
    if len(bound.arguments) <= len(taken):
        recording.note(note_defaults, recording, init, None)
        bound.apply_defaults()
    given = bound.arguments
    for field in dataclasses.fields(kind):
        if given.get(field.name, _FACTORY) is not _FACTORY:
            value = given[field.name]
        elif field.default is not dataclasses.MISSING:
            value = field.default
            if recording.on:
                recording.note(recording.builder.constant, value)
            if not field.init and class_attribute(kind, field.name) is field.default:
                continue  # the class has this value
        elif field.default_factory is not dataclasses.MISSING:
            value = recording.call(field.default_factory)
        else:
            continue
        object.__setattr__(obj, field.name, value)
    # A generated `__init__` calls `__post_init__` if the class had one by then, whatever it has now.
    if "__post_init__" in kind.__init__.__code__.co_names:
        recording.call(recording.getattr(obj, "__post_init__"))
    return (obj,)


def _replace(recording: Recording, obj: Any, changes: dict[str, Any]) -> tuple[Any, ...]:
    """Do `dataclasses.replace(obj, **changes)`; return the new object in a tuple.

    The tuple is empty where Python itself is to make the object.
    """
    if not is_followed(recording, obj) or not dataclasses.is_dataclass(obj):
        return ()
    fields = dataclasses.fields(obj)
    if not all(field.init for field in fields) or len(fields) != len(obj.__dataclass_fields__):
        return ()
    for field in fields:
        if field.name not in changes:
            changes[field.name] = recording.getattr(obj, field.name)
    return (recording.call(type(obj), **changes),)


def own_attribute(recording: Recording, obj: Any, name: str, result: Any) -> Any:
    """Note an attribute of an object that was made inside; return its value."""
    kind = type(obj)
    if name == "__dict__":
        if recording.inside_numpy:  # `np.poly1d` keeps its coefficients there
            return result
        raise Unfollowed(Cause.HELD_AS_A_WHOLE())
    if name == "__class__" or is_own(obj, name):
        note_held_by_class(recording, kind, name)
        return result
    found = class_attribute(kind, name)
    if isinstance(found, classmethod) and type(result) is types.MethodType:
        note_class_method(recording, kind, name, result)
        return result
    if type(found) is types.FunctionType or isinstance(found, staticmethod):
        note_class_attribute(recording, obj, name)
        return result
    if hasattr(type(found), "npcompile_function"):
        note_class_attribute(recording, obj, name)
        return result
    if is_named_tuple(kind) and name in kind._fields:
        return result
    if found is None or hasattr(type(found), "__get__"):
        raise Unfollowed(Cause.ATTRIBUTE_BY_CLASS(name, kind.__name__))
    return note_read(recording, ReadClassAttribute, name, kind, None, result)


def computed_attribute(recording: Recording, obj: Any, name: str) -> tuple[Any, ...]:
    """Run the user's code behind an attribute; return its value in a tuple.

    The code is a descriptor's, a property's, a cached property's or `__getattr__`. The tuple is empty where
    there is none, or none that is followed.
    """
    if not is_followed(recording, obj):
        return ()
    found = class_attribute(type(obj), name)
    if (getter := descriptor_method(recording, obj, name, found, "__get__")) is not None:
        return (recording.call(getter, found, obj, type(obj)),)
    if type(found) is property and isinstance(found.fget, types.FunctionType):
        if asks_class(recording, obj, name):
            return (recording.call(found.fget, obj),)
    elif found is None and is_absent(obj, name):
        if (method := special_method(recording, obj, "__getattr__")) is not None and note_absence(
            recording, obj, name
        ):
            return (recording.call(method, obj, name),)
        if _finds_items(recording, obj) and note_absence(recording, obj, name):
            return (recording.getitem(obj, name),)
    elif id(obj) not in recording.builder.objects or is_own(obj, name):
        return ()
    elif isinstance(found, functools.cached_property) and isinstance(found.func, types.FunctionType):
        if asks_class(recording, obj, name):
            value = obj.__dict__[name] = recording.call(found.func, obj)
            return (value,)
    return ()


def _finds_items(recording: Recording, obj: Any) -> bool:
    """Return True if a class says `__getattr__ = dict.__getitem__`, and note that it does."""
    found = class_attribute(type(obj), "__getattr__")
    if found is not dict.__dict__["__getitem__"] or not is_users_mapping(obj):
        return False
    recording.note(_asks_class, recording, obj, "__getattr__", None)
    return recording.on


def _asks_class(recording: Recording, obj: Any, name: str, _: None) -> None:
    """Note that an attribute is looked up in the class of an object."""
    note_class_attribute(recording, obj, name)


def note_absence(recording: Recording, obj: Any, name: str) -> bool:
    """Note that an object has no attribute of this name. Returns False if the recording has ended."""
    if (node := recording.builder.tracked.node(obj)) is not None:
        recording.note(_noted_absent, recording, obj, node, name, None)
    return recording.on


def _noted_absent(recording: Recording, obj: Any, node: Any, name: str, _: None) -> None:
    """Guard that an object from outside has no attribute of this name."""
    touch(recording, name, node, obj)
    recording.builder.guard(AttributeAbsent(name), node)


def descriptor_method(recording: Recording, obj: Any, name: str, found: Any, method: str) -> Any:
    """Return the user's `__get__` or `__set__` of a descriptor that a class holds; None for anything else.

    Descriptors without `__set__` are left to others: an attribute of the object itself goes before them.
    """
    kind = type(found)
    if not inlining.is_users_class(kind) or class_attribute(kind, "__set__") is None:
        return None
    function = class_attribute(kind, method)
    plain = function.npcompile_function() if hasattr(type(function), "npcompile_function") else function
    if type(plain) is not types.FunctionType or not is_plain(type(obj), "__getattribute__"):
        return None
    recording.note(_held_by_class, recording, obj, name, found, None)
    return special_method(recording, found, method)


def _held_by_class(recording: Recording, obj: Any, name: str, found: Any, _: None) -> None:
    """Note that the class of an object holds a descriptor under this name, and follow the descriptor."""
    node = recording.builder.tracked.node(obj)
    if node is not None and step_of(node) not in ("input", "read") and node not in recording.type_checked:
        recording.type_checked.add(node)
        recording.builder.guard(TypeIs(type(obj)), node)
    note_read(recording, ReadStatic, name, type(obj), None, found)


def asks_class(recording: Recording, obj: Any, name: str) -> bool:
    """Note that an attribute is looked up in the class of an object.

    Returns False if the recording has ended.
    """
    recording.note(note_class_attribute, recording, obj, name)
    return recording.on


def call_partial_class(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make a `functools.partial` object, and remember that it was made inside."""
    bound = do(fn, *args, **kwargs)
    recording.builder.partials[id(bound)] = bound
    return bound


def call_partial(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the function of a partial object."""
    if type(fn).__call__ is not functools.partial.__call__:
        return PASS
    found = _call_held_function(recording, fn, args, kwargs)
    return PASS if found is None else found[0]


def call_class(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make an object of a class of the user's."""
    made = _make(recording, fn, args, kwargs)
    return made[0] if made else PASS


def call_asking(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `len(obj)` and the like by the object's own method."""
    given = ask_method(recording, fn, args) if args and not kwargs else ()
    return given[0] if given else PASS


def call_replace(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `dataclasses.replace` for an object that is followed."""
    made = _replace(recording, args[0], dict(kwargs)) if len(args) == 1 else ()
    return made[0] if made else PASS


def call_object_method(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `object.__setattr__` or `object.__init__` of an object that was made inside."""
    if type(fn) is types.MethodWrapperType and fn.__self__.__class__ is not type:
        own = fn.__self__
        if id(own) in recording.builder.objects and fn.__objclass__ is object and not kwargs:
            if fn.__name__ == "__setattr__" or (fn.__name__ == "__init__" and not args):
                return fn(*args)
    if fn is object.__setattr__ and len(args) == 3 and id(args[0]) in recording.builder.objects:
        return fn(*args)
    return PASS


def _call_held_function(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...] | None:
    """Call the function of a partial object with the arguments that it holds; return the answer in a tuple.

    None is returned where nobody knows the origin of the partial object, and where the recording has ended.
    """
    node = recording.builder.tracked.node(fn)
    if node is None and id(fn) not in recording.builder.partials:
        return None
    first, named = fn.args, fn.keywords
    if node is not None:
        first, named = recording.note(_held_by_partial, recording, fn, node, (first, named))
    if not recording.on:
        return None
    return (recording.call(fn.func, *first, *args, **{**named, **kwargs}),)


def _held_by_partial(recording: Recording, fn: Any, node: Any, _: Any) -> tuple[Any, ...]:
    """Return the arguments that a partial object from outside holds, which each replay reads again."""
    builder = recording.builder
    if step_of(node) not in ("input", "read"):
        raise Unfollowed(Cause.PARTIAL_GIVEN())
    builder.outside(ReadAttribute("func"), node, fn.func)
    first, named = (
        builder.inside(node, ReadAttribute, "args"),
        builder.inside(node, ReadAttribute, "keywords"),
    )
    builder.guard(LengthIs(len(fn.args)), first)
    builder.guard(TextKeysAre(tuple(fn.keywords)), named)
    own = builder.tracked.stand
    args = [builder.outside(ReadItem(place), first, own(item)) for place, item in enumerate(fn.args)]
    return tuple(args), {
        key: builder.outside(ReadItem(key), named, own(item)) for key, item in fn.keywords.items()
    }
