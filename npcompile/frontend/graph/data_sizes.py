"""Sizes that data decide: whole numbers computed from elements, as the end of a slice or a count.

In a shape-generic program they stay steps; elsewhere they are decided by value.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from torch import fx

from npcompile.frontend.graph.builder import Builder
from npcompile.frontend.program.guards import InRange
from npcompile.lower.plan.attributes import attributes, step_of, value_of
from npcompile.lower.plan.segment import nodes_in
from npcompile.lower.plan.sizes import SMALLEST


def size_by_data(builder: Builder, obj: Any) -> fx.Node | None:
    """Return the step of a number that stands where an op takes a size, in a shape-generic program.

    Returns None for any other number: it is decided by value. Sizes 0 and 1 stay constants, and negative
    numbers stay negative.
    """
    if type(obj) not in (int, np.int64) or abs(obj) < SMALLEST:
        return None
    node = builder.tracked.node(obj)
    if node is None or attributes(node).recorded_size is not None or node in builder.decided:
        return None
    if type(obj) is int and step_of(node) in ("input", "read"):
        return None
    if type(obj) is not int or step_of(node) != "number":
        node = builder.number_step(operator.index, (node,), {}, int(obj))
    if attributes(node).recorded_size is None:
        mark(builder, node, int(obj))
    return node


def on_host(builder: Builder, node: fx.Node) -> fx.Node:
    """Redo, by steps on the host, a scalar that ufuncs made of lengths alone (`np.sqrt(len(x))`).

    A number made of it (`int(...)`) is then a length, too, and not decided by data.
    """
    target: Any = node.target
    if step_of(node) != "op" or value_of(node).kind == "array" or not isinstance(target.function, np.ufunc):
        return node
    refs = fx.node.map_arg(node.args, lambda arg: on_host(builder, arg))
    found = nodes_in(refs)
    if node.kwargs or not found or not set(found) <= builder.sizes:
        return node
    made = builder.numbers.get((target.function, refs))
    if made is None:
        made = builder.add("number", target.function, refs, {}, value_of(node))
        builder.numbers[target.function, refs] = builder.sized(made, None)
    return made


def mark(builder: Builder, node: fx.Node, number: int) -> None:
    """Note that a step gives a size that data decide."""
    bounds = (SMALLEST, 2**63 - 1) if number > 0 else (-(2**63), -SMALLEST)
    builder.guard(InRange(*bounds), node)
    attributes(node).recorded_size, attributes(node).data_ends = number, (number,)


def ends_by_data(builder: Builder, item: Any) -> tuple[tuple[int, int], ...]:
    """Return the ends of a slice that are such numbers, in a shape-generic program.

    NumPy makes the view at replay, and they may have any value. By place: 0 is the start, 1 the stop.
    """
    if not builder.general or type(item) is not slice:
        return ()
    ends = []
    for place, end in enumerate((item.start, item.stop)):
        node = builder.tracked.node(end) if type(end) in (int, np.int64) else None
        if node is None or node in builder.decided | builder.sizes | builder.counts:
            continue
        if step_of(node) not in ("input", "read"):
            ends.append((place, int(end)))
    return tuple(ends)


def are_whole(refs: tuple[Any, ...]) -> bool:
    """Tell if a number is computed from these by steps, or from whole numbers."""
    return all(isinstance(ref, fx.Node) or type(ref) is int for ref in refs)


def sources(node: fx.Node) -> set[fx.Node]:
    """Return the steps that a number was computed from by arithmetic."""
    if step_of(node) != "number":
        return {node}
    return set().union(*map(sources, node.all_input_nodes))
