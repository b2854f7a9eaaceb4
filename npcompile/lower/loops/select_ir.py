"""Defines choices between two numbers that are both computed.

`frontend/loops/passes/selects.py` makes them of branches, `select_code.py` writes their C++.
"""

from __future__ import annotations

from dataclasses import dataclass

from npcompile.lower.loops import ir


@dataclass(frozen=True, eq=False)
class Select(ir.Compound):
    """One of two numbers that are both computed: there is nothing for the processor to predict."""

    test: ir.Expression
    one: ir.Expression
    other: ir.Expression

    def __str__(self) -> str:
        return f"select({self.test}, {self.one}, {self.other})"


@dataclass(frozen=True, eq=False)
class Masked(Select):
    """One of two ints, by a mask: loops that add it to a sum are vectorised."""

    def __str__(self) -> str:
        return f"masked({self.test}, {self.one}, {self.other})"
