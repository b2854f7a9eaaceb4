"""Native code of a loop region, played by Python: it does so many steps of the control-flow graph and leaves.

`test_resume.py` goes on from there. Each step is executed by itself in a dictionary of names, which shares
nothing with the functions that `resume` compiles.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np

from npcompile.frontend.loops.run.outcome import Outcome
from npcompile.frontend.loops.run.resume import resume
from npcompile.frontend.loops.run.scope import Scope
from npcompile.frontend.loops.source.control_flow import (
    Block,
    Branch,
    ControlFlow,
    Iterate,
    Jump,
    Next,
    control_flow,
)
from npcompile.frontend.loops.source.normal_form import is_opaque, normal_form
from npcompile.frontend.rewrite.scopes import stored_names
from npcompile.frontend.rewrite.source import find

PURE = frozenset("abs len range enumerate zip reversed min max int float bool iter".split())

# The types over which native code iterates.
ITERABLES = (range, list, tuple, np.ndarray, bytes, enumerate, zip, reversed)
ITERATORS = (*(type(iter(one)) for one in (range(3), [], (), np.ones(1), b"")), enumerate, zip, reversed)


def is_pure_call(node: ast.Call) -> bool:
    function = node.func
    if isinstance(function, ast.Attribute):
        return isinstance(function.value, ast.Name) and function.value.id in ("np", "math")
    return isinstance(function, ast.Name) and function.id in PURE


@dataclass(eq=False)
class Region:
    """A loop of a function, and its graph. before, after: statements that its normal form has around it."""

    function: FunctionType
    before: list[ast.stmt]
    loop: ast.For | ast.While
    flow: ControlFlow
    after: list[ast.stmt]
    scope: Scope


def region_of(function: FunctionType, node: ast.For | ast.While) -> Region:
    normal = normal_form([node], is_pure_call)
    at = next(place for place, one in enumerate(normal) if isinstance(one, ast.For | ast.While))
    loop = normal[at]
    assert isinstance(loop, ast.For | ast.While)
    return Region(function, normal[:at], loop, control_flow(loop), normal[at + 1 :], Scope(function))


def region(function: Callable[..., Any]) -> Region:
    """Return the region of a function's first loop, with the statements before it."""
    assert isinstance(function, FunctionType)
    node, _ = find(function)
    assert isinstance(node, ast.FunctionDef)
    at = next(place for place, one in enumerate(node.body) if isinstance(one, ast.For | ast.While))
    loop = node.body[at]
    assert isinstance(loop, ast.For | ast.While)
    of = region_of(function, loop)
    of.before[:0] = [one for one in node.body[:at] if not isinstance(one, ast.Global | ast.Nonlocal)]
    return of


_codes: dict[int, tuple[Any, Any]] = {}


class Native:
    """The region's names, and how to do its steps."""

    def __init__(self, of: Region, names: dict[str, Any]) -> None:
        self.of = of
        self.names = names

    def execute(self, node: ast.stmt | ast.expr, mode: str) -> Any:
        known = _codes.get(id(node))
        if known is None:
            tree: Any = ast.Expression(node) if mode == "eval" else ast.Module([node], [])  # type: ignore
            known = _codes[id(node)] = node, compile(tree, "<native>", mode)
        scope = self.of.scope
        cells = {name: cell.cell_contents for name, cell in scope.cells.items()}
        space = scope.globals | cells | self.names
        try:
            result = eval(known[1], space)
        except NameError as error:
            if type(error) is NameError and scope.is_local(error.name):
                text = f"cannot access local variable '{error.name}' where it is not associated with a value"
                raise UnboundLocalError(text) from None
            raise
        for name in stored_names(node):
            if scope.is_global(name):
                scope.globals[name] = space[name]
            elif scope.is_free(name):
                scope.cells[name].cell_contents = space[name]
            elif name in space:
                self.names[name] = space[name]
            else:
                self.names.pop(name, None)
        return result

    def does(self, step: Any) -> bool:
        """Do a step; tells if native code can."""
        if isinstance(step, Iterate):
            iterable = self.execute(step.iterable, "eval")
            if type(iterable) not in ITERABLES:
                return False
            self.names[step.state] = iter(iterable)
            return True
        if is_opaque(step, is_pure_call) or isinstance(step, ast.Raise):
            return False
        self.execute(step, "exec")
        return True

    def is_known(self, state: str) -> bool:
        return type(self.names[state]) in ITERATORS

    def run(self, block: Block, steps: int) -> tuple[Block, int]:
        """Do as many steps and ends from a block on; returns the place where native code leaves."""
        first = 0
        while steps > 0:
            steps -= 1
            try:
                if first < len(block.steps):
                    if not self.does(block.steps[first]):
                        break
                    first += 1
                    continue
                match block.end:
                    case Jump(target):
                        block = target
                    case Branch(test, then, otherwise):
                        block = then if self.execute(test, "eval") else otherwise
                    case Next(state, item, body, exhausted) if self.is_known(state):
                        try:
                            self.names[item] = next(self.names[state])
                            block = body
                        except StopIteration:
                            block = exhausted
                    case _:
                        break
                first = 0
            except Exception:
                break
        return block, first


