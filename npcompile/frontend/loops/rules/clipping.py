"""Gives the loop language its rules for `clip`, by position and by keyword, with both bounds or with one."""

from __future__ import annotations

import ast

import numpy as np

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.arguments import bound, required
from npcompile.frontend.loops.rules.elementwise import called, cast, item_type, scalar_or_array
from npcompile.frontend.loops.rules.numbers import apply
from npcompile.frontend.loops.scalars import functions
from npcompile.lower.loops import ir
from npcompile.lower.loops.array_ir import ndim
from npcompile.lower.loops.types import BOOL, INT, Array, Known, Scalar
from npcompile.nep50.asked import clip_keeps_equals

_KEEPS_EQUALS = clip_keeps_equals()


@language.calls(np.clip)
def _clip_call(inference: Inference, node: ast.Call) -> ir.Expression:
    given = bound(node, "a", "a_min", "a_max", by_name=("min", "max"))
    value = scalar_or_array(inference.value(required(given, "a")))
    return _clipped(inference, value, given, ("a_min", "min"), ("a_max", "max"))


@language.methods((Array, "clip"))
def _clip_method(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    return _clipped(inference, scalar_or_array(owner), bound(node, "min", "max"), ("min",), ("max",))


def _clipped(
    inference: Inference,
    value: ir.Expression,
    given: dict[str, ast.expr],
    lowest: tuple[str, ...],
    highest: tuple[str, ...],
) -> ir.Expression:
    """Return a value between two bounds. lowest, highest: the names of each bound's parameter."""
    low, high = (_bound(inference, given, names) for names in (lowest, highest))
    if low is not None and high is not None:
        if not _KEEPS_EQUALS and item_type(value).kind == "f":
            raise Outside("`clip` of floats by a NumPy before 2.1")
        return _called(np.clip, value, low, high)
    function, limit = (np.minimum, high) if low is None else (np.maximum, low)
    if limit is None:
        raise Outside("`clip` without bounds")
    kind = item_type(value)
    if kind.python and kind != BOOL:  # NumPy makes an array of it, which no bound's type changes
        value, kind = cast(value, Scalar(kind.code)), Scalar(kind.code)
    if limit.type == INT and kind.kind in "iu" and kind.code != "i8":
        raise Outside(f"`clip` of {kind} with one bound, a Python int")
    return _called(function, value, limit)


def _bound(inference: Inference, given: dict[str, ast.expr], names: tuple[str, ...]) -> ir.Expression | None:
    """Return the bound that one of two parameters gives; None for no bound."""
    nodes = [given[name] for name in names if name in given]
    if len(nodes) > 1:
        raise Outside("`clip` with a bound that is given twice")
    value = inference.value(nodes[0]) if nodes else None
    return None if value is None or value.type == Known(None) else scalar_or_array(value)


def _called(function: object, *operands: ir.Expression) -> ir.Expression:
    if any(map(ndim, operands)):
        return called(function, operands)
    kinds = tuple(map(item_type, operands))
    return apply(functions.call(function, kinds), operands, "calls of `clip`")
