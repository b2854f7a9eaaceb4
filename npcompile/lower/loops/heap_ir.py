"""Defines the functions of `heapq` in the typed IR: steps that change lists, as Python's own functions do.

Rules in `frontend/loops/rules/heaps.py` make it, `heap_code.py` writes its C++.
"""

from __future__ import annotations

from dataclasses import dataclass

from npcompile.lower.loops import ir


@dataclass(frozen=True, eq=False)
class HeapLeast(ir.Compound):
    """The lesser one of a heap's first item and another one, which it is if the heap is empty."""

    heap: ir.Expression
    value: ir.Expression

    def __str__(self) -> str:
        return f"least({self.heap}, {self.value})"


@dataclass(frozen=True, eq=False)
class ChangeHeap(ir.CompoundStep):
    """Change a heap: a list whose items have the type that is expected of it.

    function: `heap_push`, `heap_replace` or `heap_push_pop` with a value, else `heap_pop` or `heapify`. The
    item that is taken out has been read.
    """

    function: str
    heap: ir.Expression
    value: ir.Expression | None

    def __str__(self) -> str:
        return f"{self.function}({self.heap}{'' if self.value is None else f', {self.value}'})"
