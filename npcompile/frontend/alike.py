"""When two values, or the keys of two dicts, count as the same: what guards compare by."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from typing import Any

# Dicts of which a program may know what lies in them.
DICTS: tuple[type, ...] = (dict, OrderedDict, defaultdict)

_KEYS = (str, int, bool, type(None))


def same_value(value: Any, recorded: Any) -> bool:
    """Whether a number (or bool) is the recorded one: type and value, NaN equal to NaN, -0.0 unlike 0.0."""
    if type(value) is not type(recorded):
        return False
    if value == recorded:
        return bool(value != 0) or repr(value) == repr(recorded)
    return bool(value != value) and bool(recorded != recorded)


def is_key(key: Any) -> bool:
    """Whether a program may know a dict by keys of this kind."""
    return all(map(is_key, key)) if type(key) is tuple else type(key) in _KEYS


def are_alike(key: Any, recorded: Any) -> bool:
    """Whether two keys that are equal are of the same types."""
    if type(key) is tuple and type(recorded) is tuple:
        return all(map(are_alike, key, recorded))
    return type(key) is type(recorded)
