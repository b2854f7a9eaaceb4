"""Describes a region's entry to the native runtime, which checks types and packs words without Python.

`partition/native_loop.py` makes one for each combination of types. `lower/native/loop_entry.h` takes no other
values than those of the types given here; for all others it answers None, and `exchange.py` packs.
"""

from __future__ import annotations

import builtins
import ctypes
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from types import CellType
from typing import Any

import numpy as np

from npcompile.frontend.loops.assumed import Assumed
from npcompile.frontend.loops.entry.closures import Closure, defaults_of
from npcompile.frontend.loops.entry.objects import (
    Instance,
    Method,
    Objects,
    dictionary_of,
    is_object,
    is_path,
    is_slot,
    key_of_item,
    variable_of,
)
from npcompile.frontend.loops.entry.values import TEXTS, deque_type, list_type, table_type, type_of
from npcompile.lower.loops import ir
from npcompile.lower.loops.iterator_ir import ItemsState
from npcompile.lower.loops.layout import Layout, given_words, words
from npcompile.lower.loops.service.threads import SharingFunction
from npcompile.lower.loops.types import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    Array,
    Deque,
    Dict,
    Known,
    List,
    Scalar,
    Set,
    Text,
    Tuple,
    Type,
    Unsigned,
)

_KINDS = {INT: "i", FLOAT: "f", BOOL: "b", COMPLEX: "c"}
_TEXTS = {text.name: kind for kind, text in TEXTS.items()}
_ALIGNED, _WRITEABLE = 0x100, 0x400  # NumPy's flags
_NOTHING = (0, 0, 0, False, 0, False)


@dataclass(frozen=True, slots=True)
class Held:
    """The objects of an entry without Python, with the attributes that they had. paths: of the objects and
    cells. names: of the values. others: the modules whose names are among these."""

    paths: tuple[str, ...]
    names: tuple[str, ...]
    others: dict[str, Any]
    objects: tuple[Any, ...]
    values: tuple[Any, ...]

    def named_values(self) -> dict[str, Any]:
        """Return the values by their names."""
        return dict(zip(self.names, self.values, strict=True))

    def store(self, names: dict[str, Any]) -> None:
        """Store the attributes among names that native code has left."""
        owners = self.others | dict(zip(self.paths, self.objects, strict=True))
        Objects(owners=owners, values=self.named_values()).store(names)


# The number of the exit, the words, the exception of a signal's handler, and the objects.
Done = tuple[int, bytearray, BaseException | None, Held | None]
QuickEntry = Callable[..., Done | None]


@dataclass(frozen=True, slots=True)
class Given:
    """The names that a region is given.

    Parameters
    ----------
    layout
        Its words.
    wide
        Names of ints of any 64 bits.
    unsigned
        Names of ints that are unsigned where they are not negative.
    assumed
        Attributes and global names that are taken to stay the same objects.
    takes
        The names of the arguments after the first one.
    state
        The name of the state of the iterator, which is the first argument.
    outside
        The globals, or the cell, in which a name is that is no argument.
    names
        The values at one entry.
    objects
        The objects among them.
    whole
        The arrays on all of whose items expressions work: each has `most_bytes` at most.
    """

    layout: Layout
    wide: frozenset[str]
    unsigned: Container[str]
    assumed: Sequence[Assumed]
    takes: Sequence[str]
    state: str | None
    outside: Callable[[str], dict[str, Any] | CellType]
    names: dict[str, Any]
    objects: Objects | None
    whole: frozenset[str]
    most_bytes: int


def quick_entry(runtime: Any, function: Any, given: Given) -> QuickEntry | None:
    """Return what enters a region; None where it takes values that the native runtime does not pack.

    function: the region's function.
    """
    if given.wide:
        return None
    if isinstance(function, SharingFunction):
        unshared = quick_entry(runtime, function.function, given)
        return None if unshared is None else SharingEntry(function, unshared)
    parts = _Parts(given, max(given.layout.size, 1))
    if not parts.write():
        return None
    address = ctypes.cast(function, ctypes.c_void_p).value
    entry: Any = runtime.LoopEntry(address, parts.size, 1 + len(given.takes), tuple(parts.made))
    if entry is None or not parts.values:
        return entry
    return HoldingEntry(entry, tuple(parts.places), tuple(parts.values), parts.modules)


@dataclass(frozen=True, slots=True)
class SharingEntry:
    """Tells a loop that threads share how many there are, and enters it."""

    function: SharingFunction
    entry: QuickEntry

    def __call__(self, *values: Any) -> Done | None:
        self.function.give()
        return self.entry(*values)


