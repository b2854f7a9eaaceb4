"""Puts calls that take the time around the statements of a cut function in which Python does the work."""

from __future__ import annotations

import ast
import copy
from typing import Any

from npcompile.frontend.rewriting.flow import is_scalar
from npcompile.frontend.rewriting.forms import has_work, leaves
from npcompile.frontend.rewriting.nodes import position
from npcompile.frontend.rewriting.scopes import own_nodes
from npcompile.frontend.rewriting.source import FunctionNode

# No identifiers: what is called before a statement, with its number, and after it.
TICK, TOCK = ".tick", ".tock"

_NO_WORK = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Match)
_BODIES = ("body", "orelse", "finalbody")


def clocked(node: FunctionNode, scalars: set[str]) -> tuple[FunctionNode, list[ast.stmt]]:
    """The tree of a function that was cut, and the statements that it takes the time of, by number: the
    largest that call no block, and those that do something with what blocks gave. scalars: its counters."""
    assert isinstance(node, ast.FunctionDef)
    units: list[ast.stmt] = []
    made = copy.copy(node)
    made.body = _body(node.body, units, scalars)
    return made, units


def _body(statements: list[ast.stmt], units: list[ast.stmt], scalars: set[str]) -> list[ast.stmt]:
    made: list[ast.stmt] = []
    for node in statements:
        if not any(_is_block(part) for part in ast.walk(node)):
            plain = isinstance(node, _NO_WORK) or not has_work(node) or _counts(node, scalars)
        elif any(hasattr(node, name) for name in _BODIES):
            made.append(_inside(node, units, scalars))
            continue
        else:
            plain = not _works(node)
        if plain or any(isinstance(part, ast.Yield | ast.YieldFrom) for part in own_nodes([node])):
            made.append(node)
            continue
        made += [_call(TICK, node, ast.Constant(len(units), **position(node))), node]
        if not leaves([node]):
            made.append(_call(TOCK, node))
        units.append(node)
    return made


def _inside(node: ast.stmt, units: list[ast.stmt], scalars: set[str]) -> ast.stmt:
    made: Any = copy.copy(node)
    for name in _BODIES:
        if getattr(node, name, None):
            setattr(made, name, _body(getattr(node, name), units, scalars))
    if isinstance(node, ast.Try | ast.TryStar):
        made.handlers = [copy.copy(handler) for handler in node.handlers]
        for handler in made.handlers:
            handler.body = _body(handler.body, units, scalars)
    return made


def _counts(node: ast.stmt, scalars: set[str]) -> bool:
    return isinstance(node, ast.Assign | ast.AugAssign) and is_scalar(node.value, scalars)


def _is_block(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id.startswith(".block")


def _works(node: ast.stmt) -> bool:
    """Whether a statement does more than to store what a block gives, or to hand it on."""
    work = (ast.BinOp, ast.Subscript, ast.UnaryOp, ast.AugAssign, ast.Compare)
    return any(
        isinstance(part, work) or (isinstance(part, ast.Call) and not _is_block(part.func))
        for part in own_nodes([node])
    )


def _call(name: str, where: ast.stmt, *args: ast.expr) -> ast.stmt:
    at = position(where)
    return ast.Expr(ast.Call(ast.Name(name, ast.Load(), **at), list(args), [], **at), **at)
