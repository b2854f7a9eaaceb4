"""Functions that a rewritten function makes: their trees as the user wrote them, and their code without
hooks.

While a function is recorded, functions that it defines have hooks in them. Such a function may outlive the
recording, or be jitted: `learn` makes `find` return its own tree, and `unhooked` is the code that it has from
then on.
"""

from __future__ import annotations

import ast
import copy
import weakref
from collections.abc import Iterator
from types import CodeType
from typing import Any

from npcompile.frontend.rewrite.ast_builder import HOOKS, position
from npcompile.frontend.rewrite.source import (
    FunctionNode,
    NotFound,
    compile_in_place,
    first_line,
    tree_as_written,
    written,
)

_COMPREHENSIONS = frozenset(("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"))


def learn(code: CodeType, node: FunctionNode, imports: frozenset[str]) -> None:
    """Note the trees of the functions in a function that was rewritten. node: its tree as the user wrote
    it."""
    trees = list(_trees(node, 0))
    for inner, depth in _codes(code, 0):
        if len(found := [tree for tree, at in trees if at == depth and _is_of(tree, inner)]) == 1:
            written(inner, found[0], imports)


def _codes(code: CodeType, depth: int) -> Iterator[tuple[CodeType, int]]:
    """Yield the code objects with hooks within a code object, and how many functions are around each."""
    for const in code.co_consts:
        if isinstance(const, CodeType) and HOOKS in const.co_freevars:
            if const.co_name in _COMPREHENSIONS:
                yield from _codes(const, depth)
            else:
                yield const, depth
                yield from _codes(const, depth + 1)


def _trees(node: FunctionNode | ast.AsyncFunctionDef, depth: int) -> Iterator[tuple[FunctionNode, int]]:
    """Yield the functions in a function's body; classes are left as the user wrote them."""
    pending: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
    while pending:
        part = pending.pop()
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            if not isinstance(part, ast.AsyncFunctionDef):
                yield part, depth
            yield from _trees(part, depth + 1)
            pending += [part.args, *getattr(part, "decorator_list", ())]
        elif not isinstance(part, ast.ClassDef):
            pending += ast.iter_child_nodes(part)


def _is_of(node: FunctionNode, code: CodeType) -> bool:
    """Tell if a code object was made of this tree. Columns tell several lambdas of a line apart."""
    if isinstance(node, ast.FunctionDef):
        return node.name == code.co_name and first_line(node) == code.co_firstlineno
    if code.co_name != "<lambda>" or node.lineno != code.co_firstlineno:
        return False
    body: Any = node.body
    places: list[Any] = [place for place in code.co_positions() if place[2] is not None and place[3] != 0]
    return bool(places) and all(
        (body.lineno, body.col_offset) <= (first, start)
        and (last, end) <= (body.end_lineno, body.end_col_offset)
        for first, last, start, end in places
    )


_unhooked: dict[int, tuple[weakref.ref[CodeType], CodeType | None]] = {}


def unhooked(code: CodeType) -> CodeType | None:
    """Return the code of a function as the user wrote it, None if it is not known.

    It has the free variables of the code with hooks.
    """
    if HOOKS not in code.co_freevars:
        return None
    known = _unhooked.get(id(code))
    if known is None or known[0]() is not code:
        key = id(code)
        known = weakref.ref(code, lambda _: _unhooked.pop(key, None)), _without_hooks(code)
        _unhooked[key] = known
    return known[1]


def _without_hooks(code: CodeType) -> CodeType | None:
    try:
        node, imports = tree_as_written(code)
        made = compile_in_place(node, code, imports)
        names = set(code.co_freevars).difference(made.co_freevars)
        made = compile_in_place(_with_free(node, names), code, imports)
    except NotFound:
        return None
    if made.co_freevars != code.co_freevars:
        return None
    written(made, node, imports)
    return made


def _with_free(node: FunctionNode, names: set[str]) -> FunctionNode:
    """Return the function with free variables of these names, which it never reads."""
    made: Any = copy.copy(node)
    body: Any = node.body
    if isinstance(node, ast.Lambda):
        at = position(body)
        never: Any = ast.Tuple([ast.Name(name, ast.Load(), **at) for name in names], ast.Load(), **at)
        made.body = ast.IfExp(ast.Constant(True, **at), body, never, **at)
        return made
    first = 1 if ast.get_docstring(node, clean=False) is not None and len(body) > 1 else 0
    at = position(body[first])
    never = [ast.Expr(ast.Name(name, ast.Load(), **at), **at) for name in names]
    made.body = [*body[:first], ast.If(ast.Constant(False, **at), never, [], **at), *body[first:]]
    return made
