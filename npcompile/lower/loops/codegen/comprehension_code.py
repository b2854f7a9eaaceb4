"""Writes the C++ of comprehensions."""

from __future__ import annotations

from npcompile.lower.loops.codegen.emitter import Emitter, writes
from npcompile.lower.loops.codegen.list_code import made_by
from npcompile.lower.loops.comprehension_ir import ContainerOfItems
from npcompile.lower.loops.types import Dict, List, Set


@writes(ContainerOfItems)
def _items(emitter: Emitter, node: ContainerOfItems) -> str:
    operands = [emitter.value(operand) for operand in node.operands]
    names = {List: "new_list", Set: "new_set", Dict: "new_dict"}
    made = made_by(emitter, node.type, names[type(node.type)], [])
    emitter.leave_if(f"{emitter.call(node.function, [*operands, made])} != npl::done")
    return made
