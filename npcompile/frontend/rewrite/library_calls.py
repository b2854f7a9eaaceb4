"""Keeps calls of installed libraries' functions out of blocks: Python makes these calls, between blocks.

No step inside them is recorded, and nothing is known of their results before they have returned.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from npcompile.frontend.rewrite.block_levels import Levels
from npcompile.frontend.rewrite.kept_trees import own_nodes

_HOLDING = (ast.For, ast.With, ast.Try, ast.FunctionDef, ast.ClassDef, ast.Match)  # other statements


class Libraries:
    """Finds calls of libraries' functions. of_library: tells if an expression stands for such a function."""

    def __init__(self, of_library: Callable[[ast.expr], bool]) -> None:
        self.of_library = of_library

    def are_called(self, parts: Iterable[ast.AST]) -> bool:
        return self._called(parts) is not None

    def are_called_by(self, node: ast.stmt, parts: list[ast.AST], levels: Levels) -> bool:
        """Tell if a part of a statement calls a library's function.

        If the call is in the statement itself, the statement is taken apart.
        """
        if levels[node] > 0 or not self.are_called(parts):
            return False
        if isinstance(node, ast.If | ast.While):
            parts = own_nodes([node.test])
        if not isinstance(node, _HOLDING) and (called := self._called(parts)) is not None:
            levels.of[node] = 1
            levels.libraries[node] = called
        return True

    def _called(self, parts: Iterable[ast.AST]) -> str | None:
        """Return the name of a library's function that is called in these parts."""
        for part in parts:
            if isinstance(part, ast.Call) and self.of_library(part.func):
                return part.func.attr if isinstance(part.func, ast.Attribute) else ast.unparse(part.func)
        return None
