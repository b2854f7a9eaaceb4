"""Introspection: questions about objects and classes are recorded with everything that decides the answer.

The questions are `hasattr`, `getattr` with a default, `isinstance`, `issubclass`, `callable` and the `get` of
a context variable. The registry lists two handlers, and `calls` uses `note_asked`. Where an answer may differ
at the next call, each replay asks again, in a read or a guard.
"""

from __future__ import annotations

import types
from abc import ABCMeta
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.catalog import inlining
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.program.array_facts import is_array
from npcompile.frontend.program.object_steps import class_attribute, is_absent, is_own, is_plain
from npcompile.frontend.program.reads import (
    ReadClassAttribute,
    ReadHasAttribute,
    ReadIsSubclass,
    ReadMethodResult,
)
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.local_objects import note_absence
from npcompile.frontend.record.reads import note_read
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.special_methods import is_followed, note_held_by_class
from npcompile.frontend.rewrite.call_sites import do

_IMMUTABLE = 1 << 8  # Py_TPFLAGS_IMMUTABLETYPE
_CHECKS = "__instancecheck__", "__subclasscheck__"
_HOLDERS = (type, types.ModuleType, types.FunctionType)


def call_looking(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `hasattr`, and `getattr` with a default."""
    if not kwargs and len(args) == (2 if fn is hasattr else 3) and type(args[1]) is str:
        if (answer := _looked_for(recording, *args)) is not None:
            return answer[0]
    return PASS


def call_context_variable(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Do `variable.get()` of a context variable from outside."""
    own = fn.__self__
    if type(own) is not ContextVar or args or kwargs or fn.__name__ != "get":
        return PASS
    if recording.builder.tracked.node(own) is None:
        return PASS
    result = do(fn)
    return recording.note(_note_told, recording, own, result)


def _note_told(recording: Recording, variable: ContextVar[Any], result: Any) -> Any:
    """Note the value of a context variable, which each replay reads again."""
    node = recording.builder.tracked.node(variable)
    place = "told", node
    seen = recording.reads_seen.get(place)
    if seen is None or seen[0] is not result:
        seen = recording.reads_seen[place] = (
            result,
            recording.builder.outside(ReadMethodResult("get"), node, result),
        )
    return seen[1]


def _looked_for(recording: Recording, obj: Any, name: str, *default: Any) -> tuple[Any, ...] | None:
    """Do `hasattr(obj, name)`, or with a default `getattr(obj, name, default)`; return the answer in a tuple.

    The attribute is noted as a read, its absence as a guard: the next call's object may have it, or lack it.
    The answer is None where the object is not followed, and where code of its class decides.
    """
    kind = type(obj)
    if kind is types.SimpleNamespace:
        known = recording.builder.tracked.node(obj) is not None
    else:
        known = is_followed(recording, obj) and is_plain(kind, "__getattribute__")
    if not known:
        return None
    if is_absent(obj, name):
        if class_attribute(kind, "__getattr__") is not None:
            return None
        recording.note(recording.builder.ref, name, True)
        note_held_by_class(recording, kind, "__getattr__")
        note_absence(recording, obj, name)
        return default or (False,)
    if not is_own(obj, name):
        return None  # a property, for one, may raise AttributeError
    recording.note(recording.builder.ref, name, True)
    found = recording.getattr(obj, name)
    return (found,) if default else (True,)


def note_asked(recording: Recording, fn: Any, args: tuple[Any, ...], result: Any) -> None:
    """Note all that decides an answer of `hasattr` and the like, beside the types of the arguments."""
    if fn is hasattr:
        _note_has(recording, args[0], args[1], result)
    elif fn is callable:
        note_held_by_class(recording, type(args[0]), "__call__")
    elif fn is isinstance:
        if class_attribute(type(args[0]), "__class__") is not object.__dict__["__class__"]:
            if inlining.is_users_class(type(args[0])):
                raise Unfollowed(Cause.SAID_CLASS(type(args[0]).__name__))
        _note_is_a(recording, type(args[0]), args[1])
    elif fn is issubclass and isinstance(args[0], type):
        _note_is_a(recording, args[0], args[1])


def _note_has(recording: Recording, obj: Any, name: str, result: bool) -> None:
    """Note an answer of `hasattr` that `call_looking` has left alone."""
    if is_array(obj):
        return
    if recording.builder.tracked.node(obj) is not None:
        raise Unfollowed(Cause.HASATTR_OUTSIDE())
    if isinstance(obj, _HOLDERS):
        if not (isinstance(obj, type) and obj.__flags__ & _IMMUTABLE):
            note_read(recording, ReadHasAttribute, name, obj, None, result)
    elif inlining.is_users_class(type(obj)):  # an object made inside, whose class has the attribute
        if type(class_attribute(type(obj), name)) is property:
            raise Unfollowed(Cause.HASATTR_BY_CLASS(type(obj).__name__))
        note_held_by_class(recording, type(obj), name)


def _note_is_a(recording: Recording, kind: type, classes: Any) -> None:
    """Note an answer of `isinstance` or `issubclass`: a class's bases, and what abstract classes answer."""
    for other in _flat(classes):
        if issubclass(type(other), ABCMeta) and _asks_as(type(other), ABCMeta):
            if not kind.__flags__ & _IMMUTABLE or inlining.is_users_class(other):  # it may be registered
                note_read(recording, ReadIsSubclass, kind, other, None, issubclass(kind, other))
        elif not _asks_as(type(other), type):
            raise Unfollowed(Cause.ISINSTANCE_BY_CLASS(other.__name__))
    if inlining.is_users_class(kind):
        note_read(recording, ReadClassAttribute, "__mro__", kind, None, kind.__mro__)


def _flat(classes: Any) -> Iterator[Any]:
    """Yield the classes in the second argument of `isinstance`."""
    if isinstance(classes, tuple | types.UnionType):
        for part in classes if isinstance(classes, tuple) else classes.__args__:
            yield from _flat(part)
    else:
        yield classes


def _asks_as(kind: type, other: type) -> bool:
    """Return True if classes of two metaclasses answer `isinstance` and `issubclass` by the same code."""
    return all(getattr(kind, name) is getattr(other, name) for name in _CHECKS)
