"""Writes the heads of the C++ functions that a region calls: their parameters, and how they are declared."""

from __future__ import annotations

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.c_types import c_type, holds_memory
from npcompile.lower.loops.codegen.call_graph import CallGraph
from npcompile.lower.loops.types import Known


def borrowed(function: ir.Function) -> set[str]:
    """Return the parameters that stay as they are given: they keep no memory of their own."""
    if function.body is None or function.changed:  # attributes that are handed back may be arguments
        return set()
    steps = [step for block in function.body.blocks for step in (*block.steps, block.end) if step is not None]
    bound = {name for step in steps for name in ir.bound_by(step)}
    return {name for name, kind in function.parameters if holds_memory(kind) and name not in bound}


def parameter_types(function: ir.Function) -> list[str]:
    """Return the C++ types of a function's parameters."""
    kept = borrowed(function)
    return [f"const {c_type(kind)} &" if name in kept else c_type(kind) for name, kind in function.parameters]


def head(function: ir.Function, given: list[str], calls: CallGraph) -> str:
    """Return the head of a function: it returns `npl::done`, or how far it was when it left.

    given: its parameters, with names or without. The C++ has others: `trips` is the share of the time between
    two polls that is left, `depth` tells how many calls of recursive functions are under way, and references
    take the answer and the attributes that the function changes.
    """
    assert function.result is not None
    parameters = ["int64_t &trips"]
    if function in calls.counted:
        parameters.append("const int depth")
    parameters += given
    if not isinstance(function.result, Known):
        parameters.append(f"{c_type(function.result)} &answer")
    for number, kind in enumerate(function.left.values()):
        parameters.append(f"{c_type(kind)} &field_{number}")
    linkage = "NPL_INLINE" if function in calls.inlined else "static inline"
    return f"{linkage} int {function.name}({', '.join(parameters)})"
