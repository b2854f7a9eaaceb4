"""Puts calls of a clock around the statements of a cut function in which Python does the work.

`tiering/statement_profile.py` uses them to find the statements left to Python that take the time.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable
from typing import Any

from npcompile.frontend.rewrite.ast_builder import position, start
from npcompile.frontend.rewrite.kept_trees import own_nodes
from npcompile.frontend.rewrite.liveness import is_scalar
from npcompile.frontend.rewrite.native_entry import is_native_entry
from npcompile.frontend.rewrite.source import FunctionNode
from npcompile.frontend.rewrite.statement_forms import has_work, leaves

# The functions called before a statement, with its number, and after it. No name here is an identifier.
TICK, TOCK = ".tick", ".tock"
WATCH = ".watch"  # the clock, which says when it has timed enough

_NO_WORK = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Match)
_BODIES = ("body", "orelse", "finalbody")


def clocked(
    node: FunctionNode, scalars: set[str], apart: Iterable[ast.AST]
) -> tuple[FunctionNode, list[ast.stmt]]:
    """Return the tree of a cut function with clock calls, and the timed statements by number.

    Timed are the largest statements that call no block, and those that work on blocks' results. scalars: the
    function's counters. apart: statements to be told from those around them.
    """
    assert isinstance(node, ast.FunctionDef)
    clocks = _Clocks(scalars, {_place(part) for part in apart} - {None})
    made = copy.copy(node)
    made.body = clocks.body(node.body)
    return made, clocks.units


class _Clocks:
    def __init__(self, scalars: set[str], apart: set[Any]) -> None:
        self.scalars = scalars
        self.apart = apart
        self.units: list[ast.stmt] = []

    def body(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for node in statements:
            if is_native_entry(node):
                made.append(node)
            elif self._holds_timed(node):
                made.append(self._inside(node))
            elif not self._is_timed(node):
                made.append(node)
            else:
                made += [_call(TICK, node, ast.Constant(len(self.units), **position(node))), node]
                made += [] if leaves([node]) else [_call(TOCK, node)]
                self.units.append(node)
        return made

    def _holds_timed(self, node: ast.stmt) -> bool:
        """Tell if the statements in a statement are timed one by one."""
        if isinstance(node, _NO_WORK) or not any(hasattr(node, name) for name in _BODIES):
            return False
        return any(_is_block(part) or _place(part) in self.apart for part in ast.walk(node))

    def _is_timed(self, node: ast.stmt) -> bool:
        parts = list(own_nodes([node]))
        if isinstance(node, _NO_WORK) or any(isinstance(part, ast.Yield | ast.YieldFrom) for part in parts):
            return False
        if any(_is_block(part) for part in parts):
            return _works(node)
        counts = isinstance(node, ast.Assign | ast.AugAssign) and is_scalar(node.value, self.scalars)
        return has_work(node) and not counts

    def _inside(self, node: ast.stmt) -> ast.stmt:
        made: Any = copy.copy(node)
        for name in _BODIES:
            if getattr(node, name, None):
                setattr(made, name, self.body(getattr(node, name)))
        if isinstance(node, ast.For | ast.While):
            at = start(node)
            enough = ast.Attribute(ast.Name(WATCH, ast.Load(), **at), "enough", ast.Load(), **at)
            made.body = [ast.If(enough, node.body, made.body, **at)]
        if isinstance(node, ast.Try | ast.TryStar):
            made.handlers = [copy.copy(handler) for handler in node.handlers]
            for handler in made.handlers:
                handler.body = self.body(handler.body)
        return made


def _place(node: ast.AST) -> tuple[int, int] | None:
    """Return the place of a statement, which copies made by cutting keep."""
    return (node.lineno, node.col_offset) if isinstance(node, ast.stmt) else None


def _is_block(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id.startswith(".block")


def _works(node: ast.stmt) -> bool:
    """Tell if a statement does more than store a block's result, or hand it on."""
    work = (ast.BinOp, ast.Subscript, ast.UnaryOp, ast.AugAssign, ast.Compare)
    return any(
        isinstance(part, work) or (isinstance(part, ast.Call) and not _is_block(part.func))
        for part in own_nodes([node])
    )


def _call(name: str, where: ast.stmt, *args: ast.expr) -> ast.stmt:
    at = position(where)
    return ast.Expr(ast.Call(ast.Name(name, ast.Load(), **at), list(args), [], **at), **at)
