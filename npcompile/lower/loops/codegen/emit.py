"""Writes the C++ of a typed region: gathers the families of rules and runs the emitter."""

from __future__ import annotations

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen import (
    array_code,
    array_iterator_code,
    branch_code,
    call_code,
    comprehension_code,
    creation_code,
    deque_code,
    dict_code,
    elementwise_code,
    fancy_code,
    fast_loop_code,
    heap_code,
    iterator_code,
    list_array_code,
    list_code,
    list_function_code,
    nest_code,
    parallel_code,
    random_code,
    recurrence_code,
    reduction_code,
    scalar_code,
    select_code,
    text_code,
    told_code,
    view_code,
    whole_code,
)
from npcompile.lower.loops.codegen.emitter import Emitter, Source
from npcompile.lower.loops.codegen.open_container_code import open_types, with_open_types

FAMILIES = (
    array_code,
    array_iterator_code,
    branch_code,
    call_code,
    comprehension_code,
    creation_code,
    deque_code,
    dict_code,
    elementwise_code,
    fast_loop_code,
    fancy_code,
    heap_code,
    iterator_code,
    list_array_code,
    list_code,
    list_function_code,
    nest_code,
    parallel_code,
    random_code,
    recurrence_code,
    reduction_code,
    scalar_code,
    select_code,
    text_code,
    told_code,
    view_code,
    whole_code,
)


def emit(region: ir.Region) -> Source:
    """Return the C++ of a region."""
    source = Emitter(region).emit()
    return source._replace(text=with_open_types(source.text, open_types(region)))
