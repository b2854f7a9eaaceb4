"""Writes the C++ that counts the trips of nests without checks, so that native code polls often enough.

`emitter.py` and `nest_code.py` use it.
"""

from __future__ import annotations

from typing import Protocol

from npcompile.lower.loops import ir
from npcompile.lower.loops.nest_ir import Clock, LoopNest
from npcompile.lower.loops.types import INT, Type

FEW_TRIPS = 8


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
        self.moved: dict[LoopNest, str] = {}

    def cost(self, nest: LoopNest) -> str:
        """Return the variable that holds the cost of a trip of a nest's outermost loop."""
        return self._variable(self.costs, nest, "cost")

    def start(self, nest: LoopNest) -> str:
        """Return the variable that holds the value of a nest's clock where the nest was entered."""
        return self._variable(self.starts, nest, "start")

    def is_likely_short(self, nest: LoopNest, clock: Clock) -> str:
        """Return the condition on which a loop had few trips the last time: no check before it pays then."""
        return f"{self._last(nest)} < {FEW_TRIPS} * {self._step(clock)}"

    def ended(self, nest: LoopNest, clock: Clock, polls: bool) -> str:
        """Return the statements where a loop ends. polls: its trips have not polled, and are counted here."""
        now, start, last = self.writer.variable(clock.name, INT), self.start(nest), self._last(nest)
        text = f"{last} = {f'{start} - {now}' if clock.backward else f'{now} - {start}'};"
        return f"{text} trips -= {last} / {self._step(clock)};" if polls else text

    def _last(self, nest: LoopNest) -> str:
        """Return the variable that holds by how much the clock moved the last time."""
        return self._variable(self.moved, nest, "moved", "INT64_MAX")

    def _step(self, clock: Clock) -> str:
        if isinstance(clock.step, ir.Constant):
            return f"int64_t({clock.step.value}ll)"
        assert isinstance(clock.step, ir.Read)
        return self.writer.variable(clock.step.name, INT)

    def _variable(self, known: dict[LoopNest, str], nest: LoopNest, word: str, first: str = "0") -> str:
        if nest not in known:
            self.writer.count += 1
            known[nest] = f"{word}_{self.writer.count}"
            self.writer.declared.append(f"int64_t {known[nest]} = {first};")
        return known[nest]
