"""The signature of a call: the facts about its arguments for which a recorded program is valid.

Arrays count by dtype, shape, strides and flags, numbers by type alone (their values are traced), containers
by structure, functions by their code (programs read closures and defaults themselves), any other immutable
object by value. A program takes the *leaves* of the arguments, in order.
"""

from __future__ import annotations

import enum
import types
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

import numpy as np
import torch

from npcompile.frontend.eager.ndarray import ndarray
from npcompile.frontend.ops.table import TWINS
from npcompile.frontend.program.array_facts import on_memory_of

# ndarray.flags.num: C and F contiguity, ALIGNED, WRITEABLE. OWNDATA makes no difference to a program.
_FLAGS = 0x0001 | 0x0002 | 0x0100 | 0x0400
_WRITEABLE = 0x0400
_MAX_WORK = 10_000  # deciding exactly whether arrays share memory is NP-hard in the number of axes
_TWIN = 1 << 20  # beside them: the dtype equals another and is none, `long long` where int64 is `long`
_MAPPED = 1 << 21  # it is a memmap; the leaf is the plain array on its memory

NUMBERS = (int, float, complex)  # exact types: traced
# Values that decide: part of the signature themselves.
BY_VALUE = frozenset(
    [bool, str, bytes, type(None), type(Ellipsis), np.dtype, type(np.dtype(float)), np.ufunc, type, range]
    + [types.ModuleType, types.BuiltinFunctionType, type(np.sum)]
)
CLASSES_BY_VALUE = (type, np.dtype, enum.Enum)
# Of these there may be several objects that are equal: which one it is, a program takes from its leaf.
MADE_ANEW = (str, bytes, range)
# Methods of these, such as `history.append`, are known by their name: which object's they are is read.
OWNERS = frozenset(
    [list, dict, set, bytearray, deque, OrderedDict, defaultdict, Counter, types.GeneratorType]
)
# Begins the key of the arguments by name: the last of those by position may be a dictionary, too.
BY_NAME = "by name"


def by_value(value: Any) -> bool:
    """Tell whether a value decides by itself: it is part of the signature, and no leaf."""
    if type(value) is types.BuiltinFunctionType:
        return type(value.__self__) not in OWNERS
    return type(value) in BY_VALUE or isinstance(value, CLASSES_BY_VALUE)


def key_of(value: Any, leaves: list[Any]) -> Any:
    """Return the hashable key of one argument; its leaves are appended to `leaves`."""
    kind = type(value)
    if kind is np.ndarray:
        leaves.append(value)
        flags = value.flags.num & _FLAGS | (_TWIN if value.dtype.char in TWINS else 0)
        return value.dtype, value.shape, value.strides, flags
    if kind is ndarray:
        leaves.append(value)
        memory, known = value._memory, value._layout_known
        writeable = known is None or bool(known.flags.num & _WRITEABLE)
        where = memory.device, writeable
        return kind, memory.dtype, tuple(memory.shape), memory.stride(), value._flips, *where
    if kind is np.memmap:
        dtype, shape, strides, flags = key_of(on_memory_of(value), leaves)
        return dtype, shape, strides, flags | _MAPPED
    if kind is float or kind is int or kind is complex:
        leaves.append(value)
        return kind
    if kind is dict:
        leaves.append(value)
        return (dict, *[(key, key_of(item, leaves)) for key, item in value.items()])
    if kind is tuple or kind is list:
        leaves.append(value)
        return (kind, *[key_of(item, leaves) for item in value])
    if by_value(value):
        if kind in MADE_ANEW:
            leaves.append(value)
        return kind, value
    if kind is slice:
        return (slice, *[(type(part), part) for part in (value.start, value.stop, value.step)])
    leaves.append(value)
    if kind is types.FunctionType:
        code, space = value.__code__, value.__globals__  # a program that reads these keeps them alive
        return kind, code, code.co_filename, id(space)
    if kind is types.MethodType:
        return kind, value.__func__
    if kind is types.BuiltinFunctionType:
        return kind, value.__name__, type(value.__self__)
    if isinstance(value, np.generic):
        return kind, value.dtype
    if isinstance(value, torch.Tensor):
        return kind, value.dtype, tuple(value.shape), value.stride(), value.device, value.requires_grad
    return kind


def are_apart(*args: Any) -> bool:
    """Tell whether no two arrays among the arguments share memory."""
    leaves: list[Any] = []
    key_of(args, leaves)
    arrays = [leaf for leaf in leaves if isinstance(leaf, np.ndarray)]
    pairs = ((one, other) for place, one in enumerate(arrays) for other in arrays[:place])
    return not any(_may_share(one, other) for one, other in pairs)


def _may_share(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    """Tell whether two arrays share an element (columns of one array do not), up to a bound on the work."""
    try:
        return np.shares_memory(one, other, max_work=_MAX_WORK)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True
