"""Writes loops of rewritten functions so that each trip is done in one of two ways: as rewritten, or by the
statements that the user wrote, once the call has spent what it may on overhead, or the loop came to nothing.

Both stand in one loop of one frame: names, `break`, `continue` and `return` are the same to both.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from npcompile.frontend.rewrite.ast_builder import start

# No identifiers: what gives the call at hand (a free variable), the local name of what it gave, and the cut
# itself (a free variable).
CALL, AT_HAND, CUT = ".call", ".at_hand", ".cut"
# A loop in which so much in a row came to nothing goes on as it was written: calls of its blocks that no
# kernel answered; or its trips, and calls of functions that are called as they are.
IDLE = 64
# The attributes of the cut in which these are counted, which are 0 once a kernel has answered. Where there
# are too many of the former, the latter says so. Trips are counted whatever they do: blocks may have been
# left to Python since, or not be reached.
UNANSWERED, IDLING = "unanswered", "idle"
TRIED = "tried"  # the attribute that counts how often loops were to try their blocks again


@dataclass(frozen=True)
class Loop:
    """A loop that was rewritten (`made`), and as it was written (`node`)."""

    made: Any
    node: ast.For | ast.While


class Twice:
    """The loops of one function that was cut."""

    def __init__(self) -> None:
        self.loops: dict[int, Loop] = {}  # by identity of the rewritten one
        self._items = False  # comprehensions ask, too
        self._within = 0  # loops that are within others

    @property
    def asked(self) -> bool:
        """Tell whether anything asks the call at hand."""
        return self._items or bool(self.loops)

    def asks(self, where: ast.expr) -> ast.expr:
        """Tell whether an item of a comprehension calls a function as it is."""
        self._items = True
        return _asks(where)

    def add(self, made: Any, node: ast.For | ast.While) -> None:
        """Note a loop that is other than it was written."""
        self.loops[id(made)] = Loop(made, node)

    def write(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The body of the function with these loops written twice."""
        if not self.asked:
            return body
        at = start(body[0])
        call = ast.Call(ast.Name(CALL, ast.Load(), **at), [], [], **at)
        written = self._body(body, False)
        rested = [_binds(f".rested{number}", _never(body[0])) for number in range(self._within)]
        return [ast.Assign([ast.Name(AT_HAND, ast.Store(), **at)], call, **at), *rested, *written]

    def _body(self, body: list[ast.stmt], within: bool) -> list[ast.stmt]:
        """Statements, within such a loop or not."""
        made: list[ast.stmt] = []
        for statement in body:
            loop = self.loops.get(id(statement))
            begins = loop is not None or (self._items and _has_items(statement))
            if begins and not within:
                made += [_sets(statement, count, 0) for count in (UNANSWERED, IDLING)]
            self._inside(statement, within or loop is not None)
            if loop is not None:
                self._either(loop)
            before, after = self._around(statement) if loop is not None and within else ([], [])
            made += [*before, statement, *after]
        return made

    def _around(self, loop: ast.stmt) -> tuple[list[ast.stmt], list[ast.stmt]]:
        """Give what stands before a loop within another, and after it. Its trips are none of the other's;
        where it went on as it was written, it does so next time from its first trip on, until blocks are
        tried."""
        at, number = start(loop), self._within
        self._within += 1
        before, rested = (ast.Name(f".{name}{number}", ast.Load(), **at) for name in ("before", "rested"))
        tried = _counted(TRIED, loop)
        known = ast.Compare(rested, [ast.Eq()], [tried], **at)
        more = ast.Compare(_counted(IDLING, loop), [ast.Gt()], [before], **at)
        back = ast.Assign([_counted(IDLING, loop, ast.Store())], before, **at)
        rests = ast.IfExp(_comes_to_nothing(loop), tried, _never(loop), **at)
        return (
            [
                _binds(before.id, _counted(IDLING, loop)),
                ast.If(known, [_sets(loop, IDLING, IDLE)], [], **at),
            ],
            [_binds(rested.id, rests), ast.If(more, [back], [], **at)],
        )

    def _inside(self, statement: Any, within: bool) -> None:
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
            test = _asks(node.test)
            made.test = ast.IfExp(test, node.test, made.test, **start(made.test))
        made.body = [ast.If(_asks(node), node.body, [*_counts(node), *made.body], **start(node))]


def _has_items(statement: ast.stmt) -> bool:
    """Tell whether this is a statement by itself with a comprehension in it that asks."""
    if hasattr(statement, "body"):
        return False
    return any(isinstance(part, ast.Name) and part.id == AT_HAND for part in ast.walk(statement))


def _asks(where: Any) -> ast.expr:
    """Tell whether a trip is done as it was written."""
    at = start(where)
    spent = ast.Attribute(ast.Name(AT_HAND, ast.Load(), **at), "spent", ast.Load(), **at)
    return ast.BoolOp(ast.Or(), [spent, _comes_to_nothing(where)], **at)


def _counted(count: str, where: Any, context: ast.expr_context | None = None) -> ast.Attribute:
    at = start(where)
    return ast.Attribute(ast.Name(CUT, ast.Load(), **at), count, context or ast.Load(), **at)


def _comes_to_nothing(where: Any) -> ast.expr:
    at = start(where)
    return ast.Compare(_counted(IDLING, where), [ast.GtE()], [ast.Constant(IDLE, **at)], **at)


def _never(where: Any) -> ast.expr:
    """A count that there is not."""
    return ast.Constant(-1, **start(where))


def _counts(where: Any) -> list[ast.stmt]:
    """Count a trip."""
    at = start(where)
    one = ast.AugAssign(_counted(IDLING, where, ast.Store()), ast.Add(), ast.Constant(1, **at), **at)
    reached = ast.Compare(_counted(IDLING, where), [ast.Eq()], [ast.Constant(IDLE, **at)], **at)
    idles = ast.Attribute(ast.Name(CUT, ast.Load(), **at), "idles", ast.Load(), **at)
    return [one, ast.If(reached, [ast.Expr(ast.Call(idles, [], [], **at), **at)], [], **at)]


def _sets(where: Any, count: str, number: int) -> ast.stmt:
    at = start(where)
    return ast.Assign([_counted(count, where, ast.Store())], ast.Constant(number, **at), **at)


def _binds(name: str, value: ast.expr) -> ast.stmt:
    at = start(value)
    return ast.Assign([ast.Name(name, ast.Store(), **at)], value, **at)
