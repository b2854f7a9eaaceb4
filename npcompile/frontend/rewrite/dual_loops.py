"""Writes each loop of a rewritten function in two ways: as rewritten, and by the statements that the user
wrote.

A trip goes the second way once the call has spent its budget for overhead, or no kernel answers the loop's
blocks. Both ways stand in one loop of one frame: names, `break`, `continue` and `return` are the same for
both.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from npcompile.frontend.rewrite.ast_builder import start

# Names that are no identifiers and cannot clash with the user's: the function that returns the running call
# (a free variable), the local name of that call, and the cut function (a free variable).
CALL, AT_HAND, CUT = ".call", ".at_hand", ".cut"
# A loop goes on as written after this number in a row of calls of its blocks that no kernel answered, or of
# its trips and calls of functions that are called as they are.
IDLE = 64
# The attributes of the cut in which the two are counted; both are 0 once a kernel has answered. Too many of
# the former set the latter. All trips are counted, as blocks may have been left to Python since, or not be
# reached.
UNANSWERED, IDLING = "unanswered", "idle"
TRIED = "tried"  # the attribute that counts how often loops were made to try their blocks again


@dataclass(frozen=True)
class Loop:
    """A loop as rewritten (`made`) and as the user wrote it (`node`)."""

    made: Any
    node: ast.For | ast.While


class Twice:
    """The loops of one function that was cut."""

    def __init__(self) -> None:
        self.loops: dict[int, Loop] = {}  # by identity of the rewritten one
        self._items = False  # some comprehension asks, too
        self._within = 0  # the number of loops within others

    @property
    def asked(self) -> bool:
        """True if any loop or comprehension asks the running call."""
        return self._items or bool(self.loops)

    def asks(self, where: ast.expr) -> ast.expr:
        """Return the test if an item of a comprehension calls a function as it is."""
        self._items = True
        return _ask(where)

    def add(self, made: Any, node: ast.For | ast.While) -> None:
        """Note a loop that was rewritten."""
        self.loops[id(made)] = Loop(made, node)

    def write(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return the body of the function with these loops written twice."""
        if not self.asked:
            return body
        at = start(body[0])
        call = ast.Call(ast.Name(CALL, ast.Load(), **at), [], [], **at)
        written = self._body(body, False)
        rested = [_bind(f".rested{number}", _never(body[0])) for number in range(self._within)]
        return [ast.Assign([ast.Name(AT_HAND, ast.Store(), **at)], call, **at), *rested, *written]

    def _body(self, body: list[ast.stmt], within: bool) -> list[ast.stmt]:
        """Return statements with their loops written twice. within: the statements are in a noted loop."""
        made: list[ast.stmt] = []
        for statement in body:
            loop = self.loops.get(id(statement))
            begins = loop is not None or (self._items and _has_items(statement))
            if begins and not within:
                made += [_set(statement, count, 0) for count in (UNANSWERED, IDLING)]
            self._inside(statement, within or loop is not None)
            if loop is not None:
                self._write_both(loop)
            before, after = self._around_inner(statement) if loop is not None and within else ([], [])
            made += [*before, statement, *after]
        return made

    def _around_inner(self, loop: ast.stmt) -> tuple[list[ast.stmt], list[ast.stmt]]:
        """Return the statements before and after a loop within another.

        Its trips do not count for the outer loop. Where it went on as written, it does so next time from its
        first trip on, until blocks are tried again.
        """
        at, number = start(loop), self._within
        self._within += 1
        before, rested = (ast.Name(f".{name}{number}", ast.Load(), **at) for name in ("before", "rested"))
        tried = _counter(TRIED, loop)
        known = ast.Compare(rested, [ast.Eq()], [tried], **at)
        more = ast.Compare(_counter(IDLING, loop), [ast.Gt()], [before], **at)
        back = ast.Assign([_counter(IDLING, loop, ast.Store())], before, **at)
        rests = ast.IfExp(_is_idle(loop), tried, _never(loop), **at)
        return (
            [
                _bind(before.id, _counter(IDLING, loop)),
                ast.If(known, [_set(loop, IDLING, IDLE)], [], **at),
            ],
            [_bind(rested.id, rests), ast.If(more, [back], [], **at)],
        )

    def _inside(self, statement: Any, within: bool) -> None:
        """Rewrite the statements in a statement, which is our copy wherever it holds a noted loop."""
        for name in ("body", "orelse", "finalbody"):
            held = getattr(statement, name, None)
            if isinstance(held, list):
                setattr(statement, name, self._body(held, within))
        for handler in getattr(statement, "handlers", ()):
            handler.body = self._body(handler.body, within)

    def _write_both(self, loop: Loop) -> None:
        made, node = loop.made, loop.node
        if isinstance(node, ast.While) and made.test is not node.test:
            test = _ask(node.test)
            made.test = ast.IfExp(test, node.test, made.test, **start(made.test))
        made.body = [ast.If(_ask(node), node.body, [*_count_trip(node), *made.body], **start(node))]


def _has_items(statement: ast.stmt) -> bool:
    """Tell if this is a simple statement with a comprehension in it that asks the running call."""
    if hasattr(statement, "body"):
        return False
    return any(isinstance(part, ast.Name) and part.id == AT_HAND for part in ast.walk(statement))


def _ask(where: Any) -> ast.expr:
    """Return the test if a trip is done as written."""
    at = start(where)
    spent = ast.Attribute(ast.Name(AT_HAND, ast.Load(), **at), "spent", ast.Load(), **at)
    return ast.BoolOp(ast.Or(), [spent, _is_idle(where)], **at)


def _counter(count: str, where: Any, context: ast.expr_context | None = None) -> ast.Attribute:
    at = start(where)
    return ast.Attribute(ast.Name(CUT, ast.Load(), **at), count, context or ast.Load(), **at)


def _is_idle(where: Any) -> ast.expr:
    at = start(where)
    return ast.Compare(_counter(IDLING, where), [ast.GtE()], [ast.Constant(IDLE, **at)], **at)


def _never(where: Any) -> ast.expr:
    """Return a count that no counter has."""
    return ast.Constant(-1, **start(where))


def _count_trip(where: Any) -> list[ast.stmt]:
    """Return the statements that count a trip."""
    at = start(where)
    one = ast.AugAssign(_counter(IDLING, where, ast.Store()), ast.Add(), ast.Constant(1, **at), **at)
    reached = ast.Compare(_counter(IDLING, where), [ast.Eq()], [ast.Constant(IDLE, **at)], **at)
    idles = ast.Attribute(ast.Name(CUT, ast.Load(), **at), "idles", ast.Load(), **at)
    return [one, ast.If(reached, [ast.Expr(ast.Call(idles, [], [], **at), **at)], [], **at)]


def _set(where: Any, count: str, number: int) -> ast.stmt:
    at = start(where)
    return ast.Assign([_counter(count, where, ast.Store())], ast.Constant(number, **at), **at)


def _bind(name: str, value: ast.expr) -> ast.stmt:
    at = start(value)
    return ast.Assign([ast.Name(name, ast.Store(), **at)], value, **at)
