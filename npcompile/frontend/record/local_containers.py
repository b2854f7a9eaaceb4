"""What a function keeps for itself: deques, dicts of other kinds, lazy objects and exceptions that it makes.

They are no steps: what lies in them is followed as local names are, and where one leaves the function the
recording ends.
"""

from __future__ import annotations

import types
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

import numpy as np

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.boundary.faults import performs
from npcompile.frontend.catalog import inlining
from npcompile.frontend.catalog.python_operators import INPLACE
from npcompile.frontend.program.array_facts import is_array
from npcompile.frontend.program.equality import DICTS
from npcompile.frontend.program.object_steps import is_named_tuple
from npcompile.frontend.program.reads import ReadAttribute
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.record.attributes_items import item_of
from npcompile.frontend.record.container_keys import decide_keys
from npcompile.frontend.record.control_flow import note_gone_through, note_members
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.operators import compare_meant
from npcompile.frontend.record.reads import note_read
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.special_methods import MANY, compare_in_turn, decides_by_nan, is_followed
from npcompile.frontend.record.stores import note_membership
from npcompile.frontend.rewrite.call_sites import do
from npcompile.lower.plan.attributes import attributes

KEPT_DICTS = (OrderedDict, Counter, defaultdict)
_METHODS: dict[type, frozenset[str]] = {
    deque: frozenset(
        [
            "append",
            "appendleft",
            "pop",
            "popleft",
            "extend",
            "extendleft",
            "rotate",
            "clear",
            "reverse",
            "insert",
        ]
    ),
    **dict.fromkeys(
        KEPT_DICTS,
        frozenset(["get", "keys", "items", "values", "pop", "popitem", "setdefault", "clear", "move_to_end"]),
    ),
}
_NAMES = ("__name__", "__qualname__", "__module__", "__doc__")
_NOTHING: Any = object()


def is_kept(recording: Recording, obj: Any) -> bool:
    return recording.on and id(obj) in recording.builder.kept


def _keep(recording: Recording, obj: Any) -> tuple[Any]:
    recording.builder.kept[id(obj)] = obj
    return (obj,)


