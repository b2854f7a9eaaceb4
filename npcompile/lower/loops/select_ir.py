"""Defines the choice between two numbers that are both computed.

`frontend/loops/passes/selects.py` makes it of a branch, `select_code.py` writes its C++.
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
