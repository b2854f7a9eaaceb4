"""Tells which jitted functions code may call by itself, from the names in it.

`profile.py` asks it of functions that no sample has met; samples tell of all others. Names are looked up
where the code finds them, and in the user's plain functions that it names, but not in jitted ones. A name
that cannot be looked up, such as an attribute of an argument, stands for any function of that name.
"""

from __future__ import annotations

import dis
import inspect
import sys
import types
from collections import ChainMap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from npcompile.frontend.catalog.inlining import is_users_class
from npcompile.frontend.catalog.installed_packages import is_users_file
from npcompile.jit import Jitted
from npcompile.partition.root_function import RootFunction

_BOUND = (types.MethodType, staticmethod, classmethod)
_MISSING = object()


@dataclass(frozen=True)
class Place:
    """An instruction of code that runs."""

    code: types.CodeType
    offset: int


@dataclass(frozen=True)
class Named:
    """The jitted functions that code names, and those of its names that cannot be looked up."""

    functions: frozenset[RootFunction]
    unknown: frozenset[str]

    def __contains__(self, jitted: RootFunction) -> bool:
        return jitted in self.functions or jitted.__wrapped__.__name__ in self.unknown


def users_place() -> Place | None:
    """Return the place that the user's innermost frame is at."""
    frame = _users_frame()
    return None if frame is None else Place(frame.f_code, frame.f_lasti)


def named_since(began: Place | None) -> Named:
    """Return what the user's innermost frame names between a place in its code and the one it is at now."""
    frame = _users_frame()
    if frame is None:
        return Named(frozenset(), frozenset())
    code, first, last = frame.f_code, 0, len(frame.f_code.co_code)
    if began is not None and began.code is code and began.offset < frame.f_lasti:
        first, last = began.offset, frame.f_lasti
    return _named(set(_loaded(code, first, last)), ChainMap(frame.f_locals, frame.f_globals))


def named_by(jitted: RootFunction) -> Named:
    """Return what a jitted function names."""
    fn = jitted.__wrapped__
    assert isinstance(fn, types.FunctionType)
    return _named(set(_names(fn.__code__)), _scope(fn))


def _users_frame() -> types.FrameType | None:
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and not is_users_file(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def _loaded(code: types.CodeType, first: int, last: int) -> Iterator[str]:
    """Yield the names that a part of code loads, and all names of code within it."""
    for step in dis.get_instructions(code):
        if not first <= step.offset <= last or "LOAD_" not in step.opname:
            continue
        if isinstance(step.argval, types.CodeType):
            yield from _names(step.argval)
        elif step.opname != "LOAD_CONST":  # an instruction may load two variables
            values = step.argval if isinstance(step.argval, tuple) else (step.argval,)
            yield from (value for value in values if isinstance(value, str))


def _names(code: types.CodeType) -> Iterator[str]:
    """Yield the outer names and the attributes in code, and in code within it."""
    yield from code.co_names
    yield from code.co_freevars
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from _names(const)


def _scope(fn: types.FunctionType) -> Mapping[str, Any]:
    cells = {}
    for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True):
        try:
            cells[name] = cell.cell_contents
        except ValueError:  # it has none yet
            continue
    return ChainMap(cells, fn.__globals__)


def _named(names: set[str], scope: Mapping[str, Any]) -> Named:
    found: set[RootFunction] = set()
    unknown: set[str] = set()
    seen: set[types.CodeType] = set()
    pending = [(names, scope)]
    while pending:
        names, scope = pending.pop()
        unknown |= names
        for name, value in _values(names, scope):
            unknown.discard(name)
            if isinstance(value, Jitted):
                found.add(value.npcompile_root())
            elif isinstance(value, types.FunctionType) and value.__code__ not in seen:
                if is_users_file(value.__code__.co_filename):
                    seen.add(value.__code__)
                    pending.append((set(_names(value.__code__)), _scope(value)))
    return Named(frozenset(found), frozenset(unknown))


def _values(names: set[str], scope: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the names that have a value, and their values: in a scope, and as attributes of such values."""
    looked_into: dict[int, Any] = {}
    pending = [(name, scope[name]) for name in names if name in scope]
    while pending:
        name, value = pending.pop()
        value = value.__func__ if isinstance(value, _BOUND) else value
        yield name, value
        if id(value) not in looked_into and _has_users_attributes(value):
            looked_into[id(value)] = value
            attributes = ((inner, inspect.getattr_static(value, inner, _MISSING)) for inner in names)
            pending += [(inner, attribute) for inner, attribute in attributes if attribute is not _MISSING]


def _has_users_attributes(value: Any) -> bool:
    """Tell if an object is a module or a class of the user's, or an instance of such a class."""
    if isinstance(value, types.ModuleType):
        file = vars(value).get("__file__")
        return isinstance(file, str) and is_users_file(file)
    return is_users_class(value if isinstance(value, type) else type(value))
