"""Chooses the loops of a function that are candidates for native code, from their source alone.

`partition/` asks for each outermost loop that a function's cut leaves to Python. Types decide later.
"""

from __future__ import annotations

import ast

from npcompile.frontend.loops.control_flow import leaves_trip
from npcompile.frontend.rewrite.scopes import own_nodes, stored_names

# Statements and expressions that a region never holds: they suspend, or bind names of other scopes.
_NEVER = (
    *(ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith, ast.Global, ast.Nonlocal),
    *(
        ast.FunctionDef,
        ast.AsyncFunctionDef,
        ast.ClassDef,
        ast.Lambda,
        ast.Import,
        ast.ImportFrom,
        ast.Delete,
    ),
)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def is_candidate(node: ast.For | ast.While) -> bool:
    """Tell if a loop may become native: by its statements, and as something in it depends on the trip."""
    parts = own_nodes([node])
    if any(isinstance(part, _NEVER) for part in parts):
        return False
    if isinstance(node, ast.For) and not isinstance(node.target, ast.Name | ast.Tuple):
        return False
    return not any(map(leaves_trip, node.orelse)) and _is_driven(node, parts)


def _is_driven(node: ast.For | ast.While, parts: list[ast.AST]) -> bool:
    """Tell if items, or slices, are chosen by what the loop binds, or all of it is arithmetic on numbers."""
    bound = set(stored_names(node))
    subscripts = [
        part for part in parts if isinstance(part, ast.Subscript) and not _is_known_item(part.slice)
    ]
    for part in subscripts:
        if any(isinstance(one, ast.Name) and one.id in bound for one in ast.walk(part.slice)):
            return True
    return not subscripts and not any(isinstance(part, ast.MatMult) for part in parts)


def _is_known_item(index: ast.expr) -> bool:
    """Tell if an index is one number, known from the source."""
    if isinstance(index, ast.UnaryOp):
        index = index.operand
    return isinstance(index, ast.Constant) and isinstance(index.value, int)
