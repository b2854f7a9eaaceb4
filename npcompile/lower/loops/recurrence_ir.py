"""Defines affine recurrences of integers in the typed IR: `x = (a * x + c) & mask`, several trips at once.

In `frontend/loops/passes/`, `recurrences.py` finds the steps and `partial_unrolling.py` chooses the loops.
`composed_trips.py` writes the C++ of both.
"""

from __future__ import annotations

from dataclasses import dataclass

from npcompile.lower.loops import ir


@dataclass(frozen=True, eq=False)
class Term:
    """A product of a constant and ints."""

    factor: int
    parts: tuple[ir.Expression, ...] = ()

    def __str__(self) -> str:
        return " * ".join(map(str, (self.factor, *self.parts)))


@dataclass(frozen=True, eq=False)
class AffineStep(ir.CompoundStep):
    """Give a name the int `factor * name + added`, of which low bits are kept. Both are sums of terms.

    bits: so many are kept, without a sign if `is_masked`, else as an int of the name's type. Higher bits are
    of no use to any step. factor: of constants and of names that the loop does not bind.
    """

    bind: ir.Bind
    factor: tuple[Term, ...]
    added: tuple[Term, ...]
    bits: int
    is_masked: bool

    @property
    def name(self) -> str:
        """The name that is given a value."""
        return self.bind.name

    @property
    def parts_within(self) -> tuple[ir.Expression, ...]:
        return tuple(part for term in (*self.factor, *self.added) for part in term.parts)

    def __str__(self) -> str:
        factor, added = (" + ".join(map(str, terms)) or "0" for terms in (self.factor, self.added))
        return f"{self.name} = ({factor}) * {self.name} + {added} by {self.bits} bits"


@dataclass(frozen=True, eq=False)
class Recurrence(ir.Composed):
    """The trips of an innermost loop that are done several at once.

    blocks: those of a trip, the first one first. steps: the affine ones, by those that they stand for; a trip
    does each of them. trips: so many are done at once. names: the ints of the recurrences, if there are any.
    """

    blocks: tuple[ir.Block, ...]
    steps: dict[ir.Step, AffineStep]
    trips: int
    names: tuple[str, ...]

    def __str__(self) -> str:
        of = f" of {', '.join(self.names)}" if self.names else ""
        return f"{self.trips} trips{of}"
