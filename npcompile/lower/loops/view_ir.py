"""The typed IR of views within loop regions: basic indexing, and axes in another order.

`frontend/loops/rules/views.py` makes it, `view_code.py` writes its C++.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from npcompile.lower.loops import ir


@dataclass(frozen=True)
class Slice:
    """A slice of one axis; None stands for Python's default. All others are ints."""

    start: ir.Expression | None
    stop: ir.Expression | None
    step: ir.Expression | None

    def __str__(self) -> str:
        return ":".join("" if part is None else str(part) for part in (self.start, self.stop, self.step))


WHOLE = Slice(None, None, None)


@dataclass(frozen=True, eq=False)
class View(ir.Compound):
    """A view of an array by basic indexing. parts: for each axis an int, a slice, or None for a new axis."""

    array: ir.Expression
    parts: tuple[ir.Expression | Slice | None, ...]

    @property
    def parts_within(self) -> tuple[ir.Expression, ...]:
        return (self.array, *self._ints())

    def _ints(self) -> Iterator[ir.Expression]:
        for part in self.parts:
            ints = (part.start, part.stop, part.step) if isinstance(part, Slice) else (part,)
            yield from (one for one in ints if one is not None)

    def __str__(self) -> str:
        return f"{self.array}[{', '.join(map(str, self.parts))}]"


@dataclass(frozen=True, eq=False)
class Transposed(ir.Compound):
    """A view of an array with its axes in another order."""

    array: ir.Expression
    axes: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.array}.transpose{self.axes}"
