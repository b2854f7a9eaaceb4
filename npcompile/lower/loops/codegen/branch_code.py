"""Writes the C++ of branches.

A branch that binds the place of an item which it compares (`if x[i] > x[k]: k = i`) has to stay one. It is
rarely taken, and of a choice between two places GCC's next load would wait for the comparison of this trip.
"""

from __future__ import annotations

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.emitter import Emitter, does
from npcompile.lower.loops.register_ir import varies
from npcompile.lower.loops.subexpressions import subexpressions


@does(ir.Branch)
def _branch(emitter: Emitter, end: ir.Branch) -> None:
    test = emitter.value(end.test)
    ways = [emitter.go(end.then), emitter.go(end.otherwise)]
    for place, way in enumerate((end.then, end.otherwise)):
        if _binds_compared_place(way, end.test):
            ways[place] = f"{{ NPL_STAYS_BRANCH {ways[place]} }}"
    emitter.lines.append(f"if ({test}) {ways[0]} else {ways[1]}")


def _binds_compared_place(way: ir.Block, test: ir.Expression) -> bool:
    """Tell if a way binds a name by which the test finds an item."""
    names = {name for step in way.steps for name in ir.bound_by(step)}
    return any(
        varies(index, names)
        for node in subexpressions([test])
        if isinstance(node, ir.Item)
        for index in node.indices
    )