@dataclass(frozen=True, slots=True)
class HoldingEntry:
    """Enters a loop that is given objects, and tells which ones these were. paths, names, others: `Held`."""

    entry: Callable[..., Any]
    paths: tuple[str, ...]
    names: tuple[str, ...]
    others: dict[str, Any]

    def __call__(self, *values: Any) -> Done | None:
        done = self.entry(*values)
        if done is None:
            return None
        number, words, raised, held = done
        return number, words, raised, Held(self.paths, self.names, self.others, *held)


class _NotPackedError(Exception):
    """The native runtime does not pack a value."""


@dataclass
class _Source:
    """The place where the native runtime finds a value: `EntryPart` in `loop_entry.h`."""

    letter: str
    place: int = 0
    owner: Any = None
    name: str = ""
    other: Any = None
    index: int = 0


@dataclass
class _Parts:
    """Writes the parts of an entry, in the order in which the runtime looks at them.

    size: the number of words. places: of the objects, functions and cells that are kept, by their paths.
    values: the names of the values that the runtime hands back. modules: those whose names are among these,
    by their paths.
    """

    given: Given
    size: int
    made: list[tuple[Any, ...]] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    values: list[str] = field(default_factory=list)
    modules: dict[str, Any] = field(default_factory=dict)

    def write(self) -> bool:
        """Write all parts; tell if the native runtime packs all values."""
        given, objects = self.given, self.given.objects
        attributes = {} if objects is None else objects.values
        try:
            for name, slot in given.layout.given.items():
                if name not in attributes:
                    source = self.source(name)
                    self.value(name, slot.kind, source, slot.offset, source.letter != "a")
            for name, kind in () if objects is None else objects.names.items():
                self.reference(name, kind)
            for name in attributes:
                source = self.source(name)
                if (known := given.layout.given.get(name)) is not None:
                    self.value(name, known.kind, source, known.offset, True)
                else:  # it is not read, but the code may be as it is by its type: `if self.limit is None:`
                    self.unread(name, source)
        except _NotPackedError:
            return False
        for one in given.assumed:
            is_dict = type(one.owner) is dict
            where = ("d" if is_dict else "o", 0, one.owner, one.name, vars(builtins) if is_dict else None)
            self.part("k", _Source(*where), one.value)
        return True

    def part(
        self,
        kind: str,
        source: _Source,
        expected: Any = None,
        numbers: tuple[int, int, int, bool, int, bool] = _NOTHING,
        asks: Any = None,
        offset: int = 0,
        same: int = -1,
        back: bool = False,
        items: tuple[Any, ...] = (),
    ) -> None:
        """Write one part."""
        where = (source.letter, source.place, expected, source.owner, source.name)
        last = (asks, offset, same, source.index, back, items)
        self.made.append((kind, *where, source.other, numbers, *last))

    def value(self, name: str, kind: Type, source: _Source, offset: int, held: bool) -> None:
        """Write the part of a value. held: nothing else keeps it alive while native code runs."""
        found, expected, numbers, asks, items = _kind(kind, self.given.names.get(name))
        if found == "a" and name in self.given.whole:
            numbers = (*numbers[:4], self.given.most_bytes, False)
        back = is_path(name) or (held and found not in "kifbucnr")
        self.part(found, source, expected, numbers, asks, offset, back=back, items=items)
        if back:
            self.values.append(name)

    def unread(self, name: str, source: _Source) -> None:
        """Write the part of an attribute that native code does not read: its words lie behind all others."""
        kind = type_of(self.given.names.get(name), name in self.given.unsigned)
        if kind is None:
            raise _NotPackedError
        self.value(name, kind, source, self.given.layout.size, True)
        self.size = max(self.size, self.given.layout.size + given_words(kind))

    def reference(self, path: str, kind: Type) -> None:
        """Write the part of an object, a function or a method."""
        match kind:
            case Method(owner=owner):
                name = path.rpartition(".")[2]
                self.part("x", _Source("m", self.places[owner.path], name=name))
                return
            case Instance(path=first, kind=expected):
                asks = (is_object, True) if kind.is_record else None
                checks = ("o", self.source(path), expected, _NOTHING, asks, 0)
            case Closure(path=first):
                checks = ("w", *self.function(path, kind))
            case _:
                raise _NotPackedError
        self.part(*checks, same=self.places.get(first, -1))
        if first not in self.places:
            self.places[first] = len(self.places)
            if isinstance(kind, Closure):
                self.cells(kind)

    def function(self, path: str, kind: Closure) -> tuple[Any, ...]:
        """Return the source and the checks of a nested function."""
        assert self.given.objects is not None
        function, source = self.given.objects.owners[kind.path], self.source(path)
        if function.__kwdefaults__:
            raise _NotPackedError
        source.owner = function.__globals__
        return source, function.__code__, (len(defaults_of(function)), 0, 0, False, 0, False)

    def cells(self, kind: Closure) -> None:
        """Write the parts of a function's cells, which other functions may have, too."""
        for index, name in enumerate(kind.code.value.co_freevars):
            path = _cell(kind.variable(name))
            self.part("e", _Source("l", self.places[kind.path], index=index), same=self.places.get(path, -1))
            self.places.setdefault(path, len(self.places))

    def source(self, name: str) -> _Source:
        """Return where the value of a name, or of an attribute, is."""
        given = self.given
        if name == given.state:
            return _Source("a")
        if name in given.takes:
            return _Source("a", 1 + given.takes.index(name))
        if is_path(name) and given.objects is not None:
            return self.member(name, given.objects)
        owner = given.outside(name)
        if isinstance(owner, CellType):
            return _Source("c", 0, owner, name)
        return _Source("d", 0, owner, name, vars(builtins))

    def member(self, path: str, objects: Objects) -> _Source:
        """Return where an attribute of an object, or a variable of a function, is."""
        first, _, name = path.rpartition(".")
        if first not in objects.owners:
            raise _NotPackedError
        owner, variable, key = objects.owners[first], variable_of(path), key_of_item(name)
        if variable is not None and type(owner) is dict:
            self.modules[first] = owner
            return _Source("d", 0, owner, variable)
        if variable is not None:
            if (place := self.places.get(_cell(path))) is not None:
                return _Source("v", place)
            return _Source("p", self.places[first], index=[*defaults_of(owner)].index(variable))
        place = self.places[first]
        if key is not None:
            return _Source("m", place, name=key)
        if not is_slot(owner, name):
            if name in dictionary_of(owner):
                return _Source("m", place, name=name)
            self.part("x", _Source("m", place, name=name))
        return _Source("g", place, name=name)


