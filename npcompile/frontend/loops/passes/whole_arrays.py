"""Finds the arrays on all of whose items a typed region works, itself or by functions that it calls.

Blocks do such work faster where the arrays are large: `partition/native_loop.py` asks.
"""

from __future__ import annotations

from collections.abc import Iterator

from npcompile.lower.loops import array_ir, ir, whole_ir
from npcompile.lower.loops.subexpressions import subexpressions
from npcompile.lower.loops.types import Array
from npcompile.lower.loops.view_ir import Transposed, View

_WORK = (
    *(array_ir.Map, array_ir.Reduced, array_ir.Dot, array_ir.MatMul, array_ir.Selected, array_ir.StoreMap),
    *(array_ir.ByUfunc, whole_ir.WholeFunction, whole_ir.SortInPlace),
)


def arrays_taken_whole(region: ir.Region) -> frozenset[str]:
    """Return the names of arrays given to a region that it works on as wholes, or but for constant edges.

    Parts that a trip chooses, such as `A[i]` and `A[:, :k]`, are no wholes. A copy is no work.
    """
    working: set[ir.Function] = set()
    while more := {one for one in region.functions if one not in working and _works(one, working)}:
        working |= more
    return frozenset(_names(region, working).intersection(region.names))


def _works(function: ir.Function, working: set[ir.Function]) -> bool:
    return function.body is not None and bool(_names(function.body, working))


def _names(region: ir.Region, working: set[ir.Function]) -> set[str]:
    """Return the names of all arrays that a region works on as wholes. working: functions that do so."""
    found: set[str] = set()
    for node in _nodes(region):
        parts: tuple[ir.Expression, ...] = ()
        if isinstance(node, ir.Call | ir.CallFunction):
            parts = node.operands if node.function in working else ()
        elif isinstance(node, _WORK) and not _is_copy(node):
            parts = ir.expressions_of(node) if isinstance(node, ir.Step) else ir.parts_of(node)
        found.update(name for part in parts if (name := _name_of(part)) is not None)
    return found


def _is_copy(node: ir.Step | ir.Expression) -> bool:
    """Tell if a node makes a mere copy of an array, which no kernel does faster."""
    return isinstance(node, array_ir.Map) and isinstance(node.body, array_ir.Lane)


def works_on_arrays(block: ir.Block) -> bool:
    """Tell if a block works on all items of an array, or of a part of it."""
    return any(isinstance(node, _WORK) for node in _nodes_of(block))


def _nodes(region: ir.Region) -> Iterator[ir.Step | ir.Expression]:
    """Give all steps and expressions of a region."""
    for block in region.blocks:
        yield from _nodes_of(block)


def _nodes_of(block: ir.Block) -> Iterator[ir.Step | ir.Expression]:
    for step in (*block.steps, block.end):
        if isinstance(step, ir.Step):
            yield step
        yield from subexpressions(ir.expressions_of(step))


def _name_of(node: ir.Expression) -> str | None:
    """Return the name of the array that an expression is, or that it is a constant part of."""
    while isinstance(node, View | Transposed):
        array, *places = ir.parts_of(node)
        if not all(isinstance(place, ir.Constant) for place in places):
            return None
        node = array
    is_array = isinstance(node.type, Array) and node.type.ndim > 0
    return node.name if isinstance(node, ir.Read) and is_array else None
