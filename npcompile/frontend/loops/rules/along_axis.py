"""Gives the loop language the reductions of arrays of two axes along one of them, for `reductions.py`."""

from __future__ import annotations

import numpy as np

from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.elementwise import item_type
from npcompile.lower.loops import ir
from npcompile.lower.loops.types import Array, Scalar
from npcompile.lower.loops.whole_ir import WholeFunction

FUNCTIONS = frozenset(("sum", "mean", "prod", "min", "max", "argmin", "argmax", "any", "all"))


def along(function: str, array: ir.Expression, axis: int, keeps: bool) -> ir.Expression:
    """Return a reduction of an array along an axis. keeps: with the axis, of length one."""
    kind = array.type
    assert isinstance(kind, Array)
    item = item_type(array)
    if function not in FUNCTIONS or kind.ndim != 2 or not -2 <= axis < 2:
        raise Outside(f"`{function}` along an axis of {kind}")
    if item.code == "f2" or item.kind == "c" or (function == "mean" and item.kind != "f"):
        raise Outside(f"`{function}` along an axis of {kind}")
    result = Scalar(getattr(np, function)(np.ones((1, 1), item.code), axis=0).dtype.str[1:])
    within = result if function in ("sum", "prod", "mean") else item
    text = f"along<npl::reduction::{function}, {within.c_type}, {axis % 2}, {'true' if keeps else 'false'}>"
    return WholeFunction(Array(result.code, 1 + keeps, True), text, (array,))
