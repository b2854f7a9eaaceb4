"""Guards: the checks that a replay makes of values before it relies on them, one class per kind of check.

A recording puts a guard into the residual program for each value that decided something. A guard stands in
the program's graph as the target of a node, whose argument is the value, or whose arguments are two values.

To add a kind, write a class here and give it a row in tests/frontend/program/test_guards.py. Only where the
native runtime makes the check itself, `lower/native/guards.h` has a form of the guard as well. Other files
ask for the properties that the base class lists, or for the one class whose expected value they need.
"""

from __future__ import annotations

import inspect
import types
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from npcompile.diagnostics.naming import object_name
from npcompile.frontend.program.array_facts import facts, is_array, order_of, outline
from npcompile.frontend.program.equality import DICTS, are_alike, same_value
from npcompile.frontend.program.object_steps import is_absent
from npcompile.frontend.program.replay_interface import ReplayCheck, ReplayText
from npcompile.lower.plan.sizes import SMALLEST


class Diverged(BaseException):
    """A replay came to a value that is decided otherwise than recorded; nothing has been changed yet."""


@dataclass(frozen=True, eq=False)
class Guard(ReplayCheck):
    """A check of a value, or of two: a replay diverges where the check fails. Base class of all kinds.

    A guard is called with the values, and returns whether the check holds.
    """

    __name__ = "guard"

    # Does the guard only make sure what kind of thing was read? It goes when nothing uses the thing.
    only_of_kind: ClassVar[bool] = False
    # Is the guard about an array itself, not about its elements? An array of Python objects may have it.
    about_array_itself: ClassVar[bool] = False
    # Does the guard hold for arrays alone, of one dtype and number of axes?
    of_array: ClassVar[bool] = False
    # Does the guard tell a memory-mapped array from the plain array on its memory?
    tells_memmaps_apart: ClassVar[bool] = False

    def __call__(self, *args: Any, **kwargs: Any) -> bool:
        """Return whether the values are such as they were while recording."""
        raise NotImplementedError

    def failure(self, text: ReplayText, value: str, other: str, of_input: bool) -> str:
        """Return the Python condition under which a replay diverges.

        Unless a kind writes a condition of its own, the replay calls the guard.

        Parameters
        ----------
        text : ReplayText
            The writer, which names the objects that the condition mentions.
        value, other : str
            The names of the values; `other` is empty where there is one value.
        of_input : bool
            The value is an argument, whose type the signature has checked.
        """
        return f"not {text.constant(self, 'guard')}({value})"

    def words(self, value: str, other: str) -> str:
        """Return the guard as a Python condition for people to read."""
        raise NotImplementedError


# -- values --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ValueEquals(Guard):
    """A number, bool, text or None has this type and value; NaN equals NaN, and -0.0 is not 0.0."""

    expected: Any

    def __call__(self, value: Any) -> bool:
        return same_value(value, self.expected)

    def failure(self, text: ReplayText, value: str, other: str, of_input: bool) -> str:
        expected = self.expected
        kind = type(expected)
        if kind is int and of_input:
            return f"{value} != {expected}"
        if expected is None or kind is bool:
            return f"{value} is not {expected}"
        # Of floats, 0.0 equals -0.0, and NaN equals nothing: the guard itself compares those.
        if kind in (int, str) or (kind is float and expected == expected and expected):
            return f"type({value}) is not {text.constant(kind)} or {value} != {text.arg(expected)}"
        return super().failure(text, value, other, of_input)

    def words(self, value: str, other: str) -> str:
        return f"{value} == {self.expected!r}"


@dataclass(frozen=True, eq=False)
class ValuesEqual(Guard):
    """Two numbers have the same type and value."""

    def __call__(self, value: Any, other: Any) -> bool:
        return same_value(value, other)

    def failure(self, text: ReplayText, value: str, other: str, of_input: bool) -> str:
        return f"type({value}) is not type({other}) or {value} != {other}"

    def words(self, value: str, other: str) -> str:
        return f"{value} == {other}"


