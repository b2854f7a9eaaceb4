"""Makes of a jitted function that calls itself the plain one, whose calls of itself are plain, too.

Through the jitted function each level of a recursion would take another frame, so that half of the depth
were left that Python allows, and several times as long as Python takes to call a function.
"""

from __future__ import annotations

import ast
from types import CellType, CodeType, FunctionType
from typing import Any

from npcompile.frontend.rewrite.call_sites import with_users_levels
from npcompile.frontend.rewrite.function_trees import function_tree
from npcompile.frontend.rewrite.source import NotFound, compile_in_place, names_in

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


class Recursion:
    """A function's code in which the function's own name is a free variable."""

    __slots__ = ("_code", "_made", "_name")

    def __init__(self, name: str, code: CodeType) -> None:
        self._name = name
        self._code = code
        self._made: FunctionType | None = None

    @classmethod
    def of(cls, fn: FunctionType) -> Recursion | None:
        """Return the code of a function that does nothing with its own name but call it; None for others."""
        name, code = fn.__name__, fn.__code__
        if name not in code.co_freevars and name not in names_in(code):
            return None
        try:
            node, imports, scope, reason = function_tree(fn)
            is_outer = reason is None and scope.kind(name, code.co_freevars) != "local"
            if not (is_outer and isinstance(node, ast.FunctionDef) and _is_only_called(node, name)):
                return None
            made = compile_in_place(node, code, imports, () if name in code.co_freevars else (name,))
        except NotFound:
            return None
        return cls(name, with_users_levels(made, fn.__globals__))

    def holder(self, fn: FunctionType) -> CellType | dict[str, Any]:
        """Return the cell or the namespace from which the function takes itself to call it."""
        return _cells(fn).get(self._name, fn.__globals__)

    def plain(self, fn: FunctionType, recorded: Any) -> FunctionType | None:
        """Return the plain function; None where its name stands for something else than the jitted one.

        recorded: the jitted function's recordings.
        """
        holder = self.holder(fn)
        try:
            held: Any = holder.cell_contents if isinstance(holder, CellType) else holder.get(self._name)
        except ValueError:  # it is not bound yet, or not any more
            return None
        root = held.npcompile_root() if hasattr(type(held), "npcompile_root") else None
        if root is not recorded:
            return None
        made = self._made
        if made is None or made.__defaults__ is not fn.__defaults__:
            made = self._made = self._bound(fn)
        made.__kwdefaults__ = fn.__kwdefaults__
        return made

    def _bound(self, fn: FunctionType) -> FunctionType:
        own = CellType()
        cells = {**_cells(fn), self._name: own}
        closure = tuple([cells[name] for name in self._code.co_freevars])
        own.cell_contents = FunctionType(self._code, fn.__globals__, self._name, fn.__defaults__, closure)
        return own.cell_contents


def _cells(fn: FunctionType) -> dict[str, CellType]:
    return dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))


def _is_only_called(node: ast.FunctionDef, name: str) -> bool:
    """Tell if a function calls something by a name, and does nothing else with it.

    Its identity and its attributes are the jitted function's. A function within may be jitted itself, which
    takes its code as it is written.
    """
    pending: list[ast.AST] = list(node.body)
    while pending:
        part = pending.pop()
        if isinstance(part, _FUNCTIONS):
            if any(isinstance(inner, ast.Name) and inner.id == name for inner in ast.walk(part)):
                return False
        elif isinstance(part, ast.Global | ast.Nonlocal):
            if name in part.names:
                return False
        elif isinstance(part, ast.Name):
            if part.id == name:
                return False
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
            pending += [*part.args, *part.keywords]
        else:
            pending += ast.iter_child_nodes(part)
    return True