class Unplayed(BaseException):
    """A function is not called in parts, or native code does not begin with its loop."""


def by_turns(of: Region, arguments: dict[str, Any], steps: int) -> tuple[dict[str, Any], Outcome, int]:
    """Run a region natively for so many steps, then in Python up to the next trip, and so on.

    Returns the user's names at the end, the last outcome, and how often Python went on. Raises Unplayed.
    """
    native = Native(of, dict(arguments))
    for statement in of.before:
        native.execute(statement, "exec")
    state = of.flow.state
    if isinstance(of.loop, ast.For):
        assert state is not None
        native.names[state] = iter(native.execute(of.loop.iter, "eval"))
    entry, turns = of.flow.blocks[0], 0
    while True:
        place = native.run(entry, steps)
        if place == (entry, 0):  # it has come to the header itself, or leaves there at once
            place = native.run(entry, 1)
            if place == (entry, 0):
                raise Unplayed
        turns += 1
        names = dict(native.names)
        outcome = resume(of.flow, place, names, of.scope)
        assert set(outcome.names) <= of.flow.stored
        native.names = {
            name: value
            for name, value in native.names.items()
            if name not in of.flow.stored and name[0] != "."
        } | outcome.names
        if outcome.rest is None:
            return native.names, outcome, turns
        if state is None:
            assert outcome.rest is True
        else:
            native.names[state] = outcome.rest


def in_parts(function: FunctionType, steps: int) -> Callable[..., Any]:
    """Return the function with each of its outermost loops run by turns. Raises Unplayed."""
    node, _ = find(function)
    assert isinstance(node, ast.FunctionDef)
    inner = [part for one in node.body for part in ast.walk(one)]
    if any(isinstance(part, ast.FunctionDef | ast.Lambda | ast.Yield | ast.Global) for part in inner):
        raise Unplayed

    regions: dict[ast.stmt, Region] = {}

    def do(statements: list[ast.stmt], names: dict[str, Any]) -> tuple[dict[str, Any], Outcome | None]:
        """Do statements; returns the names after them, and the outcome if one has returned."""
        for one in statements:
            native = Native(Region(function, [], LOOP, FLOW, [], Scope(function)), names)
            outcome: Outcome | None = None
            match one:
                case ast.Return(value):
                    result = native.execute(value, "eval") if value else None
                    return names, Outcome(returns=True, value=result)
                case ast.If(test, body, orelse):
                    names, outcome = do(body if native.execute(test, "eval") else orelse, names)
                case ast.For() | ast.While():
                    of = regions.get(one)
                    if of is None:
                        of = regions[one] = region_of(function, one)
                    names, outcome, _ = by_turns(of, names, steps)
                    if outcome.error is not None:
                        raise outcome.error
                    if not outcome.returns:
                        names, outcome = do(of.after, names)
                case _ if any(isinstance(part, ast.Return) for part in ast.walk(one)):
                    raise Unplayed
                case _:
                    native.execute(one, "exec")
            if outcome is not None:
                return names, outcome
        return names, None

    def run(*args: Any) -> Any:
        bound = inspect.signature(function).bind(*args)
        bound.apply_defaults()
        _, outcome = do(node.body, dict(bound.arguments))
        return outcome.value if outcome is not None else None

    return run


LOOP = ast.While(ast.Constant(False), [], [])
FLOW = control_flow(LOOP)
