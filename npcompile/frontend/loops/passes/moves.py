"""Finds the ints of a loop that each trip moves by a step: `i += 1`, `j -= gap`, `k += 1 if found else 0`.

`nests.py` bounds them: an int that only moves up is never below the value with which the loop was entered,
and exceeds a condition that holds where it moves by a step at most.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from npcompile.lower.loops import ir
from npcompile.lower.loops.select_ir import Select
from npcompile.lower.loops.types import INT


class Moved(NamedTuple):
    """An int that is bound to its own value and a step. backward: less the step."""

    node: ir.Apply
    step: ir.Expression
    backward: bool


def moves_of(name: str, value: ir.Expression) -> list[Moved] | None:
    """Return the moves among the values that a name may be bound to; None where one has another form."""
    found = []
    for one in choices_of(value):
        match one:
            case ir.Read(name=read) if read == name and one.type == INT:
                continue
            case ir.Apply(operator=ast.Add | ast.Sub as operator, operands=(left, right)) if one.type == INT:
                if isinstance(right, ir.Read) and right.name == name and operator is ast.Add:
                    left, right = right, left
                if not isinstance(left, ir.Read) or left.name != name or {left.type, right.type} != {INT}:
                    return None
                backward = operator is ast.Sub
                if isinstance(right, ir.Constant):
                    if not 0 < abs(right.value) < ir.SMALL:
                        return None
                    if right.value < 0:
                        right, backward = ir.integer(-right.value), not backward
                found.append(Moved(one, right, backward))
            case _:
                return None
    return found


def choices_of(value: ir.Expression) -> Iterator[ir.Expression]:
    """Yield the values among which an expression chooses."""
    if isinstance(value, ir.Choose | Select):
        yield from choices_of(value.one)
        yield from choices_of(value.other)
    else:
        yield value
