"""Writes the C++ of list comprehensions."""

from __future__ import annotations

from npcompile.lower.loops.codegen.emitter import Emitter, writes
from npcompile.lower.loops.codegen.list_code import made_by
from npcompile.lower.loops.comprehension_ir import ListOfItems


@writes(ListOfItems)
def _items(emitter: Emitter, node: ListOfItems) -> str:
    operands = [emitter.value(operand) for operand in node.operands]
    made = made_by(emitter, node.type, "new_list", [])
    emitter.leave_if(f"{emitter.call(node.function, [*operands, made])} != npl::done")
    return made
