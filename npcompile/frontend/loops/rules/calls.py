"""Gives the loop language its rules for attributes, and for calls of functions."""

from __future__ import annotations

import ast
from types import GeneratorType
from typing import Any

import numpy as np

from npcompile.frontend.catalog.called_libraries import is_as_it_is
from npcompile.frontend.loops import callees, language
from npcompile.frontend.loops.constants import constant, told
from npcompile.frontend.loops.entry.closures import Closure
from npcompile.frontend.loops.entry.objects import Method
from npcompile.frontend.loops.entry.values import makes_generators, plain_function
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules import elementwise, outer, unsigned_ints
from npcompile.frontend.loops.rules.arguments import positional
from npcompile.frontend.loops.rules.numbers import apply
from npcompile.frontend.loops.rules.spreading import spread
from npcompile.frontend.loops.scalars import functions
from npcompile.frontend.loops.source.pure_calls import bits_counted
from npcompile.lower.loops import ir
from npcompile.lower.loops.dict_ir import ItemCount
from npcompile.lower.loops.list_ir import ListLength
from npcompile.lower.loops.text_ir import CharacterValue, TextLength, as_word
from npcompile.lower.loops.types import (
    BOOL,
    FLOAT,
    INT,
    Array,
    Character,
    Dict,
    DictView,
    Known,
    List,
    Scalar,
    Set,
    Text,
    Tuple,
    Unsigned,
    Word,
)


@language.expressions(ast.Attribute)
def _attribute(inference: Inference, node: ast.Attribute) -> ir.Expression:
    name = inference.attribute_name(node)
    if name is not None:
        return inference.read(name)
    owner = inference.value(node.value)
    if isinstance(owner.type, Known):
        if isinstance(owner.type.value, np.iinfo | np.finfo):
            return constant(getattr(owner.type.value, node.attr, None))
        return inference.attribute(owner.type.value, node.attr)
    return language.attributes.find((type(owner.type), node.attr), node.attr)(inference, node, owner)


@language.expressions(ast.Call)
def _call(inference: Inference, node: ast.Call) -> ir.Expression:
    if any(isinstance(arg, ast.Starred) for arg in node.args):
        raise spread(inference, node)
    if isinstance(node.func, ast.Attribute) and (field := inference.attribute_name(node.func)) is not None:
        method = inference.types.get(field)
        if isinstance(method, Method):
            return callees.call(inference, method.function, node, receiver=method.owner)
    if (made := bits_counted(node)) is not None and inference.value(made.func).type == Known(bin):
        return _bits_set(inference, node, made.args[0])
    closure = inference.object_at(node.func)
    if isinstance(closure, Closure):
        if makes_generators(closure):
            return language.calls.find(GeneratorType, closure)(inference, node)
        return callees.call(inference, closure, node, closure.item)
    node, owner = inference.method(node)
    if owner is not None:
        assert isinstance(node.func, ast.Attribute)
        if not isinstance(owner.type, Known):
            name = node.func.attr
            return language.methods.find((type(owner.type), name), name)(inference, node, owner)
        if isinstance(owner.type.value, np.ufunc) and node.func.attr == "outer":
            if len(node.args) != 2 or node.keywords or any(isinstance(arg, ast.Starred) for arg in node.args):
                raise Outside(f"`{owner.type}.outer` with these arguments")
            return outer.outer(owner.type.value, *(inference.value(arg) for arg in node.args))
    function = inference.value(node.func)
    if not isinstance(function.type, Known):
        raise Outside(f"a call of {function.type}")
    if function.type.value in language.calls:
        return language.calls.find(function.type.value, function.type)(inference, node)
    plain = plain_function(function.type.value)
    if makes_generators(plain):
        return language.calls.find(GeneratorType, function.type)(inference, node)
    if plain is not None and not is_as_it_is(plain):
        return callees.call(inference, plain, node)
    if isinstance(function.type.value, callees.ItemFunction):
        return callees.call(inference, function.type.value.function, node, function.type.value.item)
    if node.keywords or any(isinstance(arg, ast.Starred) for arg in node.args):
        raise Outside(f"a call of `{function.type}` with keywords")
    return _of_operands(function.type.value, tuple(inference.value(arg) for arg in node.args))