@dataclass(frozen=True, eq=False)
class ContentsEqual(Guard):
    """A tuple or slice equals this one, and all that it holds has the same types."""

    expected: Any

    def __call__(self, value: Any) -> bool:
        expected = self.expected
        return type(value) is type(expected) and value == expected and are_alike(value, expected)

    def failure(self, text: ReplayText, value: str, other: str, of_input: bool) -> str:
        guard = f"{text.constant(self, 'guard')}({value})"
        return f"{value} is not {text.constant(self.expected)} and not {guard}"

    def words(self, value: str, other: str) -> str:
        return f"{value} == {self.expected!r}"


@dataclass(frozen=True, eq=False)
class TruthIs(Guard):
    """A value counts as true, or as false."""

    expected: bool

    def __call__(self, value: Any) -> bool:
        return bool(value) is self.expected

    def failure(self, text: ReplayText, value: str, other: str, of_input: bool) -> str:
        return f"not {value}" if self.expected else value

    def words(self, value: str, other: str) -> str:
        return value if self.expected else f"not {value}"


@dataclass(frozen=True, eq=False)
class InRange(Guard):
    """A number lies between two others, or is one of them."""

    low: Any
    high: Any

    def __call__(self, value: Any) -> bool:
        return bool(self.low <= value <= self.high)

    def failure(self, text: ReplayText, value: str, other: str, of_input: bool) -> str:
        return f"not {self.low} <= {value} <= {self.high}"

    def words(self, value: str, other: str) -> str:
        return f"{self.low} <= {value} <= {self.high}"


# -- identity ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class IsObject(Guard):
    """A value is this very object."""

    expected: Any
    about_array_itself = True
    tells_memmaps_apart = True

    def __call__(self, value: Any) -> bool:
        return value is self.expected

    def failure(self, text: ReplayText, value: str, other: str, of_input: bool) -> str:
        return f"{value} is not {text.constant(self.expected)}"

    def words(self, value: str, other: str) -> str:
        if type(self.expected) is dict:  # it may be a module's globals
            return f"{value} is {self.expected.get('__name__', 'the same dict')}"
        return f"{value} is {object_name(self.expected)}"


@dataclass(frozen=True, eq=False)
class IsNotObject(Guard):
    """A value is another object than this one."""

    expected: Any
    about_array_itself = True
    tells_memmaps_apart = True

    def __call__(self, value: Any) -> bool:
        return value is not self.expected

    def failure(self, text: ReplayText, value: str, other: str, of_input: bool) -> str:
        return f"{value} is {text.constant(self.expected)}"

    def words(self, value: str, other: str) -> str:
        return f"{value} is not {object_name(self.expected)}"


@dataclass(frozen=True, eq=False)
class SameObject(Guard):
    """Two values are one object. There is one plain array for each memmap, so memmaps are none apart."""

    about_array_itself = True

    def __call__(self, value: Any, other: Any) -> bool:
        return value is other

    def failure(self, text: ReplayText, value: str, other: str, of_input: bool) -> str:
        return f"{value} is not {other}"

    def words(self, value: str, other: str) -> str:
        return f"{value} is {other}"


@dataclass(frozen=True, eq=False)
class DifferentObjects(Guard):
    """Two values are two objects."""

    about_array_itself = True
    tells_memmaps_apart = True

    def __call__(self, value: Any, other: Any) -> bool:
        return value is not other

    def failure(self, text: ReplayText, value: str, other: str, of_input: bool) -> str:
        return f"{value} is {other}"

    def words(self, value: str, other: str) -> str:
        return f"{value} is not {other}"


# -- types, functions and attributes -------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class TypeIs(Guard):
    """A value is of exactly this type."""

    expected: type
    only_of_kind = True
    about_array_itself = True

    def __call__(self, value: Any) -> bool:
        return type(value) is self.expected

    def failure(self, text: ReplayText, value: str, other: str, of_input: bool) -> str:
        return f"type({value}) is not {text.constant(self.expected)}"

    def words(self, value: str, other: str) -> str:
        return f"type({value}) is {self.expected.__name__}"


