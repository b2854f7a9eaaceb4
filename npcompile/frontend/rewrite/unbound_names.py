"""Calls of blocks as statements; names that a branch, a loop or a `with` may leave without a value."""

from __future__ import annotations

import ast

from npcompile.frontend.rewrite.ast_builder import position
from npcompile.frontend.rewrite.scopes import stored_names
from npcompile.frontend.rewrite.statement_facts import Facts

# What may not carry out a part of itself.
_SKIPPING = (ast.If, ast.For, ast.IfExp, ast.BoolOp, ast.Assert, ast.ListComp, ast.SetComp, ast.DictComp) + (
    ast.GeneratorExp,
    ast.Lambda,
)


def reads_surely(node: ast.AST) -> bool:
    """Whether a statement that runs to its end has read all the names that it reads."""
    return not any(
        isinstance(part, _SKIPPING) or (isinstance(part, ast.Compare) and len(part.ops) > 1)
        for part in ast.walk(node)
    )


def kept(call: ast.Call, names: tuple[str, ...]) -> ast.stmt:
    """The statement that binds what a block gives to these names."""
    where = position(call)
    if not names:
        return ast.Expr(call, **where)
    stored: list[ast.expr] = [ast.Name(name, ast.Store(), **where) for name in names]
    target = stored[0] if len(names) == 1 else ast.Tuple(stored, ast.Store(), **where)
    return ast.Assign([target], call, **where)


def where_bound(names: set[str], known: str, made: ast.stmt, otherwise: list[ast.stmt]) -> list[ast.stmt]:
    """A statement that reads these names, done where they have a value. Elsewhere `otherwise` raises what
    Python raises, at its place. known: a name of ours."""
    where = position(made)

    def store(value: bool) -> ast.stmt:
        return ast.Assign([ast.Name(known, ast.Store(), **where)], ast.Constant(value, **where), **where)

    asked: list[ast.stmt] = [ast.Expr(ast.Name(name, ast.Load(), **where), **where) for name in sorted(names)]
    failed = ast.ExceptHandler(ast.Name("NameError", ast.Load(), **where), None, [store(False)], **where)
    return [
        ast.Try(asked, [failed], [store(True)], [], **where),
        ast.If(ast.Name(known, ast.Load(), **where), [made], otherwise, **where),
    ]


def still_local(node: ast.FunctionDef, body: list[ast.stmt], facts: Facts) -> list[ast.stmt]:
    """What is never carried out, for names that blocks alone bind: without it they would be globals. body:
    what the function's has become."""
    ours = set(stored_names(*node.body)) - set(stored_names(*body)) - facts.arguments
    where = position(node.body[-1])
    none = ast.Constant(None, **where)
    stores: list[ast.stmt] = [
        ast.Assign([ast.Name(name, ast.Store(), **where)], none, **where)
        for name in sorted(ours)
        if facts.is_local(name)
    ]
    return [ast.If(ast.Constant(False, **where), stores, [], **where)] if stores else []