def call_builtin_method(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Note the object of a method such as `history.append` that came from outside."""
    if recording.builder.tracked.node(fn) is not None:
        recording.note(_note_owner, recording, fn, None)
    return PASS


def call_container_class(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`dict`, `set` and `frozenset`."""
    if fn is dict and len(args) == 1 and _is_known_dict(recording, args[0]):
        return _copied(recording, args[0], kwargs)
    if any(map(recording.builder.tracked.get, args)):
        return PASS
    given = (list(args[0]),) if len(args) == 1 and fn is not dict else args
    result: Any = fn(*given, **kwargs)
    keys = given[0] if given and fn is not dict else result
    if fn is dict and given and type(given[0]) in (list, tuple):
        keys = [key for key, _ in given[0]]
    return recording.note(decide_keys, recording, keys, result)


def call_text_of_exception(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    if len(args) == 1 and isinstance(args[0], BaseException) and not kwargs:
        if not recording.builder.traced(*args) and not _has_code(type(args[0])):
            return do(fn, *args)
    return PASS


def call_kept_class(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    made = _make_kept(recording, fn, args, kwargs)
    return PASS if made is None else made[0]


def call_method_of_named_tuple(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    own: Any = fn.__self__
    if is_named_tuple(type(own)) and fn.__name__ == "_replace" and not args and is_followed(recording, own):
        found = _replaced(recording, own, kwargs)
        return PASS if found is None else found[0]
    return PASS


def call_method_of_container(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    if kwargs:
        return PASS
    own: Any = fn.__self__
    if id(own) in recording.builder.kept and fn.__name__ in _METHODS[type(own)]:
        return _of_kept(recording, fn, own, args)[0]
    if type(own) is types.GeneratorType and recording.builder.tracked.get(own) is None:
        return _drawn_from(recording, fn, args)
    if type(own) is str and fn.__name__ == "join" and len(args) == 1 and type(args[0]) not in (list, tuple):
        if hasattr(type(args[0]), "__iter__"):
            return recording.call(fn, [*recording.iterate(args[0])])
    if type(own) in (list, tuple) and fn.__name__ in ("index", "count") and len(args) == 1:
        if (
            len(own) <= MANY
            and recording.builder.traced(own, *args)
            and _are_compared(recording, (*own, *args))
        ):
            return _place_of(recording, fn, own, args[0])
    if type(own) is frozenset and recording.builder.tracked.get(own) is None:
        recording.note(decide_keys, recording, args, None)
        return do(fn, *args)
    return PASS


def _note_owner(recording: Recording, fn: Any, _: None) -> None:
    """The object of a method such as `history.append` that came from outside."""
    note_read(recording, ReadAttribute, "__self__", None, recording.builder.tracked.node(fn), fn.__self__)


def _is_known_dict(recording: Recording, obj: Any) -> bool:
    """Whether it is a dict of which it is known what lies in it: made inside, or not given by a call."""
    known = recording.builder.tracked.get(obj)
    inside = known is None and (type(obj) is dict or id(obj) in recording.builder.kept)
    given = known is not None and (known.node is None or id(obj) in recording.builder.containers)
    return type(obj) in DICTS and type(obj) is not Counter and (inside or given)  # {"a": 0} is equal to {}


def _copied(recording: Recording, own: Any, more: dict[str, Any]) -> dict[Any, Any]:
    """`dict(own, **more)`."""
    recording.note(note_gone_through, recording, own)
    return {**{key: recording.getitem(own, key) for key in list(own)}, **more}


def _replaced(recording: Recording, own: Any, changes: dict[str, Any]) -> tuple[Any, ...] | None:
    """`named_tuple._replace(**changes)`."""
    kind = type(own)
    if set(changes) - set(kind._fields):
        return None
    recording.builder.constant(tuple(range(len(own))))
    held = [changes.get(name, _NOTHING) for name in kind._fields]
    held = [recording.getitem(own, place) if value is _NOTHING else value for place, value in enumerate(held)]
    return (recording.call(kind, *held),)


def _are_compared(recording: Recording, items: Any) -> bool:
    """Whether how these compare is seen: what is from outside and compares by what it is ends a
    recording, as no answer for one such object is another's."""
    kinds = (*NUMBERS, bool, str, bytes, type(None))
    return all(
        _are_compared(recording, item)
        if type(item) in (list, tuple)
        else type(item) in kinds or isinstance(item, np.generic) or id(item) in recording.builder.objects
        for item in items
    )


@performs
def _place_of(recording: Recording, fn: Any, own: Any, value: Any) -> int:
    """`row.index(value)` or `row.count(value)`, item by item."""
    places = []
    for place, item in enumerate(recording.iterate(own)):
        if item is value or recording.truth(recording.compare("==", item, value)):
            places.append(place)
            if fn.__name__ == "index":
                break
        elif isinstance(item, float | np.inexact) and decides_by_nan(recording, value):
            meant = recording.builder.tracked.meant
            return int(getattr([*map(meant, own)], fn.__name__)(meant(value)))
    if fn.__name__ == "index" and not places:
        try:
            fn(value)
        except ValueError as error:
            recording.raising(error)
            raise
    result = places[0] if fn.__name__ == "index" else len(places)
    recording.note(recording.builder.constant, result)
    return result


# -- containers --------------------------------------------------------------------------------------


def _make_kept(
    recording: Recording, kind: type, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...] | None:
    if kind is deque and set(kwargs) <= {"maxlen"}:
        recording.note(recording.builder.ref, [*args[1:], *kwargs.values()], True)
        items = (recording.iterate(args[0]),) if args and hasattr(type(args[0]), "__iter__") else args[:1]
        result: Any = do(deque, *items, *args[1:], **kwargs)
        return _keep(recording, result)
    if kind in KEPT_DICTS:
        first = args[: 1 if kind is defaultdict else 0]
        if len(args) > len(first) + 1 or (kind is Counter and kwargs):
            return None
        given = args[len(first) :]
        if given and type(given[0]) not in (dict, *KEPT_DICTS):
            if not hasattr(type(given[0]), "__iter__"):
                return None
            given = ([*recording.iterate(given[0])],)
        elif given:
            recording.note(recording.builder.tight, given[0])
            if recording.builder.tracked.get(given[0]) is not None:
                return None
        if kind is Counter and given:
            recording.note(decide_keys, recording, given[0], None)
        result = do(kind, *first, *given, **kwargs)
        recording.note(decide_keys, recording, result, None)
        return _keep(recording, result)
    if issubclass(kind, BaseException) and not _has_code(kind):
        return (do(kind, *args, **kwargs),)
    return None


def _of_kept(recording: Recording, fn: Any, own: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """A method of a container."""
    name = fn.__name__
    if type(own) is deque:
        if name in ("extend", "extendleft") and args and hasattr(type(args[0]), "__iter__"):
            args = (list(recording.iterate(args[0])),)
        elif name in ("rotate", "insert"):
            recording.note(recording.builder.ref, args[:1], True)
    else:
        recording.note(decide_keys, recording, args[:1], None)
    try:
        result = do(fn, *args)
    except (KeyError, IndexError) as error:
        recording.raising(error)
        raise
    if type(own) is Counter:
        recording.note(_note_count, recording, result)
    return (result,)


def _note_count(recording: Recording, found: Any) -> Any:
    if type(found) is int:
        recording.builder.constant(found)
    return found


def read_item(recording: Recording, obj: Any, index: Any) -> Any:
    if id(obj) in recording.builder.kept:
        return _item_kept(recording, obj, index)
    if type(obj) in (defaultdict, Counter) and index not in obj and id(obj) in recording.builder.containers:
        return _entered(recording, obj, index)
    if type(obj) not in (list, tuple, *DICTS):
        try:
            return item_of(recording, obj, index)
        except LookupError:
            if not (is_array(obj) or is_followed(recording, obj)):  # what catches it would decide by it
                recording.stop(Cause.ITEM(type(obj).__name__))
            raise
    try:
        return item_of(recording, obj, index)
    except (KeyError, IndexError, TypeError) as error:
        if type(error) is not TypeError:
            recording.note(_is_missing, recording, obj, index, error)
        raise


def _entered(recording: Recording, obj: Any, index: Any) -> Any:
    """An item of a defaultdict or Counter from outside that was not there."""
    recording.note(note_membership, recording, index, obj, None)
    if type(obj) is Counter:
        return recording.note(_note_count, recording, 0)
    factory = recording.getattr(obj, "default_factory")
    if factory is None:
        return item_of(recording, obj, index)
    value = recording.call(factory)
    recording.setitem(obj, index, value)
    return value


def _is_missing(recording: Recording, obj: Any, index: Any, error: BaseException) -> Any:
    """What is in the container, and what was asked for, decide that it is not there."""
    recording.builder.ref(index, True)
    if type(obj) in DICTS:
        note_membership(recording, index, obj, None) if recording.builder.tracked.get(
            obj
        ) is not None else None
    else:
        recording.builder.asked(obj)
        recording.builder.tight(obj)
        node = recording.builder.tracked.node(obj)
        if node is not None and attributes(node).contents_epoch != recording.builder.calls:
            return error
    recording.raising(error)
    return error


def _item_kept(recording: Recording, obj: Any, index: Any) -> Any:
    if type(obj) is deque:
        recording.note(recording.builder.ref, index, True)
    else:
        recording.note(decide_keys, recording, (index,), None)
    if type(obj) is defaultdict and index not in obj and obj.default_factory is not None:
        value = recording.call(obj.default_factory)
        obj[index] = value
        return value
    try:
        found = do(dict.__getitem__ if type(obj) is defaultdict else type(obj).__getitem__, obj, index)
    except (KeyError, IndexError) as error:
        recording.raising(error)
        raise
    return recording.note(_note_count, recording, found) if type(obj) is Counter else found


def store_kept_item(recording: Recording, obj: Any, index: Any, value: Any) -> Any:
    if not is_kept(recording, obj):
        return PASS
    if type(obj) is deque:
        recording.note(recording.builder.ref, index, True)
    else:
        recording.note(decide_keys, recording, (index,), None)
    obj[index] = value
    return None


def delete_kept_item(recording: Recording, obj: Any, index: Any) -> Any:
    if not is_kept(recording, obj):
        return PASS
    recording.note(decide_keys, recording, (index,), None)
    del obj[index]
    return None


def binary_of_dicts(recording: Recording, op: str, a: Any, b: Any) -> Any:
    if op == "|" and type(a) is dict and type(b) is dict:
        recording.note(_note_joined, recording, a, b)
        return a | b
    return PASS


def inplace_containers(recording: Recording, op: str, a: Any, b: Any) -> Any:
    if type(a) not in (dict, set) or recording.builder.tracked.get(a) is not None:
        return PASS
    if type(a) is dict and type(b) is dict:
        recording.note(_note_joined, recording, b)
    elif type(a) is set and type(b) in (set, frozenset):
        recording.note(note_members, recording, b)
    else:
        return PASS
    return INPLACE[op](a, b)


def _note_joined(recording: Recording, *dicts: Any) -> None:
    for one in dicts:
        note_gone_through(recording, one)


def _dicts_differ(recording: Recording, a: Any, b: Any) -> bool | None:
    """Whether two dicts differ, each in keys or values; None where that is left to Python."""
    same = a.keys() == b.keys()
    if type(a) is type(b) is OrderedDict or (same and len(a) > MANY):
        return None
    for one in (a, b):
        recording.note(note_gone_through, recording, one)
    if not same:
        return True
    one, other = (tuple(recording.getitem(own, key) for key in a) for own in (a, b))
    return bool(compare_in_turn(recording, "!=", one, other))


def compare_containers(recording: Recording, op: str, a: Any, b: Any) -> Any:
    if op in ("==", "!=") and _is_known_dict(recording, a) and _is_known_dict(recording, b):
        if (differ := _dicts_differ(recording, a, b)) is not None:
            return differ is (op == "!=")
    if recording.on and op in ("in", "not in") and _holds_keys(recording, b):
        recording.note(decide_keys, recording, (a,), None)
        if type(b) in (set, frozenset):
            recording.note(note_members, recording, b)
        return compare_meant(recording, op, a, b)
    return PASS


def _holds_keys(recording: Recording, obj: Any) -> bool:
    """Whether what is in this was decided as it was made, or checked."""
    kind = type(obj)
    if id(obj) in recording.builder.kept:
        return kind is not deque
    return kind is set or kind is frozenset


def truth_of_kept(recording: Recording, x: Any) -> Any:
    return bool(x) if is_kept(recording, x) else PASS


def attribute_of_kept(recording: Recording, obj: Any, name: str, result: Any) -> Any:
    if type(obj) is types.FunctionType and name in _NAMES and type(result) is str:
        if recording.builder.tracked.get(obj) is None:
            return result  # of a function that is decided
    if type(result) is types.BuiltinFunctionType:
        if id(obj) in recording.builder.kept:
            return result
        if type(obj) is types.GeneratorType and recording.builder.tracked.get(obj) is None:
            return result
    return PASS


# -- what is drawn -----------------------------------------------------------------------------------


def _drawn_from(recording: Recording, fn: Any, args: tuple[Any, ...]) -> Any:
    """`send`, `throw` and `close` of a generator."""
    try:
        return do(fn, *args)
    except StopIteration as error:
        recording.raising(error)
        raise


def _has_code(kind: type) -> bool:
    """Whether making an exception of this class runs code of the user's."""
    made = (kind.__init__, kind.__new__)  # type: ignore[misc]
    return any(isinstance(method, types.FunctionType) for method in made) and inlining.is_users_class(kind)
