"""Packs the names that a native loop reads into words, and makes Python's values of the words that it
leaves.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import numpy as np

from npcompile.frontend.loops.run.array_iterators import Flat, Grid
from npcompile.frontend.loops.run.generators import is_generator, state_of
from npcompile.frontend.loops.run.iterators import Counted, Held, Items, Numbers, Zipped, iterator_of
from npcompile.lower.loops import ir
from npcompile.lower.loops.array_iterator_ir import FlatState, GridState
from npcompile.lower.loops.dict_ir import ObjectState
from npcompile.lower.loops.iterator_ir import CountedState, ItemsState, PartsState, ZippedState
from npcompile.lower.loops.layout import Layout, Slot, objects_in
from npcompile.lower.loops.layout import arrays_in as layout_arrays
from npcompile.lower.loops.layout import words as words_of
from npcompile.lower.loops.text_ir import TextState
from npcompile.lower.loops.types import (
    Array,
    Character,
    Dict,
    DictView,
    Either,
    Generator,
    Known,
    List,
    Method,
    Scalar,
    Set,
    Text,
    Tuple,
    Type,
    Unsigned,
    Word,
)
from npcompile.lower.native import native

WORD = 8  # bytes
TEXTS = frozenset((str, bytes, bytearray))
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
    """The exchange of one region's names by words. draws: it is given generators of random numbers."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.given = [(name, slot.kind) for name, slot in layout.given.items()]
        self.draws = any(isinstance(kind, Generator) for _, kind in self.given)
        self._format = struct.Struct("=" + "".join(_format(kind) for _, kind in self.given))
        self._bound: list[_Bound] = [
            (name, tag, [_reader(slot) for slot in slots]) for name, (tag, slots) in layout.bound.items()
        ]
        # The words that tell which memory arrays have, by the word that tells a name's type, and its value.
        self._arrays = {
            (tag, number + 1): [slot.offset + place for place in found]
            for tag, slots in layout.bound.values()
            for number, slot in enumerate(slots)
            if (found := layout_arrays(slot.kind))
        }
        # Likewise the words that hold references to Python's objects.
        self._objects = {
            (tag, number + 1): found
            for tag, slots in layout.bound.values()
            for number, slot in enumerate(slots)
            if (found := objects_in(slot.kind, slot.offset))
        }
        # The readers of names that are numbers or known objects, whatever their type.
        self._numbers = {
            name: (tag, readers)
            for name, tag, readers in self._bound
            if all(isinstance(slot.kind, Known | Scalar | Unsigned) for slot in layout.bound[name][1])
        }
        # The words that tell the types of names that may keep memory or references, which are to be let go.
        keep = {tag for tag, _ in (*self._arrays, *self._objects)}
        self._keep_memory = [tag for _, tag, _ in self._bound if tag in keep]
        self._relevant: dict[frozenset[str] | None, list[_Bound]] = {None: self._bound}

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
        owners: Sequence[Any],
        wanted: frozenset[str] | None = None,
    ) -> dict[str, Any]:
        """Return the values of the names that have one, or of those wanted. owners: the arrays given."""
        memory = Memory(owners)
        names = self.read(words, memory, wanted)
        memory.free()
        return names

    def has_value(self, name: str, words: bytearray) -> bool:
        """Tell if the region has bound a name, or was given it and may bind it."""
        known = self.layout.bound.get(name)
        return known is not None and memoryview(words).cast("q")[known[0]] != 0

    def value(self, name: str, words: bytearray, given: Iterable[Any]) -> Any:
        """Return the value of one name, as `unpack` does. given: the values that the region was given."""
        tags = memoryview(words).cast("q")
        tag, readers = self._numbers.get(name, _NO_NUMBER)
        for one in self._keep_memory:
            if tags[one]:
                readers = []
        if not readers:
            return self.unpack(words, arrays_in(given), frozenset((name,)))[name]
        return readers[tags[tag] - 1](words, _NO_MEMORY)

    def read(self, words: bytearray, memory: Memory, wanted: frozenset[str] | None = None) -> dict[str, Any]:
        """Do what `unpack` does. The caller frees the memory, which several exchanges may share."""
        names: dict[str, Any] = {}
        tags = memoryview(words).cast("q")
        bound = self._relevant.get(wanted)
        if bound is None:
            assert wanted is not None
            bound = [one for one in self._bound if one[0] in wanted or one[1] in self._keep_memory]
            self._relevant[wanted] = bound
        for name, tag, readers in bound:
            if kind := tags[tag]:
                for word in self._objects.get((tag, kind), ()):
                    memory.objects.append(tags[word])
                for word in self._arrays.get((tag, kind), ()):
                    memory.hold(tags[word])
                if wanted is None or name in wanted:
                    names[name] = readers[kind - 1](words, memory)
        return names


