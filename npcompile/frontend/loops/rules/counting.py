"""Gives the loop language its rules for counts of items, and for the places of those that are not zero."""

from __future__ import annotations

import ast

import numpy as np

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.arguments import bound, required
from npcompile.frontend.loops.rules.subscripts import index_of
from npcompile.frontend.loops.rules.views import view
from npcompile.lower.loops import ir
from npcompile.lower.loops.types import Array, Known
from npcompile.lower.loops.view_ir import WHOLE
from npcompile.lower.loops.whole_ir import WholeFunction

_INTS = Array("i8", 1, True)


def places(array: ir.Expression, named: str) -> ir.Expression:
    """Return the places of an array's items that are not zero: a view of them, as NumPy's answer is one."""
    if not isinstance(array.type, Array) or array.type.ndim != 1:
        raise Outside(f"`{named}` of {array.type}")
    return view(WholeFunction(_INTS, "nonzero", (array,)), [WHOLE])


@language.calls(np.nonzero)
def _nonzero(inference: Inference, node: ast.Call) -> ir.Expression:
    return ir.tuple_of((places(inference.value(required(bound(node, "a"), "a")), "nonzero"),))


@language.methods((Array, "nonzero"))
def _nonzero_method(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    bound(node)
    return ir.tuple_of((places(owner, "nonzero"),))


@language.calls(np.flatnonzero)
def _flatnonzero(inference: Inference, node: ast.Call) -> ir.Expression:
    return places(inference.value(required(bound(node, "a"), "a")), "flatnonzero")


@language.calls(np.bincount)
def _bincount(inference: Inference, node: ast.Call) -> ir.Expression:
    given = bound(node, "x", "weights", "minlength")
    array = inference.value(required(given, "x"))
    weights = inference.value(given["weights"]) if "weights" in given else None
    least = inference.value(given["minlength"]) if "minlength" in given else ir.integer(0)
    kind = array.type
    if not isinstance(kind, Array) or kind.ndim != 1 or not np.can_cast(kind.item.code, "i8"):
        raise Outside(f"`bincount` of {kind}")
    if weights is None or weights.type == Known(None):
        return WholeFunction(_INTS, "bincount", (array, index_of(inference, least)))
    of = weights.type
    if not isinstance(of, Array) or of.ndim != 1 or not np.can_cast(of.item.code, "f8"):
        raise Outside(f"`bincount` with weights that are {of}")
    return WholeFunction(
        Array("f8", 1, True), "weighted_bincount", (array, index_of(inference, least), weights)
    )
