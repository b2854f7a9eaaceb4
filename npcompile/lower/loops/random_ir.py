"""Defines draws of random numbers in the typed IR: steps, as each changes the state of its generator.

Rules in `frontend/loops/rules/random_draws.py` make it, `random_code.py` writes its C++.
"""

from __future__ import annotations

from dataclasses import dataclass

from npcompile.lower.loops import ir
from npcompile.lower.loops.types import Type


@dataclass(frozen=True, eq=False)
class _Drawing(ir.CompoundStep):
    """Draw numbers of a type by a function of `random.h`."""

    type: Type
    function: str
    generator: ir.Expression
    operands: tuple[ir.Expression, ...]

    @property
    def drawn(self) -> str:
        """The text of one draw."""
        return f"{self.function}({', '.join(map(str, (self.generator, *self.operands)))})"


@dataclass(frozen=True, eq=False)
class Draw(_Drawing):
    """Give a name, which has some value of that type, a number."""

    name: str

    def __str__(self) -> str:
        return f"{self.name}: {self.type} = {self.drawn}"


@dataclass(frozen=True, eq=False)
class DrawItems(_Drawing):
    """Fill a new array with numbers drawn one after the other. type: the array's items."""

    array: ir.Expression

    def __str__(self) -> str:
        return f"{self.array}[...] = {self.drawn}"
