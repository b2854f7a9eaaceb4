"""Gives the loop language its rule for `np.isclose` of two numbers."""

from __future__ import annotations

import ast

import numpy as np

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.arguments import bound, required
from npcompile.frontend.loops.rules.elementwise import scalar_or_array
from npcompile.frontend.loops.rules.numbers import apply
from npcompile.lower.loops import ir
from npcompile.lower.loops.operation import Operation
from npcompile.lower.loops.types import BOOL, FLOAT, Scalar

_RELATIVE, _ABSOLUTE = (ir.Constant(FLOAT, tolerance) for tolerance in (1e-05, 1e-08))  # NumPy's defaults


@language.calls(np.isclose)
def _isclose(inference: Inference, node: ast.Call) -> ir.Expression:
    given = bound(node, "a", "b", "rtol", "atol")
    numbers = [scalar_or_array(inference.value(required(given, name))) for name in ("a", "b")]
    numbers += [
        scalar_or_array(inference.value(given[name])) if name in given else otherwise
        for name, otherwise in (("rtol", _RELATIVE), ("atol", _ABSOLUTE))
    ]
    kinds = [number.type for number in numbers if isinstance(number.type, Scalar)]
    if len(kinds) < len(numbers) or any(kind != BOOL and kind.code not in ("f8", "i8") for kind in kinds):
        raise Outside(f"`isclose` of {numbers[0].type} and {numbers[1].type}")
    operation = Operation("npl::is_close", (FLOAT,) * 4, Scalar("b1"), leaves=True)
    return apply(operation, tuple(numbers), "calls of `isclose`")
