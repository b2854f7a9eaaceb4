"""The call graph of a region's functions: those that may call themselves, and those that lead to them.

`emitter.py` asks it. Calls of these functions alone count how deep they are: all other calls end by
themselves. Small functions become part of the code that calls them.
"""

from __future__ import annotations

from collections import Counter

from npcompile.lower.loops import ir

MOST_INLINED = 160  # steps that calls of one function may add, its own calls included


class CallGraph:
    """The calls among a region's functions.

    recursive: the functions that may call themselves, by way of others, too. counted: those, and all from
    which a call of one may come. inlined: those that the C++ compiler is told to inline.
    """

    def __init__(self, functions: list[ir.Function], caller: ir.Region | None = None) -> None:
        calls = {function: _called(function.body) for function in functions}
        sites = sum(calls.values(), _called(caller))
        reached = {function: _reached(function, calls) for function in functions}
        self.recursive = {function for function in functions if function in reached[function]}
        self.counted = self.recursive | {one for one in functions if reached[one] & self.recursive}
        sizes = {one: _size(one) + sum(map(_size, reached[one])) for one in functions}
        self.inlined = {one for one in functions if sizes[one] * sites[one] <= MOST_INLINED} - self.counted


def _size(function: ir.Function) -> int:
    """Return the number of steps of a function."""
    return 0 if function.body is None else sum(len(block.steps) + 1 for block in function.body.blocks)


def _reached(function: ir.Function, calls: dict[ir.Function, Counter[ir.Function]]) -> set[ir.Function]:
    """Return the functions that a call of one may call."""
    seen: set[ir.Function] = set()
    pending = [function]
    while pending:
        for one in calls[pending.pop()]:
            if one not in seen:
                seen.add(one)
                pending.append(one)
    return seen


def _called(body: ir.Region | None) -> Counter[ir.Function]:
    """Return the functions that a body calls, and at how many places each."""
    if body is None:
        return Counter()
    nodes: list[ir.Step | ir.End | ir.Expression] = []
    for block in body.blocks:
        for step in (*block.steps, block.end):
            if step is not None:
                nodes.append(step)
                nodes += ir.expressions_of(step)
    found: Counter[ir.Function] = Counter()
    while nodes:
        node = nodes.pop()
        if isinstance(one := getattr(node, "function", None), ir.Function):
            found[one] += 1
        if isinstance(node, ir.Expression):
            nodes += ir.parts_of(node)
    return found
