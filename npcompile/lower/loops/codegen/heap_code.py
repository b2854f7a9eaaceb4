"""Writes the C++ of the functions of `heapq`."""

from __future__ import annotations

from npcompile.lower.loops.codegen.c_types import item_kind
from npcompile.lower.loops.codegen.emitter import Emitter, does, writes
from npcompile.lower.loops.heap_ir import ChangeHeap, HeapLeast
from npcompile.lower.loops.types import List


@writes(HeapLeast)
def _least(emitter: Emitter, node: HeapLeast) -> str:
    heap, value = emitter.value(node.heap), emitter.value(node.value)
    least = emitter.fresh(node.type)
    emitter.leave_if(f"npl::heap_least<{item_kind(node.type)}>({heap}, {value}, {least})")
    return least


@does(ChangeHeap)
def _change(emitter: Emitter, step: ChangeHeap) -> None:
    assert isinstance(step.heap.type, List)
    operands = [emitter.value(one) for one in (step.heap, step.value) if one is not None]
    kind = item_kind(step.heap.type.item)
    emitter.leave_if(f"npl::{step.function}<{kind}>({', '.join(operands)})")