def _cell(path: str) -> str:
    """Return the path of a variable's cell, which is kept beside its function."""
    return f"{path}()"


def _kind(kind: Type, value: Any) -> tuple[str, Any, tuple[int, int, int, bool, int, bool], Any, Any]:
    """Return a type as the native runtime knows it: a letter, an object, numbers, a function to be asked of
    the value with its answer, and items. Raises _NotPackedError."""
    match kind:
        case Known(value=known):
            return "k", known, _NOTHING, None, ()
        case Scalar(python=True):
            return _KINDS[kind], None, _NOTHING, None, ()
        case Unsigned():
            return "u", None, _NOTHING, None, ()
        case Scalar(code=code):
            scalar = np.bool_ if kind.kind == "b" else np.dtype(code).type
            return "n", scalar, (words(kind), 0, 0, False, 0, False), None, ()
        case Array():
            return "a", None, _of_array(kind), None, ()
        case Text(name=name):
            return "s", _TEXTS[name], _NOTHING, None, ()
        case List() | Dict() | Set():
            asks: Any = deque_type if isinstance(kind, Deque) else table_type
            asks = list_type if type(value) is list else asks
            return "q", type(value), _NOTHING, (asks, asks(value)), ()
        case Tuple(items=items):
            return "t", None, _NOTHING, None, tuple(map(_item, items, value))
        case ItemsState(source=Array() as source, step=1):
            return "m", None, _of_array(source), None, ()
        case ir.RangeState(stride=stride, nonnegative=nonnegative):
            return "r", None, (0, 0, 0, False, stride or 0, nonnegative), None, ()
    raise _NotPackedError


def _item(kind: Type, value: Any) -> tuple[Any, ...]:
    """Return the part of a tuple's item, which has no source of its own."""
    found, expected, numbers, asks, items = _kind(kind, value)
    return found, "a", 0, expected, None, "", None, numbers, asks, 0, -1, 0, False, items


def _of_array(kind: Array) -> tuple[int, int, int, bool, int, bool]:
    flags = _ALIGNED | (_WRITEABLE if kind.writeable else 0)
    return np.dtype(kind.code).num, kind.ndim, flags, kind.packed, 0, False
