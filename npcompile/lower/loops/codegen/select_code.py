"""Writes the C++ of choices between two numbers that are both computed."""

from __future__ import annotations

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.c_types import c_type
from npcompile.lower.loops.codegen.emitter import OVERFLOW, Emitter, writes
from npcompile.lower.loops.select_ir import Masked, Select
from npcompile.lower.loops.types import FLOAT, Scalar

_ORDERS = tuple(f"npl::{name}<double>" for name in ("less", "less_equal", "greater", "greater_equal"))


@writes(Select)
def _select(emitter: Emitter, node: Select) -> str:
    if node.type in (FLOAT, Scalar(FLOAT.code)) and (compared := _compared(emitter, node.test)) is not None:
        function, *numbers = compared
        numbers += [emitter.value(part) for part in (node.one, node.other)]
        return emitter.hold(node.type, f"npl::select_by<{function}>({', '.join(numbers)})")
    test = emitter.value(node.test)
    (one, one_flag), (other, other_flag) = (emitter.flagged(part) for part in (node.one, node.other))
    if one_flag or other_flag:
        leaves = " | ".join(
            f"({way} & {flag})" for way, flag in ((test, one_flag), (f"!{test}", other_flag)) if flag
        )
        emitter.leave_if(leaves, OVERFLOW)
    ways = node.one, node.other
    if not isinstance(node.one, ir.Apply):  # the first one is kept from being computed on one way alone
        test, one, other, ways = f"!{test}", other, one, (node.other, node.one)
    is_constant = isinstance(ways[1], ir.Constant) and c_type(node.type) not in ("bool", "float", "double")
    function = "select_or" if is_constant else "select"
    return emitter.hold(node.type, f"npl::{function}({test}, {one}, {other})")


@writes(Masked)
def _masked(emitter: Emitter, node: Masked) -> str:
    parts = [emitter.value(part) for part in (node.test, node.one, node.other)]
    return emitter.hold(node.type, f"npl::masked({', '.join(parts)})")


def _compared(emitter: Emitter, test: ir.Expression) -> list[str] | None:
    """Return the function and the C++ of the two numbers where a test compares doubles; None for others."""
    while isinstance(test, ir.Apply) and test.operation.function == "npl::truth<bool>":
        (test,) = test.operands
    if not isinstance(test, ir.Apply) or test.operation.function not in _ORDERS:
        return None
    numbers = [emitter.value(operand) for operand in test.operands]
    for place, operand in enumerate(test.operands):
        if operand.type not in (FLOAT, Scalar(FLOAT.code)):
            numbers[place] = f"npl::cast<double>({numbers[place]})"
    return [test.operation.function, *numbers]
