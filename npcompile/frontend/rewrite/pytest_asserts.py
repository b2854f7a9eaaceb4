"""Functions of modules in which pytest rewrote the asserts: `source.py` finds their trees as pytest left
them.

As it imports a test module, pytest turns each assert into statements that tell what was compared. The module
keeps a reference to pytest's rewriter, which does the same to a part of the module's source.
"""

from __future__ import annotations

import ast
from typing import Any

REWRITER = "@pytest_ar"
IMPORTS = frozenset((REWRITER, "@py_builtins"))  # the names that pytest imports into such a module


def rewrite_asserts(tree: ast.Module, text: str, filename: str, names: dict[str, Any]) -> None:
    """Rewrite the asserts in a part of the source of a module in which pytest did.

    names: the module's globals, `REWRITER` among them.
    """
    rewriter, loader = names[REWRITER], names.get("__loader__")
    if any(isinstance(node, ast.Assert) for node in ast.walk(tree)):
        rewriter.rewrite_asserts(tree, text.encode(), filename, getattr(loader, "config", None))


def name_locals(body: list[Any]) -> None:
    """Turn the local names of pytest's statements into identifiers, which they are not.

    Nested functions keep theirs: they are proved by their own source.
    """
    found: list[ast.Name] = []
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name):
            found.append(node)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            pending += ast.iter_child_nodes(node)
    start = "_"
    while any(name.id.startswith(start) for name in found):
        start += "_"
    for name in found:
        if name.id.startswith("@") and name.id not in IMPORTS:
            name.id = start + name.id[1:]
