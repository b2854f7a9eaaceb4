"""Types the users' functions that a loop calls: those without effects become native functions of their own.

Where such a function leaves, nothing has happened yet, and Python makes the whole call again. A function that
calls itself is typed twice: once to learn what it returns where it does not.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from npcompile.frontend.loops.control_flow import ControlFlow, body_flow
from npcompile.frontend.loops.inference import Assumed, Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.normal_form import normal_form
from npcompile.frontend.loops.pure_calls import is_pure_call
from npcompile.frontend.rewrite.partition import tree_of
from npcompile.frontend.rewrite.source import NotFound
from npcompile.lower.loops import ir
from npcompile.lower.loops.types import Array, Known, Type

_flows: dict[int, tuple[Any, ControlFlow]] = {}  # of functions' bodies, by identity of their code


@dataclass(frozen=True)
class _OuterNames:
    """The names that a function takes from its module, or from functions around it."""

    function: FunctionType
    local: frozenset[str]

    def read(self, inference: Inference, name: str) -> ir.Expression:
        code = self.function.__code__
        if name in code.co_freevars:
            assert self.function.__closure__ is not None
            cell = self.function.__closure__[code.co_freevars.index(name)]
            try:
                return inference.assume(cell, "cell_contents", cell.cell_contents)
            except ValueError:
                raise Outside(f"`{name}`, which has no value yet") from None
        known = Assumed(self.function.__globals__, name, None)
        value = known.find()
        if value is known:
            raise Outside(f"`{name}`, which has no value")
        return inference.assume(self.function.__globals__, name, value)


def call(inference: Inference, function: FunctionType, operands: tuple[ir.Expression, ...]) -> ir.Expression:
    """Return the call of a user's function. Raises Outside where that cannot be a native function."""
    types = tuple(operand.type for operand in operands)
    known = function, types
    typed = inference.callees.get(known)
    if typed is None:
        typed = _type(inference, function, known)
    if typed.result is None:
        raise Outside(f"`{function.__name__}`, which calls itself before it is known what it returns")
    if isinstance(typed.result, Known):
        return ir.Constant(typed.result, None)
    given = tuple(operand for operand in operands if not isinstance(operand.type, Known))
    return ir.Call(typed.result, typed, given)


def _type(
    inference: Inference, function: FunctionType, known: tuple[FunctionType, tuple[Type, ...]]
) -> ir.Function:
    types = known[1]
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    if len(names) != len(types) or code.co_kwonlyargcount or code.co_flags & 0x2C or code.co_cellvars:
        raise Outside(f"`{function.__name__}`, by its parameters")
    inference.assumed.append(Assumed(function, "__code__", code))
    flow = _flow(function)
    parameters = tuple(
        (name, kind) for name, kind in zip(names, types, strict=True) if not isinstance(kind, Known)
    )
    made = ir.Function(f"{function.__name__}_{len(inference.callees)}", parameters)
    inference.callees[known] = made
    try:
        while True:
            before = made.result
            inner = Inference(
                flow,
                callees=inference.callees,
                assumed=inference.assumed,
                within=made,
                outer=_OuterNames(function, frozenset(code.co_varnames)),
            )
            made.body = inner.infer(dict(zip(names, types, strict=True)))
            if made.result == before or before is not None:
                break
        _check(function, made)
    except Outside:
        made.result = made.body = None
        raise
    return made


def _check(function: FunctionType, made: ir.Function) -> None:
    """Raise Outside for a function that has effects, or that comes to nothing natively."""
    assert made.body is not None
    if made.result is None:
        reasons = [block.end.why for block in made.body.blocks if isinstance(block.end, ir.Leave)]
        raise Outside(f"`{function.__name__}`: {next(filter(None, reasons), 'it does not return')}")
    if isinstance(made.result, Array):
        raise Outside(f"`{function.__name__}`, which returns an array")
    for block in made.body.blocks:
        if any(isinstance(step, ir.StoreItem | ir.CompoundStep) for step in block.steps):
            raise Outside(f"`{function.__name__}`, which changes what it is given")


def _flow(function: FunctionType) -> ControlFlow:
    code = function.__code__
    if id(code) not in _flows:
        try:
            node, _ = tree_of(function)
        except NotFound as error:
            raise Outside(f"`{function.__name__}`: {error}") from None
        if any(isinstance(part, ast.Global | ast.Nonlocal) for part in ast.walk(node)):
            raise Outside(f"`{function.__name__}`, which binds outer names")
        body = [one for one in node.body if not _is_text(one)]
        _flows[id(code)] = code, body_flow(normal_form(body, is_pure_call))
    return _flows[id(code)][1]


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
