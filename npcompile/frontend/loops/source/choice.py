"""Chooses the loops of a function that are candidates for native code, from their source alone.

`partition/` asks for each outermost loop that a function's cut leaves to Python. Types decide later.
"""

from __future__ import annotations

import ast

from npcompile.frontend.loops.source.control_flow import leaves_trip
from npcompile.frontend.loops.source.key_functions import keys_in
from npcompile.frontend.rewrite.kept_trees import own_nodes
from npcompile.frontend.rewrite.scopes import stored_names

# Statements and expressions that a region never holds: they suspend, or bind names of other scopes.
_NEVER = frozenset(
    [ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith, ast.Global, ast.Nonlocal]
    + [ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.Import, ast.ImportFrom]
)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def is_candidate(node: ast.For | ast.While) -> bool:
    """Tell if a loop may become native, by its statements."""
    return not_held(node) is None


def not_held(node: ast.For | ast.While) -> ast.AST | None:
    """Return the part for which a loop cannot become native; None where there is none."""
    if isinstance(node, ast.For) and not isinstance(node.target, ast.Name | ast.Tuple):
        return node.target
    left = (one for one in node.orelse if leaves_trip(one))
    return next(iter(_never_held(node)), next(left, None))


def is_held(statement: ast.stmt) -> bool:
    """Tell if a region may hold a statement."""
    return not _never_held(statement)


def _never_held(statement: ast.stmt) -> list[ast.AST]:
    parts = own_nodes([statement])
    found = [part for part in parts if _is_never(part)]
    keys = keys_in(parts) if found else set()
    return [part for part in found if part not in keys]


def _is_never(part: ast.AST) -> bool:
    if isinstance(part, ast.Name | ast.Attribute):
        return isinstance(part.ctx, ast.Del)
    return type(part) in _NEVER


def depends_on_trip(node: ast.For | ast.While) -> bool:
    """Tell if a loop goes over items, or over numbers alone: else each trip is work on whole arrays."""
    parts = own_nodes([node])
    product = any(isinstance(part, ast.MatMult) for part in parts)
    return _goes_over_items(node, parts) or not (_subscripts(parts) or product)


def _goes_over_items(node: ast.For | ast.While, parts: list[ast.AST]) -> bool:
    """Tell if names that a loop binds choose items or slices, or if a loop in it goes over items."""
    loops = [part for part in parts if isinstance(part, ast.For | ast.comprehension)]
    if any(not _is_range(loop.iter) for loop in loops):
        return True
    bound = set(stored_names(node, *(loop.target for loop in loops)))
    return any(
        isinstance(one, ast.Name) and one.id in bound
        for part in _subscripts(parts)
        for one in ast.walk(part.slice)
    )


def _subscripts(parts: list[ast.AST]) -> list[ast.Subscript]:
    """Return the subscripts but those by one number that is known."""
    return [part for part in parts if isinstance(part, ast.Subscript) and not _is_known_item(part.slice)]


def _is_range(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"


def _is_known_item(index: ast.expr) -> bool:
    """Tell if an index is one number, known from the source."""
    if isinstance(index, ast.UnaryOp):
        index = index.operand
    return isinstance(index, ast.Constant) and isinstance(index.value, int)
