"""Identity: the live objects that a recording knows, and the step that each came from.

Arrays are followed by weak reference: temporaries die as they would, and so do objects that calls gave (a
file that nobody holds is closed, and its text can be read). Numbers are kept alive, small ints, too, as
objects of their own. An object that stands for two things at once (a literal and an argument that is True:
CPython has one object for both) is decided by value, for both; two sizes that are equal are guarded to be
equal.
"""

from __future__ import annotations

import ctypes
import itertools
import operator
import sys
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from torch import fx

from npcompile.frontend.graph.recorded_state import nothing, restored, survives
from npcompile.frontend.program.equality import is_shared


class Known(NamedTuple):
    """A followed object: `node` is the step it came from, or None if the signature and the guards decide
    it."""

    holder: Any  # the object, or a weak reference to it
    node: fx.Node | None


def _another(value: Any) -> Any:
    """Return an equal number as another object where one can be made: identity tells the two apart."""
    kind = type(value)
    if kind is float:
        return value * 1.0
    if kind is int:
        made = value + 1 - 1
        return _apart(value) if made is value + 1 - 1 else made  # one of which there is one
    if kind is complex:
        return complex(value.real, value.imag)
    if isinstance(value, np.generic) and not isinstance(value, np.bool_):
        return np.array(value)[()]
    return value


def is_nan(value: Any) -> bool:
    """Tell if it is a NaN, which is found by identity: `x in (0.0, np.nan)`."""
    return isinstance(value, float | complex | np.inexact) and bool(value != value)


def _digit_at() -> int | None:
    """Return the place of the digit in an int of one digit; None where ints are laid out in another way."""
    if (
        sys.implementation.name != "cpython"
        or sys.int_info.sizeof_digit != 4
        or _ABOVE >> sys.int_info.bits_per_digit
    ):
        return None
    place, number = int.__basicsize__, _ABOVE + 7
    return place if ctypes.c_uint32.from_address(id(number) + place).value == number else None


def _size_of(number: int) -> ctypes.c_size_t:
    """Return the word before the digits: their number, and the sign."""
    return ctypes.c_size_t.from_address(id(number) + int.__basicsize__ - ctypes.sizeof(ctypes.c_size_t))


def _no_digits() -> int | None:
    """Return that word of 0, which has no digit; None where it means something else."""
    words = [_size_of(number).value for number in (0, _ABOVE, _ABOVE + 7, 1 << 40)]
    if _DIGIT_AT is None or words not in ([0, 1, 1, 2], [1, 8, 8, 16], [5, 8, 8, 16]):
        return None
    return words[0] & ~_IMMORTAL


_IMMORTAL = 4  # of CPython 3.14's own small ints
_ABOVE = 1 << 20  # of numbers from here on CPython makes an object each time
_DIGIT_AT = _digit_at()
_NO_DIGITS = _no_digits()
# Types of objects that hold no others.
_ALONE = frozenset([int, float, complex, bool, str, bytes, type(None), *np.sctypeDict.values()]) - {
    np.object_
}
_HOLDING_KNOWN = _ALONE | {tuple, np.ndarray}


def _apart(number: int) -> int:
    """Return a small number as an object other than CPython's one for it.

    It is made for a larger number, then changed before anybody has seen it.
    """
    if _DIGIT_AT is None or (number == 0 and _NO_DIGITS is None):
        return number
    made = number - _ABOVE if number < 0 else number + _ABOVE
    ctypes.c_uint32.from_address(id(made) + _DIGIT_AT).value = abs(number)
    if _NO_DIGITS is not None and number == 0:
        _size_of(made).value = _NO_DIGITS
    return made


def _is_alive(entry: Known) -> bool:
    return not isinstance(entry.holder, weakref.ref) or entry.holder() is not None


_BUILDER = "the builder does that"


