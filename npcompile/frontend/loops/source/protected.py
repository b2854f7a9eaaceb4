"""Tells which `try` and `with` statements a region holds: their bodies are native, the rest is Python's.

The normal form and the control-flow graph ask. Where native code leaves within a body, Python does what is
left of that within the statement itself (`resume.py`), so handlers are found and run as Python does it.
"""

from __future__ import annotations

import ast

MOST_WAYS = 6  # tests in a body: the rest of the body is written for both ways of each
_SIMPLE = (
    *(ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Raise, ast.Assert),
    *(ast.Pass, ast.Break, ast.Continue, ast.Delete, ast.If),
)
_WAYS = (ast.If, ast.IfExp, ast.BoolOp, ast.Assert)
_LEAVES = (ast.Return, ast.Break, ast.Continue)
_HARMLESS = frozenset(("ignore", "warn"))

Protected = ast.Try | ast.With


def is_protected(node: ast.stmt) -> bool:
    """Tell if a statement is one of those whose body a region holds."""
    if isinstance(node, ast.With):
        return _is_errstate(node) and _is_held(node.body)
    if not isinstance(node, ast.Try) or not _is_held(node.body):
        return False
    last = [part for one in node.finalbody for part in ast.walk(one)]
    return not (last and node.orelse) and not any(isinstance(part, _LEAVES) for part in last)


def _is_held(body: list[ast.stmt]) -> bool:
    parts = [part for one in body for part in ast.walk(one)]
    if not all(isinstance(part, _SIMPLE) for part in parts if isinstance(part, ast.stmt)):
        return False
    return sum(isinstance(part, _WAYS) for part in parts) <= MOST_WAYS


def _is_errstate(node: ast.With) -> bool:
    """Tell if a statement is `with np.errstate(...)` that has no error raised or handed to a function."""
    match node.items:
        case [
            ast.withitem(
                context_expr=ast.Call(func=ast.Attribute(value=ast.Name(), attr="errstate"), args=[]) as call,
                optional_vars=None,
            )
        ]:
            return all(
                isinstance(keyword.value, ast.Constant) and keyword.value.value in _HARMLESS
                for keyword in call.keywords
            )
    return False
