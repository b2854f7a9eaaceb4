"""Programs of many writes: factors that differ from statement to statement are no reason to compile each.

Where slices of one array are written that overlap, each statement is a segment of its own. Those that differ
in numbers alone share kernels that are given the numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from torch import fx

from npcompile.frontend.ops.table import Op
from npcompile.frontend.program.program import Program
from npcompile.lower.plan.attributes import annotate, source_place, step_of, value_of
from npcompile.lower.plan.graph import write
from npcompile.lower.plan.values import Value

# With so many writes (a compilation takes seconds, a number that is handed on some 50 ns).
MANY = 32
_ARITHMETIC = frozenset([np.add, np.subtract, np.multiply, np.true_divide])


def has_many_writes(program: Program) -> bool:
    """Tell whether a program has as many writes as make the pass worth its while."""
    return len([node for node in program.graph.nodes if node.target is write]) >= MANY


def hoist_scalars(program: Program) -> None:
    """Make the floats in arithmetic steps of their own."""
    graph = program.graph
    known: dict[str, fx.Node] = {}
    for node in list(graph.nodes):
        if (
            step_of(node) != "op"
            or not isinstance(node.target, Op)
            or node.target.function not in _ARITHMETIC
        ):
            continue
        if value_of(node).kind == "array" and any(type(arg) is float for arg in node.args):
            node.args = tuple(_given(graph, arg, node, known) for arg in node.args)


def _given(graph: fx.Graph, arg: Any, user: fx.Node, known: dict[str, fx.Node]) -> Any:
    if type(arg) is not float:
        return arg
    text = arg.hex()
    if text not in known:
        first = next(node for node in graph.nodes if node.op != "placeholder")
        with graph.inserting_before(first):
            made = known[text] = graph.call_function(float, (arg,))
        annotate(made, "number", Value("float"), source_place(user))
    return known[text]