def _format(kind: Type) -> str:
    match kind:
        case Scalar(code=code) | Unsigned(code=code):
            return _FORMATS[code]
        case Array() | List() | Dict() | Set() | Method() | Text() | Word():
            return "Q"
        case ObjectState() | Generator():
            return "QQ"
        case Character():
            return "q"
        case ir.RangeState():
            return "qqqq"
        case Tuple(items=items):
            return "".join(map(_format, items))
        case (
            ItemsState(source=source)
            | PartsState(source=source)
            | TextState(source=source)
            | FlatState(source=source)
        ):
            return _format(source) + "q"
        case CountedState(items=counted):
            return "q" + _format(counted)
        case ZippedState(parts=parts):
            return "".join(map(_format, parts))
        case GridState(axes=axes):
            return "q" * (1 + axes)
    return ""


def _put(values: list[Any], kind: Type, value: Any) -> None:
    match kind:
        case Scalar(kind="c"):
            values += (value.real, value.imag)
        case Scalar() | Unsigned():
            values.append(value)
        case Array() | List() | Dict() | Set() | Text() | Word():
            values.append(id(value))
        case Generator():
            values += (id(value), state_of(value))
        case ObjectState():
            values += (id(value.iterator), *(map(id, value.taken) if value.taken else (0,)))
        case Method():
            values.append(id(value.__self__))
        case Character():
            values.append(ord(value))
        case ir.RangeState():
            numbers = value if type(value) is range else value.numbers
            values += (0, len(numbers), numbers.start, numbers.step)
        case Tuple(items=items):
            for one, part in zip(items, value, strict=True):
                _put(values, one, part)
        case (
            ItemsState(source=source)
            | PartsState(source=source)
            | TextState(source=source)
            | FlatState(source=source)
        ):
            _put(values, source, value.source)
            values.append(value.place)
        case GridState():
            values += (value.place, *value.shape)
        case CountedState(items=counted):
            values.append(value.next)
            _put(values, counted, value.items)
        case ZippedState(parts=parts):
            for state, part in zip(parts, value.parts, strict=True):
                _put(values, state, part)


def arrays_in(values: Iterable[Any]) -> list[Any]:
    """Return the arrays, texts and generators among values, also in tuples and in states of iterators."""
    found: list[Any] = []
    for value in values:
        kind = type(value)
        if kind is np.ndarray or kind in TEXTS or is_generator(value):
            found.append(value)
        elif kind is tuple:
            found += arrays_in(value)
        elif kind is Items or kind is Flat:
            found += arrays_in((value.source,))
        elif kind is Counted:
            found += arrays_in((value.items,))
        elif kind is Zipped:
            found += arrays_in(value.parts)
    return found


