"""Defines list comprehensions in the typed IR: a function of their own appends the items to a new list.

The rule in `frontend/loops/rules/comprehensions.py` makes it, `comprehension_code.py` writes its C++. Where
the function leaves, the new list is given up, and Python does the statement.
"""

from __future__ import annotations

from dataclasses import dataclass

from npcompile.lower.loops import ir


@dataclass(frozen=True, eq=False)
class ListOfItems(ir.Compound):
    """A new list of the items that a function appends to its last parameter."""

    function: ir.Function
    operands: tuple[ir.Expression, ...]

    def __str__(self) -> str:
        return f"[*{self.function.name}({', '.join(map(str, self.operands))})]"
