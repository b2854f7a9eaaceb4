"""Gives the loop language its rules for linear equations, inverses, determinants and products in space."""

from __future__ import annotations

import ast

import numpy as np

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.arguments import bound, required
from npcompile.lower.loops import ir
from npcompile.lower.loops.array_ir import ndim
from npcompile.lower.loops.types import Array, Scalar
from npcompile.lower.loops.whole_ir import WholeFunction


def _doubles(inference: Inference, node: ast.expr, named: str, *axes: int) -> ir.Expression:
    """Return an array of float64 that has so many axes. Raises Outside."""
    value = inference.value(node)
    if not isinstance(value.type, Array) or value.type.code != "f8" or ndim(value) not in axes:
        raise Outside(f"`{named}` of {value.type}")
    return value


@language.calls(np.linalg.solve)
def _solve(inference: Inference, node: ast.Call) -> ir.Expression:
    given = bound(node, "a", "b")
    matrix = _doubles(inference, required(given, "a"), "solve", 2)
    other = _doubles(inference, required(given, "b"), "solve", 1, 2)
    return WholeFunction(Array("f8", ndim(other), True), "solve", (matrix, other))


@language.calls(np.linalg.inv)
def _inverse(inference: Inference, node: ast.Call) -> ir.Expression:
    matrix = _doubles(inference, required(bound(node, "a"), "a"), "inv", 2)
    return WholeFunction(Array("f8", 2, True), "inverse", (matrix,))


@language.calls(np.linalg.det)
def _determinant(inference: Inference, node: ast.Call) -> ir.Expression:
    matrix = _doubles(inference, required(bound(node, "a"), "a"), "det", 2)
    return WholeFunction(Scalar("f8"), "determinant", (matrix,))


@language.calls(np.cross)
def _cross(inference: Inference, node: ast.Call) -> ir.Expression:
    given = bound(node, "a", "b")
    one, other = (inference.value(required(given, name)) for name in ("a", "b"))
    kind = one.type
    if not isinstance(kind, Array) or not isinstance(other.type, Array) or kind.code != other.type.code:
        raise Outside(f"`cross` of {kind} and {other.type}")
    if ndim(one) != 1 or ndim(other) != 1 or kind.item.kind not in "iuf" or kind.code == "f2":
        raise Outside(f"`cross` of {kind} and {other.type}")
    return WholeFunction(Array(kind.code, 1, True), f"cross<{kind.item.c_type}>", (one, other))