class Memory:
    """The memory of arrays that native code leaves: arrays that it was given, and blocks that it made.

    A block (`lower/loops/headers/memory.h`) becomes a new array's memory: a large one itself, as the native
    runtime can have NumPy free it (`lower/native/adopted.h`), others by a copy, and are freed. objects: the
    addresses of Python's objects, each with a reference of native code's, which is given back.
    """

    def __init__(self, owners: Sequence[Any]) -> None:
        self.owners = owners
        self._blocks: dict[int, np.ndarray[Any, Any]] = {}
        self._held: set[int] = set()
        self._adopted: set[int] = set()
        self.objects: list[int] = []

    def hold(self, word: int) -> None:
        """Take over the block of an array, if it has one."""
        if word & 1:
            self._held.add(word & ~3)

    def owner(self, word: int, dtype: np.dtype[Any]) -> tuple[np.ndarray[Any, Any], int]:
        """Return the array of which another one has its memory, and the address of its items in native
        code.
        """
        address = word & ~3
        if not word & 1:
            owner = next(array for array in self.owners if id(array) == address)
            return owner, owner.ctypes.data
        made = self._blocks.get(address)
        if made is None and (runtime := native.loaded()) is not None:
            made, adopted = runtime.adopt(address, dtype)
            self._blocks[address] = made
            if adopted:
                self._adopted.add(address)
        if made is None:
            _, size, axes, *shape, turned = _BLOCK.unpack(ctypes.string_at(address, _BLOCK.size))
            order: Literal["F", "C"] = "F" if turned else "C"
            made = self._blocks[address] = np.empty(tuple(shape[:axes]), dtype, order)
            ctypes.memmove(made.ctypes.data, address + _ITEMS, size)
        return made, address + _ITEMS

    def text(self, address: int) -> Any:
        """Return the text, or the generator, at an address."""
        return next(one for one in self.owners if id(one) == address)

    def free(self) -> None:
        """Free the blocks, and give references back."""
        for address in self.objects:
            _give_back(address)
        for address in self._held.union(self._blocks) - self._adopted if self._held or self._blocks else ():
            _free(ctypes.c_void_p.from_address(address - WORD).value)


_BLOCK = struct.Struct("=3q8qq")
_ITEMS = 128  # the bytes before a block's items
_give_back = ctypes.PyDLL(None).Py_DecRef
_give_back.argtypes, _give_back.restype = [ctypes.c_void_p], None
_free = ctypes.CDLL(None).free
_free.argtypes, _free.restype = [ctypes.c_void_p], None

Reader = Callable[[bytearray, Memory], Any]
_Bound = tuple[str, int, list[Reader]]  # a name, the word that tells its type, a reader for each type
_NO_NUMBER: tuple[int, list[Reader]] = 0, []
_NO_MEMORY = Memory(())


def _reader(slot: Slot) -> Reader:
    """Return the function that makes the value in a slot."""
    kind, offset = slot.kind, slot.offset * WORD
    match kind:
        case Known(value=value):
            return lambda words, memory: value
        case Scalar():
            return _number_reader(kind, offset)
        case Unsigned():
            return lambda words, memory: struct.unpack_from("=Q", words, offset)[0]
        case Array():
            return lambda words, memory: _array(kind, words, offset, memory)
        case Text() | Generator():
            return lambda words, memory: memory.text(struct.unpack_from("=q", words, offset)[0])
        case Character():
            return lambda words, memory: chr(struct.unpack_from("=q", words, offset)[0])
        case List() | Dict() | Set() | Word():
            return lambda words, memory: ctypes.py_object.from_buffer(words, offset).value
        case DictView(name=name):
            return lambda words, memory: getattr(ctypes.py_object.from_buffer(words, offset).value, name)()
        case Method(name=name):
            return lambda words, memory: getattr(ctypes.py_object.from_buffer(words, offset).value, name)
        case ir.RangeState():
            return lambda words, memory: _range(*struct.unpack_from("=qqqq", words, offset))
        case Tuple(items=items):
            readers = _readers(items, slot.offset)
            return lambda words, memory: tuple([reader(words, memory) for reader in readers])
        case Either(items=items):
            which, *either = _readers(items, slot.offset)
            return lambda words, memory: either[which(words, memory)](words, memory)
        case ir.State():
            state = _state_reader(slot)
            return lambda words, memory: iterator_of(state(words, memory))
    raise TypeError(f"a {type(kind).__name__} has no reader")


def _readers(kinds: Sequence[Type], offset: int) -> list[Reader]:
    """Return the functions that make the values in slots that follow one another."""
    readers = []
    for kind in kinds:
        readers.append((_state_reader if isinstance(kind, ir.State) else _reader)(Slot(kind, offset)))
        offset += words_of(kind)
    return readers


