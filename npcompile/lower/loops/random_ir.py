"""Defines draws of random numbers in the typed IR: steps, as each changes the state of its generator.

Rules in `frontend/loops/rules/random_draws.py` make it, `random_code.py` writes its C++.
"""

from __future__ import annotations

from dataclasses import dataclass

from npcompile.lower.loops import ir
from npcompile.lower.loops.types import Type


@dataclass(frozen=True, eq=False)
class Draw(ir.CompoundStep):
    """Give a name, which has some value of that type, a number drawn by a function of `random.h`."""

    name: str
    type: Type
    function: str
    generator: ir.Expression
    operands: tuple[ir.Expression, ...]

    def __str__(self) -> str:
        operands = ", ".join(map(str, (self.generator, *self.operands)))
        return f"{self.name}: {self.type} = {self.function}({operands})"


@dataclass(frozen=True, eq=False)
class DrawItems(ir.CompoundStep):
    """Fill a new array with numbers drawn one after the other. type: the array's items."""

    array: ir.Expression
    type: Type
    function: str
    generator: ir.Expression
    operands: tuple[ir.Expression, ...]

    def __str__(self) -> str:
        operands = ", ".join(map(str, (self.generator, *self.operands)))
        return f"{self.array}[...] = {self.function}({operands})"
