"""Gives the loop language its rules for products of vectors and matrices."""

from __future__ import annotations

import ast

import numpy as np

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.arguments import bound, required
from npcompile.frontend.loops.rules.numbers import apply
from npcompile.frontend.loops.scalars import functions
from npcompile.lower.loops import ir
from npcompile.lower.loops.array_ir import Dot, MatMul
from npcompile.lower.loops.types import Array, Scalar


def matmul(left: ir.Expression, right: ir.Expression, conjugates: bool = False) -> ir.Expression:
    """Return the product of two arrays of one axis or two."""
    if not isinstance(left.type, Array) or not isinstance(right.type, Array):
        raise Outside(f"a product of {left.type} and {right.type}")
    axes = left.type.ndim, right.type.ndim
    to = Scalar(np.result_type(left.type.code, right.type.code).str[1:])
    if axes == (1, 1):
        return Dot(to, left, right, conjugates)
    if axes not in ((1, 2), (2, 1), (2, 2)) or conjugates or to.kind not in "fc":
        raise Outside(f"a product of {left.type} and {right.type}")
    return MatMul(Array(to.code, sum(axes) - 2, True), left, right)


def _pair(inference: Inference, node: ast.Call) -> tuple[ir.Expression, ir.Expression]:
    given = bound(node, "a", "b")
    return inference.value(required(given, "a")), inference.value(required(given, "b"))


@language.calls(np.dot, np.matmul)
def _dot(inference: Inference, node: ast.Call) -> ir.Expression:
    return matmul(*_pair(inference, node))


@language.methods((Array, "dot"))
def _dot_method(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    return matmul(owner, inference.value(required(bound(node, "b"), "b")))


@language.calls(np.vdot, np.inner)
def _inner(inference: Inference, node: ast.Call) -> ir.Expression:
    function = inference.value(node.func).type
    left, right = _pair(inference, node)
    if any(not isinstance(one.type, Array) or one.type.ndim != 1 for one in (left, right)):
        raise Outside(f"`{function}` of {left.type} and {right.type}")
    return matmul(left, right, getattr(function, "value", None) is np.vdot)


@language.calls(np.linalg.norm)
def _norm(inference: Inference, node: ast.Call) -> ir.Expression:
    array = inference.value(required(bound(node, "x"), "x"))
    if not isinstance(array.type, Array) or array.type.ndim != 1:
        raise Outside(f"`norm` of {array.type}")
    item = array.type.item
    if item.kind == "c":
        raise Outside("`norm` of complex numbers")
    squares = Dot(item if item.kind == "f" else Scalar("f8"), array, array, False)
    return apply(functions.call(np.sqrt, (squares.type,)), (squares,), "`sqrt`")  # type: ignore[arg-type]