def _state_reader(slot: Slot) -> Reader:
    """Return the function that makes the state of the iterator in a slot."""
    kind, offset = slot.kind, slot.offset
    match kind:
        case ir.RangeState():
            return lambda words, memory: _numbers(*struct.unpack_from("=qqqq", words, offset * WORD))
        case ObjectState(view=view):
            return lambda words, memory: _held(words, offset * WORD, view)
        case TextState(source=source):
            read, end = _reader(Slot(source, offset)), (offset + 1) * WORD
            return lambda words, memory: Items(
                read(words, memory), struct.unpack_from("=q", words, end)[0], 1
            )
        case ItemsState(source=source, step=step) | PartsState(source=source, step=step):
            read, end = _reader(Slot(source, offset)), (offset + words_of(source)) * WORD
            return lambda words, memory: Items(
                read(words, memory), struct.unpack_from("=q", words, end)[0], step
            )
        case FlatState(source=source):
            read, end = _reader(Slot(source, offset)), (offset + words_of(source)) * WORD
            return lambda words, memory: Flat(read(words, memory), struct.unpack_from("=q", words, end)[0])
        case GridState(axes=axes):
            form = struct.Struct(f"={1 + axes}q")
            return lambda words, memory: _grid(*form.unpack_from(words, offset * WORD))
        case CountedState(items=items):
            (inner,) = _readers([items], offset + 1)
            return lambda words, memory: Counted(
                struct.unpack_from("=q", words, offset * WORD)[0], inner(words, memory)
            )
        case ZippedState(parts=parts, strict=strict):
            readers = _readers(parts, offset)
            return lambda words, memory: Zipped(tuple([read(words, memory) for read in readers]), strict)
    raise TypeError(f"a {type(kind).__name__} has no reader")


def _held(words: bytearray, offset: int, view: str) -> Held:
    iterator, *taken = [
        ctypes.py_object.from_buffer(words, offset + place).value
        for place in (0, WORD)
        if any(words[offset + place : offset + place + WORD])
    ]
    return Held(iterator, None, view, tuple(taken))


def _number_reader(kind: Scalar, offset: int) -> Reader:
    form = struct.Struct("=" + _FORMATS[kind.code])
    make: Any = complex if kind.kind == "c" else None
    if not kind.python:
        make = np.dtype(kind.code).type if kind.kind != "b" else np.bool_
        if kind.kind == "c":
            return lambda words, memory: make(complex(*form.unpack_from(words, offset)))
    if make is None:
        return lambda words, memory: form.unpack_from(words, offset)[0]
    return lambda words, memory: make(*form.unpack_from(words, offset))


def _range(position: int, length: int, start: int, stride: int) -> Any:
    return iter(range(start + position * stride, start + length * stride, stride))


def _numbers(position: int, length: int, start: int, stride: int) -> Numbers:
    return Numbers(start + position * stride, stride, max(length - position, 0))


def _grid(place: int, *shape: int) -> Grid:
    return Grid(shape, place)


class _Lent:
    """Lends an array's memory, in another layout, to the array that NumPy makes of this."""

    def __init__(self, owner: np.ndarray[Any, Any], interface: dict[str, Any]) -> None:
        self.owner = owner
        self.__array_interface__ = interface


def _array(kind: Array, words: bytearray, offset: int, memory: Memory) -> np.ndarray[Any, Any]:
    word, data, *rest = struct.unpack_from(f"={2 + 2 * kind.ndim}q", words, offset)
    dtype = np.dtype(kind.code)
    owner, start = memory.owner(word, dtype)
    if word & 2:
        return owner
    shape, strides = tuple(rest[: kind.ndim]), tuple(rest[kind.ndim :])
    if owner.flags.c_contiguous and shape and 0 not in shape:
        return np.ndarray(shape, dtype, owner, data - start, strides)
    interface = {
        "version": 3,
        "shape": shape,
        "strides": strides,
        "typestr": dtype.str,
        "data": (owner.ctypes.data + data - start, not owner.flags.writeable),
    }
    return np.asarray(_Lent(owner, interface))
