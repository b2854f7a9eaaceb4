"""Describes a region's entry to the native runtime, which checks types and packs words without Python.

`partition/native_loop.py` makes one for each combination of types. `lower/native/loop_entry.h` takes no other
values than those of the types given here; for all others it answers None, and `exchange.py` packs.
"""

from __future__ import annotations

import builtins
import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import CellType
from typing import Any

import numpy as np

from npcompile.frontend.loops.assumed import Assumed
from npcompile.lower.loops import ir
from npcompile.lower.loops.iterator_ir import ItemsState
from npcompile.lower.loops.layout import Layout, words
from npcompile.lower.loops.service.threads import SharingFunction
from npcompile.lower.loops.types import BOOL, COMPLEX, FLOAT, INT, Array, Known, Scalar, Type, Unsigned

# The number of the exit, the words, and the exception of a signal's handler.
Done = tuple[int, bytearray, BaseException | None]
QuickEntry = Callable[..., Done | None]

_KINDS = {INT: "i", FLOAT: "f", BOOL: "b", COMPLEX: "c"}
_ALIGNED, _WRITEABLE = 0x100, 0x400  # NumPy's flags


def quick_entry(
    runtime: Any,
    function: Any,
    layout: Layout,
    wide: frozenset[str],
    assumed: Sequence[Assumed],
    takes: Sequence[str],
    state: str | None,
    outside: Callable[[str], dict[str, Any] | CellType],
) -> QuickEntry | None:
    """Return what enters a region; None where it takes values that the native runtime does not pack.

    Parameters
    ----------
    runtime
        The native runtime.
    function
        The region's function.
    layout
        Its words.
    wide
        Names of ints of any 64 bits.
    assumed
        Attributes and global names that are taken to stay the same objects.
    takes
        The names of the arguments after the first one.
    state
        The name of the state of the iterator, which is the first argument.
    outside
        The globals, or the cell, in which a name is that is no argument.
    """
    if wide:
        return None
    if isinstance(function, SharingFunction):
        unshared = quick_entry(runtime, function.function, layout, wide, assumed, takes, state, outside)
        return None if unshared is None else SharingEntry(function, unshared)
    places = {name: place for place, name in enumerate(takes, 1)}
    if state is not None:
        places[state] = 0
    parts = []
    for name, slot in layout.given.items():
        if (kind := _kind(slot.kind)) is None:
            return None
        if name in places:
            source: tuple[Any, ...] = ("a", places[name])
            where: tuple[Any, ...] = (None, "", None)
        else:
            if kind[0] == "a":  # the words that are left are read by the arguments' memory
                return None
            owner = outside(name)
            source = ("c" if isinstance(owner, CellType) else "d", 0)
            where = (owner, name, None if isinstance(owner, CellType) else vars(builtins))
        parts.append((kind[0], *source, kind[1], *where, kind[2]))
    for one in assumed:
        is_dict = type(one.owner) is dict
        where = (one.owner, one.name, vars(builtins) if is_dict else None)
        parts.append(("k", "d" if is_dict else "o", 0, one.value, *where, _NOTHING))
    address = ctypes.cast(function, ctypes.c_void_p).value
    entry: QuickEntry = runtime.LoopEntry(address, max(layout.size, 1), 1 + len(takes), tuple(parts))
    return entry


@dataclass(frozen=True, slots=True)
class SharingEntry:
    """Tells a loop that threads share how many there are, and enters it."""

    function: SharingFunction
    entry: QuickEntry

    def __call__(self, *values: Any) -> Done | None:
        self.function.give()
        return self.entry(*values)


_NOTHING = (0, 0, 0, False, 0, False)


def _kind(kind: Type) -> tuple[str, Any, tuple[int, int, int, bool, int, bool]] | None:
    """Return a type as the native runtime knows it: a letter, an object, and numbers."""
    match kind:
        case Known(value=value):
            return "k", value, _NOTHING
        case Scalar(python=True):
            return _KINDS[kind], None, _NOTHING
        case Unsigned():
            return "u", None, _NOTHING
        case Scalar(code=code):
            scalar = np.bool_ if kind.kind == "b" else np.dtype(code).type
            return "n", scalar, (words(kind), 0, 0, False, 0, False)
        case Array():
            return "a", None, _of_array(kind)
        case ItemsState(source=Array() as source, step=1):
            return "m", None, _of_array(source)
        case ir.RangeState(stride=stride, nonnegative=nonnegative):
            return "r", None, (0, 0, 0, False, stride or 0, nonnegative)
    return None


def _of_array(kind: Array) -> tuple[int, int, int, bool, int, bool]:
    flags = _ALIGNED | (_WRITEABLE if kind.writeable else 0)
    return np.dtype(kind.code).num, kind.ndim, flags, kind.packed, 0, False
