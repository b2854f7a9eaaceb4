"""Writes the C++ of choices between two ints that are both computed."""

from __future__ import annotations

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.emitter import Emitter, writes
from npcompile.lower.loops.select_ir import Select


@writes(Select)
def _select(emitter: Emitter, node: Select) -> str:
    test, one, other = (emitter.value(part) for part in (node.test, node.one, node.other))
    if not isinstance(node.one, ir.Apply):  # the first one is kept from being computed on one way alone
        test, one, other = f"!{test}", other, one
    return emitter.hold(node.type, f"npl::select({test}, {one}, {other})")
