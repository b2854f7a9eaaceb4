"""When two values, or the keys of two dicts, count as the same: what guards compare by."""

from __future__ import annotations

import enum
import types
from collections import Counter, OrderedDict, defaultdict
from typing import Any

import numpy as np

from npcompile.frontend.ops.numpy_private import DISPATCHER

# Dicts of which a program may know what lies in them.
DICTS: tuple[type, ...] = (dict, OrderedDict, defaultdict, Counter)

_KEYS = (str, int, bool, type(None))
_ONE_EACH = (
    types.FunctionType,
    types.BuiltinFunctionType,
    np.ufunc,
    DISPATCHER,
    type,
)  # equal where they are one


def same_value(value: Any, recorded: Any) -> bool:
    """Whether a number (or bool) is the recorded one: type and value, NaN equal to NaN, -0.0 unlike 0.0."""
    if type(value) is not type(recorded):
        return False
    if value == recorded:
        return bool(value != 0) or repr(value) == repr(recorded)
    return bool(value != value) and bool(recorded != recorded)


def is_shared(value: Any) -> bool:
    """Tell whether CPython may have one object for all numbers that are equal to this."""
    return (type(value) is int and value + 1 - 1 is value + 1 - 1) or value is np.True_ or value is np.False_


def is_key(key: Any) -> bool:
    """Whether a program may know a dict by keys of this kind."""
    if type(key) is tuple:
        return all(map(is_key, key))
    return type(key) in _KEYS or type(key) in _ONE_EACH or isinstance(key, enum.Enum)


def place_of(index: Any) -> Any:
    """What an item of a container is known by: its index or key itself, which compares as the container
    compares it (two objects may show as the same text); text for a slice."""
    return repr(index) if type(index) is slice else index


def are_alike(key: Any, recorded: Any) -> bool:
    """Whether two keys that are equal are of the same types."""
    if type(key) is tuple and type(recorded) is tuple:
        return all(map(are_alike, key, recorded))
    if type(key) is slice and type(recorded) is slice:
        return are_alike((key.start, key.stop, key.step), (recorded.start, recorded.stop, recorded.step))
    return type(key) is type(recorded)
