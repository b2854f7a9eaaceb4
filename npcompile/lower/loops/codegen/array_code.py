"""Writes the C++ of items of arrays, read and stored, with their bounds checked, and of ranges."""

from __future__ import annotations

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.emitter import Emitter, does, writes
from npcompile.lower.loops.codegen.taking_code import take
from npcompile.lower.loops.types import Array
from npcompile.lower.loops.value_texts import value_text


@writes(ir.Length)
def _length(emitter: Emitter, node: ir.Length) -> str:
    return f"{emitter.value(node.array)}.shape[{node.axis}]"


def _inside_once(emitter: Emitter, index: ir.Expression, length: str) -> str:
    """Return the C++ of an index after its check, which a step makes once: `a[i] += 1` has one place."""
    text = value_text(index)
    if text is None or isinstance(index, ir.Constant):
        return inside(emitter, index, length)
    place = f"{text} in {length}"
    if place not in emitter.held:
        emitter.held[place] = inside(emitter, index, length)
    return emitter.held[place]


def inside(emitter: Emitter, index: ir.Expression, length: str) -> str:
    """Return the C++ of an index counted from the start of its axis, after the check that it is there."""
    text, misses = emitter.value(index), "outside"
    if index in emitter.region.nonnegative:
        pass
    elif isinstance(index, ir.Constant):
        text = text if index.value >= 0 else f"({text} + {length})"
    elif isinstance(index, ir.Read):  # it is likely to be used again, and wrapped once then
        text = emitter.hold(ir.INT, f"npl::wrapped({text}, {length})")
    else:
        wrapped, misses = emitter.fresh(ir.INT), "misses"
        emitter.lines.append(f"{wrapped} = {text};")
        text = wrapped
    emitter.leave_if(f"npl::{misses}({text}, {length})")
    return text


def _place(emitter: Emitter, node: ir.Item | ir.StoreItem) -> str:
    """Return the C++ of an item's place, after the checks that it is there."""
    array, checked = emitter.value(node.array), emitter.checks(node)
    places = [
        _inside_once(emitter, index, f"{array}.shape[{axis}]")
        if checked
        else emitter.index(node.array, axis, index)
        for axis, index in enumerate(node.indices)
    ]
    return f"{array}.at({', '.join(places)})"


@writes(ir.Item)
def _item(emitter: Emitter, node: ir.Item) -> str:
    assert isinstance(node.array.type, Array)
    text = emitter.register(node) or _place(emitter, node)
    return emitter.hold(node.type, f"npl::is_set({text})" if node.array.type.item.code == "b1" else text)


@does(ir.StoreItem)
def _store(emitter: Emitter, step: ir.StoreItem) -> None:
    value = emitter.value(step.value)
    place = emitter.register(step) or _place(emitter, step)
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
    if not emitter.is_counted:
        state = emitter.variable(end.state, end.kind)
        ended = emitter.go(end.exhausted, ends=True)
        place, last = f"{state}.position", f"{state}.length"
        assert emitter.here is not None
        emitter.composed.begin(emitter.here, f"{last} - {place}", "")
        emitter.lines.append(emitter.partial.exhausted(place, ">=", last, ended))
    take(emitter, end)
    emitter.lines.append(emitter.go(end.body))
