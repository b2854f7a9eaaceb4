"""Dead-code elimination: takes steps without use or effect out of a residual program."""

from __future__ import annotations

from npcompile.frontend.catalog.purity import NEVER_RAISES
from npcompile.frontend.program.dynamic_sizes import bound_by_sizes
from npcompile.frontend.program.guards import Guard
from npcompile.frontend.program.object_steps import Build
from npcompile.frontend.program.program import Program
from npcompile.frontend.program.reads import Length
from npcompile.lower.plan.attributes import attributes


def drop_unused(program: Program) -> None:
    """Erase steps without use or effect, except those that may fail: each call is to see whether they do."""
    graph, may_fail = program.graph, bound_by_sizes(program.graph, program.shape_generic)
    for node in reversed(list(graph.nodes)):
        known = attributes(node)
        droppable = known.kind in ("op", "view", "number", "part", "library")
        droppable |= isinstance(node.target, Build) and node.target.needless
        checked = getattr(node.target, "checked", False) and not known.unchecked
        checked |= known.kind == "number" and not (
            node.target in NEVER_RAISES or isinstance(node.target, Length)
        )
        # An index that a step gave may be out of bounds, whether or not anything uses what it leads to.
        checked |= (known.kind == "view" and len(node.all_input_nodes) > 1) or node in may_fail
        if node.op == "call_function" and droppable and not checked and not node.users:
            graph.erase_node(node)
        elif (
            known.incidental
            and not known.inspected
            and all(isinstance(user.target, Guard) and user.target.only_of_kind for user in node.users)
        ):
            for user in list(node.users):  # data that nothing was done with
                graph.erase_node(user)
            graph.erase_node(node)
