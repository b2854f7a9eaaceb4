"""Gives the loop language its rules for numbers, and arrays of them, drawn from NumPy's generators.

They are drawn by NumPy's own functions (`lower/loops/headers/random.h`). Arguments that NumPy refuses are
left to it, and so are dtypes, arrays of parameters, and the distributions that are not here.
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
from npcompile.frontend.loops.rules.subscripts import index_of
from npcompile.frontend.loops.run.generators import SHARED
from npcompile.frontend.loops.scalars import arithmetic
from npcompile.frontend.loops.source.pure_calls import is_pure_call
from npcompile.lower.loops import ir
from npcompile.lower.loops.array_ir import Filled
from npcompile.lower.loops.codegen.random_code import library
from npcompile.lower.loops.random_ir import Draw, DrawItems
from npcompile.lower.loops.types import FLOAT, INT, Array, Generator, Known, Scalar, Tuple

_DRAWN, _AMONG = ".drawn", ".among"
_INT64 = Scalar("i8")
# `choice` of an int gives Python's ints, or NumPy's: that depends on NumPy's version.
_CHOSEN = INT if type(np.random.default_rng(0).choice(2)) is int else _INT64
_INTS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4")

Rule = Callable[[Inference, ast.Call, ir.Expression], ir.Expression]


def _drawn(
    inference: Inference,
    node: ast.Call,
    kind: Scalar,
    function: str,
    generator: ir.Expression,
    size: ast.expr | None,
    *operands: ir.Expression,
) -> ir.Expression:
    """Add the step of a draw; return the number, or the array of so many."""
    if is_pure_call(node):  # it stands within a statement that may do more
        raise Outside("a draw by a function with the name of a pure one")
    if function != "random" and library() is None:
        raise Outside("a draw, as NumPy's library of distributions is not there")
    if size is not None and (length := inference.value(size)).type != Known(None):
        axes = (
            inference.items_of(length, len(length.type.items))
            if isinstance(length.type, Tuple)
            else (length,)
        )
        shape = tuple(index_of(inference, axis) for axis in axes)
        if not shape:
            raise Outside("a draw of an array without axes")
        inference.bind(_DRAWN, Filled(Array(kind.code, len(shape), True), shape, None))
        made = inference.read(_DRAWN)
        inference.add(DrawItems, kind, function, generator, operands, made)
        return made
    inference.bind(_DRAWN, ir.Unused(kind))
    inference.add(Draw, kind, function, generator, operands, _DRAWN)
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
        found = bound(node, *(name for name, _ in parameters), "size")
        given = [_converted(inference, found.get(name), default, FLOAT) for name, default in parameters]
        return _drawn(inference, node, FLOAT, function, owner, found.get("size"), *given)

    return rule


def _uniform(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    return _of_floats("uniform", ("low", 0.0), ("high", 1.0))(inference, node, owner)


def _of_ints(
    inference: Inference, node: ast.Call, kind: Scalar, function: str, owner: ir.Expression
) -> ir.Expression:
    found = bound(node, "low", "high", "size")
    bounds = [_converted(inference, required(found, "low"), 0, INT)]
    if "high" in found and inference.value(found["high"]).type != Known(None):
        bounds.append(_converted(inference, found["high"], 0, INT))
    low, high = bounds if len(bounds) == 2 else (ir.integer(0), *bounds)
    return _drawn(inference, node, kind, function, owner, found.get("size"), low, high)


def _integers(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    return _of_ints(inference, node, _INT64, "integers", owner)


def _choice(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    """Return one of the ints below a number, or one of an array's items."""
    among = inference.value(required(bound(node, "a"), "a"))
    if among.type == INT:
        return _drawn(inference, node, _CHOSEN, "integers", owner, None, ir.integer(0), among)
    if not isinstance(among.type, Array) or among.type.ndim != 1:
        raise Outside(f"a choice among {among.type}")
    if not isinstance(among, ir.Read):
        inference.bind(_AMONG, among)
        among = inference.read(_AMONG)
    bounds = ir.integer(0), ir.length(among, 0)
    place = _drawn(inference, node, INT, "integers", owner, None, *bounds)
    assert isinstance(among.type, Array)
    return ir.Item(among.type.item, among, (place,))


def _randint(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    if np.dtype(int).itemsize != 8:
        raise Outside("`randint` of ints of 32 bits")
    return _of_ints(inference, node, INT, "masked_integers", owner)


def _rand(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    if node.args:
        raise Outside("`rand` of a shape")
    return _of_floats("random")(inference, node, owner)


_NEW: dict[str, Rule] = {
    "random": _of_floats("random"),
    "uniform": _uniform,
    "normal": _of_floats("normal", ("loc", 0.0), ("scale", 1.0)),
    "standard_normal": _of_floats("standard_normal"),
    "exponential": _of_floats("exponential", ("scale", 1.0)),
    "standard_exponential": _of_floats("standard_exponential"),
    "integers": _integers,
    "choice": _choice,
}
# `RandomState` draws normal and exponential numbers by older functions, which are not in NumPy's library.
_LEGACY: dict[str, Rule] = {
    "random": _of_floats("random"),
    "random_sample": _of_floats("random"),
    "rand": _rand,
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
