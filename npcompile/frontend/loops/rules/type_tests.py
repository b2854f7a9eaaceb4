"""Gives the loop language its rules for `isinstance` and `type`: each value has a type while compiling."""

from __future__ import annotations

import ast
from collections import deque
from types import FunctionType, UnionType

import numpy as np

from npcompile.frontend.loops import language
from npcompile.frontend.loops.constants import constant
from npcompile.frontend.loops.entry.closures import Closure
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.arguments import positional
from npcompile.frontend.loops.rules.known_objects import CLASSES_OF_CLASSES
from npcompile.lower.loops import ir
from npcompile.lower.loops.types import (
    Array,
    Character,
    Deque,
    Dict,
    Known,
    List,
    Scalar,
    Set,
    Text,
    Tuple,
    Type,
    Unsigned,
    Word,
)

_PYTHON = {"b1": bool, "i8": int, "f8": float, "c16": complex}
_TEXTS = {kind.__name__: kind for kind in (str, bytes, bytearray)}
_TESTED = ".tested"  # the name of a value that is evaluated, as doing so may raise


@language.calls(isinstance)
def _isinstance(inference: Inference, node: ast.Call) -> ir.Expression:
    if len(node.args) != 2 or node.keywords or any(isinstance(arg, ast.Starred) for arg in node.args):
        raise Outside("`isinstance` with these arguments")
    kind, classes = _class_of(inference, node.args[0]), tuple(_classes(inference, node.args[1]))
    return ir.truth(issubclass(kind, classes))


@language.calls(type)
def _type(inference: Inference, node: ast.Call) -> ir.Expression:
    if len(node.args) != 1:
        positional(inference, node, 1, 1)
    return constant(_class_of(inference, node.args[0]))


def _class_of(inference: Inference, node: ast.expr) -> type:
    """Return the class of a value. Raises Outside."""
    held = inference.object_at(node)
    if isinstance(held, Closure):
        return FunctionType
    if held is not None:
        if any("__class__" in base.__dict__ for base in held.kind.__mro__ if base is not object):
            raise Outside(f"the class of a {held}, which says which one it is")
        return held.kind
    value = inference.value(node)
    kind = _class_of_type(value.type)
    if not isinstance(value, ir.Read | ir.Constant):
        if not isinstance(value.type, Scalar):
            raise Outside(f"the class of a new {value.type}")
        inference.bind(_TESTED, value)
    return kind


def _class_of_type(kind: Type) -> type:
    match kind:
        case Scalar(code=code, python=True):
            return _PYTHON[code]
        case Scalar(code=code):
            return np.dtype(code).type
        case Known(value=value):
            return type(value)
        case Text(name=name):
            return _TEXTS[name]
        case Dict(kind=found):
            return found
        case Array():
            return np.ndarray
        case Deque():
            return deque
        case List():
            return list
        case Set():
            return set
        case Tuple():
            return tuple
        case Unsigned():
            return int
        case Character() | Word():
            return str
    raise Outside(f"the class of {kind}")


def _classes(inference: Inference, node: ast.expr) -> list[type]:
    """Return the classes that an expression names. Raises Outside for what else `isinstance` asks."""
    match node:
        case ast.Tuple(elts=elements):
            return [one for element in elements for one in _classes(inference, element)]
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return [*_classes(inference, left), *_classes(inference, right)]
    kind = inference.value(node).type
    parts = kind.items if isinstance(kind, Tuple) else (kind,)
    values = [part.value if isinstance(part, Known) else part for part in parts]
    classes = [one for value in values for one in (value.__args__ if type(value) is UnionType else (value,))]
    for one in classes:
        if not isinstance(one, type) or type(one) not in CLASSES_OF_CLASSES:
            raise Outside(f"`isinstance` of {kind}")
    return classes
