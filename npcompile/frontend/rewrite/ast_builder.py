"""Helps to build syntax trees: where nodes stand, and which expressions are constant or without effects.

Tracebacks and warnings of rewritten functions name the user's lines and columns, as the nodes keep them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any, TypeVar

from npcompile.frontend.rewrite.kept_trees import own_nodes

HOOKS = ".hooks"  # no identifier, so it cannot clash with one of the user's
_Node = TypeVar("_Node", bound=ast.AST)
_BUILTINS = ("abs", "bool", "complex", "float", "int", "len", "max", "min", "round")


def copied(node: _Node) -> _Node:
    """Return a copy of a node and of all nodes in it, at the same place."""
    made = node.__new__(type(node))
    vars(made).update({name: _copied(part) for name, part in vars(node).items()})
    return made


def _copied(part: Any) -> Any:
    if isinstance(part, list):
        return [_copied(one) for one in part]
    return copied(part) if isinstance(part, ast.AST) and part._fields else part


def position(node: Any) -> dict[str, Any]:
    return {
        "lineno": node.lineno,
        "col_offset": node.col_offset,
        "end_lineno": node.end_lineno,
        "end_col_offset": node.end_col_offset,
    }


def start(node: Any) -> dict[str, Any]:
    """Return the place where a node begins, on one line: the compiler says that an attribute is read where it
    ends."""
    place = {"lineno": node.lineno, "col_offset": node.col_offset}
    return place | {"end_lineno": node.lineno, "end_col_offset": node.col_offset}


def at_attribute(node: ast.expr, attribute: Any) -> Any:
    """Return the place where the compiler says an attribute is read or a method called: that of its name."""
    if node.lineno == attribute.end_lineno:
        return node
    end = attribute.end_col_offset or 0
    where = ast.Pass(**position(node))
    where.lineno = attribute.end_lineno or node.lineno
    where.col_offset = max(end - len(attribute.attr), 0)
    where.end_lineno = max(where.lineno, node.end_lineno or 0)
    where.end_col_offset = max(end, node.end_col_offset or 0) if where.end_lineno == where.lineno else end
    return where


def folds(node: ast.expr) -> bool:
    """Tell if the compiler folds an expression to a constant, which is then a literal of the user's."""
    if not _only_constants(node):
        return False
    # Folded, or an unary operation that can only raise: nothing else gets by with one place on the stack, or
    # with none, as Python 3.12 returns a constant.
    return compile(ast.Expression(node), "<constant>", "eval").co_stacksize <= 1


def _only_constants(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return _only_constants(node.right) and _only_constants(node.left)
    if isinstance(node, ast.UnaryOp):
        return _only_constants(node.operand)
    if isinstance(node, ast.Tuple):
        return all(map(_only_constants, node.elts))
    return isinstance(node, ast.Constant)


def constant_tuple(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple):
        return all(map(constant_tuple, node.elts))
    return folds(node)


def is_pure(nodes: Iterable[ast.expr], imports: frozenset[str]) -> bool:
    """Tell if only functions of imported modules are called here and no name is bound.

    Whatever else is evaluated before or after keeps its value.
    """
    for part in own_nodes(nodes):
        if isinstance(part, ast.Starred | ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.Await):
            return False
        if isinstance(part, ast.Call):
            root: ast.expr = part.func
            while isinstance(root, ast.Attribute):
                root = root.value
            if not (isinstance(root, ast.Name) and (root.id in imports or root.id in _BUILTINS)):
                return False
    return True
