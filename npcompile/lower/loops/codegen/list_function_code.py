"""Writes the C++ of functions of whole lists: sorting and searching."""

from __future__ import annotations

from npcompile.lower.loops.codegen.c_types import item_kind
from npcompile.lower.loops.codegen.emitter import Emitter, does, writes
from npcompile.lower.loops.codegen.list_code import made_by
from npcompile.lower.loops.list_function_ir import Remove, Search, Sort, SortByKeys, Sorted


@writes(Sorted)
def _sorted(emitter: Emitter, node: Sorted) -> str:
    return made_by(
        emitter, node.type, "sorted_list", [emitter.value(node.source), emitter.value(node.backwards)]
    )


@does(Sort)
def _sort(emitter: Emitter, step: Sort) -> None:
    emitter.leave_if(f"npl::sort_list({emitter.value(step.target)}, {emitter.value(step.backwards)})")


@does(SortByKeys)
def _sort_by_keys(emitter: Emitter, step: SortByKeys) -> None:
    backwards, target = emitter.value(step.backwards), emitter.value(step.target)
    keys = None if step.is_known else emitter.value(step.keys)
    emitter.lines.append(f"npl::hidden_items hidden{{{target}.held}};")
    emitter.leave_if(f"npl::sort_by_keys(hidden, {keys or emitter.value(step.keys)}, {backwards})")


@writes(Search)
def _search(emitter: Emitter, node: Search) -> str:
    source, value = emitter.value(node.source), emitter.value(node.value)
    answer = emitter.fresh(node.type)
    kind = item_kind(node.value.type)
    emitter.leave_if(f"npl::{node.method}_of<{kind}>({source}, {value}, {answer})")
    return answer


@does(Remove)
def _remove(emitter: Emitter, step: Remove) -> None:
    kind = item_kind(step.value.type)
    target, value = emitter.value(step.target), emitter.value(step.value)
    emitter.leave_if(f"npl::remove_item<{kind}>({target}, {value})")
