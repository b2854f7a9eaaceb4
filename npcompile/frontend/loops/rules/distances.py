"""Gives the loop language its rule for `math.dist` of two points, tuples of two or three numbers."""

from __future__ import annotations

import ast
import math

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.arguments import positional
from npcompile.frontend.loops.rules.numbers import apply
from npcompile.frontend.loops.scalars import arithmetic, functions
from npcompile.lower.loops import ir
from npcompile.lower.loops.types import FLOAT, Scalar, Tuple

_AXES = (2, 3)


@language.calls(math.dist)
def _distance(inference: Inference, node: ast.Call) -> ir.Expression:
    """Return the root of the squares of differences, which CPython computes as it computes `hypot`."""
    points = positional(inference, node, 2, 2)
    one, other = (_coordinates(point) for point in points)
    if len(one) != len(other):
        raise Outside("a `dist` that Python refuses")
    difference = arithmetic.binary(ast.Sub, FLOAT, FLOAT)
    sides = [apply(difference, pair, "`dist`") for pair in zip(one, other, strict=True)]
    return apply(functions.call(math.hypot, (FLOAT,) * len(sides)), tuple(sides), "`dist`")


def _coordinates(point: ir.Expression) -> list[ir.Expression]:
    """Return the numbers of a point as floats. Raises Outside for others than tuples of real numbers."""
    kind = point.type
    if not isinstance(kind, Tuple) or len(kind.items) not in _AXES:
        raise Outside(f"`dist` of {kind}")
    made = []
    for place, item in enumerate(kind.items):
        if not isinstance(item, Scalar) or item.kind == "c":
            raise Outside(f"`dist` of {kind}")
        made.append(apply(functions.call(float, (item,)), (ir.part_of(point, place),), "`dist`"))
    return made