@dataclass(eq=False, repr=False)
class Tracked:
    """The followed objects, by identity."""

    decide: Callable[[fx.Node, Any], None] = survives(_BUILDER)  # guards that a node has this value
    equate: Callable[[fx.Node, fx.Node], bool] = survives(_BUILDER)  # guards that two are equal, if that does
    # Guards that two nodes are this one object; None stands for what is decided.
    one: Callable[[fx.Node | None, fx.Node | None, Any], fx.Node] = survives(_BUILDER)
    known: dict[int, Known] = restored(dict, holds=_is_alive)
    failed: Exception | None = survives("a fault is told at the end", nothing)  # as an object died
    # Numbers that stand for others here, and tuples of such: each with the object that it is to Python.
    standing: dict[int, tuple[Any, Any]] = survives("Python may hold what stands for another", dict)

    def get(self, obj: Any) -> Known | None:
        return self.known.get(id(obj))

    def node(self, obj: Any) -> fx.Node | None:
        known = self.known.get(id(obj))
        return None if known is None else known.node

    def clear(self, ended: bool) -> None:
        """Follow no object any more, so that weak references to this one die.

        ended: the recording has. Tuples stand for no others then: what lies in them dies where Python has it
        die.
        """
        self.known.clear()
        if ended and self.standing:
            self.standing = {key: pair for key, pair in self.standing.items() if type(pair[0]) is not tuple}

    def stand(self, value: Any) -> Any:
        """Return the stand-in for a number from outside: an object of its own.

        The stand-in stays in what the recording follows, and leaves nowhere (`meant`).
        """
        made = _another(value)
        return value if made is value else self.stands(made, value)

    def result(self, value: Any) -> Any:
        """Return a number that a step gave: itself, unless something else can be that object."""
        if id(value) in self.known or id(value) in self.standing or is_shared(value):
            return self.stand(value)
        return value

    def stands(self, made: Any, given: Any) -> Any:
        """Note which number, or tuple, this one stands for."""
        self.standing[id(made)] = made, self.meant(given)
        return made

    @property
    def any_meant(self) -> bool:
        """Tell if there are any stand-ins."""
        return bool(self.standing)

    def is_meant(self, obj: Any) -> bool:
        """Tell if this is a stand-in."""
        return self.meant(obj) is not obj

    def are_themselves(self, items: Iterable[Any]) -> bool:
        """Tell if these, which may be many, are numbers, texts, arrays of such and tuples of all these, with
        no stand-in."""
        kinds = set(map(type, items))
        if not (kinds <= _HOLDING_KNOWN and self.standing.keys().isdisjoint(map(id, items))):
            return False
        if np.ndarray in kinds:
            arrays = [item for item in items if type(item) is np.ndarray]
            if np.dtype(object) in set(map(operator.attrgetter("dtype"), arrays)):
                return False
        if tuple not in kinds:
            return True
        held = itertools.chain.from_iterable(item for item in items if type(item) is tuple)
        return self.are_themselves(list(held))

    def meant(self, obj: Any) -> Any:
        """Return the object that this is to Python: the one that it stands for, or itself.

        For a tuple with stand-ins in it, a tuple of the objects that they stand for.
        """
        found = self.standing.get(id(obj))
        if found is not None:
            return found[1]
        if type(obj) is tuple and self.standing and not self.are_themselves(obj):
            items = [self.meant(item) for item in obj]
            if any(one is not other for one, other in zip(items, obj, strict=True)):
                made = tuple(items)
                self.standing[id(obj)] = obj, made
                return made
        return obj

    def array(self, array: Any, node: fx.Node, ended: Callable[[fx.Node], None] | None = None) -> None:
        """Follow an array (or another object that can be referred to weakly).

        ended: called with the node when the object dies while it is followed.
        """
        key = id(array)

        def died(reference: Any, known: dict[int, Known] = self.known, key: int = key) -> None:
            entry = known.get(key)
            if entry is not None and entry.holder is reference:
                del known[key]
                if ended is not None:
                    try:
                        ended(node)
                    except Exception as error:  # Python would drop what a weak reference's callback raises
                        self.failed = error

        self.known[key] = Known(weakref.ref(array, died), node)

    def keep(self, obj: Any, node: fx.Node | None) -> None:
        """Follow an object, keeping it alive: containers and objects from outside."""
        self.known[id(obj)] = Known(obj, node)

    def number(self, value: Any, node: fx.Node | None) -> None:
        """Follow a number of Python's or NumPy's."""
        known = self.known.get(id(value))
        if known is None:
            self.known[id(value)] = Known(value, node)
        elif known.node is not node and not is_shared(value):
            self.known[id(value)] = Known(value, self.one(known.node, node, self.meant(value)))
        elif known.node is not node and not (known.node and node and self.equate(known.node, node)):
            for other in (known.node, node):
                if other is not None:
                    self.decide(other, value)
            self.known[id(value)] = Known(value, None)
