"""Defines lists in the typed IR: expressions of Python's own list objects, and steps that change them.

Rules in `frontend/loops/rules/lists.py` make it, `list_code.py` writes its C++. The item of a list's type is
an expectation: an item that is read is looked at, and native code leaves where it has another type.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from npcompile.lower.loops import ir
from npcompile.lower.loops.dict_ir import NewDict, NewSet
from npcompile.lower.loops.either_ir import either_of
from npcompile.lower.loops.text_ir import as_word
from npcompile.lower.loops.types import (
    NONE,
    WORD,
    Character,
    Dict,
    Either,
    List,
    Scalar,
    Set,
    Tuple,
    Type,
    Word,
    is_optional,
    maybe_none,
)


@dataclass(frozen=True, eq=False)
class NewList(ir.Compound):
    """A new list of items, all of one type."""

    items: tuple[ir.Expression, ...]

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.items))}]"


@dataclass(frozen=True, eq=False)
class Repeated(ir.Compound):
    """A new list: another one, repeated."""

    source: ir.Expression
    count: ir.Expression

    def __str__(self) -> str:
        return f"{self.source} * {self.count}"


@dataclass(frozen=True, eq=False)
class ListPart(ir.Compound):
    """A new list: the items of another one from a place to another place; None stands for its ends."""

    source: ir.Expression
    start: ir.Expression | None
    stop: ir.Expression | None

    def __str__(self) -> str:
        bounds = ("" if bound is None else str(bound) for bound in (self.start, self.stop))
        return f"{self.source}[{':'.join(bounds)}]"


@dataclass(frozen=True, eq=False)
class ListSlice(ir.Compound):
    """A new list: the items of another one by a slice with a step; None stands for Python's default."""

    source: ir.Expression
    start: ir.Expression | None
    stop: ir.Expression | None
    step: ir.Expression

    def __str__(self) -> str:
        return f"{self.source}[{_slice(self.start, self.stop, self.step)}]"


@dataclass(frozen=True, eq=False)
class ListOfRange(ir.Compound):
    """A new list of the numbers of a range."""

    start: ir.Expression
    stop: ir.Expression
    stride: ir.Expression

    def __str__(self) -> str:
        return f"[*range({self.start}, {self.stop}, {self.stride})]"


@dataclass(frozen=True, eq=False)
class Joined(ir.Compound):
    """A new list: the items of two others."""

    first: ir.Expression
    second: ir.Expression

    def __str__(self) -> str:
        return f"{self.first} + {self.second}"


@dataclass(frozen=True, eq=False)
class Expected(ir.Compound):
    """A list of which other items are expected than before, or a list's method, or the list that has it."""

    source: ir.Expression

    def __str__(self) -> str:
        return f"({self.source}: {self.type})"


@dataclass(frozen=True, eq=False)
class ListItem(ir.Compound):
    """An item of a list, by an int."""

    source: ir.Expression
    index: ir.Expression

    def __str__(self) -> str:
        return f"{self.source}[{self.index}]"


@dataclass(frozen=True, eq=False)
class ListLength(ir.Compound):
    """The length of a list, an int."""

    source: ir.Expression

    def __str__(self) -> str:
        return f"len({self.source})"


@dataclass(frozen=True, eq=False)
class HasItems(ir.Compound):
    """The truth of a list."""

    source: ir.Expression

    def __str__(self) -> str:
        return f"bool({self.source})"


@dataclass(frozen=True, eq=False)
class CheckListLength(ir.CompoundStep):
    """Leave where a list has another number of items than are unpacked."""

    source: ir.Expression
    count: int

    def __str__(self) -> str:
        return f"assert len({self.source}) == {self.count}"


@dataclass(frozen=True, eq=False)
class Append(ir.CompoundStep):
    """Append an item to a list."""

    target: ir.Expression
    value: ir.Expression

    def __str__(self) -> str:
        return f"{self.target}.append({self.value})"


@dataclass(frozen=True, eq=False)
class Insert(ir.CompoundStep):
    """Insert an item into a list before a place, any int."""

    target: ir.Expression
    index: ir.Expression
    value: ir.Expression

    def __str__(self) -> str:
        return f"{self.target}.insert({self.index}, {self.value})"


@dataclass(frozen=True, eq=False)
class StoreListItem(ir.CompoundStep):
    """Store an item of a list."""

    target: ir.Expression
    index: ir.Expression
    value: ir.Expression

    def __str__(self) -> str:
        return f"{self.target}[{self.index}] = {self.value}"


@dataclass(frozen=True, eq=False)
class StoreSlice(ir.CompoundStep):
    """Put a list's items in place of a slice of another one; no value takes the slice out."""

    target: ir.Expression
    start: ir.Expression | None
    stop: ir.Expression | None
    step: ir.Expression | None
    value: ir.Expression | None

    def __str__(self) -> str:
        place = f"{self.target}[{_slice(self.start, self.stop, self.step)}]"
        return f"del {place}" if self.value is None else f"{place} = {self.value}"


