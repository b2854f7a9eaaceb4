"""Finds the statements that read foreign arrays, and the places where these hand over an array or a number.

`partition/` knows from the arguments of a call which names hold foreign arrays. The statements stay Python.
The cutter takes `df["a"].to_numpy()` and its like out of them, so that a block computes the rest.
"""

from __future__ import annotations

import ast

from npcompile.diagnostics.reason import Reason
from npcompile.frontend.rewrite.block_levels import Levels
from npcompile.frontend.rewrite.liveness import loads
from npcompile.frontend.rewrite.scopes import stored_names

_ARRAYS = frozenset(["to_numpy", "values", "data", "asarray", "array", "ascontiguousarray", "filled"])
_SIZES = frozenset(["len", "shape", "size", "ndim"])
# Labels are handed on to what is made of the result: no work is done on them.
_LABELS = frozenset(["index", "columns", "name", "dims", "coords", "attrs", "dtype", "dtypes", "mask"])
_WORK = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.AugAssign)
# Parts that may not be evaluated, or more than once: nothing is taken out of them.
_LAZY = (ast.IfExp, ast.BoolOp, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_BUILTINS = frozenset(["abs", "divmod", "max", "min", "pow", "reversed", "round", "sorted", "sum"])
_REDUCTIONS = frozenset(
    ["mean", "sum", "std", "var", "min", "max", "median", "count", "item", "float", "int"]
)


def root_name(node: ast.AST) -> str | None:
    """Return the name that a chain of attributes, items and calls begins with."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def hands_over(node: ast.AST, names: frozenset[str]) -> bool:
    """Tell if an expression asks a foreign array for a NumPy array or a number.

    names: those that hold foreign arrays.
    """
    return _asks(node, _ARRAYS | _SIZES | _REDUCTIONS, names)


def _asks(node: ast.AST, wanted: frozenset[str], names: frozenset[str]) -> bool:
    match node:
        case ast.Attribute(attr=name, value=value, ctx=ast.Load()):
            return name in wanted and root_name(value) in names
        case ast.Call(func=ast.Name(id=name), args=[value, *_]):
            return name in wanted and root_name(value) in names
        case ast.Call(func=ast.Attribute(attr=name, value=owner), args=args):
            if name not in wanted:
                return False
            return root_name(owner) in names or (bool(args) and root_name(args[0]) in names)
    return False


def mark(levels: Levels, body: list[ast.stmt], names: frozenset[str], reason: Reason) -> ast.stmt | None:
    """Note which statements read names that hold foreign arrays where the statements begin.

    Returns the first one that leaves work to their class, if there is any.
    """
    first = None
    for node in body:
        read = names & loads(node)
        if read:
            levels.foreign[node] = levels.foreign.get(node, frozenset()) | read
            inner = _inner(node)
            found = [mark(levels, part, names, reason) for part in inner]
            if not inner and _works_on(node, read):
                levels.why[node] = reason
                found.append(node)
            first = first or next((one for one in found if one is not None), None)
        if not isinstance(node, ast.AugAssign):
            names -= set(stored_names(node))
    return first


def _inner(node: ast.stmt) -> list[list[ast.stmt]]:
    """Return the bodies of a compound statement."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return []
    bodies = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
    bodies += [handler.body for handler in getattr(node, "handlers", [])]
    return [body for body in bodies if body]


def _works_on(node: ast.stmt, names: frozenset[str]) -> bool:
    """Tell if a statement does more with foreign arrays than to ask for arrays and labels, or to store."""
    if isinstance(node, ast.AugAssign) and root_name(node.target) in names:
        return True
    looked_at: list[ast.AST] = [node.value] if isinstance(node, ast.Assign) else [node]
    while looked_at:
        part = looked_at.pop()
        if _is_asked(part, names):
            continue
        parts = [one for one in ast.iter_child_nodes(part) if names & loads(one)]
        if isinstance(part, _LAZY) and any(_asks(one, _ARRAYS, names) for one in ast.walk(part)):
            return True
        if _is_work(part) and any(root_name(one) in names and not _is_asked(one, names) for one in parts):
            return True
        looked_at += parts
    return False


def _is_work(node: ast.AST) -> bool:
    """Tell if this computes with its parts. A function that is called by its name alone may be the user's."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in _BUILTINS
    return isinstance(node, (ast.Call, *_WORK))


def _is_asked(node: ast.AST, names: frozenset[str]) -> bool:
    return _asks(node, _ARRAYS | _SIZES | _LABELS, names)
