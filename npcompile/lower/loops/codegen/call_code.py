"""Writes the C++ of calls of users' functions, and of their returns."""

from __future__ import annotations

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.emitter import Emitter, does, writes
from npcompile.lower.loops.types import Known


@writes(ir.Call)
def _call(emitter: Emitter, node: ir.Call) -> str:
    operands = [emitter.value(operand) for operand in node.operands]
    answer = emitter.kept(node.type)
    emitter.leave_if(emitter.call(node.function, [*operands, answer]))
    return answer


@does(ir.CallFunction)
def _call_function(emitter: Emitter, step: ir.CallFunction) -> None:
    operands = [emitter.value(operand) for operand in step.operands]
    result = step.function.result
    assert result is not None
    if not isinstance(result, Known):
        operands.append(emitter.variable(step.name, result))
    operands += [emitter.variable(name, kind) for name, kind in step.function.left.items()]
    emitter.lines.append(f"const int way = {emitter.call(step.function, operands)};")
    emitter.leave_if("way != npl::done")
    for name, kind in (*step.function.changed.items(), (step.name, result)):
        emitter.set_tag(name, kind)


@does(ir.Return)
def _return(emitter: Emitter, end: ir.Return) -> None:
    if end.value is not None:
        emitter.give("answer", end.value)
    for number, field in enumerate(end.fields):
        emitter.give(f"field_{number}", field)
    emitter.lines.append("return npl::done;")
