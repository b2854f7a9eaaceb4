"""Writes the unpacking of a tuple to targets of which one, `*rest`, takes a list of what is left over."""

from __future__ import annotations

import ast

from npcompile.frontend.loops.language import Outside
from npcompile.lower.loops.types import Either, Tuple, Type


def unstarred(targets: list[ast.expr], kind: Type, whole: str) -> list[tuple[ast.expr, ast.expr]]:
    """Return the targets, without stars, and what each is assigned.

    kind: the type of the value that is unpacked. whole: the name that holds it. Raises Outside.
    """
    if not isinstance(kind, Tuple) or (more := len(kind.items) - len(targets) + 1) < 0:
        raise Outside(f"unpacking of {kind}")
    if any(isinstance(item, Either) for item in kind.items):  # the name of the whole is this block's alone
        raise Outside(f"starred unpacking of {kind}")
    made: list[tuple[ast.expr, ast.expr]] = []
    place = 0
    for target in targets:
        if isinstance(target, ast.Starred):
            items = [_item(whole, one, target) for one in range(place, place + more)]
            made.append((target.value, ast.copy_location(ast.List(items, ast.Load()), target)))
            place += more
        else:
            made.append((target, _item(whole, place, target)))
            place += 1
    return made


def _item(whole: str, place: int, target: ast.expr) -> ast.expr:
    name, index = ast.Name(whole, ast.Load()), ast.Constant(place)
    for node in (name, index):
        ast.copy_location(node, target)
    return ast.copy_location(ast.Subscript(name, index, ast.Load()), target)
