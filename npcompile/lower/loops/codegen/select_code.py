"""Writes the C++ of choices between two ints that are both computed."""

from __future__ import annotations

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.c_types import c_type
from npcompile.lower.loops.codegen.emitter import OVERFLOW, Emitter, writes
from npcompile.lower.loops.select_ir import Select


@writes(Select)
def _select(emitter: Emitter, node: Select) -> str:
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
    is_constant = isinstance(ways[1], ir.Constant) and c_type(node.type) != "bool"
    function = "select_or" if is_constant else "select"
    return emitter.hold(node.type, f"npl::{function}({test}, {one}, {other})")
