"""Finds statements outside of loops that call nested functions which have loops or call one another.

The cutter offers such a statement to native code as a loop of one trip, since the loops of the call are all
within the nested functions.
"""

from __future__ import annotations

import ast
from collections import Counter

from npcompile.frontend.rewrite.ast_builder import position
from npcompile.frontend.rewrite.kept_trees import own_nodes
from npcompile.frontend.rewrite.scopes import stored_names

_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return)
_BINDING = ast.ExceptHandler | ast.ClassDef | ast.AsyncFunctionDef | ast.Import | ast.ImportFrom | ast.pattern
_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_LOOPS = (ast.For, ast.While, ast.comprehension)


def working_functions(body: list[ast.stmt]) -> frozenset[str]:
    """Return the names of a body's nested functions that have loops or call nested functions."""
    nested = {node.name: node for node in own_nodes(body) if isinstance(node, ast.FunctionDef)}
    return frozenset(name for name, node in nested.items() if _works(node, frozenset(nested)))


def made_once(node: ast.FunctionDef) -> frozenset[str]:
    """Return the names that one `def` within a function binds, and nothing else."""
    bound: Counter[str] = Counter(arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg))
    found = set()
    for part in own_nodes(node.body):
        if isinstance(part, ast.FunctionDef):
            bound[part.name] += 1
            found.add(part.name)
        elif isinstance(part, ast.Nonlocal | ast.Global):
            bound.update([*part.names, *part.names])
        elif not isinstance(part, ast.Name) or not isinstance(part.ctx, ast.Load):
            bound.update(stored_names(part) if isinstance(part, ast.Name | _BINDING) else ())
    return frozenset(name for name in found if bound[name] == 1)


def bound_by_nested(body: list[ast.stmt]) -> frozenset[str]:
    """Return the variables that functions within a body bind as `nonlocal` ones."""
    nested = [node for node in own_nodes(body) if isinstance(node, _FUNCTIONS)]
    parts = [part for node in nested for part in ast.walk(node) if isinstance(part, ast.Nonlocal)]
    return frozenset(name for part in parts for name in part.names)


def _works(node: ast.FunctionDef, nested: frozenset[str]) -> bool:
    return any(isinstance(part, _LOOPS) for part in ast.walk(node)) or _calls(node, nested)


def _calls(node: ast.AST, names: frozenset[str]) -> bool:
    return any(
        isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id in names
        for part in ast.walk(node)
    )


def backtracks(body: list[ast.stmt]) -> bool:
    """Tell if a nested function of a body calls itself within a loop, or goes on while something holds: its
    calls, or its trips, are too many to record."""
    return any(
        isinstance(part, ast.While) or (isinstance(part, ast.For) and _calls(part, frozenset((node.name,))))
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
