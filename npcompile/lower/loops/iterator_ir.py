"""Defines iterators in the typed IR: over arrays and tuples, with numbers, and side by side; items of tuples.

Rules in `frontend/loops/rules/iteration.py` make it, `iterator_code.py` writes its C++, and
`frontend/loops/run/exchange.py` hands iterators over.
"""

from __future__ import annotations

from dataclasses import dataclass

from npcompile.lower.loops import ir
from npcompile.lower.loops.text_ir import TextState
from npcompile.lower.loops.types import INT, Array, List, Tuple, Type


@dataclass(frozen=True)
class ItemsState(ir.State):
    """An iterator over a list, or an array along its first axis. step: 1, or -1 from the last item on."""

    source: Array | List
    step: int

    @property
    def item(self) -> Type:
        source = self.source
        if isinstance(source, List):
            assert source.item is not None
            return source.item
        if source.ndim == 1:
            return source.item
        return Array(source.code, source.ndim - 1, source.packed, source.writeable)

    def __str__(self) -> str:
        return f"iter({self.source})"


@dataclass(frozen=True)
class PartsState(ir.State):
    """An iterator over a tuple whose items all have one type. step: 1, or -1 from the last item on."""

    source: Tuple
    step: int

    @property
    def item(self) -> Type:
        return self.source.items[0]

    def __str__(self) -> str:
        return f"iter({self.source})"


@dataclass(frozen=True)
class CountedState(ir.State):
    """An iterator over items and their numbers. small: the numbers are not negative, and small."""

    items: ir.State
    small: bool

    @property
    def item(self) -> Type:
        return Tuple((INT, self.items.item))

    def __str__(self) -> str:
        return f"enumerate({self.items})"


@dataclass(frozen=True)
class ZippedState(ir.State):
    """An iterator over the items of several iterators side by side. strict: they are to end together."""

    parts: tuple[ir.State, ...]
    strict: bool = False

    @property
    def item(self) -> Type:
        return Tuple(tuple(part.item for part in self.parts))

    def __str__(self) -> str:
        return f"zip({', '.join(map(str, self.parts))}{', strict=True' * self.strict})"


def is_finite(kind: ir.State) -> bool:
    """Tell if an iterator knows how many items are left, whatever a trip does."""
    match kind:
        case ir.RangeState() | PartsState():
            return True
        case TextState(source=text):
            return text.name != "bytearray"  # that may grow
        case ItemsState(source=source):
            return isinstance(source, Array)
        case CountedState(items=items):
            return is_finite(items)
        case ZippedState(parts=parts, strict=False):
            return all(map(is_finite, parts))
    return False


@dataclass(frozen=True, eq=False)
class TupleItem(ir.Compound):
    """An item, by an int, of a tuple whose items all have one type."""

    source: ir.Expression
    index: ir.Expression

    def __str__(self) -> str:
        return f"{self.source}[{self.index}]"


@dataclass(frozen=True, eq=False)
class CheckLength(ir.CompoundStep):
    """Leave where an array's first axis has another number of items than are unpacked."""

    array: ir.Expression
    count: int

    def __str__(self) -> str:
        return f"assert len({self.array}) == {self.count}"


@dataclass(frozen=True, eq=False)
class RangeIterator(ir.Compound):
    """A new iterator over a range, for another iterator."""

    start: ir.Expression
    stop: ir.Expression
    stride: ir.Expression

    def __str__(self) -> str:
        return f"iter(range({self.start}, {self.stop}, {self.stride}))"


@dataclass(frozen=True, eq=False)
class ItemsIterator(ir.Compound):
    """A new iterator over an array or a tuple. taken: so many items of a tuple are behind it."""

    source: ir.Expression
    taken: int = 0

    def __str__(self) -> str:
        return f"iter({self.source})" if not self.taken else f"iter({self.source}[{self.taken}:])"


@dataclass(frozen=True, eq=False)
class CountedIterator(ir.Compound):
    """A new iterator that counts another one's items. start: the first number."""

    items: ir.Expression
    start: ir.Expression

    def __str__(self) -> str:
        return f"enumerate({self.items}, {self.start})"


@dataclass(frozen=True, eq=False)
class ZippedIterator(ir.Compound):
    """A new iterator over the items of other ones, side by side."""

    iterators: tuple[ir.Expression, ...]

    def __str__(self) -> str:
        return f"zip({', '.join(map(str, self.iterators))})"
