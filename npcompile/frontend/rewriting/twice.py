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
# A loop in which so many calls in a row came to nothing goes on as it was written: calls of its blocks that
# no kernel answered, or, if it has none, calls of functions that are called as they are.
IDLE = 64
IDLING = "idle"  # the attribute of the cut in which the latter are counted


@dataclass(frozen=True)
class Loop:
    """A loop that was rewritten (`made`), as it was written (`node`), and whether it holds blocks."""

    made: Any
    node: ast.For | ast.While
    blocks: bool

    @property
    def count(self) -> str:
        """The attribute of the cut in which it is counted what comes to nothing."""
        return "unanswered" if self.blocks else IDLING


class Twice:
    """The loops of one function that was cut."""

    def __init__(self) -> None:
        self.loops: dict[int, Loop] = {}  # by identity of the rewritten one
        self._items = False  # comprehensions ask, too

    @property
    def asked(self) -> bool:
        """Tell whether anything asks the call at hand."""
        return self._items or bool(self.loops)

    def asks(self, where: ast.expr) -> ast.expr:
        """Tell whether an item of a comprehension calls a function as it is."""
        self._items = True
        return _asks(IDLING, where)

    def add(self, made: Any, node: ast.For | ast.While, blocks: bool) -> None:
        """Note a loop that is other than it was written."""
        self.loops[id(made)] = Loop(made, node, blocks)

    def write(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The body of the function with these loops written twice."""
        if not self.asked:
            return body
        at = start(body[0])
        call = ast.Call(ast.Name(CALL, ast.Load(), **at), [], [], **at)
        return [
            ast.Assign([ast.Name(AT_HAND, ast.Store(), **at)], call, **at),
            *self._body(body, frozenset()),
        ]

    def _body(self, body: list[ast.stmt], within: frozenset[str]) -> list[ast.stmt]:
        """Statements, in loops that count what is named so."""
        made: list[ast.stmt] = []
        for statement in body:
            loop = self.loops.get(id(statement))
            if loop is not None and loop.count not in within:
                made.append(_sets(statement, loop.count, 0))
            elif self._items and IDLING not in within and _has_items(statement):
                made.append(_sets(statement, IDLING, 0))
            self._inside(statement, within if loop is None else within | {loop.count})
            if loop is not None:
                self._either(loop)
            made.append(statement)
            if loop is not None and loop.blocks and loop.count in within:
                # The loop around this one goes on by its own blocks, and this one, next time, as it is now.
                at = start(statement)
                sets = [_sets(statement, loop.count, IDLE - 1)]
                made.append(ast.If(_comes_to_nothing(loop.count, statement), sets, [], **at))
        return made

    def _inside(self, statement: Any, within: frozenset[str]) -> None:
        """Rewrite what a statement holds, which is a copy of ours wherever it holds such a loop."""
        for name in ("body", "orelse", "finalbody"):
            held = getattr(statement, name, None)
            if isinstance(held, list):
                setattr(statement, name, self._body(held, within))
        for handler in getattr(statement, "handlers", ()):
            handler.body = self._body(handler.body, within)

    def _either(self, loop: Loop) -> None:
        made, node = loop.made, loop.node
        if isinstance(node, ast.While) and made.test is not node.test:
            test = _asks(loop.count, node.test)
            made.test = ast.IfExp(test, node.test, made.test, **start(made.test))
        made.body = [ast.If(_asks(loop.count, node), node.body, made.body, **start(node))]


def _has_items(statement: ast.stmt) -> bool:
    """Tell whether this is a statement by itself with a comprehension in it that asks."""
    if hasattr(statement, "body"):
        return False
    return any(isinstance(part, ast.Name) and part.id == AT_HAND for part in ast.walk(statement))


def _asks(count: str, where: Any) -> ast.expr:
    """Tell whether a trip is done as it was written."""
    at = start(where)
    spent = ast.Attribute(ast.Name(AT_HAND, ast.Load(), **at), "spent", ast.Load(), **at)
    return ast.BoolOp(ast.Or(), [spent, _comes_to_nothing(count, where)], **at)


def _comes_to_nothing(count: str, where: Any) -> ast.expr:
    at = start(where)
    counted = ast.Attribute(ast.Name(CUT, ast.Load(), **at), count, ast.Load(), **at)
    return ast.Compare(counted, [ast.GtE()], [ast.Constant(IDLE, **at)], **at)


def _sets(where: Any, count: str, number: int) -> ast.stmt:
    at = start(where)
    counted = ast.Attribute(ast.Name(CUT, ast.Load(), **at), count, ast.Store(), **at)
    return ast.Assign([counted], ast.Constant(number, **at), **at)
