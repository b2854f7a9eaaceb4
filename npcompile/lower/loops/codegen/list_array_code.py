"""Writes the C++ of arrays of the numbers in lists, by the templates of `list_arrays.h`."""

from __future__ import annotations

from npcompile.lower.loops.codegen.c_types import c_type, item_kind
from npcompile.lower.loops.codegen.elementwise_code import computed
from npcompile.lower.loops.codegen.emitter import Emitter, writes
from npcompile.lower.loops.list_array_ir import ArrayOfList, HoldsOnly
from npcompile.lower.loops.operation import Operation
from npcompile.lower.loops.types import Scalar


def _conversion(kind: Scalar, operation: Operation) -> str:
    """Return the C++ function that stores a number of a type as an item, and tells if it leaves."""
    parameters = f"{item_kind(kind)}, {c_type(kind)} value, {c_type(operation.result)} &to"
    if operation.leaves:
        return f"[]({parameters}) {{ return {operation.function}(value, to); }}"
    return f"[]({parameters}) {{ to = {operation.function}(value); return false; }}"


@writes(ArrayOfList)
def _array(emitter: Emitter, node: ArrayOfList) -> str:
    conversions = ", ".join(_conversion(*cast) for cast in node.casts)
    source = emitter.value(node.source)
    return computed(emitter, node.type, "array_of_list", [source, f"npl::conversions{{{conversions}}}"])


@writes(HoldsOnly)
def _holds_only(emitter: Emitter, node: HoldsOnly) -> str:
    source = emitter.value(node.source)
    answer = emitter.fresh(node.type)
    emitter.leave_if(f"npl::holds_only<{str(node.second).lower()}>({source}, {answer})")
    return answer
