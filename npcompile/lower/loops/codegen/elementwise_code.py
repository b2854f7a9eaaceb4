"""Writes the C++ of elementwise expressions on arrays: one loop for each, by the templates of `maps.h`."""

from __future__ import annotations

from collections.abc import Sequence

from npcompile.lower.loops import ir
from npcompile.lower.loops.array_ir import ByUfunc, CheckApart, Lane, Map, Source, StoreMap
from npcompile.lower.loops.codegen.emitter import Emitter, does, writes
from npcompile.lower.loops.types import Array, Scalar


def function_of(emitter: Emitter, node: Map) -> tuple[str, list[str]]:
    """Return the C++ of a map's body as a function of items, and its arrays, whose items it takes."""
    texts = [emitter.value(operand) for operand in node.operands]
    arrays: list[str] = []
    items: list[str] = []
    names: list[str] = []
    for operand, text in zip(node.operands, texts, strict=True):
        if isinstance(operand.type, Array):
            names.append(f"x{len(arrays)}")
            items.append(f"const {operand.type.item.c_type} {names[-1]}")
            arrays.append(text)
        else:
            names.append(text)
    lines, held, emitter.lines = emitter.lines, emitter.held, []
    emitter.held = {lane: names[lane.number] for lane in _lanes(node.body)}
    value = emitter.value(node.body)
    body, emitter.lines, emitter.held = emitter.lines, lines, held
    assert isinstance(node.body.type, Scalar)
    statements = " ".join([*body, f"return {value};"])
    return f"[=]({', '.join(items)}) -> {node.body.type.c_type} {{ {statements} }}", arrays


def _lanes(body: ir.Expression) -> list[Lane]:
    if isinstance(body, Lane):
        return [body]
    return [lane for part in ir.parts_of(body) for lane in _lanes(part)]


@writes(Map)
def _map(emitter: Emitter, node: Map) -> str:
    function, arrays = function_of(emitter, node)
    return computed(emitter, node.type, "compute_in_c" if node.in_c_order else "compute", [function, *arrays])


def computed(emitter: Emitter, kind: ir.Type, function: str, operands: Sequence[str]) -> str:
    """Write the call of a C++ function that makes an array, and leave if it does not; return the array."""
    made = emitter.fresh(kind)
    kept = f"kept_{made}"
    emitter.lines.append(f"npl::scratch {kept};")
    emitter.leave_if(f"npl::{function}({', '.join([made, kept, *operands])})")
    return made


@writes(ByUfunc)
def _by_ufunc(emitter: Emitter, node: ByUfunc) -> str:
    operands = [emitter.value(one) for one in (node.value, node.other) if one is not None]
    if node.other is not None and isinstance(node.other.type, Scalar):
        emitter.lines.append(f"npl::replace_by_powers({', '.join(operands)});")
    else:
        items = ["x", "y"][: len(operands)]
        one = (
            f"[]({', '.join(f'const auto {x}' for x in items)}) {{ return {node.one}({', '.join(items)}); }}"
        )
        emitter.lines.append(f'npl::replace_items<"{node.name}">({", ".join([one, *operands])});')
    return operands[0]


@does(StoreMap)
def _store(emitter: Emitter, step: StoreMap) -> None:
    target = emitter.value(step.target)
    if step.moves:
        emitter.leave_if(f"npl::move({target}, {emitter.value(step.value.operands[0])})")
        return
    function, arrays = function_of(emitter, step.value)
    sources = [emitter.value(one) for one in step.value.operands if isinstance(one.type, Source)]
    needs_copy = " | ".join(f"npl::overlap({target}, {source})" for source in sources) or "false"
    emitter.leave_if(f"npl::store({', '.join([target, needs_copy, function, *arrays])})")


@does(CheckApart)
def _check_apart(emitter: Emitter, step: CheckApart) -> None:
    emitter.leave_if(f"npl::overlap({emitter.value(step.one)}, {emitter.value(step.other)})")
