"""Gives the loop language its rules for `outer`: a function of each pair of items of two vectors."""

from __future__ import annotations

import ast

import numpy as np

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules import elementwise
from npcompile.frontend.loops.rules.arguments import bound, required
from npcompile.frontend.loops.rules.views import view
from npcompile.lower.loops import ir
from npcompile.lower.loops.types import Array
from npcompile.lower.loops.view_ir import WHOLE


@language.calls(np.outer)
def _outer(inference: Inference, node: ast.Call) -> ir.Expression:
    given = bound(node, "a", "b")
    return outer(np.multiply, *(inference.value(required(given, name)) for name in ("a", "b")))


def outer(function: np.ufunc, left: ir.Expression, right: ir.Expression) -> ir.Expression:
    """Return a ufunc's values for all pairs of items of two arrays of one axis."""
    for one in (left, right):
        if not isinstance(one.type, Array) or one.type.ndim != 1:
            raise Outside(f"`outer` of {left.type} and {right.type}")
    return elementwise.called(function, (view(left, [WHOLE, None]), right))
