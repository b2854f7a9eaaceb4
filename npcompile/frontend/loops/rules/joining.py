"""Gives the loop language its rules for `concatenate`, `append` and `hstack`."""

from __future__ import annotations

import ast

import numpy as np

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.arguments import bound, required
from npcompile.frontend.loops.rules.elementwise import scalar_or_array
from npcompile.lower.loops import ir
from npcompile.lower.loops.array_ir import Listed, ndim
from npcompile.lower.loops.types import INT, Array, Scalar, Tuple
from npcompile.lower.loops.whole_ir import WholeFunction


def _joined(arrays: list[ir.Expression], axis: int, named: str) -> ir.Expression:
    """Return a new array of the items of arrays along an axis. Raises Outside."""
    kinds = [array.type for array in arrays if isinstance(array.type, Array)]
    axes = ndim(arrays[0]) if arrays else 0
    if len(kinds) < len(arrays) or not 1 <= axes <= 2 or any(kind.ndim != axes for kind in kinds):
        raise Outside(f"`{named}` of {' and '.join(str(array.type) for array in arrays)}")
    if not -axes <= axis < axes:
        raise Outside(f"`{named}` along an axis that there is not")
    code = np.result_type(*(np.dtype(kind.code) for kind in kinds)).str[1:]
    return WholeFunction(Array(code, axes, True), f"concatenate<{axis % axes}>", tuple(arrays))


def _parts(inference: Inference, node: ast.expr) -> list[ir.Expression]:
    """Return the arrays of a tuple or a list display."""
    if isinstance(node, ast.List):
        return [inference.value(one) for one in node.elts]
    value = inference.value(node)
    if not isinstance(value.type, Tuple):
        raise Outside(f"the arrays of {value.type}")
    return [ir.part_of(value, place) for place in range(len(value.type.items))]


def _axis(inference: Inference, given: dict[str, ast.expr]) -> int:
    value = inference.value(given["axis"]) if "axis" in given else ir.integer(0)
    if not isinstance(value, ir.Constant) or value.type != INT:
        raise Outside("an axis that is not known")
    return int(value.value)


@language.calls(np.concatenate)
def _concatenate(inference: Inference, node: ast.Call) -> ir.Expression:
    given = bound(node, "arrays", "axis")
    parts = _parts(inference, required(given, "arrays"))
    return _joined(parts, _axis(inference, given), "concatenate")


@language.calls(np.hstack)
def _hstack(inference: Inference, node: ast.Call) -> ir.Expression:
    parts = _parts(inference, required(bound(node, "tup"), "tup"))
    return _joined(parts, 1 if parts and ndim(parts[0]) == 2 else 0, "hstack")


@language.calls(np.append)
def _append(inference: Inference, node: ast.Call) -> ir.Expression:
    """Return an array of one axis with more items: a number counts as an array of its dtype."""
    given = bound(node, "arr", "values", "axis")
    array = inference.value(required(given, "arr"))
    more = scalar_or_array(inference.value(required(given, "values")))
    if isinstance(more.type, Scalar):
        more = Listed(Array(more.type.code, 1, True), (more,))
    if ndim(array) != 1 or ndim(more) != 1:
        raise Outside(f"`append` of {array.type} and {more.type}")
    return _joined([array, more], _axis(inference, given), "append")