@dataclass(frozen=True, eq=False)
class MethodFunctionIs(Guard):
    """A bound method is one of this function."""

    expected: Any

    def __call__(self, value: Any) -> bool:
        return getattr(value, "__func__", None) is self.expected

    def native(self, module: Any) -> Any:
        return module.FunctionGuard(self, self.expected)

    def words(self, value: str, other: str) -> str:
        return f"{value}.__func__ is {object_name(self.expected)}"


@dataclass(frozen=True, eq=False)
class CodeIs(Guard):
    """A function has this code: a nested function is another object at each call of the one around it."""

    expected: types.CodeType

    def __call__(self, value: Any) -> bool:
        return type(value) is types.FunctionType and value.__code__ is self.expected

    def failure(self, text: ReplayText, value: str, other: str, of_input: bool) -> str:
        function = text.constant(types.FunctionType)
        return f"type({value}) is not {function} or {value}.__code__ is not {text.constant(self.expected)}"

    def words(self, value: str, other: str) -> str:
        return f"{value} is a {self.expected.co_name}"


@dataclass(frozen=True, eq=False)
class PropertyIs(Guard):
    """The class of an object has this property, or other attribute, under a name."""

    attribute: str
    expected: Any

    def __call__(self, value: Any) -> bool:
        return inspect.getattr_static(type(value), self.attribute, None) is self.expected

    def failure(self, text: ReplayText, value: str, other: str, of_input: bool) -> str:
        if type(self.expected) is property:
            return f"getattr(type({value}), {self.attribute!r}, None) is not {text.constant(self.expected)}"
        return super().failure(text, value, other, of_input)

    def words(self, value: str, other: str) -> str:
        return f"type({value}).{self.attribute} is {object_name(self.expected)}"


@dataclass(frozen=True, eq=False)
class AttributeAbsent(Guard):
    """Neither an object nor its class holds anything under a name."""

    attribute: str

    def __call__(self, value: Any) -> bool:
        return is_absent(value, self.attribute)

    def words(self, value: str, other: str) -> str:
        return f"{value} has no {self.attribute}"


# -- lengths that a shape-generic program lets differ --------------------------------------------------------


