"""Printing of residual programs: writes each step as Python for people, in `explain` and `print(program)`."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

import numpy as np
from torch import fx

from npcompile.diagnostics.naming import object_name
from npcompile.frontend.catalog.purity import OPERATORS, UFUNCS
from npcompile.frontend.catalog.python_operators import UNARY
from npcompile.frontend.ops.table import Op
from npcompile.frontend.program.call_steps import Call
from npcompile.frontend.program.object_steps import Store
from npcompile.frontend.program.reads import Length, Read
from npcompile.lower.plan.attributes import attributes, value_of
from npcompile.lower.plan.values import Value

# The operators of ufuncs, of functions of two values, and of one.
_OF_UFUNCS = {id(ufunc): symbol for symbol, ufunc in UFUNCS.items()}
_OF_TWO = {id(function): symbol for symbol, function in OPERATORS.items()}
_OF_ONE = {id(function): symbol for symbol, function in UNARY.items()}


def is_named_by_guard(node: fx.Node) -> bool:
    """Tell whether a step reads a variable to compare the object alone: its guard says what it is."""
    target = node.target
    return isinstance(target, Read) and target.of_variable and value_of(node).kind == "object"


def literal(value: Any) -> str:
    """Return an argument of a step as Python text."""
    if isinstance(value, fx.Node):
        return value.name
    if isinstance(value, slice):
        text = ":".join("" if part is None else literal(part) for part in (value.start, value.stop))
        return text if value.step is None else f"{text}:{literal(value.step)}"
    if isinstance(value, tuple):
        inner = ", ".join(map(literal, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {literal(item)}" for key, item in value.items()) + "}"
    if value is Ellipsis:
        return "..."
    if isinstance(value, np.dtype):
        return f"np.{value.name}" if value.isbuiltin else repr(value)
    if isinstance(value, type) and issubclass(value, np.generic):
        return f"np.{value.__name__}"
    if isinstance(value, types.BuiltinFunctionType | type):
        return value.__name__
    return repr(value)


def index_text(index: Any) -> str:
    """Return an index as Python text: the inside of the brackets of `a[index]`."""
    if isinstance(index, tuple) and index:
        text = ", ".join(":" if item == slice(None) else literal(item) for item in index)
        return text + "," if len(index) == 1 else text
    if isinstance(index, slice) and index == slice(None):
        return ":"
    return literal(index)


def guard_text(node: fx.Node) -> str:
    """Return a guard as a Python condition."""
    guard: Any = node.target
    value, *others = map(literal, node.args)
    return str(guard.words(value, others[0] if others else ""))


def step_text(node: fx.Node) -> str:
    """Return a step as a Python statement."""
    if isinstance(node.target, Store):
        obj, value = map(literal, node.args)
        return node.target.words(obj, value)
    return f"{node.name} = {call_text(node)}"


def call_text(node: fx.Node) -> str:
    """Return what a step computes as a Python expression."""
    target: Any = node.target
    if isinstance(target, Read | Length):
        return target.words(literal(node.args[0]) if node.args else "")
    if isinstance(target, Op):
        return _op_text(target, node)
    if isinstance(target, Call):
        return _method_text(target.name, node) if target.function is None else _named(target.name, node)
    if id(target) in _OF_ONE and len(node.args) == 1:
        return f"{_OF_ONE[id(target)]}{literal(node.args[0])}"
    if id(target) in _OF_TWO and len(node.args) == 2:
        return _infix(_OF_TWO[id(target)], node)
    module = getattr(target, "__module__", None)
    ours = module is not None and module.startswith("npcompile.")
    prefix = "" if ours or module in (None, "builtins") else f"{'np' if module == 'numpy' else module}."
    return _named(prefix + object_name(target), node)


def _op_text(op: Op, node: fx.Node) -> str:
    function = op.function
    if function is np.ndarray.__getitem__:
        return f"{literal(node.args[0])}[{index_text(node.args[1])}]"
    if id(function) in _OF_UFUNCS and len(node.args) == 2 and not node.kwargs:
        return _infix(_OF_UFUNCS[id(function)], node)
    if getattr(function, "__objclass__", None) is np.ndarray:
        if isinstance(function, types.GetSetDescriptorType):
            return f"{literal(node.args[0])}.{function.__name__}"
        return _method_text(function.__name__, node)
    return _named(op.name.replace("numpy.", "np.", 1), node)


def _infix(symbol: str, node: fx.Node) -> str:
    one, other = map(literal, node.args)
    return f"({one}) {symbol} {other}" if one.startswith("-") else f"{one} {symbol} {other}"


def _method_text(name: str, node: fx.Node) -> str:
    return f"{literal(node.args[0])}.{name}({_arguments(node.args[1:], node.kwargs)})"


def _named(name: str, node: fx.Node) -> str:
    return f"{name}({_arguments(node.args, node.kwargs)})"


def _arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    return ", ".join([*map(literal, args), *(f"{key}={literal(arg)}" for key, arg in kwargs.items())])


def type_text(value: Value) -> str:
    """Return a type: `float64[3, 4]` of an array, `float64` of a NumPy scalar, `float` of a Python number."""
    if value.kind == "array":
        return f"{str(value.dtype or 'array').removeprefix('torch.')}{list(value.shape)}"
    return str(value.dtype).removeprefix("torch.") if value.kind == "scalar" else value.kind


def marks_of(node: fx.Node) -> Iterator[str]:
    """Say in words what passes have noted of a step."""
    known = attributes(node)
    if getattr(node.target, "checked", False) and known.unchecked:
        yield "unchecked"
    if known.mask_form is not None:
        yield f"mask: {known.mask_form[0]}"
    if known.same_view is not None:
        yield "may lie anywhere" if known.same_view is node else f"the same view as {known.same_view}"
