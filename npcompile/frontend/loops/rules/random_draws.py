"""Gives the loop language its rules for numbers drawn one by one from NumPy's generators.

They are drawn by NumPy's own functions (`lower/loops/headers/random.h`). Arguments that NumPy refuses are
left to it, and so are sizes, dtypes and the distributions that are not here.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.arguments import bound, required
from npcompile.frontend.loops.rules.numbers import apply
from npcompile.frontend.loops.run.generators import SHARED
from npcompile.frontend.loops.scalars import arithmetic
from npcompile.frontend.loops.source.pure_calls import is_pure_call
from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.random_code import library
from npcompile.lower.loops.random_ir import Draw
from npcompile.lower.loops.types import FLOAT, INT, Generator, Scalar

_DRAWN = ".drawn"
_INT64 = Scalar("i8")
_INTS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4")

Rule = Callable[[Inference, ast.Call, ir.Expression], ir.Expression]


def _drawn(
    inference: Inference,
    node: ast.Call,
    kind: Scalar,
    function: str,
    generator: ir.Expression,
    *operands: ir.Expression,
) -> ir.Expression:
    """Add the step of a draw; return the number."""
    if is_pure_call(node):  # it stands within a statement that may do more
        raise Outside("a draw by a function with the name of a pure one")
    if function != "random" and library() is None:
        raise Outside("a draw, as NumPy's library of distributions is not there")
    inference.bind(_DRAWN, ir.Unused(kind))
    inference.add(Draw, _DRAWN, kind, function, generator, operands)
    return inference.read(_DRAWN)


def _converted(inference: Inference, node: ast.expr | None, default: float, kind: Scalar) -> ir.Expression:
    """Return an argument as a float or an int. Raises Outside for others than numbers that NumPy takes."""
    if node is None:
        return ir.Constant(kind, default)
    value = inference.value(node)
    if not isinstance(value.type, Scalar) or value.type.kind == "c":
        raise Outside(f"a draw with {value.type}")
    if kind == INT and value.type.code not in _INTS:
        raise Outside(f"an integer drawn with {value.type}")
    return value if value.type == kind else apply(arithmetic.cast(value.type, kind), (value,), "a draw")


def _of_floats(function: str, *parameters: tuple[str, float]) -> Rule:
    """Return the rule of a distribution with these parameters and their defaults."""

    def rule(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
        found = bound(node, *(name for name, _ in parameters))
        given = [_converted(inference, found.get(name), default, FLOAT) for name, default in parameters]
        return _drawn(inference, node, FLOAT, function, owner, *given)

    return rule


def _uniform(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    return _of_floats("uniform", ("low", 0.0), ("high", 1.0))(inference, node, owner)


def _bounds(inference: Inference, node: ast.Call) -> tuple[ir.Expression, ir.Expression]:
    found = bound(node, "low", "high")
    low = required(found, "low")
    if "high" not in found:
        return ir.integer(0), _converted(inference, low, 0, INT)
    return _converted(inference, low, 0, INT), _converted(inference, found["high"], 0, INT)


def _integers(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    return _drawn(inference, node, _INT64, "integers", owner, *_bounds(inference, node))


def _randint(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    if np.dtype(int).itemsize != 8:
        raise Outside("`randint` of ints of 32 bits")
    return _drawn(inference, node, INT, "masked_integers", owner, *_bounds(inference, node))


_NEW: dict[str, Rule] = {
    "random": _of_floats("random"),
    "uniform": _uniform,
    "normal": _of_floats("normal", ("loc", 0.0), ("scale", 1.0)),
    "standard_normal": _of_floats("standard_normal"),
    "exponential": _of_floats("exponential", ("scale", 1.0)),
    "standard_exponential": _of_floats("standard_exponential"),
    "integers": _integers,
}
# `RandomState` draws normal and exponential numbers by older functions, which are not in NumPy's library.
_LEGACY: dict[str, Rule] = {
    "random": _of_floats("random"),
    "random_sample": _of_floats("random"),
    "rand": _of_floats("random"),
    "uniform": _uniform,
    "randint": _randint,
}


@language.methods(*((Generator, name) for name in sorted({*_NEW, *_LEGACY})))
def _method(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    assert isinstance(owner.type, Generator) and isinstance(node.func, ast.Attribute)
    rules = _LEGACY if owner.type.legacy else _NEW
    if node.func.attr not in rules:
        raise Outside(f"`{node.func.attr}` of {owner.type}")
    return rules[node.func.attr](inference, node, owner)


def _of_module(function: Any, name: str) -> None:
    """Register the rule of a function of `np.random`."""

    @language.calls(function)
    def rule(inference: Inference, node: ast.Call) -> ir.Expression:
        return _LEGACY[name](inference, node, inference.read(SHARED))


for _name in _LEGACY:
    _of_module(getattr(np.random, _name), _name)
