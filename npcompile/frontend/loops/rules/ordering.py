"""Gives the loop language its rules for sorting, medians, search in sorted arrays, and running sums."""

from __future__ import annotations

import ast

import numpy as np

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.arguments import bound, required
from npcompile.frontend.loops.rules.elementwise import cast, operate_on, scalar_or_array
from npcompile.frontend.loops.rules.views import view
from npcompile.lower.loops import ir
from npcompile.lower.loops.array_ir import ndim
from npcompile.lower.loops.types import Array, Known, Scalar
from npcompile.lower.loops.view_ir import Slice
from npcompile.lower.loops.whole_ir import SortInPlace, WholeFunction


def _items(value: ir.Expression, named: str) -> Scalar:
    """Return the type of an array's items. Raises Outside for those that are not sorted natively."""
    if not isinstance(value.type, Array) or not value.type.ndim:
        raise Outside(f"`{named}` of {value.type}")
    item = value.type.item
    if item.code == "f2" or item.kind == "c":
        raise Outside(f"`{named}` of {value.type}")
    return item


@language.calls(np.sort)
def _sort(inference: Inference, node: ast.Call) -> ir.Expression:
    array = inference.value(required(bound(node, "a"), "a"))
    item = _items(array, "sort")
    if ndim(array) > 1:
        raise Outside("`sort` of rows")
    return WholeFunction(Array(item.code, 1, True), "numpy_sorted", (array,))


@language.calls(np.argsort)
def _argsort_call(inference: Inference, node: ast.Call) -> ir.Expression:
    given = bound(node, "a", "axis", "kind", by_name=("stable",))
    return _argsort(inference, inference.value(required(given, "a")), given)


@language.methods((Array, "argsort"))
def _argsort_method(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    return _argsort(inference, owner, bound(node, "axis", "kind", by_name=("stable",)))


def _argsort(inference: Inference, array: ir.Expression, given: dict[str, ast.expr]) -> ir.Expression:
    """Return the places of an array's items in order: NumPy's own function finds them, equal items' too."""
    _items(array, "argsort")
    known = {name: inference.value(one) for name, one in given.items() if name != "a"}
    if ndim(array) != 1 or not all(isinstance(one, ir.Constant) for one in known.values()):
        raise Outside(f"`argsort` of {array.type}, with these arguments")
    values = {name: _known(one) for name, one in known.items()}
    if values.pop("axis", -1) not in (-1, 0, None):
        raise Outside("`argsort` along an axis that there is not")
    stable = values.get("stable") is True or values.get("kind") in ("stable", "mergesort")
    if not stable and (values.get("stable"), values.get("kind")) not in ((None, None), (None, "quicksort")):
        raise Outside("`argsort` of this kind")
    if stable and len(values) > 1:
        raise Outside("`argsort` of a kind, and stable")
    kind = "stable" if stable else "quick"
    return WholeFunction(Array("i8", 1, True), f"argsort<npl::sorting::{kind}>", (array,))


def _known(value: ir.Expression) -> object:
    assert isinstance(value, ir.Constant)
    return value.type.value if isinstance(value.type, Known) else value.value


@language.calls(np.unique)
def _unique(inference: Inference, node: ast.Call) -> ir.Expression:
    array = inference.value(required(bound(node, "ar"), "ar"))
    item = _items(array, "unique")
    if item.kind == "f":  # which one of two zeros, or of NaNs, depends on NumPy's version
        raise Outside("`unique` of floats")
    return WholeFunction(Array(item.code, 1, True), "unique", (array,))


@language.effects((Array, "sort"))
def _sort_in_place(inference: Inference, node: ast.Call, owner: ir.Expression) -> None:
    _items(owner, "sort")
    assert isinstance(owner.type, Array)
    if node.args or node.keywords or owner.type.ndim != 1 or not owner.type.writeable:
        raise Outside("`sort` in place, with these arguments")
    inference.add(SortInPlace, owner)


@language.methods((Array, "flatten"))
def _flatten(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    assert isinstance(owner.type, Array)
    if node.args or node.keywords or not owner.type.ndim:
        raise Outside("`flatten` with an order")
    kind = owner.type.item
    return WholeFunction(Array(kind.code, 1, True), f"flatten<{kind.c_type}>", (owner,))


@language.methods((Array, "ravel"))
def _ravel(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    """Return a view where the items lie side by side, else a copy."""
    assert isinstance(owner.type, Array)
    if node.args or node.keywords or not owner.type.ndim or not owner.type.writeable:
        raise Outside("`ravel` with an order, or of a read-only array")
    kind = owner.type.item
    return WholeFunction(Array(kind.code, 1, True), f"ravel<{kind.c_type}>", (owner,))


@language.calls(np.median)
def _median(inference: Inference, node: ast.Call) -> ir.Expression:
    array = inference.value(required(bound(node, "a"), "a"))
    item = _items(array, "median")
    if item.kind == "b":
        raise Outside("`median` of bools")
    result = item if item.kind == "f" else Scalar("f8")
    return WholeFunction(result, f"median<{result.c_type}>", (array,))


@language.calls(np.searchsorted)
def _searchsorted(inference: Inference, node: ast.Call) -> ir.Expression:
    given = bound(node, "a", "v", "side")
    array = inference.value(required(given, "a"))
    key = scalar_or_array(inference.value(required(given, "v")))
    side = getattr(inference.value(given["side"]).type, "value", None) if "side" in given else "left"
    item = _items(array, "searchsorted")
    if ndim(array) != 1 or not isinstance(key.type, Scalar) or side not in ("left", "right"):
        raise Outside(f"`searchsorted` of {array.type} and {key.type}")
    both = Scalar(np.result_type(np.dtype(item.code), np.dtype(key.type.code)).str[1:])
    if both.kind not in "iuf" or both.code == "f2" or "b" in (item.kind, key.type.kind):
        raise Outside(f"`searchsorted` of {array.type} and {key.type}")
    function = f"search<{both.c_type}, {'true' if side == 'right' else 'false'}>"
    return WholeFunction(
        Scalar("i8"), function, (array, key if key.type.code == both.code else cast(key, both))
    )


def _running(function: str, adds: bool) -> None:
    def rule(inference: Inference, array: ir.Expression) -> ir.Expression:
        item = _items(array, function)
        if ndim(array) != 1:
            raise Outside(f"`{function}` of {array.type}")
        kind = Scalar(getattr(np, function)(np.ones(1, item.code)).dtype.str[1:])
        text = f"accumulate<{'true' if adds else 'false'}, {kind.c_type}>"
        return WholeFunction(Array(kind.code, 1, True), text, (array,))

    @language.calls(getattr(np, function))
    def _call(inference: Inference, node: ast.Call) -> ir.Expression:
        return rule(inference, inference.value(required(bound(node, "a"), "a")))

    @language.methods((Array, function))
    def _method(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
        bound(node)
        return rule(inference, owner)


_running("cumsum", True)
_running("cumprod", False)


@language.calls(np.diff)
def _diff(inference: Inference, node: ast.Call) -> ir.Expression:
    array = inference.value(required(bound(node, "a"), "a"))
    if ndim(array) != 1 or not isinstance(array.type, Array) or array.type.item.kind == "b":
        raise Outside(f"`diff` of {array.type}")
    one = ir.integer(1)
    later, earlier = (
        view(array, [part]) for part in (Slice(one, None, None), Slice(None, ir.integer(-1), None))
    )
    return operate_on(ast.Sub, later, earlier)
