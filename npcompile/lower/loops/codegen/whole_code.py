"""Writes the C++ of functions of whole arrays, by the templates of `whole.h`."""

from __future__ import annotations

from npcompile.lower.loops.codegen.elementwise_code import computed
from npcompile.lower.loops.codegen.emitter import Emitter, does, writes
from npcompile.lower.loops.types import Array
from npcompile.lower.loops.whole_ir import SortInPlace, WholeFunction


@writes(WholeFunction)
def _function(emitter: Emitter, node: WholeFunction) -> str:
    operands = [emitter.value(operand) for operand in node.operands]
    if isinstance(node.type, Array):
        return computed(emitter, node.type, node.function, operands)
    answer = emitter.fresh(node.type)
    emitter.leave_if(f"npl::{node.function}({', '.join([answer, *operands])})")
    return answer


@does(SortInPlace)
def _sort(emitter: Emitter, step: SortInPlace) -> None:
    emitter.leave_if(f"npl::sort_in_place({emitter.value(step.array)})")
