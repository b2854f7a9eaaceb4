"""Writes the C++ of items of arrays, read and stored, with their bounds checked, and of ranges."""

from __future__ import annotations

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.emitter import Emitter, does, writes


@writes(ir.Length)
def _length(emitter: Emitter, node: ir.Length) -> str:
    return f"{emitter.value(node.array)}.shape[{node.axis}]"


def place_of(emitter: Emitter, node: ir.Item | ir.StoreItem) -> str:
    """Return the C++ of an item's place, after the checks that it is there."""
    array, texts = emitter.value(node.array), []
    checked = emitter.checks(node)
    for axis, index in enumerate(node.indices):
        if not checked:
            texts.append(emitter.index(node.array, axis, index))
            continue
        text = emitter.value(index)
        length = f"{array}.shape[{axis}]"
        misses = "outside"
        if index in emitter.region.nonnegative:
            pass
        elif not isinstance(index, ir.Constant):
            emitter.count += 1
            if isinstance(index, ir.Read):  # it is likely to be used again, and wrapped once then
                emitter.lines.append(f"const int64_t t{emitter.count} = npl::wrapped({text}, {length});")
            else:
                misses = "misses"
                emitter.lines.append(f"int64_t t{emitter.count} = {text};")
            text = f"t{emitter.count}"
        elif index.value < 0:
            text = f"({text} + {length})"
        emitter.leave_if(f"npl::{misses}({text}, {length})")
        texts.append(text)
    return f"{array}.at({', '.join(texts)})"


@writes(ir.Item)
def _item(emitter: Emitter, node: ir.Item) -> str:
    return emitter.hold(node.type, emitter.register(node) or place_of(emitter, node))


@does(ir.StoreItem)
def _store(emitter: Emitter, step: ir.StoreItem) -> None:
    value = emitter.value(step.value)
    place = emitter.register(step) or place_of(emitter, step)
    if (copy := emitter.copy(step)) is not None:
        emitter.lines.append(f"{copy} = {value};")
    emitter.lines.append(f"{place} = {value};")


@does(ir.BeginRange)
def _begin(emitter: Emitter, step: ir.BeginRange) -> None:
    start, stop, stride = map(emitter.value, (step.start, step.stop, step.stride))
    kind = step.kind
    if kind.stride is None:
        emitter.leave_if(f"{stride} == 0")
    emitter.lines.append(
        f"{emitter.variable(step.state, kind)} = npl::begin_range({start}, {stop}, {stride});"
    )
    emitter.set_tag(step.state, kind)


@does(ir.NextOfRange)
def _next(emitter: Emitter, end: ir.NextOfRange) -> None:
    state = emitter.variable(end.state, end.kind)
    stride = f"{state}.stride" if end.kind.stride is None else str(end.kind.stride)
    exhausted = emitter.go(end.exhausted, ends=True)
    emitter.lines.append(f"if ({state}.position >= {state}.length) {exhausted}")
    item = emitter.variable(end.item, ir.INT)
    emitter.lines.append(f"{item} = {state}.start + {state}.position * {stride}; {state}.position += 1;")
    emitter.set_tag(end.item, ir.INT)
    emitter.lines.append(emitter.go(end.body))
