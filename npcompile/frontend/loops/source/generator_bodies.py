"""Writes the body of a generator as one that adds its items to a list.

A loop over a generator may go over such a list where nobody can tell: the generator has no effects, nothing
that it reads changes meanwhile, and it would not have gone on for long after the loop's last trip.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import Any

from npcompile.frontend.loops.source.pure_calls import is_pure_call
from npcompile.frontend.rewrite.ast_builder import position
from npcompile.frontend.rewrite.kept_trees import own_nodes

MADE, TRIPS = ".made", ".passed"  # the names of the list, and of the number of trips so far
_EACH = ".each"  # the name of an item of another iterable's
# Trips of its loops for which a generator may be ahead of the loop over it, and if that may end early.
MOST_TRIPS, FEW_TRIPS = 1 << 21, 1 << 8
_LOAD, _STORE = ast.Load(), ast.Store()
_NOT_HELD = (ast.Try, ast.With, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.Global, ast.Nonlocal)


def with_list(body: list[ast.stmt], most: int) -> list[ast.stmt] | None:
    """Return the statements that add a generator's items to a list; None for other generators than these.

    most: after so many trips of its loops the body raises, which ends native code.
    """
    at = position(body[0])
    begin = ast.Assign([ast.Name(TRIPS, _STORE, **at)], ast.Constant(0, **at), **at)
    made = _Writer(most).block(body)
    parts = own_nodes(made)
    if any(isinstance(part, _NOT_HELD) or (isinstance(part, ast.Return) and part.value) for part in parts):
        return None
    return [begin, *made]


class _Writer:
    """Writes statements anew."""

    def __init__(self, most: int) -> None:
        self.most = most

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        return [made for node in body for made in self.statement(node)]

    def statement(self, node: ast.stmt) -> Iterator[ast.stmt]:
        at = position(node)
        match node:
            case ast.Expr(value=ast.Yield(value=ast.expr() as item)):
                yield self.adding(item, at)
            case ast.Expr(value=ast.YieldFrom(value=items)):
                each = ast.Name(_EACH, _STORE, **at)
                body = self.counted([self.adding(ast.Name(_EACH, _LOAD, **at), at)], at)
                yield ast.For(each, items, body, [], **at)
            case ast.For() | ast.While():
                made = copy.copy(node)
                made.body, made.orelse = self.counted(self.block(node.body), at), self.block(node.orelse)
                yield made
            case ast.If():
                yield ast.If(node.test, self.block(node.body), self.block(node.orelse), **at)
            case ast.Return(value=ast.Constant()):
                yield ast.Return(None, **at)
            case _:
                yield node

    def adding(self, item: ast.expr, at: dict[str, Any]) -> ast.stmt:
        method = ast.Attribute(ast.Name(MADE, _LOAD, **at), "append", _LOAD, **at)
        return ast.Expr(ast.Call(method, [item], [], **at), **at)

    def counted(self, body: list[ast.stmt], at: dict[str, Any]) -> list[ast.stmt]:
        """Return the body of a loop, which begins by counting the trip."""
        more = ast.Compare(ast.Name(TRIPS, _LOAD, **at), [ast.Gt()], [ast.Constant(self.most, **at)], **at)
        ends = ast.Raise(ast.Name("RuntimeError", _LOAD, **at), None, **at)
        count = ast.AugAssign(ast.Name(TRIPS, _STORE, **at), ast.Add(), ast.Constant(1, **at), **at)
        return [count, ast.If(more, [ends], [], **at), *body]


def may_end_early(loop: ast.For) -> bool:
    """Tell if a loop may leave items of what it goes over, other than by an operation that raises.

    That the trips of a generator's own loop are counted is none of its ends.
    """
    pending: list[ast.AST] = [*loop.body]
    while pending:
        part = pending.pop()
        match part:
            case ast.If(test=ast.Compare(left=ast.Name(id=name))) if name == TRIPS:
                pass
            case ast.Break() | ast.Return() | ast.Raise() | ast.Assert():
                return True
            case ast.For() | ast.While():
                pending += [one for one in own_nodes(part.body) if not isinstance(one, ast.Break)]
                pending += part.orelse
            case ast.stmt():
                pending += [one for one in ast.iter_child_nodes(part) if not isinstance(one, ast.expr)]
    return False


def calls_others(body: list[ast.stmt]) -> bool:
    """Tell if statements call functions of which it is not known that they take no time to speak of."""
    adding = ast.Attribute(ast.Name(MADE, _LOAD), "append", _LOAD)
    calls = [part for part in own_nodes(body) if isinstance(part, ast.Call)]
    return not all(is_pure_call(one) or ast.dump(one.func) == ast.dump(adding) for one in calls)
