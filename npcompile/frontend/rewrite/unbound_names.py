"""Statements that call blocks, where names may be unbound: a branch, a loop or a `with` may not bind them.

`cutter.py` puts these statements in place of the statements that a block holds.
"""

from __future__ import annotations

import ast

from npcompile.frontend.rewrite.ast_builder import position
from npcompile.frontend.rewrite.kept_trees import found_once, nodes_of
from npcompile.frontend.rewrite.scopes import stored_names
from npcompile.frontend.rewrite.statement_facts import Facts

# Nodes that may run without evaluating all of their parts.
_MAY_SKIP_PARTS = frozenset(
    (ast.If, ast.For, ast.IfExp, ast.BoolOp, ast.Assert)
    + (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)
)


@found_once
def reads_surely(node: ast.AST) -> bool:
    """Tell if a statement that runs to its end has read all the names that it reads."""
    parts = [*nodes_of(node)]
    chained = any(isinstance(part, ast.Compare) and len(part.ops) > 1 for part in parts)
    return not chained and _MAY_SKIP_PARTS.isdisjoint(map(type, parts))


def bind_results(call: ast.Call, names: tuple[str, ...]) -> ast.stmt:
    """Return the statement that binds a block's results to these names."""
    where = position(call)
    if not names:
        return ast.Expr(call, **where)
    stored: list[ast.expr] = [ast.Name(name, ast.Store(), **where) for name in names]
    target = stored[0] if len(names) == 1 else ast.Tuple(stored, ast.Store(), **where)
    return ast.Assign([target], call, **where)


def if_bound(names: set[str], known: str, made: ast.stmt, otherwise: list[ast.stmt]) -> list[ast.stmt]:
    """Return a statement that reads these names, done where they are bound, and `otherwise` elsewhere.

    There `otherwise` raises the exception that Python raises, at its place. known: a name of ours.
    """
    where = position(made)

    def store(value: bool) -> ast.stmt:
        return ast.Assign([ast.Name(known, ast.Store(), **where)], ast.Constant(value, **where), **where)

    asked: list[ast.stmt] = [ast.Expr(ast.Name(name, ast.Load(), **where), **where) for name in sorted(names)]
    failed = ast.ExceptHandler(ast.Name("NameError", ast.Load(), **where), None, [store(False)], **where)
    return [
        ast.Try(asked, [failed], [store(True)], [], **where),
        ast.If(ast.Name(known, ast.Load(), **where), [made], otherwise, **where),
    ]


def keep_local(node: ast.FunctionDef, body: list[ast.stmt], facts: Facts) -> list[ast.stmt]:
    """Return an assignment that never runs, to names that blocks alone bind: without it they would be
    globals.

    body: the body of the function after cutting.
    """
    ours = set(stored_names(*node.body)) - set(stored_names(*body)) - facts.arguments
    where = position(node.body[-1])
    none = ast.Constant(None, **where)
    stores: list[ast.stmt] = [
        ast.Assign([ast.Name(name, ast.Store(), **where)], none, **where)
        for name in sorted(ours)
        if facts.is_local(name)
    ]
    return [ast.If(ast.Constant(False, **where), stores, [], **where)] if stores else []
