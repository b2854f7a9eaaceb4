"""Defines comprehensions in the typed IR: a function of their own adds the items to a new list, set or dict.

The rule in `frontend/loops/rules/comprehensions.py` makes it, `comprehension_code.py` writes its C++. Where
the function leaves, what is new is given up, and Python does the statement.
"""

from __future__ import annotations

from dataclasses import dataclass

from npcompile.lower.loops import ir


@dataclass(frozen=True, eq=False)
class ContainerOfItems(ir.Compound):
    """A new list, set or dict of the items that a function adds to its last parameter."""

    function: ir.Function
    operands: tuple[ir.Expression, ...]

    def __str__(self) -> str:
        return f"{self.type} of {self.function.name}({', '.join(map(str, self.operands))})"
