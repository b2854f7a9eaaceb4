"""Native code of a loop region, played by Python: it does so many steps of the control-flow graph and leaves.

`test_resume.py` goes on from there. Each step is executed by itself in a dictionary of names, which shares
nothing with the functions that `resume` compiles.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np

from npcompile.frontend.loops.control_flow import (
    Block,
    Branch,
    ControlFlow,
    Iterate,
    Jump,
    Next,
    control_flow,
)
from npcompile.frontend.loops.normal_form import is_opaque, normal_form
from npcompile.frontend.loops.outcome import Outcome
from npcompile.frontend.loops.resume import resume
from npcompile.frontend.loops.scope import Scope
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
    """A function that ends in a loop and `return locals()`, and the loop's graph."""

    function: FunctionType
    before: list[ast.stmt]
    loop: ast.For | ast.While
    flow: ControlFlow
    after: list[ast.stmt]
    scope: Scope


def region(function: Callable[..., Any]) -> Region:
    assert isinstance(function, FunctionType)
    node, _ = find(function)
    assert isinstance(node, ast.FunctionDef)
    at = next(place for place, one in enumerate(node.body) if isinstance(one, ast.For | ast.While))
    normal = normal_form(node.body[at : at + 1], is_pure_call)
    inner = next(place for place, one in enumerate(normal) if isinstance(one, ast.For | ast.While))
    loop = normal[inner]
    assert isinstance(loop, ast.For | ast.While)
    before = [one for one in node.body[:at] if not isinstance(one, ast.Global | ast.Nonlocal)]
    return Region(
        function,
        before + normal[:inner],
        loop,
        control_flow(loop),
        normal[inner + 1 :],
        Scope(function),
    )


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
        result = eval(known[1], space)
        for part in ast.walk(node):
            if not isinstance(part, ast.Name) or not isinstance(part.ctx, ast.Store):
                continue
            if scope.is_global(part.id):
                scope.globals[part.id] = space[part.id]
            elif scope.is_free(part.id):
                scope.cells[part.id].cell_contents = space[part.id]
            else:
                self.names[part.id] = space[part.id]
        return result

    def does(self, step: Any) -> bool:
        """Do a step; tells if native code can."""
        if isinstance(step, Iterate):
            iterable = self.execute(step.iterable, "eval")
            if type(iterable) not in ITERABLES:
                return False
            self.names[step.state] = iter(iterable)
            return True
        if is_opaque(step) or isinstance(step, ast.Raise):
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


def by_turns(of: Region, arguments: dict[str, Any], steps: int) -> tuple[dict[str, Any], Outcome, int]:
    """Run a region natively for so many steps, then in Python up to the next trip, and so on.

    Returns the names of the user's at the end, the last outcome, and how often Python went on.
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
        turns += 1
        assert turns < 1000
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
