"""Writes the C++ of what index arrays and masks choose, read and stored, by `fancy.h`."""

from __future__ import annotations

from npcompile.lower.loops.array_ir import Fetch, Indices, Selected, StoreChosen, Taken, Whole
from npcompile.lower.loops.codegen.elementwise_code import computed, function_of
from npcompile.lower.loops.codegen.emitter import Emitter, does, writes


@writes(Whole)
def _whole(emitter: Emitter, node: Whole) -> str:
    return emitter.value(node.array)


@writes(Indices)
def _indices(emitter: Emitter, node: Indices) -> str:
    index, array = emitter.value(node.index), emitter.value(node.array)
    emitter.leave_if(f"npl::beyond({index}, {array}.shape[{node.axis}])")
    return index


@writes(Fetch)
def _fetch(emitter: Emitter, node: Fetch) -> str:
    operands = [emitter.value(part) for part in (node.source, *node.places)]
    return emitter.hold(node.type, f"npl::fetch({', '.join(operands)})")


@writes(Taken)
def _taken(emitter: Emitter, node: Taken) -> str:
    return computed(emitter, node.type, "take_parts", [emitter.value(node.array), emitter.value(node.index)])


@writes(Selected)
def _selected(emitter: Emitter, node: Selected) -> str:
    array, mask = emitter.value(node.array), emitter.value(node.mask)
    return computed(emitter, node.type, "select", [array, mask])


@does(StoreChosen)
def _store(emitter: Emitter, step: StoreChosen) -> None:
    target, chosen = emitter.value(step.target), [emitter.value(one) for one in step.chosen]
    function, arrays = function_of(emitter, step.value)
    first = step.chosen[0]
    if not isinstance(first, Indices):
        name = "store_where"
    else:
        name = "scatter_items" if len(chosen) > 1 else f"scatter<{first.axis}>"
    emitter.leave_if(f"npl::{name}({', '.join([target, *chosen, function, *arrays])})")
