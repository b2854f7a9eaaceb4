"""Views that may lie anywhere in the memory that they show, as nothing is written there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from torch import fx

from npcompile.frontend.catalog import purity
from npcompile.frontend.program.program import Program
from npcompile.lower.plan.attributes import attributes, step_of, value_of


def free_readonly_views(program: Program) -> None:
    """In a program for many lengths: how views of what is never written to lie in memory decides nothing, and
    may be otherwise at other lengths (`x[: n // 4 * 4]` may be all of `x`). Those are one that are the same
    view of the same array."""
    graph = program.graph
    changed = {value_of(node.args[0]).root for node in graph.nodes if step_of(node) == "write"}
    first: dict[Any, fx.Node] = {}
    for node in graph.nodes:
        if step_of(node) not in ("view", "part") and node.target not in purity.VIEWS:
            continue
        value = value_of(node)
        if value.kind != "array" or value.region is None or value.root in changed:
            continue
        attributes(node).value = replace(value, region=None)
        args = fx.node.map_arg((node.args, node.kwargs), lambda arg: attributes(arg).same_view or arg)
        attributes(node).same_view = first.setdefault((node.target, repr(args)), node)
