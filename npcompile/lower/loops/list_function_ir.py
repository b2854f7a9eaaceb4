"""Defines functions of whole lists in the typed IR, which Python's own objects do: sorting and searching.

Rules in `frontend/loops/rules/list_functions.py` make it, `list_function_code.py` writes its C++. Native code
first looks at all items, and leaves where one has another type: none of them then runs a user's code.
"""

from __future__ import annotations

from dataclasses import dataclass

from npcompile.lower.loops import ir


@dataclass(frozen=True, eq=False)
class Sorted(ir.Compound):
    """A new list: another one's items in order."""

    source: ir.Expression
    backwards: ir.Expression

    def __str__(self) -> str:
        return f"sorted({self.source}, reverse={self.backwards})"


@dataclass(frozen=True, eq=False)
class Search(ir.Compound):
    """The first place of an item, or how often it is there. method: `index` or `count`."""

    source: ir.Expression
    method: str
    value: ir.Expression

    def __str__(self) -> str:
        return f"{self.source}.{self.method}({self.value})"


@dataclass(frozen=True, eq=False)
class Sort(ir.CompoundStep):
    """Sort a list in place."""

    target: ir.Expression
    backwards: ir.Expression

    def __str__(self) -> str:
        return f"{self.target}.sort(reverse={self.backwards})"


@dataclass(frozen=True, eq=False)
class SortByKeys(ir.CompoundStep):
    """Sort a list in place by a list of its items' keys.

    is_known: the user's names may have the list, which is empty while keys are made, as in Python.
    """

    target: ir.Expression
    keys: ir.Expression
    backwards: ir.Expression
    is_known: bool

    def __str__(self) -> str:
        return f"{self.target}.sort(key={self.keys}, reverse={self.backwards})"


@dataclass(frozen=True, eq=False)
class Remove(ir.CompoundStep):
    """Take the first item out that equals a value."""

    target: ir.Expression
    value: ir.Expression

    def __str__(self) -> str:
        return f"{self.target}.remove({self.value})"
