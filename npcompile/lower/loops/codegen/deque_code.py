"""Writes the C++ of deques: new ones, and the operations on their ends."""

from __future__ import annotations

from npcompile.lower.loops.codegen.emitter import Emitter, does, writes
from npcompile.lower.loops.codegen.list_code import leave_unless_boxed, made_by
from npcompile.lower.loops.deque_ir import AppendLeft, ChangeDeque, NewDeque, PopEnd


@writes(NewDeque)
def _new(emitter: Emitter, node: NewDeque) -> str:
    most = "nullptr"
    if node.most is not None:
        most = f"PyLong_FromLongLong({emitter.value(node.most)})"
    return made_by(emitter, node.type, "new_deque", [emitter.value(node.source), most])


@does(AppendLeft)
def _append_left(emitter: Emitter, step: AppendLeft) -> None:
    leave_unless_boxed(emitter, "append_left", step.value, [emitter.value(step.target)])


@does(PopEnd)
def _pop(emitter: Emitter, step: PopEnd) -> None:
    emitter.leave_if(f"npl::{step.function}({emitter.value(step.target)})")


@does(ChangeDeque)
def _change(emitter: Emitter, step: ChangeDeque) -> None:
    operands = [step.target] if step.operand is None else [step.target, step.operand]
    emitter.leave_if(f"npl::{step.method}({', '.join(map(emitter.value, operands))})")