def _bits_set(inference: Inference, node: ast.Call, number: ast.expr) -> ir.Expression:
    """Return the count of bits that are set in an int, or in a negative one's absolute value."""
    value = inference.value(number)
    if isinstance(value.type, Scalar) and (value.type.kind in "iu" or value.type == BOOL):
        value = _of_operands(int, (value,))
    if not isinstance(value.type, Unsigned) and value.type != INT:
        raise Outside(f"the bits of {value.type}")
    counted = ast.copy_location(ast.Call(ast.Attribute(number, "bit_count", ast.Load()), [], []), node)
    return language.methods.find((type(value.type), "bit_count"), "bit_count")(inference, counted, value)


def _of_operands(function: Any, operands: tuple[ir.Expression, ...]) -> ir.Expression:
    """Return the value of a function that takes numbers and arrays by position. Raises Outside."""
    if function in (int, float, bool, complex) or getattr(function, "__module__", None) in ("math", "cmath"):
        operands = tuple(_number(operand) for operand in operands)
    if any(isinstance(operand.type, Array) for operand in operands):
        return elementwise.called(function, operands)
    if function is int and len(operands) == 1 and isinstance(operands[0].type, Character):
        return CharacterValue(INT, "npl::digit_of", operands, True)
    if function in (int, float) and len(operands) == 1 and isinstance(operands[0].type, Word | Text):
        if (word := as_word(operands[0])) is not None:
            kind, name = (INT, "int") if function is int else (FLOAT, "float")
            return CharacterValue(kind, f"npl::{name}_of_word", (word,), True)
    if (made := unsigned_ints.called(function, operands, functions.call)) is not None:
        return made
    kinds = tuple(operand.type for operand in operands if isinstance(operand.type, Scalar))
    operation = functions.call(function, kinds) if len(kinds) == len(operands) else None
    return apply(operation, operands, f"calls of `{getattr(function, '__name__', function)}`")


def _number(operand: ir.Expression) -> ir.Expression:
    """Return the item of an array without axes; another operand as it is."""
    return elementwise.scalar_or_array(operand) if isinstance(operand.type, Array) else operand


@language.calls(divmod)
def _divmod(inference: Inference, node: ast.Call) -> ir.Expression:
    if len(node.args) != 2 or node.keywords:
        raise Outside("a `divmod` that Python refuses")
    left, right = (inference.value(arg) for arg in node.args)
    rule = language.operators.find((type(left.type), type(right.type)), f"{left.type} and {right.type}")
    parts = (rule(inference, kind, left, right, False) for kind in (ast.FloorDiv, ast.Mod))
    return ir.tuple_of(tuple(parts))


@language.calls(np.iinfo, np.finfo)
def _limits(inference: Inference, node: ast.Call) -> ir.Expression:
    """Return the limits of a type: they never change."""
    function = inference.value(node.func).type.value  # type: ignore[attr-defined]
    if len(node.args) != 1 or node.keywords:
        raise Outside("the limits of a type that NumPy refuses")
    kind = inference.value(node.args[0])
    dtype = kind.type.code if isinstance(kind.type, Scalar) else getattr(kind.type, "value", None)
    try:
        return ir.Constant(Known(function(dtype)), None)
    except (TypeError, ValueError):
        raise Outside("the limits of a type that NumPy refuses") from None


@language.calls(float)
def _float(inference: Inference, node: ast.Call) -> ir.Expression:
    """Return a number as a float; `float("inf")` is a constant."""
    operands = positional(inference, node, 0, 1)
    if operands and isinstance(operands[0].type, Known) and type(operands[0].type.value) is str:
        try:
            return ir.Constant(FLOAT, float(operands[0].type.value))
        except ValueError:
            raise Outside("a `float` that Python refuses") from None
    return _of_operands(float, tuple(operands))


@language.calls(np.errstate)
def _errstate(inference: Inference, node: ast.Call) -> ir.Expression:
    """Return nothing: native code tells no floating-point errors, and is not entered where they matter."""
    return constant(None)


@language.calls(len)
def _len(inference: Inference, node: ast.Call) -> ir.Expression:
    if len(node.args) != 1 or node.keywords:
        raise Outside("a `len` that Python refuses")
    value = inference.value(node.args[0])
    if isinstance(value.type, Array) and value.type.ndim:
        return ir.length(value, 0)
    if isinstance(value.type, Tuple):
        return told(ir.integer(len(value.type.items)), value)
    if isinstance(value.type, Text | Word):
        return TextLength(INT, value)
    if isinstance(value.type, List):
        return ListLength(INT, value)
    if isinstance(value.type, Dict | DictView | Set):
        return ItemCount(INT, value)
    raise Outside(f"the length of {value.type}")
