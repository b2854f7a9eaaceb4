"""Writes loops of rewritten functions so that each trip is done in one of two ways: as rewritten, or, once
the call has spent what it may on overhead, by the statements that the user wrote.

Both stand in one loop of one frame: names, `break`, `continue` and `return` are the same to both.
"""

from __future__ import annotations

import ast
from typing import Any

from npcompile.frontend.rewriting.nodes import position

# No identifiers: what gives the call at hand (a free variable), and the local name of what it gave.
CALL, AT_HAND = ".call", ".at_hand"


def asking(where: Any) -> ast.stmt:
    """The statement that has the call at hand under its name."""
    at = position(where)
    call = ast.Call(ast.Name(CALL, ast.Load(), **at), [], [], **at)
    return ast.Assign([ast.Name(AT_HAND, ast.Store(), **at)], call, **at)


def is_spent(where: Any) -> ast.expr:
    """Whether the call at hand has spent what it may."""
    at = position(where)
    return ast.Attribute(ast.Name(AT_HAND, ast.Load(), **at), "spent", ast.Load(), **at)


def either(made: Any, node: ast.For | ast.While, test: ast.expr) -> None:
    """Let a loop do each trip as it was written (`node`) where `test` holds, else as it was made."""
    if isinstance(node, ast.While) and made.test is not node.test:
        made.test = ast.IfExp(test, node.test, made.test, **position(made.test))
    made.body = [ast.If(test, node.body, made.body, **position(node))]
