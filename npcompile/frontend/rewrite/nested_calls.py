"""Finds statements outside of loops that call nested functions which have loops or call one another.

The cutter offers such a statement to native code as a loop of one trip, since the loops of the call are all
within the nested functions.
"""

from __future__ import annotations

import ast

from npcompile.frontend.rewrite.ast_builder import position
from npcompile.frontend.rewrite.kept_trees import own_nodes

_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return)
_LOOPS = (ast.For, ast.While, ast.comprehension)


def working_functions(body: list[ast.stmt]) -> frozenset[str]:
    """Return the names of a body's nested functions that have loops or call nested functions."""
    nested = {node.name: node for node in own_nodes(body) if isinstance(node, ast.FunctionDef)}
    return frozenset(name for name, node in nested.items() if _works(node, frozenset(nested)))


def _works(node: ast.FunctionDef, nested: frozenset[str]) -> bool:
    return any(isinstance(part, _LOOPS) for part in ast.walk(node)) or _calls(node, nested)


def _calls(node: ast.AST, names: frozenset[str]) -> bool:
    return any(
        isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id in names
        for part in ast.walk(node)
    )


def backtracks(body: list[ast.stmt]) -> bool:
    """Tell if a nested function of a body calls itself within a loop: its calls are too many to record."""
    return any(
        isinstance(part, ast.For | ast.While) and _calls(part, frozenset((node.name,)))
        for node in own_nodes(body)
        if isinstance(node, ast.FunctionDef)
        for part in ast.walk(node)
    )


def calls_for_work(node: ast.stmt, functions: frozenset[str]) -> bool:
    """Tell if a statement is a simple one that calls one of these functions."""
    return bool(functions) and isinstance(node, _SIMPLE) and _calls(node, functions)


def one_trip(statements: list[ast.stmt], at: ast.stmt) -> ast.While:
    """Return a loop that does statements once. at: where it stands in the user's source."""
    where = position(at)
    return ast.While(ast.Constant(True, **where), [*statements, ast.Break(**where)], [], **where)
