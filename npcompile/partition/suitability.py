"""Tells what in a recorded program or a block decides, is done for its effect, or takes long."""

from __future__ import annotations

import ast
import types

from torch import fx

from npcompile.frontend.catalog import inlining
from npcompile.frontend.program.call_steps import Call
from npcompile.frontend.program.dynamic_sizes import sized_by_data
from npcompile.frontend.program.guards import ValueEquals
from npcompile.frontend.program.program import Program
from npcompile.frontend.rewrite.block_levels import Block
from npcompile.frontend.rewrite.kept_trees import nodes_of, own_nodes
from npcompile.frontend.rewrite.liveness import loads
from npcompile.frontend.rewrite.partition import calls_itself, tree_of
from npcompile.lower.plan.attributes import attributes, source_place, step_of, value_of


def decided_by(program: Program, variables: frozenset[str]) -> fx.Node | None:
    """A step that decides by the value of what a loop changes at each trip, or whose size depends on data."""
    moving = {node for node in program.inputs if node.name in variables and value_of(node).kind == "int"}
    for node in program.graph.nodes:
        if sized_by_data(node):
            return node
        if step_of(node) == "number" and any(arg in moving for arg in node.all_input_nodes):
            moving.add(node)
        if isinstance(node.target, ValueEquals) and node.args[0] in moving:
            if value_of(node.args[0]).kind != "bool":
                return node
    return None


def driven(block: Block, variables: frozenset[str]) -> list[ast.stmt]:
    """The user's statements in a block that read or write by what a loop around it changes: `A[i, :i]`."""
    lines = {
        part.lineno
        for part in own_nodes(block.node.body)
        if isinstance(part, ast.Subscript) and loads(part.slice) & variables
    }
    held = [node for node in block.statements if isinstance(node, ast.stmt)]
    return [node for node in held if lines & {*range(node.lineno, (node.end_lineno or node.lineno) + 1)}]


def done_for_effect(program: Program, body: list[ast.stmt]) -> fx.Node | None:
    """An opaque call in a statement that is a call for its effect alone: it is left to Python, where its time
    is taken."""
    calls = [
        node
        for node in program.graph.nodes
        if isinstance(node.target, Call) and step_of(node) == "opaque" and not attributes(node).inert
    ]
    if not calls:
        return None
    done = [part for part in own_nodes(body[:-1]) if isinstance(part, ast.Expr)]
    lines = {
        line
        for part in done
        if isinstance(part.value, ast.Call)
        for line in range(part.lineno, (part.end_lineno or part.lineno) + 1)
    }
    return next((node for node in calls if source_place(node).top in lines), None)


# Syntax that goes over items, or that a function of Python's may call for each of them.
_ITEMS = (ast.comprehension, ast.Lambda, ast.For, ast.While)


def goes_over_items(block: Block) -> bool:
    """Tell whether a block does something for each of any number of things."""
    return any(isinstance(part, _ITEMS) for statement in block.node.body for part in nodes_of(statement))


def only_calls(fn: types.FunctionType) -> bool:
    """Tell if a function has no loops, and calls functions of the user's, which may have some."""
    tree, _ = tree_of(fn)
    parts = own_nodes(tree.body)
    if any(isinstance(part, ast.For | ast.While | ast.comprehension) for part in parts):
        return False
    names = [part.func for part in parts if isinstance(part, ast.Call)]
    called = [fn.__globals__.get(name.id) for name in names if isinstance(name, ast.Name)]
    return any(isinstance(one, types.FunctionType) or inlining.is_jitted(type(one)) for one in called)


def recurs_over_items(fn: types.FunctionType, program: Program) -> bool:
    """Tell if a function calls itself and its recording works on numbers and single items alone.

    At other numbers it goes another way.
    """
    if not calls_itself(fn):
        return False
    values = [value_of(node) for node in program.graph.nodes if step_of(node) in ("op", "write", "library")]
    return not any(value.kind == "array" and value.shape for value in values)
