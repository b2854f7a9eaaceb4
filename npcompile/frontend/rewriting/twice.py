"""Writes loops of rewritten functions so that each trip is done in one of two ways: as rewritten, or by the
statements that the user wrote, once the call has spent what it may on overhead, or the loop came to nothing.

Both stand in one loop of one frame: names, `break`, `continue` and `return` are the same to both.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from npcompile.frontend.rewriting.nodes import start

# No identifiers: what gives the call at hand (a free variable), the local name of what it gave, and the cut
# itself (a free variable).
CALL, AT_HAND, CUT = ".call", ".at_hand", ".cut"
# A loop without blocks in which so many calls in a row were of functions that are called as they are goes on
# as it was written.
IDLE = 64


@dataclass(frozen=True)
class Loop:
    """A loop that was rewritten (`made`), as it was written (`node`), and whether it holds blocks."""

    made: Any
    node: ast.For | ast.While
    blocks: bool


class Twice:
    """The loops of one function that was cut."""

    def __init__(self) -> None:
        self.loops: dict[int, Loop] = {}  # by identity of the rewritten one

    def add(self, made: Any, node: ast.For | ast.While, blocks: bool) -> None:
        """Note a loop that is other than it was written."""
        self.loops[id(made)] = Loop(made, node, blocks)

    def write(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The body of the function with these loops written twice."""
        if not self.loops:
            return body
        at = start(body[0])
        call = ast.Call(ast.Name(CALL, ast.Load(), **at), [], [], **at)
        return [ast.Assign([ast.Name(AT_HAND, ast.Store(), **at)], call, **at), *self._body(body, False)]

    def _body(self, body: list[ast.stmt], idling: bool) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for statement in body:
            loop = self.loops.get(id(statement))
            begins = loop is not None and not loop.blocks and not idling
            if begins:
                made.append(_begins(statement))
            self._inside(statement, idling or begins)
            if loop is not None:
                self._either(loop)
            made.append(statement)
        return made

    def _inside(self, statement: Any, idling: bool) -> None:
        """Rewrite what a statement holds, which is a copy of ours wherever it holds such a loop."""
        for name in ("body", "orelse", "finalbody"):
            held = getattr(statement, name, None)
            if isinstance(held, list):
                setattr(statement, name, self._body(held, idling))
        for handler in getattr(statement, "handlers", ()):
            handler.body = self._body(handler.body, idling)

    def _either(self, loop: Loop) -> None:
        made, node = loop.made, loop.node
        if isinstance(node, ast.While) and made.test is not node.test:
            test = self._asks(loop, node.test)
            made.test = ast.IfExp(test, node.test, made.test, **start(made.test))
        made.body = [ast.If(self._asks(loop, node), node.body, made.body, **start(node))]

    def _asks(self, loop: Loop, where: Any) -> ast.expr:
        """Whether a trip is done as it was written."""
        at = start(where)
        spent = ast.Attribute(ast.Name(AT_HAND, ast.Load(), **at), "spent", ast.Load(), **at)
        if loop.blocks:
            return spent
        idle = ast.Attribute(ast.Name(CUT, ast.Load(), **at), "idle", ast.Load(), **at)
        is_idle = ast.Compare(idle, [ast.GtE()], [ast.Constant(IDLE, **at)], **at)
        return ast.BoolOp(ast.Or(), [spent, is_idle], **at)


def _begins(where: Any) -> ast.stmt:
    """The statement that has calls of functions that are called as they are counted anew."""
    at = start(where)
    idle = ast.Attribute(ast.Name(CUT, ast.Load(), **at), "idle", ast.Store(), **at)
    return ast.Assign([idle], ast.Constant(0, **at), **at)
