"""Writes the C++ of new arrays that are made from numbers."""

from __future__ import annotations

from npcompile.lower.loops.array_ir import CheckOrder, Counted, Filled, Listed
from npcompile.lower.loops.codegen.elementwise_code import computed
from npcompile.lower.loops.codegen.emitter import Emitter, does, writes
from npcompile.lower.loops.types import Array


@does(CheckOrder)
def _check_order(emitter: Emitter, step: CheckOrder) -> None:
    emitter.leave_if(f"!npl::is_c_ordered({emitter.value(step.array)})")


@writes(Filled)
def _filled(emitter: Emitter, node: Filled) -> str:
    assert isinstance(node.type, Array)
    shape = ", ".join(map(emitter.value, node.shape))
    operands = [f"{{{shape}}}"]
    if node.item is not None:
        operands.append(emitter.value(node.item))
    return computed(emitter, node.type, "fill", operands)


@writes(Listed)
def _listed(emitter: Emitter, node: Listed) -> str:
    assert isinstance(node.type, Array)
    items = ", ".join(map(emitter.value, node.items))
    return computed(emitter, node.type, "list", [f"{{{items}}}"])


@writes(Counted)
def _counted(emitter: Emitter, node: Counted) -> str:
    bounds = [emitter.value(one) for one in (node.start, node.stop, node.step)]
    return computed(emitter, node.type, "count", bounds)
