"""Writes the C++ that counts the trips of nests without checks, so that native code polls often enough.

`emitter.py` and `nest_code.py` use it.
"""

from __future__ import annotations

from typing import Protocol

from npcompile.lower.loops import ir
from npcompile.lower.loops.nest_ir import Clock, LoopNest
from npcompile.lower.loops.types import INT, Type


class Writer(Protocol):
    """The part of an emitter that this file uses."""

    count: int
    declared: list[str]

    def variable(self, name: str, kind: Type) -> str:
        """Return the C++ variable of a name where it has a type."""
        ...


class TripCounts:
    """The variables that count the trips of a region's nests."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.costs: dict[LoopNest, str] = {}
        self.starts: dict[LoopNest, str] = {}

    def cost(self, nest: LoopNest) -> str:
        """Return the variable that holds the cost of a trip of a nest's outermost loop."""
        return self._variable(self.costs, nest, "cost")

    def start(self, nest: LoopNest) -> str:
        """Return the variable that holds the value of a nest's clock where its trips without checks began."""
        return self._variable(self.starts, nest, "start")

    def ended(self, nest: LoopNest, clock: Clock) -> str:
        """Return the statement where a loop ends whose trips have not polled: they are counted here."""
        now, start = self.writer.variable(clock.name, INT), self.start(nest)
        moved = f"{start} - {now}" if clock.backward else f"{now} - {start}"
        return f"trips -= ({moved}) / {self._step(clock)};"

    def _step(self, clock: Clock) -> str:
        if isinstance(clock.step, ir.Constant):
            return f"int64_t({clock.step.value}ll)"
        assert isinstance(clock.step, ir.Read)
        return self.writer.variable(clock.step.name, INT)

    def _variable(self, known: dict[LoopNest, str], nest: LoopNest, word: str) -> str:
        if nest not in known:
            self.writer.count += 1
            known[nest] = f"{word}_{self.writer.count}"
            self.writer.declared.append(f"int64_t {known[nest]} = 0;")
        return known[nest]
