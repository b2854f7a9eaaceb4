"""Writes the C++ of views: of basic indices, whose bounds are checked, and of transposed arrays."""

from __future__ import annotations

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.array_code import inside
from npcompile.lower.loops.codegen.emitter import Emitter, writes
from npcompile.lower.loops.types import Array
from npcompile.lower.loops.view_ir import Slice, Transposed, View


@writes(View)
def _view(emitter: Emitter, node: View) -> str:
    array = emitter.value(node.array)
    parts = [_values(emitter, part) for part in node.parts]
    view = emitter.fresh(node.type)
    emitter.lines.append(f"npl::begin_view({array}, {view});")
    axis = made = 0
    for part, values in zip(node.parts, parts, strict=True):
        if part is None:
            emitter.lines.append(f"{view}.shape[{made}] = 1; {view}.strides[{made}] = 0;")
            made += 1
            continue
        length, stride = f"{array}.shape[{axis}]", f"{array}.stride({axis})"
        if isinstance(part, Slice):
            _cut(emitter, part, values, f"{view}, {made}, {length}, {stride}")
            made += 1
        else:
            place = inside(emitter, part, length)
            emitter.lines.append(f"{view}.data += {place} * {stride};")
        axis += 1
    return view


def _values(emitter: Emitter, part: ir.Expression | Slice | None) -> list[str]:
    parts = (part.start, part.stop, part.step) if isinstance(part, Slice) else (part,)
    return ["0" if one is None else emitter.value(one) for one in parts]


def _cut(emitter: Emitter, part: Slice, values: list[str], axis: str) -> None:
    start, stop, step = values
    if part.step is None:
        step = "1"
    elif not isinstance(part.step, ir.Constant):
        emitter.leave_if(f"{step} == 0")
    has = ["false" if bound is None else "true" for bound in (part.start, part.stop)]
    emitter.lines.append(f"npl::cut<{', '.join(has)}>({axis}, {start}, {stop}, {step});")


@writes(Transposed)
def _transposed(emitter: Emitter, node: Transposed) -> str:
    assert isinstance(node.type, Array)
    array = emitter.value(node.array)
    view = emitter.fresh(node.type)
    emitter.lines.append(f"npl::begin_view({array}, {view});")
    for made, axis in enumerate(node.axes):
        emitter.lines.append(
            f"{view}.shape[{made}] = {array}.shape[{axis}]; {view}.strides[{made}] = {array}.stride({axis});"
        )
    return view
