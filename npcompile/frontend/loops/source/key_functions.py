"""Tells which lambdas are keys, `sorted(xs, key=lambda x: ...)`, and writes keys as expressions of an item.

A region holds them: nothing but the very call calls them.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable

_TAKING = frozenset(("max", "min", "sorted"))
KEYED = ".keyed"  # the name of the item whose key it is


def keys_in(parts: Iterable[ast.AST]) -> set[ast.AST]:
    """Return the lambdas of one plain parameter that are keys, of the calls among some nodes."""
    calls = [part for part in parts if isinstance(part, ast.Call) and part.keywords]
    return {
        one.value
        for call in calls
        if _takes_key(call.func)
        for one in call.keywords
        if one.arg == "key" and isinstance(one.value, ast.Lambda) and _parameter(one.value) is not None
    }


def _takes_key(function: ast.expr) -> bool:
    if isinstance(function, ast.Attribute):
        return function.attr == "sort"
    return isinstance(function, ast.Name) and function.id in _TAKING


def _parameter(key: ast.Lambda) -> str | None:
    """Return the name of a lambda's one parameter; None where it has others."""
    given = key.args
    if given.vararg or given.kwarg or given.kwonlyargs or given.defaults:
        return None
    names = [one.arg for one in (*given.posonlyargs, *given.args)]
    return names[0] if len(names) == 1 else None


def key_of(call: ast.Call) -> ast.expr | None:
    """Return the key that a call is given."""
    return next((one.value for one in call.keywords if one.arg == "key"), None)


def applied(key: ast.expr) -> ast.expr | None:
    """Return the expression of a key for the item `KEYED`; None where comprehensions in it bind its name."""
    item = ast.copy_location(ast.Name(KEYED, ast.Load()), key)
    if not isinstance(key, ast.Lambda):
        return ast.copy_location(ast.Call(key, [item], []), key)
    name = _parameter(key)
    parts = [part for part in ast.walk(key.body) if isinstance(part, ast.Name) and part.id == name]
    if name is None or not all(isinstance(part.ctx, ast.Load) for part in parts):
        return None
    body: ast.expr = copy.deepcopy(key.body)
    for part in ast.walk(body):
        if isinstance(part, ast.Name) and part.id == name:
            part.id = KEYED
    return body
