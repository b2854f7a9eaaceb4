"""Tells by the arguments of a call if a function has loops over more items than a recording follows.

`runtime/` asks before it records a first call: a function that is cut at once may go on natively in its
loops.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any

import numpy as np

from npcompile.frontend.rewrite.kept_trees import own_nodes
from npcompile.frontend.rewrite.partition import tree_of
from npcompile.frontend.rewrite.scopes import body_of
from npcompile.frontend.rewrite.source import NotFound
from npcompile.frontend.rewrite.statement_forms import MAX_OWN_TRIPS, UNROLLED, is_short

_OF_ITERABLES = frozenset(("enumerate", "reversed", "sorted", "zip"))
_OF_DICTS = frozenset(("items", "keys", "values"))
_CONTAINERS = (list, tuple, dict, set, frozenset, str, bytes, bytearray)


def goes_over_many(fn: FunctionType, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
    """Tell if a loop of a function goes over an argument of more items than a recording follows."""
    try:
        node, _ = tree_of(fn)
    except NotFound:
        return False
    code = fn.__code__
    given = dict(zip(code.co_varnames[: code.co_argcount], args, strict=False)) | dict(kwargs)
    return any(
        _is_long(given.get(name))
        for part in own_nodes(body_of(node))
        if isinstance(part, ast.comprehension) or (isinstance(part, ast.For) and not is_short(part))
        for name in _gone_over(part.iter)
    )


def _gone_over(node: ast.expr) -> Iterator[str]:
    """Yield the names of which a loop over an expression takes the items."""
    match node:
        case ast.Name(id=name):
            yield name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in _OF_DICTS:
            yield name
        case ast.Call(func=ast.Name(id=function), args=arguments) if function in _OF_ITERABLES:
            for argument in arguments:
                yield from _gone_over(argument)


def _is_long(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim > 0 and len(value) > UNROLLED
    return isinstance(value, _CONTAINERS) and len(value) > MAX_OWN_TRIPS
