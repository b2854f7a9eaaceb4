"""Equality of values and of keys, by which guards compare: stricter than Python's where types decide."""

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
# Objects of these types are equal where they are one object.
_ONE_EACH = (types.FunctionType, types.BuiltinFunctionType, np.ufunc, DISPATCHER, type)


def same_value(value: Any, recorded: Any) -> bool:
    """Tell whether a number is the recorded one, in type and value: NaN equals NaN, and -0.0 is not 0.0."""
    if type(value) is not type(recorded):
        return False
    if value == recorded:
        return bool(value != 0) or repr(value) == repr(recorded)
    return bool(value != value) and bool(recorded != recorded)


def is_shared(value: Any) -> bool:
    """Tell whether CPython may have one object for all numbers that are equal to this."""
    return (type(value) is int and value + 1 - 1 is value + 1 - 1) or value is np.True_ or value is np.False_


def is_key(key: Any) -> bool:
    """Tell whether a program may know a dict by keys of this kind."""
    if type(key) is tuple:
        return all(map(is_key, key))
    return type(key) in _KEYS or type(key) in _ONE_EACH or isinstance(key, enum.Enum)


def place_of(index: Any) -> Any:
    """Return what an item of a container is known by: its index or key; for a slice its text.

    Keys compare as the container compares them: two that print alike may differ.
    """
    return repr(index) if type(index) is slice else index


def are_alike(key: Any, recorded: Any) -> bool:
    """Tell whether two keys that are equal are of equal types throughout."""
    if type(key) is tuple and type(recorded) is tuple:
        return all(map(are_alike, key, recorded))
    if type(key) is slice and type(recorded) is slice:
        return are_alike((key.start, key.stop, key.step), (recorded.start, recorded.stop, recorded.step))
    return type(key) is type(recorded)
