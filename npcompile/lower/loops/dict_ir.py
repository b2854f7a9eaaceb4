"""Defines dicts and sets in the typed IR: expressions of Python's own objects, and steps that change them.

Rules in `frontend/loops/rules/dicts.py` and `sets.py` make it, `dict_code.py` writes its C++. The types of
keys and values are expectations: each one that is read is looked at, and native code leaves where it has
another.
"""

from __future__ import annotations

from dataclasses import dataclass

from npcompile.lower.loops import ir
from npcompile.lower.loops.types import Deque, Dict, Set, Tuple, Type


@dataclass(frozen=True)
class ObjectState(ir.State):
    """Python's own iterator over a dict's keys, values or items (`view`), over a set, or over a deque.

    The view `__reversed__` is that of a deque from its last item on.
    """

    source: Dict | Set | Deque
    view: str = "keys"

    @property
    def known_item(self) -> Type | None:
        """The type of its items; None where it is not known."""
        if not isinstance(self.source, Dict):
            return self.source.item
        key, value = self.source.key, self.source.value
        if self.view == "items":
            return None if key is None or value is None else Tuple((key, value))
        return key if self.view == "keys" else value

    @property
    def item(self) -> Type:
        item = self.known_item
        assert item is not None
        return item

    def __str__(self) -> str:
        return f"iter({self.source})" if self.view == "keys" else f"iter({self.source}.{self.view}())"


# -- expressions -------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class NewDict(ir.Compound):
    """A new dict of keys and their values, or an empty defaultdict."""

    keys: tuple[ir.Expression, ...]
    values: tuple[ir.Expression, ...]

    def __str__(self) -> str:
        pairs = zip(self.keys, self.values, strict=True)
        return f"{{{', '.join(f'{key}: {value}' for key, value in pairs)}}}"


@dataclass(frozen=True, eq=False)
class NewSet(ir.Compound):
    """A new set of items."""

    items: tuple[ir.Expression, ...]

    def __str__(self) -> str:
        return f"set([{', '.join(map(str, self.items))}])"


@dataclass(frozen=True, eq=False)
class SetOf(ir.Compound):
    """A new set of the items of a list, a dict or another set."""

    source: ir.Expression

    def __str__(self) -> str:
        return f"set({self.source})"


@dataclass(frozen=True, eq=False)
class ListOf(ir.Compound):
    """A new list of a dict's keys, or of a set's items."""

    source: ir.Expression

    def __str__(self) -> str:
        return f"list({self.source})"


@dataclass(frozen=True, eq=False)
class DictCopy(ir.Compound):
    """A new dict with the keys and values of another one."""

    source: ir.Expression

    def __str__(self) -> str:
        return f"{self.source}.copy()"


@dataclass(frozen=True, eq=False)
class DictItem(ir.Compound):
    """The value of a key. A defaultdict that lacks the key first makes a value, and keeps it."""

    source: ir.Expression
    key: ir.Expression

    def __str__(self) -> str:
        return f"{self.source}[{self.key}]"


@dataclass(frozen=True, eq=False)
class DictGet(ir.Compound):
    """The value of a key, or another value of that type where a dict lacks the key."""

    source: ir.Expression
    key: ir.Expression
    otherwise: ir.Expression

    def __str__(self) -> str:
        return f"{self.source}.get({self.key}, {self.otherwise})"


@dataclass(frozen=True, eq=False)
class DictFind(ir.Compound):
    """The value of a key or None, as one of two types."""

    source: ir.Expression
    key: ir.Expression

    def __str__(self) -> str:
        return f"{self.source}.get({self.key})"


@dataclass(frozen=True, eq=False)
class HasKey(ir.Compound):
    """Tell if a dict has a key, or a set or a list an item."""

    source: ir.Expression
    key: ir.Expression

    def __str__(self) -> str:
        return f"({self.key} in {self.source})"


@dataclass(frozen=True, eq=False)
class ItemCount(ir.Compound):
    """The length of a dict or a set, an int."""

    source: ir.Expression

    def __str__(self) -> str:
        return f"len({self.source})"


@dataclass(frozen=True, eq=False)
class ObjectIterator(ir.Compound):
    """A new iterator over a dict, a set or a deque."""

    source: ir.Expression

    def __str__(self) -> str:
        return str(self.type)


@dataclass(frozen=True, eq=False)
class FirstItem(ir.Compound):
    """The first item of a new iterator. Leaves where there is none.

    iterator: an `ObjectIterator`.
    """

    iterator: ir.Expression

    def __str__(self) -> str:
        return f"next({self.iterator})"


# -- steps -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class StoreKey(ir.CompoundStep):
    """Give a key of a dict a value."""

    value: ir.Expression
    target: ir.Expression
    key: ir.Expression

    def __str__(self) -> str:
        return f"{self.target}[{self.key}] = {self.value}"


@dataclass(frozen=True, eq=False)
class EnsureKey(ir.CompoundStep):
    """Give a key of a dict a value where the dict lacks the key."""

    target: ir.Expression
    key: ir.Expression
    value: ir.Expression

    def __str__(self) -> str:
        return f"{self.target}.setdefault({self.key}, {self.value})"


@dataclass(frozen=True, eq=False)
class CheckMissing(ir.CompoundStep):
    """Leave where a dict, of whose values nothing is known, has a key."""

    source: ir.Expression
    key: ir.Expression

    def __str__(self) -> str:
        return f"assert {self.key} not in {self.source}"


@dataclass(frozen=True, eq=False)
class AddItem(ir.CompoundStep):
    """Add an item to a set."""

    target: ir.Expression
    item: ir.Expression

    def __str__(self) -> str:
        return f"{self.target}.add({self.item})"


@dataclass(frozen=True, eq=False)
class RemoveKey(ir.CompoundStep):
    """Take a key out of a dict, or an item out of a set. must: leave where it is not there."""

    target: ir.Expression
    key: ir.Expression
    must: bool

    def __str__(self) -> str:
        return f"del {self.target}[{self.key}]" if self.must else f"{self.target}.discard({self.key})"


@dataclass(frozen=True, eq=False)
class ClearObject(ir.CompoundStep):
    """Take all out of a dict or a set."""

    target: ir.Expression

    def __str__(self) -> str:
        return f"{self.target}.clear()"
