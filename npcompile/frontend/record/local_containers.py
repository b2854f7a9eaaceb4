"""Deques, OrderedDicts, Counters and defaultdicts that a function makes for itself.

They are no steps of the program: a recording follows what lies in them as it follows local names, and ends
where one leaves the function. The registry lists the handlers.
"""

from __future__ import annotations

import types
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

from npcompile.frontend.record.container_keys import decide_keys
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.rewrite.call_sites import do

KEPT_DICTS = (OrderedDict, Counter, defaultdict)
_METHODS: dict[type, frozenset[str]] = {
    deque: frozenset("append appendleft pop popleft extend extendleft rotate clear reverse insert".split()),
    **dict.fromkeys(
        KEPT_DICTS,
        frozenset("get keys items values pop popitem setdefault clear".split()),
    ),
}


def _is_kept(recording: Recording, obj: Any) -> bool:
    return recording.on and id(obj) in recording.builder.kept


def _keep(recording: Recording, obj: Any) -> Any:
    recording.builder.kept[id(obj)] = obj
    return obj


def call_deque(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make a deque."""
    if not set(kwargs) <= {"maxlen"}:
        return PASS
    recording.note(recording.builder.ref, [*args[1:], *kwargs.values()], True)
    items = (recording.iterate(args[0]),) if args and hasattr(type(args[0]), "__iter__") else args[:1]
    result: Any = do(deque, *items, *args[1:], **kwargs)
    return _keep(recording, result)


def call_kept_dict(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make an OrderedDict, Counter or defaultdict."""
    first = args[: 1 if fn is defaultdict else 0]
    if len(args) > len(first) + 1 or (fn is Counter and kwargs):
        return PASS
    given = args[len(first) :]
    if given and type(given[0]) not in (dict, *KEPT_DICTS):
        if not hasattr(type(given[0]), "__iter__"):
            return PASS
        given = ([*recording.iterate(given[0])],)
    elif given:
        recording.note(recording.builder.tight, given[0])
        if recording.builder.tracked.get(given[0]) is not None:
            return PASS
    if fn is Counter and given:
        recording.note(decide_keys, recording, given[0], None)
    result = do(fn, *first, *given, **kwargs)
    recording.note(decide_keys, recording, result, None)
    return _keep(recording, result)


def call_method(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a method of a container that was made inside."""
    own, name = fn.__self__, fn.__name__
    if kwargs or id(own) not in recording.builder.kept or name not in _METHODS[type(own)]:
        return PASS
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
        recording.note(note_count, recording, result)
    return result


def note_count(recording: Recording, found: Any) -> Any:
    """Note the number that a Counter gave: it is decided."""
    if type(found) is int:
        recording.builder.constant(found)
    return found


def read_kept_item(recording: Recording, obj: Any, index: Any) -> Any:
    """Read an item of a container that was made inside."""
    if id(obj) not in recording.builder.kept:
        return PASS
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
    return recording.note(note_count, recording, found) if type(obj) is Counter else found


def store_kept_item(recording: Recording, obj: Any, index: Any, value: Any) -> Any:
    """Store an item in a container that was made inside."""
    if not _is_kept(recording, obj):
        return PASS
    if type(obj) is deque:
        recording.note(recording.builder.ref, index, True)
    else:
        recording.note(decide_keys, recording, (index,), None)
    obj[index] = value
    return None


def delete_kept_item(recording: Recording, obj: Any, index: Any) -> Any:
    """Delete an item of a container that was made inside."""
    if not _is_kept(recording, obj):
        return PASS
    recording.note(decide_keys, recording, (index,), None)
    del obj[index]
    return None


def truth_of_kept(recording: Recording, obj: Any) -> Any:
    """Return the truth of a container that was made inside."""
    return bool(obj) if _is_kept(recording, obj) else PASS


def attribute_of_kept(recording: Recording, obj: Any, name: str, result: Any) -> Any:
    """Give the methods of a container that was made inside."""
    bound = type(result) is types.BuiltinFunctionType
    return result if bound and id(obj) in recording.builder.kept else PASS
