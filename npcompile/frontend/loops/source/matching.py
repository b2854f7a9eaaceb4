"""Writes `match` statements on numbers as the `if` statements that they stand for, for the normal form."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from npcompile.frontend.rewrite.ast_builder import position

_STORE = ast.Store()


def is_plain_match(node: ast.stmt) -> bool:
    """Tell if a statement is a `match` of values, alternatives of them, and names alone."""
    return isinstance(node, ast.Match) and all(map(_is_plain, node.cases))


def _is_plain(case: ast.match_case) -> bool:
    match case.pattern:
        case ast.MatchAs(pattern=None):
            return True
        case ast.MatchAs(pattern=ast.pattern() as pattern):
            return case.guard is None and _is_value(pattern)
    return _is_value(case.pattern)


def _is_value(pattern: ast.pattern) -> bool:
    if isinstance(pattern, ast.MatchOr):
        return all(map(_is_value, pattern.patterns))
    return isinstance(pattern, ast.MatchValue | ast.MatchSingleton)


def as_ifs(cases: Sequence[ast.match_case], subject: ast.Name) -> list[ast.stmt]:
    """Return the statements that the cases of a plain `match` stand for. subject: holds its value."""
    if not cases:
        return []
    case, *others = cases
    rest = as_ifs(others, subject)
    pattern, body = case.pattern, case.body
    if isinstance(pattern, ast.MatchAs):
        bound: list[ast.stmt] = []
        if pattern.name is not None:
            name = ast.Name(pattern.name, _STORE, **position(pattern))
            bound = [ast.Assign([name], copy.copy(subject), **position(pattern))]
        if pattern.pattern is not None:
            return [ast.If(_test(pattern.pattern, subject), [*bound, *body], rest, **position(pattern))]
        guarded = body if case.guard is None else [ast.If(case.guard, body, rest, **position(case.guard))]
        return [*bound, *guarded]
    test = _test(pattern, subject)
    if case.guard is not None:
        test = ast.BoolOp(ast.And(), [test, case.guard], **position(pattern))
    return [ast.If(test, body, rest, **position(pattern))]


def _test(pattern: ast.pattern, subject: ast.Name) -> ast.expr:
    """Return the expression that tells if a value fits a pattern."""
    at = position(pattern)
    match pattern:
        case ast.MatchOr(patterns=patterns):
            return ast.BoolOp(ast.Or(), [_test(one, subject) for one in patterns], **at)
        case ast.MatchSingleton(value=value):
            return ast.Compare(copy.copy(subject), [ast.Is()], [ast.Constant(value, **at)], **at)
        case ast.MatchValue(value=value):
            return ast.Compare(copy.copy(subject), [ast.Eq()], [value], **at)
    raise TypeError(f"a {type(pattern).__name__} is no plain pattern")
