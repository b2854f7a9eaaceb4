"""Keeps the identity of literals: code that is compiled anew loads the very objects that the user's code
loads.

Rewritten functions and programs go through `with_literals`: of a function that returns 1000, or (1, 2), `f()
is f()` holds. Small ints and names are one object anyway; the compiler makes a new one of any other literal.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from types import CodeType
from typing import Any

_KINDS = frozenset((int, float, complex, str, bytes, tuple, frozenset))


def key_of(value: Any) -> Any:
    """Return the key by which the compiler tells equal literals apart: 0.0, -0.0, 0 and False are four."""
    kind = type(value)
    if kind is tuple:
        return kind, *map(key_of, value)
    if kind is frozenset:
        return kind, frozenset(map(key_of, value))
    return kind, repr(value)


def literals(code: CodeType) -> list[Any]:
    """Return the literals in a code object, and in those within."""
    found: list[Any] = []
    for const in code.co_consts:
        if isinstance(const, CodeType):
            found += literals(const)
        elif type(const) in _KINDS:
            found.append(const)
            if type(const) in (tuple, frozenset):
                found += _items(const)
    return found


def _items(const: Any) -> list[Any]:
    found: list[Any] = []
    for item in const:
        if type(item) in _KINDS:
            found.append(item)
            if type(item) in (tuple, frozenset):
                found += _items(item)
    return found


def table(values: Iterable[Any]) -> dict[Any, Any]:
    """Return literals by `key_of`; of equal ones the first.

    Other values, such as tuples that hold the user's objects, are left out.
    """
    known: dict[Any, Any] = {}
    for value in values:
        if _is_literal(value):
            known.setdefault(key_of(value), value)
    return known


def literal_of(value: tuple[Any, ...], known: dict[Any, Any]) -> Any:
    """Return the known literal that is equal to a tuple, None if there is none."""
    return known.get(key_of(value)) if _is_literal(value) else None


def _is_literal(value: Any) -> bool:
    if type(value) in (tuple, frozenset):
        return all(map(_is_literal, value))
    return value is None or type(value) is bool or type(value) in _KINDS


def with_literals_of(code: CodeType, original: CodeType) -> CodeType:
    """Return the code object, and those within, with the literals of another one where they are equal."""
    return with_literals(code, table(literals(original)))


def with_literals(code: CodeType, known: dict[Any, Any]) -> CodeType:
    """Return the code object, and those within, with these objects for their literals."""
    consts = tuple([_replaced(const, known) for const in code.co_consts])
    if all(map(operator.is_, consts, code.co_consts)):
        return code
    return code.replace(co_consts=consts)


def _replaced(const: Any, known: dict[Any, Any]) -> Any:
    if isinstance(const, CodeType):
        return with_literals(const, known)
    if type(const) not in _KINDS:
        return const
    found = known.get(key_of(const), const)
    if found is const and type(const) is tuple:
        items = tuple([_replaced(item, known) for item in const])
        if not all(map(operator.is_, items, const)):
            return items
    return found
