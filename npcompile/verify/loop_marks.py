"""Marks the loops of a function that is verified, so that their headers and ends are told.

`call.py` rewrites the marked function. A `for` loop goes over an iterator that tells when it is asked for an
item, the test of a `while` loop begins with a call, and `finally` tells the loop's end.
"""

from __future__ import annotations

import ast
import copy
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np

from npcompile.diagnostics.paths import PACKAGE
from npcompile.diagnostics.settings import config
from npcompile.frontend.loops.source.choice import depends_on_trip, is_candidate
from npcompile.frontend.rewrite.ast_builder import position
from npcompile.frontend.rewrite.function_trees import function_tree
from npcompile.frontend.rewrite.scopes import own_nodes
from npcompile.frontend.rewrite.source import NotFound, compile_in_place, given

_LOOPS = ".loops"  # the free variable that holds the function's `Marks`
_WHOLE = frozenset((np.ndarray, range, list, tuple, str, bytes, bytearray, dict, set))


class Run(Protocol):
    """One run of a loop, which is told where Python is."""

    def header(self, names: dict[str, Any]) -> None:
        """Note that the loop's header was reached, with these locals."""

    def end(self, names: dict[str, Any], raised: bool) -> None:
        """Note that the loop has ended, with these locals."""


Begin = Callable[[types.FunctionType, ast.stmt, Any], Run | None]


def marked(fn: types.FunctionType, begin: Begin) -> types.FunctionType:
    """Return a function with its loops marked; the function itself where it has none to mark.

    begin: `begin(fn, loop, iterator)` returns the run of a loop that begins, None where it is not compared.
    """
    if config.backend == "interpreter":  # then no loop is native
        return fn
    code = _code(fn.__code__, fn)
    if code is None:
        return fn
    made, loops = code
    cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
    cells[_LOOPS] = types.CellType(Marks(fn, loops, begin))
    closure = tuple([cells[name] for name in made.co_freevars])
    function = types.FunctionType(made, fn.__globals__, fn.__name__, fn.__defaults__, closure)
    function.__kwdefaults__, function.__qualname__ = fn.__kwdefaults__, fn.__qualname__
    function.__module__, function.__doc__ = fn.__module__, fn.__doc__
    return function


# By identity of the code, which is held: the marked code, and the loops in it.
_codes: dict[int, tuple[types.CodeType, tuple[types.CodeType, list[Any]] | None]] = {}


def _code(code: types.CodeType, fn: types.FunctionType) -> tuple[types.CodeType, list[Any]] | None:
    if id(code) not in _codes:
        _codes[id(code)] = code, _marked_code(fn)
    return _codes[id(code)][1]


def _marked_code(fn: types.FunctionType) -> tuple[types.CodeType, list[Any]] | None:
    try:
        node, imports, _, reason = function_tree(fn)
    except NotFound:
        return None
    if reason is not None or not isinstance(node, ast.FunctionDef):
        return None
    loops = [
        part
        for part in own_nodes(node.body)
        if isinstance(part, ast.For | ast.While) and is_candidate(part) and depends_on_trip(part)
    ]
    if not loops:
        return None
    tree = _Marker(loops).marked(node)
    made = compile_in_place(tree, fn.__code__, imports, (_LOOPS,))
    given(made, tree, imports)
    return made, loops


class _Marker:
    """Copies a function's tree, with marks at loops."""

    def __init__(self, loops: list[Any]) -> None:
        self._numbers = {id(loop): number for number, loop in enumerate(loops)}

    def marked(self, node: ast.FunctionDef) -> ast.FunctionDef:
        made = copy.copy(node)
        made.body = self._body(node.body)
        return made

    def _body(self, statements: list[Any]) -> list[Any]:
        return [self._statement(one) for one in statements]

    def _statement(self, node: Any) -> Any:
        number = self._numbers.get(id(node))
        made = copy.copy(node)
        for name in ("body", "orelse", "finalbody"):
            if isinstance(getattr(node, name, None), list):
                setattr(made, name, self._body(getattr(node, name)))
        for name in ("handlers", "cases"):
            if hasattr(node, name):
                setattr(made, name, self._body(getattr(node, name)))
        if number is None:
            return made
        at = position(node.iter if isinstance(node, ast.For) else node.test)
        if isinstance(node, ast.For):
            made.iter = self._call("over", number, at, node.iter)
        else:
            made.test = ast.BoolOp(ast.And(), [self._call("header", number, at), node.test], **at)
        end = ast.Expr(self._call("end", number, at), **at)
        return ast.Try([made], [], [], [end], **position(node))

    @staticmethod
    def _call(name: str, number: int, at: dict[str, Any], *args: ast.expr) -> ast.expr:
        function = ast.Attribute(ast.Name(_LOOPS, ast.Load(), **at), name, ast.Load(), **at)
        return ast.Call(function, [ast.Constant(number, **at), *args], [], **at)


class Marks:
    """The runs of one function's loops. The marked function calls it."""

    def __init__(self, fn: types.FunctionType, loops: list[Any], begin: Begin) -> None:
        self._fn, self._loops, self._begin = fn, loops, begin
        # The loops that run; a `while` loop that is not compared has None.
        self._runs: list[tuple[types.FrameType, int, Run | None, Any]] = []

    def over(self, number: int, iterable: Any) -> Any:
        """Return the iterable that a `for` loop is to go over."""
        loop = self._loops[number]
        if type(iterable) not in _WHOLE:
            if not hasattr(type(iterable), "__next__") or not isinstance(loop.iter, ast.Call | ast.Attribute):
                return iterable
        iterator = iter(iterable)
        run = self._begin(self._fn, loop, iterator)
        if run is None:
            return iterator
        self._runs.append((_frame(), number, run, sys.exc_info()[1]))
        return Items(iterator, run)

    def header(self, number: int) -> bool:
        """Note that a `while` loop's test comes next."""
        frame = _frame()
        if not (self._runs and self._runs[-1][0] is frame and self._runs[-1][1] == number):
            run = self._begin(self._fn, self._loops[number], True)
            self._runs.append((frame, number, run, sys.exc_info()[1]))
        if (run := self._runs[-1][2]) is not None:
            run.header(dict(frame.f_locals))
        return True

    def end(self, number: int) -> None:
        """Note that a loop has ended, or never begun."""
        frame = _frame()
        if self._runs and self._runs[-1][0] is frame and self._runs[-1][1] == number:
            _, _, run, handled = self._runs.pop()
            if run is not None:
                run.end(dict(frame.f_locals), sys.exc_info()[1] is not handled)


class Items(Iterator[Any]):
    """A loop's iterator, which tells when an item is asked for."""

    def __init__(self, iterator: Any, run: Run) -> None:
        self._iterator, self._run = iterator, run

    def __next__(self) -> Any:
        self._run.header(dict(_frame().f_locals))
        return next(self._iterator)


def _frame() -> types.FrameType:
    """Return the nearest frame outside this package: the marked function's."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename.startswith(PACKAGE) and frame.f_back is not None:
        frame = frame.f_back
    return frame
