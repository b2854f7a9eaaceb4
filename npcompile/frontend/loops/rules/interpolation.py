"""Gives the loop language its rules for `interp` at a number, and for quantiles."""

from __future__ import annotations

import ast

import numpy as np

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.arguments import bound, required
from npcompile.frontend.loops.rules.elementwise import cast, operate_on, scalar_or_array
from npcompile.lower.loops import ir
from npcompile.lower.loops.array_ir import ndim
from npcompile.lower.loops.types import INT, Array, Scalar
from npcompile.lower.loops.whole_ir import WholeFunction

_FLOAT = Scalar("f8")


def _doubles(inference: Inference, node: ast.expr, named: str) -> ir.Expression:
    value = inference.value(node)
    if not isinstance(value.type, Array) or value.type.code != "f8" or ndim(value) != 1:
        raise Outside(f"`{named}` of {value.type}")
    return value


def _number(inference: Inference, node: ast.expr, named: str) -> ir.Expression:
    value = scalar_or_array(inference.value(node))
    if not isinstance(value.type, Scalar) or not (value.type.code == "f8" or value.type == INT):
        raise Outside(f"`{named}` at {value.type}")
    return cast(value, _FLOAT)


@language.calls(np.interp)
def _interp(inference: Inference, node: ast.Call) -> ir.Expression:
    given = bound(node, "x", "xp", "fp")
    at = _number(inference, required(given, "x"), "interp")
    tables = [_doubles(inference, required(given, name), "interp") for name in ("xp", "fp")]
    return WholeFunction(_FLOAT, "interpolate", (at, *tables))


@language.calls(np.quantile, np.percentile)
def _quantile(inference: Inference, node: ast.Call) -> ir.Expression:
    percents = inference.value(node.func).type.value is np.percentile  # type: ignore[attr-defined]
    given = bound(node, "a", "q")
    array = _doubles(inference, required(given, "a"), "quantile")
    part = _number(inference, required(given, "q"), "quantile")
    if percents:
        part = operate_on(ast.Div, part, ir.Constant(_FLOAT, 100.0))
    return WholeFunction(_FLOAT, "quantile", (array, part))
