"""Tells which functions call installed libraries, by the names in their code; no source is parsed.

The first calls of such a function are the function's own: most of their time is the libraries', and cutting
it takes as long as many of its calls do.
"""

from __future__ import annotations

from types import CodeType, FunctionType, ModuleType
from typing import Any

from npcompile.frontend.catalog.inlining import is_users, is_users_class
from npcompile.frontend.catalog.installed_packages import is_library
from npcompile.frontend.ops.table import TABLE

MAX_FUNCTIONS = 64  # whose names are looked up


def is_as_it_is(found: Any) -> bool:
    """Tell if a callable is an installed library's and no op."""
    return is_library(found) and not hasattr(type(found), "npcompile_function") and TABLE.of(found) is None


def calls_libraries(fn: Any) -> bool:
    """Tell if a function, or one of the user's that it names, names a callable of a library's."""
    looked_into: set[CodeType] = set()
    left = [fn]
    while left and len(looked_into) < MAX_FUNCTIONS:
        one = left.pop()
        if hasattr(type(one), "npcompile_function"):
            one = one.npcompile_function()
        if isinstance(one, type) and is_users_class(one):
            left += vars(one).values()
        elif isinstance(one, FunctionType) and is_users(one):
            if one.__code__ not in looked_into:
                looked_into.add(one.__code__)
                left += _named(one)
        elif callable(one) and is_as_it_is(one):
            return True
    return False


def _named(fn: FunctionType) -> list[Any]:
    """Return the values of the names in a function's code: outer names, and attributes of modules."""
    values = []
    for cell in fn.__closure__ or ():
        try:
            values.append(cell.cell_contents)
        except ValueError:  # it has none yet
            continue
    codes = [fn.__code__]
    while codes:
        code = codes.pop()
        codes += [const for const in code.co_consts if isinstance(const, CodeType)]
        for name in code.co_names:
            found = fn.__globals__.get(name)
            values.append(found)
            if isinstance(found, ModuleType):
                values += _attributes(found, code.co_names)
    return values


def _attributes(module: ModuleType, names: tuple[str, ...]) -> list[Any]:
    """Return the attributes of a module, and of modules in it, that have one of these names."""
    values = []
    for name in names:
        found = vars(module).get(name)
        values.append(found)
        if isinstance(found, ModuleType) and found is not module:
            values += [vars(found).get(inner) for inner in names]
    return values
