"""Gives the loop language its rules for reductions of arrays to one number."""

from __future__ import annotations

import ast
from collections.abc import Callable

import numpy as np

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules import elementwise
from npcompile.frontend.loops.rules.along_axis import along
from npcompile.frontend.loops.rules.arguments import bound, required
from npcompile.frontend.loops.rules.elementwise import Fusion, cast, item_cast, item_type
from npcompile.frontend.loops.rules.numbers import apply
from npcompile.frontend.loops.scalars import functions
from npcompile.lower.loops import ir
from npcompile.lower.loops.array_ir import Lane, Map, Reduced, ndim
from npcompile.lower.loops.types import BOOL, INT, Array, Known, Scalar

_KEEPS = {"by_name": ("keepdims",)}
Rule = Callable[[ir.Expression], ir.Expression]


def _reduction(*names: str) -> Callable[[Rule], Rule]:
    """Register the rule of a function of NumPy's, and of the method, that reduces an array."""

    def register(rule: Rule) -> Rule:
        for name in names:
            _register(name, rule)
        return rule

    return register


def _register(name: str, rule: Rule) -> None:
    @language.calls(getattr(np, name))
    def _call(inference: Inference, node: ast.Call) -> ir.Expression:
        given = bound(node, "a", "axis", **_KEEPS)
        return _apply(inference, rule, inference.value(required(given, "a")), given, name)

    if hasattr(np.ndarray, name):

        @language.methods((Array, name))
        def _method(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
            return _apply(inference, rule, owner, bound(node, "axis", **_KEEPS), name)


def _apply(
    inference: Inference, rule: Rule, array: ir.Expression, given: dict[str, ast.expr], name: str
) -> ir.Expression:
    axis = given.get("axis")
    keeps = "keepdims" in given and inference.value(given["keepdims"])
    if keeps and not (isinstance(keeps, ir.Constant) and keeps.type == BOOL):
        raise Outside(f"`{name}` with a `keepdims` that is not known")
    if not isinstance(array.type, Array) or not array.type.ndim:
        raise Outside(f"`{name}` of {array.type}")
    if axis is not None:
        value = inference.value(axis)
        if isinstance(value, ir.Constant) and value.type == INT and array.type.ndim == 2:
            return along(name, array, value.value, isinstance(keeps, ir.Constant) and keeps.value)
        whole = isinstance(value, ir.Constant) and value.value in (0, -1) and array.type.ndim == 1
        if value.type != Known(None) and not whole:
            raise Outside(f"`{name}` along an axis")
    if isinstance(keeps, ir.Constant) and keeps.value:
        raise Outside(f"`{name}` of all items, with `keepdims`")
    return rule(array)


def reduced(
    function: str, array: ir.Expression, to: Scalar | None = None, result: Scalar | None = None
) -> Reduced:
    """Return a reduction. to: the dtype that items are converted to first. result: the answer's type."""
    fusion = Fusion(ndim(array))
    body = fusion.body(array)
    rounds = function == "mean" or (function == "sum" and item_type(array).kind in "fc")
    if isinstance(array, Map) and fusion.axes > 1 and rounds:
        # NumPy adds the new array's items, which lie side by side, in another order than the operands' rows.
        fusion.operands, body = [array], Lane(body.type, 0)
    if to is not None:
        body = item_cast(body, to)
    assert isinstance(body.type, Scalar)
    return Reduced(result or body.type, function, fusion.map(body))


def _accumulator(kind: Scalar) -> Scalar:
    """Return the dtype in which NumPy adds and multiplies items."""
    return Scalar(np.sum(np.ones(1, kind.code)).dtype.str[1:])


@_reduction("sum")
def _sum(array: ir.Expression) -> ir.Expression:
    return reduced("sum", array, _accumulator(item_type(array)))


@_reduction("prod")
def _prod(array: ir.Expression) -> ir.Expression:
    return reduced("prod", array, _accumulator(item_type(array)))


@_reduction("min")
def _min(array: ir.Expression) -> ir.Expression:
    return reduced("min", array)


@_reduction("max")
def _max(array: ir.Expression) -> ir.Expression:
    return reduced("max", array)


@_reduction("any")
def _any(array: ir.Expression) -> ir.Expression:
    return reduced("any", array, result=Scalar("b1"))


@_reduction("all")
def _all(array: ir.Expression) -> ir.Expression:
    return reduced("all", array, result=Scalar("b1"))


@_reduction("argmin")
def _argmin(array: ir.Expression) -> ir.Expression:
    return reduced("argmin", array, result=Scalar("i8"))


@_reduction("argmax")
def _argmax(array: ir.Expression) -> ir.Expression:
    return reduced("argmax", array, result=Scalar("i8"))


@_reduction("mean")
def _mean(array: ir.Expression) -> ir.Expression:
    kind = item_type(array)
    if kind.code == "f2":
        return cast(reduced("mean", array, Scalar("f4")), kind)
    return reduced("mean", array, kind if kind.kind in "fc" else Scalar("f8"))


@_reduction("var")
def _var(array: ir.Expression) -> ir.Expression:
    kind = item_type(array)
    if kind.code == "f2" or kind.kind == "c":
        raise Outside(f"`var` of {array.type}")
    to = kind if kind.kind == "f" else Scalar("f8")
    fusion = Fusion(ndim(array))
    away = fusion.map(item_cast(fusion.body(array), to))
    less = elementwise.operate_on(ast.Sub, away, reduced("mean", array, to))
    return reduced("mean", elementwise.operate_on(ast.Mult, less, less), to)


@_reduction("std")
def _std(array: ir.Expression) -> ir.Expression:
    return root(_var(array))


def root(value: ir.Expression) -> ir.Expression:
    """Return a NumPy scalar's square root."""
    assert isinstance(value.type, Scalar)
    return apply(functions.call(np.sqrt, (value.type,)), (value,), "`sqrt`")


@language.calls(np.count_nonzero)
def _count_nonzero(inference: Inference, node: ast.Call) -> ir.Expression:
    array = inference.value(required(bound(node, "a"), "a"))
    if not isinstance(array.type, Array) or not array.type.ndim:
        raise Outside(f"`count_nonzero` of {array.type}")
    made = reduced("sum", array, Scalar("b1"))
    body = item_cast(made.value.body, Scalar("i8"))
    counted = Map(Array("i8", ndim(array), True), made.value.operands, body)
    return Reduced(Scalar(np.dtype(type(np.count_nonzero(np.ones(1)))).str[1:]), "sum", counted)
