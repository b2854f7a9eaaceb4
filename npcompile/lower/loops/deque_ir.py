"""Defines deques in the typed IR: `collections.deque` objects, and steps that change them.

Rules in `frontend/loops/rules/deques.py` make it, `deque_code.py` writes its C++. Items are read, stored and
appended as those of lists are (`list_ir.py`), and have types that are expected as theirs.
"""

from __future__ import annotations

from dataclasses import dataclass

from npcompile.lower.loops import ir


@dataclass(frozen=True, eq=False)
class NewDeque(ir.Compound):
    """A new deque of a list's items. most: its largest length, None where it has none."""

    source: ir.Expression
    most: ir.Expression | None

    def __str__(self) -> str:
        return f"deque({self.source}, {self.most})"


@dataclass(frozen=True, eq=False)
class AppendLeft(ir.CompoundStep):
    """Append an item on the left."""

    target: ir.Expression
    value: ir.Expression

    def __str__(self) -> str:
        return f"{self.target}.appendleft({self.value})"


@dataclass(frozen=True, eq=False)
class PopEnd(ir.CompoundStep):
    """Take an outermost item out, after it has been read. function: `pop_left` or `pop_right`."""

    target: ir.Expression
    function: str

    def __str__(self) -> str:
        return f"{self.function}({self.target})"


@dataclass(frozen=True, eq=False)
class ChangeDeque(ir.CompoundStep):
    """Call `clear`, `extend` with a list, or `rotate` with an int."""

    target: ir.Expression
    method: str
    operand: ir.Expression | None

    def __str__(self) -> str:
        return f"{self.target}.{self.method}({'' if self.operand is None else self.operand})"
