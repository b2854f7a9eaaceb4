"""Gives the loop language its rules for functions that make new arrays."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.arguments import bound, required
from npcompile.frontend.loops.rules.elementwise import cast, converted, dtype_of, scalar_or_array, store
from npcompile.frontend.loops.rules.list_arrays import array_of_list
from npcompile.frontend.loops.rules.subscripts import index_of
from npcompile.frontend.loops.rules.views import view
from npcompile.lower.loops import ir
from npcompile.lower.loops.array_ir import CheckOrder, Counted, Filled, Listed
from npcompile.lower.loops.types import INT, Array, Known, List, Scalar, Tuple
from npcompile.lower.loops.view_ir import WHOLE
from npcompile.lower.loops.whole_ir import WholeFunction

_ITEMS = {"zeros": 0, "ones": 1}


def _dtype(inference: Inference, given: dict[str, ast.expr], otherwise: Scalar) -> Scalar:
    node = given.get("dtype")
    if node is None or inference.value(node).type == Known(None):
        return otherwise
    return dtype_of(inference, node)


def _filled(shape: tuple[ir.Expression, ...], kind: Scalar, item: ir.Expression | None) -> ir.Expression:
    if not shape:
        raise Outside("a new array without axes")
    if item is not None and item.type != kind:
        item = cast(item, kind)
    return Filled(Array(kind.code, len(shape), True), shape, item)


def _shape(inference: Inference, node: ast.expr) -> tuple[ir.Expression, ...]:
    if isinstance(node, ast.List):
        return tuple(index_of(inference, inference.value(item)) for item in node.elts)
    value = inference.value(node)
    if not isinstance(value.type, Tuple):
        return (index_of(inference, value),)
    lengths = inference.items_of(value, len(value.type.items))
    return tuple(index_of(inference, length) for length in lengths)


@language.calls(np.zeros, np.ones, np.empty)
def _new(inference: Inference, node: ast.Call) -> ir.Expression:
    given = bound(node, "shape", "dtype")
    kind = _dtype(inference, given, Scalar("f8"))
    return _filled(_shape(inference, required(given, "shape")), kind, _item(inference, node, kind))


def _item(inference: Inference, node: ast.Call, kind: Scalar) -> ir.Expression | None:
    name = inference.value(node.func).type.value.__name__.removesuffix("_like")  # type: ignore[attr-defined]
    return None if name == "empty" else ir.Constant(kind, _one(kind) * _ITEMS[name])


def _one(kind: Scalar) -> Any:
    return np.ones((), kind.code).item()


@language.calls(np.zeros_like, np.ones_like, np.empty_like)
def _like(inference: Inference, node: ast.Call) -> ir.Expression:
    given = bound(node, "a", "dtype")
    array = inference.value(required(given, "a"))
    kind = _dtype(inference, given, _ordered(inference, array))
    return _filled(_lengths(array), kind, _item(inference, node, kind))


def _ordered(inference: Inference, array: ir.Expression) -> Scalar:
    """Return the type of the items of an array of which a new one takes the layout: that of C."""
    kind = array.type
    if not isinstance(kind, Array) or (kind.ndim > 1 and not kind.packed):
        raise Outside(f"an array like {array.type}")
    if kind.ndim > 2:
        inference.add(CheckOrder, array)
    return kind.item


def _lengths(array: ir.Expression) -> tuple[ir.Expression, ...]:
    assert isinstance(array.type, Array)
    return tuple(ir.length(array, axis) for axis in range(array.type.ndim))


@language.calls(np.full)
def _full(inference: Inference, node: ast.Call) -> ir.Expression:
    given = bound(node, "shape", "fill_value", "dtype")
    item = scalar_or_array(inference.value(required(given, "fill_value")))
    if not isinstance(item.type, Scalar):
        raise Outside("`full` of an array")
    kind = _dtype(inference, given, Scalar(item.type.code))
    return _filled(_shape(inference, required(given, "shape")), kind, item)


@language.calls(np.full_like)
def _full_like(inference: Inference, node: ast.Call) -> ir.Expression:
    given = bound(node, "a", "fill_value", "dtype")
    array = inference.value(required(given, "a"))
    item = scalar_or_array(inference.value(required(given, "fill_value")))
    if not isinstance(item.type, Scalar):
        raise Outside("`full_like` of an array")
    return _filled(_lengths(array), _dtype(inference, given, _ordered(inference, array)), item)


@language.calls(np.arange)
def _arange(inference: Inference, node: ast.Call) -> ir.Expression:
    dtype = next((keyword.value for keyword in node.keywords if keyword.arg == "dtype"), None)
    if not 1 <= len(node.args) <= 3 or len(node.keywords) > (dtype is not None):
        raise Outside("`arange` with keywords")
    numbers = [inference.value(arg) for arg in node.args]
    if any(number.type != INT for number in numbers):
        raise Outside("`arange` of numbers that are no ints")
    start, stop = (ir.integer(0), numbers[0]) if len(numbers) == 1 else numbers[:2]
    step = numbers[2] if len(numbers) == 3 else ir.integer(1)
    kind = Scalar("i8") if dtype is None else dtype_of(inference, dtype)
    if kind.code != "i8":
        raise Outside(f"`arange` of {kind}")
    return Counted(Array(kind.code, 1, True), start, stop, step)


@language.calls(np.eye)
def _eye(inference: Inference, node: ast.Call) -> ir.Expression:
    given = bound(node, "N", "M", "k", "dtype")
    rows = index_of(inference, inference.value(required(given, "N")))
    columns = inference.value(given["M"]) if "M" in given else ir.Constant(Known(None), None)
    diagonal = index_of(inference, inference.value(given["k"])) if "k" in given else ir.integer(0)
    kind = _dtype(inference, given, Scalar("f8"))
    across = rows if columns.type == Known(None) else index_of(inference, columns)
    return _diagonal(kind, rows, across, diagonal)


@language.calls(np.identity)
def _identity(inference: Inference, node: ast.Call) -> ir.Expression:
    given = bound(node, "n", "dtype")
    count = index_of(inference, inference.value(required(given, "n")))
    return _diagonal(_dtype(inference, given, Scalar("f8")), count, count, ir.integer(0))


def _diagonal(kind: Scalar, *shape: ir.Expression) -> ir.Expression:
    return WholeFunction(Array(kind.code, 2, True), f"eye<{kind.c_type}>", shape)


@language.calls(np.linspace)
def _linspace(inference: Inference, node: ast.Call) -> ir.Expression:
    given = bound(node, "start", "stop", "num", "endpoint")
    ends = inference.value(given["endpoint"]) if "endpoint" in given else ir.truth(True)
    count = index_of(inference, inference.value(given["num"])) if "num" in given else ir.integer(50)
    bounds = [scalar_or_array(inference.value(required(given, name))) for name in ("start", "stop")]
    kinds = [bound.type for bound in bounds if isinstance(bound.type, Scalar)]
    if len(kinds) < 2 or not all(kind.code == "f8" or kind == INT for kind in kinds):
        raise Outside(f"`linspace` from {bounds[0].type} to {bounds[1].type}")
    if not isinstance(ends, ir.Constant):
        raise Outside("`linspace` with an `endpoint` that is not known")
    numbers = [cast(one, Scalar("f8")) for one in bounds]
    function = f"linspace<{'true' if ends.value else 'false'}>"
    made = WholeFunction(Array("f8", 1, True), function, (*numbers, count))
    return view(made, [WHOLE])  # as NumPy's answer is one


@language.calls(np.array, np.asarray)
def _array(inference: Inference, node: ast.Call) -> ir.Expression:
    given = bound(node, "object", "dtype")
    listed = required(given, "object")
    if not isinstance(listed, ast.List | ast.Tuple):
        return _of_value(inference, node, inference.value(listed), given)
    if not listed.elts:
        raise Outside("`array` of no items")
    rows = [one.elts for one in listed.elts if isinstance(one, ast.List | ast.Tuple)]
    if rows and (len(rows) < len(listed.elts) or len({len(row) for row in rows}) > 1 or not rows[0]):
        raise Outside("`array` of rows that are no lists of one length")
    nodes = [item for row in rows for item in row] if rows else listed.elts
    return _of_items(inference, [inference.value(item) for item in nodes], len(rows), given)


def _of_items(
    inference: Inference, values: list[ir.Expression], rows: int, given: dict[str, ast.expr]
) -> ir.Expression:
    """Return an array of numbers. rows: how many there are of a matrix; 0 of an array of one axis."""
    items = [scalar_or_array(value) for value in values]
    kinds = [item.type for item in items if isinstance(item.type, Scalar)]
    if len(kinds) != len(items):
        raise Outside("`array` of arrays")
    common = np.result_type(*(np.dtype(kind.code) for kind in kinds)).str[1:]
    kind = _dtype(inference, given, Scalar(common))
    made = tuple(item if item.type == kind else cast(item, kind) for item in items)
    if rows:
        return WholeFunction(Array(kind.code, 2, True), f"matrix<{rows}>", made)
    return Listed(Array(kind.code, 1, True), made)


def _of_value(
    inference: Inference, node: ast.Call, value: ir.Expression, given: dict[str, ast.expr]
) -> ir.Expression:
    """Return an array, converted or copied, or the very array where `asarray` has nothing to do."""
    if isinstance(value.type, List):
        return array_of_list(inference, node, value, given.get("dtype"))
    if isinstance(value.type, Tuple) and value.type.items:
        return _of_items(inference, [*inference.items_of(value, len(value.type.items))], 0, given)
    if not isinstance(value.type, Array | Scalar):
        raise Outside(f"`array` of {value.type}")
    kind = _dtype(inference, given, Scalar(value.type.code))
    copies = inference.value(node.func).type == Known(np.array)
    if isinstance(value.type, Array) and kind.code == value.type.code and not copies:
        return value
    return converted(value, kind)


@language.effects((Array, "fill"))
def _fill(inference: Inference, node: ast.Call, owner: ir.Expression) -> None:
    item = scalar_or_array(inference.value(required(bound(node, "value"), "value")))
    if not isinstance(item.type, Scalar):
        raise Outside("`fill` with an array")
    store(inference, owner, item)
