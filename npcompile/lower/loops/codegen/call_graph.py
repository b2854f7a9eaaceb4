"""The call graph of a region's functions: those that may call themselves, and those that lead to them.

`emitter.py` asks it. Calls of these functions alone count how deep they are: all other calls end by
themselves.
"""

from __future__ import annotations

from npcompile.lower.loops import ir


class CallGraph:
    """The calls among a region's functions.

    recursive: the functions that may call themselves, by way of others, too. counted: those, and all from
    which a call of one may come.
    """

    def __init__(self, functions: list[ir.Function]) -> None:
        reached = {function: _reached(function) for function in functions}
        self.recursive = {function for function in functions if function in reached[function]}
        self.counted = self.recursive | {one for one in functions if reached[one] & self.recursive}


def _reached(function: ir.Function) -> set[ir.Function]:
    """Return the functions that a call of one may call."""
    seen: set[ir.Function] = set()
    pending = [function]
    while pending:
        for one in _called(pending.pop()):
            if one not in seen:
                seen.add(one)
                pending.append(one)
    return seen


def _called(function: ir.Function) -> set[ir.Function]:
    """Return the functions that the body of one calls."""
    if function.body is None:
        return set()
    nodes: list[ir.Step | ir.End | ir.Expression] = []
    for block in function.body.blocks:
        for step in (*block.steps, block.end):
            if step is not None:
                nodes.append(step)
                nodes += ir.expressions_of(step)
    found = set()
    while nodes:
        node = nodes.pop()
        if isinstance(one := getattr(node, "function", None), ir.Function):
            found.add(one)
        if isinstance(node, ir.Expression):
            nodes += ir.parts_of(node)
    return found
