"""What a recorded block decides by: numbers that a loop changes at each trip, sizes that depend on data."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import torch
from torch import fx

from npcompile.frontend import pure
from npcompile.frontend.program import Guard, Program, step_of, value_of
from npcompile.frontend.table import Op


def _sized_by_data(node: fx.Node) -> bool:
    """Whether how long an array is depends on what is in others."""
    target: Any = node.target
    if isinstance(target, Op):
        return "length" in node.kwargs and "length" in target.accepts
    if target is np.ndarray.__getitem__:
        index = node.args[1] if isinstance(node.args[1], tuple) else (node.args[1],)
        return any(isinstance(i, fx.Node) and value_of(i).dtype is torch.bool for i in index)
    return isinstance(target, Hashable) and target in pure.SIZED_BY_DATA


def decided_by(program: Program, variables: frozenset[str]) -> fx.Node | None:
    """A step that decides by the value of what a loop changes at each trip, or whose size depends on data."""
    moving = {node for node in program.inputs if node.name in variables and value_of(node).kind == "int"}
    for node in program.graph.nodes:
        if _sized_by_data(node):
            return node
        if step_of(node) == "number" and any(arg in moving for arg in node.all_input_nodes):
            moving.add(node)
        if isinstance(node.target, Guard) and node.target.kind == "value" and node.args[0] in moving:
            if value_of(node.args[0]).kind != "bool":
                return node
    return None
