"""Packs the names that a native loop reads into words, and makes Python's values of the words that it
leaves.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Container, Sequence
from typing import Any

import numpy as np

from npcompile.lower.loops import ir
from npcompile.lower.loops.layout import Layout, Slot
from npcompile.lower.loops.types import Array, Known, Scalar, Tuple, Type

WORD = 8  # bytes
# The formats of `struct` for numbers, each filled up to whole words.
_FORMATS = {
    "b1": "?7x",
    "i1": "b7x",
    "i2": "h6x",
    "i4": "i4x",
    "i8": "q",
    "u1": "B7x",
    "u2": "H6x",
    "u4": "I4x",
    "u8": "Q",
    "f2": "e6x",
    "f4": "f4x",
    "f8": "d",
    "c8": "ff8x",
    "c16": "dd",
}


class Exchange:
    """The exchange of one region's names by words."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.given = [(name, slot.kind) for name, slot in layout.given.items()]
        self._format = struct.Struct("=" + "".join(_format(kind) for _, kind in self.given))
        self._bound = [
            (name, tag, [_reader(slot) for slot in slots]) for name, (tag, slots) in layout.bound.items()
        ]

    def pack(self, names: dict[str, Any]) -> bytearray:
        """Return the words of a region that is entered with these names."""
        words = bytearray(max(self.layout.size, 1) * WORD)
        values: list[Any] = []
        for name, kind in self.given:
            _put(values, kind, names[name])
        self._format.pack_into(words, 0, *values)
        return words

    @staticmethod
    def address(words: bytearray) -> int:
        """Return the address of words."""
        return ctypes.addressof(ctypes.c_char.from_buffer(words))

    def unpack(
        self,
        words: bytearray,
        owners: Sequence[np.ndarray[Any, Any]],
        wanted: Container[str] | None = None,
    ) -> dict[str, Any]:
        """Return the values of the names that have one, or of those wanted. owners: the arrays given."""
        names: dict[str, Any] = {}
        tags = memoryview(words).cast("q")
        for name, tag, readers in self._bound:
            if (wanted is None or name in wanted) and (kind := tags[tag]):
                names[name] = readers[kind - 1](words, owners)
        return names


def _format(kind: Type) -> str:
    match kind:
        case Scalar(code=code):
            return _FORMATS[code]
        case Array():
            return "Q"
        case ir.RangeState():
            return "qqqq"
    return ""


def _put(values: list[Any], kind: Type, value: Any) -> None:
    match kind:
        case Scalar(kind="c"):
            values += (value.real, value.imag)
        case Scalar():
            values.append(value)
        case Array():
            values.append(id(value))
        case ir.RangeState():
            values += (0, len(value), value.start, value.step)


Reader = Callable[[bytearray, Sequence["np.ndarray[Any, Any]"]], Any]


def _reader(slot: Slot) -> Reader:
    """Return the function that makes the value in a slot."""
    kind, offset = slot.kind, slot.offset * WORD
    match kind:
        case Known(value=value):
            return lambda words, owners: value
        case Scalar():
            return _number_reader(kind, offset)
        case Array():
            return lambda words, owners: _array(kind, words, offset, owners)
        case ir.RangeState():
            return lambda words, owners: _range(*struct.unpack_from("=qqqq", words, offset))
        case Tuple(items=items):
            raise TypeError(f"a tuple of {len(items)} has no reader")
    raise TypeError(f"a {type(kind).__name__} has no reader")


def _number_reader(kind: Scalar, offset: int) -> Reader:
    form = struct.Struct("=" + _FORMATS[kind.code])
    make: Any = complex if kind.kind == "c" else None
    if not kind.python:
        make = np.dtype(kind.code).type if kind.kind != "b" else np.bool_
        if kind.kind == "c":
            return lambda words, owners: make(complex(*form.unpack_from(words, offset)))
    if make is None:
        return lambda words, owners: form.unpack_from(words, offset)[0]
    return lambda words, owners: make(*form.unpack_from(words, offset))


def _range(position: int, length: int, start: int, stride: int) -> Any:
    return iter(range(start + position * stride, start + length * stride, stride))


class _Memory:
    """Lends an array's memory, in another layout, to the array that NumPy makes of this."""

    def __init__(self, owner: np.ndarray[Any, Any], interface: dict[str, Any]) -> None:
        self.owner = owner
        self.__array_interface__ = interface


def _array(
    kind: Array, words: bytearray, offset: int, owners: Sequence[np.ndarray[Any, Any]]
) -> np.ndarray[Any, Any]:
    owner_id, data, *rest = struct.unpack_from(f"={2 + 2 * kind.ndim}q", words, offset)
    shape, strides = tuple(rest[: kind.ndim]), tuple(rest[kind.ndim :])
    owner = next(array for array in owners if id(array) == owner_id)
    if owner.ctypes.data == data and owner.shape == shape and owner.strides == strides:
        return owner
    interface = {
        "version": 3,
        "shape": shape,
        "strides": strides,
        "typestr": np.dtype(kind.code).str,
        "data": (data, not owner.flags.writeable),
    }
    return np.asarray(_Memory(owner, interface))
