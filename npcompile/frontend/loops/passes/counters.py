"""Finds the counters of a typed region: ints that each step changes by little, so that none overflows.

`intervals.py` bounds them. A counter begins below 2^60, and a step makes the largest one larger by `STEP` at
most. A counter that reaches 2^62 has had more steps than a processor does in a year.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from npcompile.lower.loops import ir
from npcompile.lower.loops.types import INT, Type

STEP = 16
BEGINNING, REACHED = 1 << 60, 1 << 62
# Functions that give one of their operands.
_EXTREMES = ("npl::largest<", "npl::smallest<")

Bounded = Callable[[ir.Expression, int], bool]  # tells if an int's absolute value is at most a limit


def counters(region: ir.Region, is_bounded: Bounded) -> frozenset[str]:
    """Return the names of a region that are ints, and counters wherever they are bound."""
    values = _values(region)
    found = set(values)
    while True:
        kept = {name for name in found if all(_counts(value, found, is_bounded) for value in values[name])}
        if kept == found:
            return frozenset(found)
        found = kept


def _values(region: ir.Region) -> dict[str, list[ir.Expression | None]]:
    """Return the ints that names are bound to, None for those of which nothing is known.

    A range's numbers have the name of their item, and lie between the range's bounds.
    """
    values: dict[str, list[ir.Expression | None]] = {}

    def bind(name: str, kind: Type | None, value: ir.Expression | None) -> None:
        if kind == INT:
            values.setdefault(name, []).append(value)

    begun: dict[str, list[ir.Expression]] = {}
    for block in region.blocks:
        for step in block.steps:
            if isinstance(step, ir.BeginRange):
                begun.setdefault(step.state, []).extend((step.start, step.stop))
    for name, kind in region.names.items():
        bind(name, kind, None if name in region.wide else ir.integer(ir.SMALL))
    for block in region.blocks:
        for step in block.steps:
            if isinstance(step, ir.Bind):
                bind(step.name, step.value.type, step.value)
            elif isinstance(step, ir.CallFunction):
                bind(step.name, step.function.result, None)
                for name, kind in step.function.changed.items():
                    bind(name, kind, None)
        end = block.end
        if isinstance(end, ir.NextOfRange):
            for value in begun.get(end.state, ()):
                bind(end.item, INT, value)
            if end.state in region.names:
                bind(end.item, INT, ir.integer(ir.SMALL))
        elif isinstance(end, ir.Next):
            bind(end.item, end.kind.item, None)
    return values


def _counts(node: ir.Expression | None, names: set[str], is_bounded: Bounded) -> bool:
    """Tell if an int is no more than a counter and a step away from zero, by its absolute value."""
    match node:
        case None:
            return False
        case ir.Read(name=name) if node.type == INT:
            return name in names
        case ir.Choose(one=one, other=other):
            return _counts(one, names, is_bounded) and _counts(other, names, is_bounded)
        case ir.Apply(operator=ast.Add | ast.Sub as operator, operands=(left, right)) if node.type == INT:
            if is_bounded(right, STEP):
                return _counts(left, names, is_bounded)
            if operator is ast.Add and is_bounded(left, STEP):
                return _counts(right, names, is_bounded)
        case ir.Apply(operands=operands) if node.operation.function.startswith(_EXTREMES):
            return all(_counts(operand, names, is_bounded) for operand in operands)
    return is_bounded(node, BEGINNING)
