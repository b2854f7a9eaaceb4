"""Tells which calls change nothing, by the names that they are written with, for the normal form of loops."""

from __future__ import annotations

import ast
from collections.abc import Callable

_PURE = frozenset(
    (
        "abs all any bin bool chr complex divmod enumerate float int isinstance iter len max min ord pow "
        "range reversed round sum type zip"
    ).split()
)
_PURE_METHODS = frozenset(("items", "keys", "values"))  # without arguments: of dicts
_PURE_MODULES = frozenset(("np", "numpy", "math", "cmath"))


def named(names: frozenset[str]) -> Callable[[ast.expr], bool]:
    """Return the function that tells if an expression is one of these names, which no call binds anew."""
    return lambda node: isinstance(node, ast.Name) and node.id in names


def iterated_first(node: ast.Call) -> ast.Call | None:
    """Return the call of `iter` in `next(iter(x))`, which may have a default; None for other calls."""
    match node:
        case ast.Call(args=[ast.Call(func=ast.Name("iter"), args=[_], keywords=[]) as begun], keywords=[]):
            return begun
        case ast.Call(args=[ast.Call(func=ast.Name("iter"), args=[_], keywords=[]) as begun, _], keywords=[]):
            return begun
    return None


def bits_counted(node: ast.Call) -> ast.Call | None:
    """Return the call of `bin` in `bin(x).count("1")`; None for other calls."""
    match node:
        case ast.Call(
            ast.Attribute(ast.Call(ast.Name("bin"), [_], []) as made, "count"), [ast.Constant("1")], []
        ):
            return made
    return None


def is_pure_call(node: ast.Call) -> bool:
    """Tell if a call changes nothing, by the names that it is written with: their values are looked at
    later.
    """
    match node.func:
        case ast.Name(id="next"):
            return iterated_first(node) is not None
        case ast.Name(id=name):
            return name in _PURE
        case ast.Attribute() if bits_counted(node) is not None:
            return True
        case ast.Attribute(attr=name) if name in _PURE_METHODS and not node.args and not node.keywords:
            return True
        case ast.Attribute():
            root: ast.expr = node.func.value
            while isinstance(root, ast.Attribute):
                if root.attr == "random":  # the functions of `np.random` change its state
                    return False
                root = root.value
            return isinstance(root, ast.Name) and root.id in _PURE_MODULES
    return False
