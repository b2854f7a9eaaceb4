"""Dynamic sizes: tells which sizes data or whole numbers decide, and which steps may fail for it."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import torch
from torch import fx

from npcompile.frontend.catalog import purity
from npcompile.frontend.ops.table import Op
from npcompile.frontend.program.program import Program
from npcompile.lower.plan.attributes import attributes, step_of, value_of


def counts_of(program: Program) -> tuple[int, ...]:
    """Return the positions, among the inputs, of the whole numbers on which sizes depend."""
    found = {node for node in program.graph.nodes if attributes(node).is_size}
    waiting = list(found)
    while waiting:
        further = set(waiting.pop().all_input_nodes) - found
        found |= further
        waiting += further
    kinds = [(place, node) for place, node in enumerate(program.inputs) if node in found]
    return tuple(place for place, node in kinds if value_of(node).kind == "int")


def sized_by_data(node: fx.Node) -> bool:
    """Tell whether the length of an array depends on the elements of others."""
    target: Any = node.target
    if isinstance(target, Op):
        return "length" in target.accepts and ("length" in node.kwargs or step_of(node) == "library")
    if target is np.ndarray.__getitem__:
        index = node.args[1] if isinstance(node.args[1], tuple) else (node.args[1],)
        return any(isinstance(i, fx.Node) and value_of(i).dtype is torch.bool for i in index)
    if target is np.where:
        return len(node.args) == 1
    return isinstance(target, Hashable) and target in purity.SIZED_BY_DATA


def bound_by_sizes(graph: fx.Graph, general: bool) -> set[fx.Node]:
    """Return the steps that may fail at other sizes of their arrays.

    Such steps take an element at a position, the maximum of nothing, or shapes that do not go together.

    Parameters
    ----------
    graph : fx.Graph
        The graph of a program.
    general : bool
        The sizes of arguments may differ. Otherwise only sizes that data decide do, and every step counts
        that uses arrays of such sizes."""
    by_data: set[fx.Node] = set()
    found: set[fx.Node] = set()
    for node in graph.nodes:
        if node.op != "call_function":
            continue
        if not by_data.isdisjoint(node.all_input_nodes):
            found.add(node)
        if (node in found or sized_by_data(node)) and value_of(node).kind == "array":
            by_data.add(node)
        if general and step_of(node) in ("op", "view", "part") and _is_at_a_place(node):
            found.add(node)
    return found


def _is_at_a_place(node: fx.Node) -> bool:
    """Tell whether a step takes an element, a row or a shape by number."""
    if any(step_of(arg) == "number" for arg in node.all_input_nodes):
        return True
    if not isinstance(node.target, Op) or node.target.function is not np.ndarray.__getitem__:
        return step_of(node) == "view" and any(type(arg) in (int, tuple, list) for arg in node.args[1:])
    index = node.args[1] if isinstance(node.args[1], tuple) else (node.args[1],)
    return any(isinstance(item, int | np.integer) for item in index)