class Resizable(Guard):
    """A guard whose lengths a shape-generic program may replace by others. Base class of these kinds."""

    @property
    def is_resizable(self) -> bool:
        """Tell whether other lengths may take the place of those recorded."""
        raise NotImplementedError

    def lengths(self) -> tuple[int, ...]:
        """Return the lengths that the guard expects, but for 0 and 1."""
        raise NotImplementedError

    def renewed(self, value: Any) -> Resizable | None:
        """Return the guard that another value would have had; None where it cannot have this kind."""
        raise NotImplementedError

    def differs_in_lengths_alone(self, other: Any) -> bool:
        """Return whether another guard of this class differs from this one in nothing but lengths."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class SizeEquals(Resizable):
    """A whole number on which sizes depend has this value."""

    expected: int
    is_resizable = True

    def __call__(self, value: Any) -> bool:
        return type(value) is int and value == self.expected

    def words(self, value: str, other: str) -> str:
        return f"{value} == {self.expected!r}"

    def lengths(self) -> tuple[int, ...]:
        return (self.expected,) if self.expected >= SMALLEST else ()

    def renewed(self, value: Any) -> Resizable | None:
        return SizeEquals(value) if type(value) is int else None

    def differs_in_lengths_alone(self, other: SizeEquals) -> bool:
        return min(self.expected, other.expected) >= SMALLEST


@dataclass(frozen=True, eq=False)
class ArrayMatches(Resizable):
    """A value is an array that lies in memory as one with these `facts`: dtype, shape, strides, flags."""

    expected: tuple[Any, ...]
    only_of_kind = True
    about_array_itself = True
    of_array = True

    def __call__(self, value: Any) -> bool:
        return is_array(value) and facts(value) == self.expected

    def native(self, module: Any) -> Any:
        return module.ArrayGuard(self, *self.expected)

    def words(self, value: str, other: str) -> str:
        dtype, shape, *_ = self.expected
        return f"{value}.dtype == {dtype.name!r} and {value}.shape == {shape}"

    @property
    def is_resizable(self) -> bool:
        return bool(order_of(self.expected))

    def lengths(self) -> tuple[int, ...]:
        return tuple(n for n in self.expected[1] if n >= SMALLEST)

    def renewed(self, value: Any) -> Resizable | None:
        return ArrayMatches(facts(value)) if is_array(value) else None

    def differs_in_lengths_alone(self, other: ArrayMatches) -> bool:
        first, second = (
            (dtype, rest, [min(n, SMALLEST) for n in shape], order_of((dtype, shape, strides)))
            for dtype, shape, strides, *rest in (self.expected, other.expected)
        )
        return bool(first == second)


# -- arrays and containers -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class OutlineMatches(Guard):
    """A value is an array with this `outline`: dtype, number of axes, flags. Its lengths may differ."""

    expected: tuple[Any, ...]
    about_array_itself = True
    of_array = True

    def __call__(self, value: Any) -> bool:
        return is_array(value) and outline(value) == self.expected

    def words(self, value: str, other: str) -> str:
        dtype, ndim, *_ = self.expected
        return f"{value}.dtype == {dtype.name!r} and {value}.ndim == {ndim}"


@dataclass(frozen=True, eq=False)
class ShapeIs(Guard):
    """An array has this shape."""

    expected: tuple[int, ...]
    about_array_itself = True

    def __call__(self, value: np.ndarray[Any, Any]) -> bool:
        return bool(value.shape == self.expected)

    def failure(self, text: ReplayText, value: str, other: str, of_input: bool) -> str:
        return f"{value}.shape != {self.expected}"

    def words(self, value: str, other: str) -> str:
        return f"{value}.shape == {self.expected}"


@dataclass(frozen=True, eq=False)
class LengthIs(Guard):
    """A container holds so many things."""

    expected: int
    only_of_kind = True
    about_array_itself = True

    def __call__(self, value: Any) -> bool:
        return len(value) == self.expected

    def failure(self, text: ReplayText, value: str, other: str, of_input: bool) -> str:
        return f"len({value}) != {self.expected}"

    def words(self, value: str, other: str) -> str:
        return f"len({value}) == {self.expected}"


@dataclass(frozen=True, eq=False)
class TextKeysAre(Guard):
    """A dict has these keys in this order, all of them text."""

    expected: tuple[str, ...]

    def __call__(self, value: Any) -> bool:
        return type(value) in DICTS and tuple(value) == self.expected

    def native(self, module: Any) -> Any:
        return module.KeysGuard(self, self.expected)

    def words(self, value: str, other: str) -> str:
        return f"[*{value}] == {list(self.expected)}"


@dataclass(frozen=True, eq=False)
class KeysAre(Guard):
    """A dict has these keys in this order, and each is of the same type."""

    expected: tuple[Any, ...]

    def __call__(self, value: Any) -> bool:
        keys = self.expected
        return type(value) in DICTS and tuple(value) == keys and all(map(are_alike, value, keys))

    def native(self, module: Any) -> Any:
        return module.KeysGuard(self, self.expected)

    def words(self, value: str, other: str) -> str:
        return f"[*{value}] == {list(self.expected)}"


def keys_are(keys: tuple[Any, ...]) -> Guard:
    """Return the guard that a dict has these keys."""
    return TextKeysAre(keys) if all(type(key) is str for key in keys) else KeysAre(keys)


@dataclass(frozen=True, eq=False)
class MembersAre(Guard):
    """A set is of this type and has these members, in the order in which Python iterates them."""

    expected_type: type
    expected: tuple[Any, ...]

    def __call__(self, value: Any) -> bool:
        members = self.expected
        same_type: bool = type(value) is self.expected_type
        return same_type and tuple(value) == members and all(map(are_alike, value, members))

    def words(self, value: str, other: str) -> str:
        return f"[*{value}] == {list(self.expected)}"
