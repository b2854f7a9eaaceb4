"""Chooses what runs a statement of a cut function natively: a loop, or a call of nested functions."""

from __future__ import annotations

import ast
from inspect import CO_GENERATOR
from types import CodeType, FunctionType
from typing import Any

from npcompile.diagnostics.settings import config
from npcompile.frontend.loop_pipeline import loop_source, own_names
from npcompile.frontend.loops.entry.closures import variables_of
from npcompile.frontend.loops.entry.values import makes_generators
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.passes.refusal import Refusal
from npcompile.frontend.loops.source.choice import depends_on_trip, is_candidate
from npcompile.frontend.loops.source.control_flow import leaves_trip
from npcompile.frontend.loops.source.local_constants import with_constants
from npcompile.frontend.rewrite.nested_calls import one_trip
from npcompile.frontend.rewrite.partition import tree_of
from npcompile.partition.checked_loop import WatchedLoop
from npcompile.partition.native_loop import NativeLoop
from npcompile.partition.whole_array_loop import WholeArrayLoop
from npcompile.tiering.contest import are_held
from npcompile.verify.verify import verifying


def native_code(node: ast.stmt, function: FunctionType, within: Any) -> NativeLoop | None:
    """Return the native code that a statement may have. within: the function that was cut."""
    if config.backend == "interpreter":  # it stands in for kernels where nothing is to be compiled
        return None
    once = not isinstance(node, ast.For | ast.While) or _goes_over_generator(node, function)
    loop = one_trip([node], node) if once else node
    assert isinstance(loop, ast.For | ast.While)
    kind: type[NativeLoop] = WatchedLoop if verifying() else NativeLoop
    if loop is not node and verifying():
        return None  # the functions that it calls are compared
    if loop is node and not depends_on_trip(loop):
        if verifying() or not are_held():
            return None  # its blocks are compared
        kind = WholeArrayLoop
    if not is_candidate(loop):
        return None
    own = own_names(function)
    if loop is node:
        loop = with_constants(loop, tree_of(function)[0], own)
    try:
        source = loop_source(loop, own)
    except Outside as error:
        within.keep_blocks(node, Refusal(str(error), node.lineno))
        return None
    made = kind(node, source, within)
    made.once = once
    return made


def _goes_over_generator(node: ast.For | ast.While, function: FunctionType) -> bool:
    """Tell if a loop goes over a call of a generator function of the user's: it begins within native code."""
    if not isinstance(node, ast.For) or any(map(leaves_trip, node.orelse)):
        return False
    match node.iter:
        case (
            ast.Call(func=ast.Name(id="enumerate"), args=[ast.Call(func=ast.Name(id=called)), *_])
            | ast.Call(func=ast.Name(id=called))
        ):
            pass
        case _:
            return False
    code = function.__code__
    if called in {*code.co_varnames, *code.co_cellvars}:
        nested = [one for one in code.co_consts if isinstance(one, CodeType) and one.co_name == called]
        return any(one.co_flags & CO_GENERATOR for one in nested)
    return makes_generators(dict(variables_of(function)).get(called, function.__globals__.get(called)))
