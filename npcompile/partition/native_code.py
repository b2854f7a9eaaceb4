"""Chooses what runs a statement of a cut function natively: a loop, or a call of nested functions."""

from __future__ import annotations

import ast
from types import FunctionType
from typing import Any

from npcompile.diagnostics.settings import config
from npcompile.frontend.loop_pipeline import loop_source, own_names
from npcompile.frontend.loops.source.choice import depends_on_trip, is_candidate
from npcompile.frontend.rewrite.nested_calls import one_trip
from npcompile.partition.checked_loop import WatchedLoop
from npcompile.partition.native_loop import NativeLoop
from npcompile.partition.whole_array_loop import WholeArrayLoop
from npcompile.tiering.contest import are_held
from npcompile.verify.verify import verifying


def native_code(node: ast.stmt, function: FunctionType, within: Any) -> NativeLoop | None:
    """Return the native code that a statement may have. within: the function that was cut."""
    if config.backend == "interpreter":  # it stands in for kernels where nothing is to be compiled
        return None
    loop = node if isinstance(node, ast.For | ast.While) else one_trip([node], node)
    kind: type[NativeLoop] = WatchedLoop if verifying() else NativeLoop
    if loop is not node and verifying():
        return None  # the functions that it calls are compared
    if loop is node and not depends_on_trip(loop):
        if verifying() or not are_held():
            return None  # its blocks are compared
        kind = WholeArrayLoop
    return kind(node, loop_source(loop, own_names(function)), within) if is_candidate(loop) else None
