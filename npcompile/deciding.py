"""What a recorded block decides by: numbers that a loop changes at each trip, sizes that depend on data."""

from __future__ import annotations

from torch import fx

from npcompile.frontend.lengths import sized_by_data
from npcompile.frontend.program import Guard, Program, step_of, value_of


def decided_by(program: Program, variables: frozenset[str]) -> fx.Node | None:
    """A step that decides by the value of what a loop changes at each trip, or whose size depends on data."""
    moving = {node for node in program.inputs if node.name in variables and value_of(node).kind == "int"}
    for node in program.graph.nodes:
        if sized_by_data(node):
            return node
        if step_of(node) == "number" and any(arg in moving for arg in node.all_input_nodes):
            moving.add(node)
        if isinstance(node.target, Guard) and node.target.kind == "value" and node.args[0] in moving:
            if value_of(node.args[0]).kind != "bool":
                return node
    return None