@dataclass(frozen=True, eq=False)
class RemoveItem(ir.CompoundStep):
    """Take an item out of a list, after it has been read."""

    target: ir.Expression
    index: ir.Expression

    def __str__(self) -> str:
        return f"del {self.target}[{self.index}]"


@dataclass(frozen=True, eq=False)
class Extend(ir.CompoundStep):
    """Append all items of a list to another one, or to itself."""

    target: ir.Expression
    value: ir.Expression

    def __str__(self) -> str:
        return f"{self.target}.extend({self.value})"


@dataclass(frozen=True, eq=False)
class ChangeList(ir.CompoundStep):
    """Call a method of a list without arguments: `clear` or `reverse`."""

    target: ir.Expression
    method: str

    def __str__(self) -> str:
        return f"{self.target}.{self.method}()"


@dataclass(frozen=True, eq=False)
class NextOfUnknown(ir.Jump):
    """Go to where a loop over a list leads after its last trip; leave where there is an item."""

    kind: ir.State
    state: str

    def __str__(self) -> str:
        return f"assert not [*{self.state}]; goto {self.target.label}"


def _slice(*bounds: ir.Expression | None) -> str:
    return ":".join("" if bound is None else str(bound) for bound in bounds)


def as_expected(kind: Type, value: ir.Expression) -> ir.Expression:
    """Return a container of which other items are expected: a new list is made with such items."""
    if isinstance(value, NewList) and type(kind) is List and kind.item is not None:
        items = [number_as_item(kind.item, item) for item in value.items]
        found = tuple(item for item in items if item is not None)
        if len(found) == len(items):
            return NewList(kind, found)
    if (isinstance(value, NewDict) and not value.keys) or (isinstance(value, NewSet) and not value.items):
        return replace(value, type=kind)
    return Expected(kind, value)


def number_as_item(kind: Type, value: ir.Expression) -> ir.Expression | None:
    """Return a number, or a tuple of numbers, as an item of a list that may have others; None for others."""
    if value.type == kind:
        return value
    if kind == WORD:
        return as_word(value)
    if isinstance(kind, Either):
        beside = value if value.type in kind.kinds else number_as_item(kind.kinds[1], value)
        return None if beside is None else either_of(kind, beside)
    if isinstance(kind, Tuple) and isinstance(value.type, Tuple):
        parts = [number_as_item(part, ir.part_of(value, place)) for place, part in enumerate(kind.items)]
        found = tuple(part for part in parts if part is not None)
        return ir.tuple_of(found) if len(found) == len(parts) else None
    return None


def common(one: Type | None, other: Type | None) -> Type | None:
    """Return the type to expect of items that have one of two types; None where lists have no such items.

    None stands for items of which nothing is known.
    """
    if one is None or other is None or one == other:
        return one or other
    if NONE in (one, other) or maybe_none(one) or maybe_none(other):
        known = [maybe_none(kind) or kind for kind in (one, other) if kind != NONE]
        beside = common(known[0], known[-1])
        return Either((NONE, beside)) if beside is not None and is_optional(beside) else None
    match one, other:
        case Scalar() | Word(), Scalar() | Word():
            return Either(tuple(sorted((one, other), key=str)))  # type: ignore[arg-type]
        case (Either(kinds=kinds), _) if other in kinds:
            return one
        case (_, Either(kinds=kinds)) if one in kinds:
            return other
        case (Character(), Word()) | (Word(), Character()):
            return WORD
        case Tuple(items=items), Tuple(items=others) if len(items) == len(others):
            parts = tuple([kind for kind in map(common, items, others) if kind is not None])
            return Tuple(parts) if len(parts) == len(items) else None
        case List(item=item), List(item=another) if type(one) is type(other):
            inner = common(item, another)
            return None if inner is None and item is not None else replace(one, item=inner)
    return None


def _may_hold(value: Type | None, other: Type | None) -> bool:
    """Tell if a dict's values may also be expected to be of a type of which at least as much is known."""
    if value is None or value == other or (other is not None and may_be(value, other)):
        return True
    return isinstance(other, Either) and common(value, other) == other


def may_be(kind: Type, other: Type | None) -> bool:
    """Tell if a container may also be expected to be one of a type of which at least as much is known."""
    match kind, other:
        case Set(item=None), Set(item=item):
            return item is not None
        case Dict(), Dict():
            alike = kind.kind is other.kind and kind.factory is other.factory and kind != other
            keys = kind.key is None or kind.key == other.key
            return alike and keys and _may_hold(kind.value, other.value)
    if not isinstance(kind, List) or not isinstance(other, List) or type(kind) is not type(other):
        return False
    return other.item is not None and (kind.item is None or common(kind.item, other.item) == other.item)
