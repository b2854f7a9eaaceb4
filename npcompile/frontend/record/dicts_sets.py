"""Dicts and sets are made, joined and compared key by key: keys are decided, the values of a dict are not.

The registry lists the handlers. `local_containers.py` has the other kinds of dicts that a function makes.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from typing import Any

from npcompile.frontend.catalog.python_operators import INPLACE
from npcompile.frontend.program.equality import DICTS
from npcompile.frontend.record.container_keys import decide_keys, note_gone_through, note_members
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.operators import compare_meant
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.special_methods import MANY, compare_in_turn
from npcompile.frontend.rewrite.call_sites import do


def call_dict_or_set(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `dict`, `set` and `frozenset`."""
    if fn is dict and len(args) == 1 and _is_known_dict(recording, args[0]):
        own = args[0]
        recording.note(note_gone_through, recording, own)
        return {**{key: recording.getitem(own, key) for key in list(own)}, **kwargs}
    if any(map(recording.builder.tracked.get, args)):
        return PASS
    given = (list(args[0]),) if len(args) == 1 and fn is not dict else args
    result: Any = fn(*given, **kwargs)
    keys = given[0] if given and fn is not dict else result
    if fn is dict and given and type(given[0]) in (list, tuple):
        keys = [key for key, _ in given[0]]
    return recording.note(decide_keys, recording, keys, result)


def call_method_of_frozenset(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Call a method of a frozenset that was made inside."""
    own: Any = fn.__self__
    if kwargs or type(own) is not frozenset or recording.builder.tracked.get(own) is not None:
        return PASS
    recording.note(decide_keys, recording, args, None)
    return do(fn, *args)


def binary_of_dicts(recording: Recording, op: str, a: Any, b: Any) -> Any:
    """Do `a | b` of two dicts."""
    if op == "|" and type(a) is dict and type(b) is dict:
        recording.note(_note_joined, recording, a, b)
        return a | b
    return PASS


def inplace_containers(recording: Recording, op: str, a: Any, b: Any) -> Any:
    """Do `a |= b` and the like of two dicts or two sets, where the first one was made inside."""
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


def compare_containers(recording: Recording, op: str, a: Any, b: Any) -> Any:
    """Compare two dicts, and ask if a key is in a dict or set whose keys are decided."""
    if op in ("==", "!=") and _is_known_dict(recording, a) and _is_known_dict(recording, b):
        if (differ := _dicts_differ(recording, a, b)) is not None:
            return differ is (op == "!=")
    if recording.on and op in ("in", "not in") and _has_decided_keys(recording, b):
        recording.note(decide_keys, recording, (a,), None)
        if type(b) in (set, frozenset):
            recording.note(note_members, recording, b)
        return compare_meant(recording, op, a, b)
    return PASS


def _is_known_dict(recording: Recording, obj: Any) -> bool:
    """Return True for a dict whose items the recording knows: made inside, or given by no call."""
    known = recording.builder.tracked.get(obj)
    inside = known is None and (type(obj) is dict or id(obj) in recording.builder.kept)
    given = known is not None and (known.node is None or id(obj) in recording.builder.containers)
    return type(obj) in DICTS and type(obj) is not Counter and (inside or given)  # {"a": 0} is equal to {}


def _dicts_differ(recording: Recording, a: Any, b: Any) -> bool | None:
    """Return True if two dicts differ, in keys or values; None where that is left to Python."""
    same = a.keys() == b.keys()
    if type(a) is type(b) is OrderedDict or (same and len(a) > MANY):
        return None
    for one in (a, b):
        recording.note(note_gone_through, recording, one)
    if not same:
        return True
    one, other = (tuple(recording.getitem(own, key) for key in a) for own in (a, b))
    return bool(compare_in_turn(recording, "!=", one, other))


def _has_decided_keys(recording: Recording, obj: Any) -> bool:
    """Return True if the keys of a container were decided as it was made, or are checked."""
    kind = type(obj)
    if id(obj) in recording.builder.kept:
        return kind is not deque
    return kind is set or kind is frozenset
