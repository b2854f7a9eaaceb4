"""Functions that come to a process by value, again and again: each time the same jitted function answers.

Dask, joblib and others pickle functions of the main program by value, with each task. A task that made a
jitted function of its own would record it, and none would ever be replayed. The texts of their files come
with them: the process has no file of a notebook's cell, and from cloudpickle 3.1.3 on, code names no file.
"""

from __future__ import annotations

import dis
import os
import threading
import types
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from npcompile.frontend.rewrite import source_texts

MAX_KNOWN = 128  # functions that are kept, those that came last

# Code with such names or instructions may use, or change, what the names in it do not show.
_NAMES = frozenset(["eval", "exec", "globals", "locals", "vars"])
_STORES = frozenset(["STORE_GLOBAL", "DELETE_GLOBAL"])
_OF_CELLS = frozenset(["STORE_DEREF", "DELETE_DEREF"])
_BY_EQUALITY = (int, bool, str, bytes, type(None), type(Ellipsis), range, type(np.dtype(float)), np.dtype)
_NOTHING = object()

_known: OrderedDict[Any, Any] = OrderedDict()
_lock = threading.Lock()


def _anew() -> None:
    """A forked child may find the lock held by a thread that it does not have."""
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_anew)


def texts_of(fn: Any) -> tuple[bytes, ...]:
    """Return the texts that the code of a function was compiled from, and those of functions and classes that
    it refers to and that are pickled by value as well."""
    found: dict[bytes, None] = {}
    seen: set[int] = set()
    pending = [fn]
    while pending:
        one = pending.pop()
        if id(one) in seen or not (one is fn or _goes_by_value(one)):
            continue
        seen.add(id(one))
        if isinstance(one, type):
            pending += vars(one).values()
        elif isinstance(one, staticmethod | classmethod):
            pending.append(one.__func__)
        elif isinstance(one, property):
            pending += [one.fget, one.fset]
        elif type(one) is types.FunctionType:
            for lines in source_texts.texts(one.__code__, one.__globals__):
                found[source_texts.packed(lines)] = None
            names = {name for code in _codes(one.__code__) for name in code.co_names}
            pending += [one.__globals__.get(name) for name in names]
            pending += [*map(_content, one.__closure__ or ()), *(one.__defaults__ or ())]
    return tuple(found)


def _goes_by_value(one: Any) -> bool:
    if isinstance(one, staticmethod | classmethod | property):
        return True
    if not isinstance(one, types.FunctionType | type):
        return False
    return one.__module__ == "__main__" or "<locals>" in one.__qualname__ or "<lambda>" in one.__qualname__


def arrived(fn: Any, texts: tuple[bytes, ...], options: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    """Return the jitted function of an earlier arrival of the same function, or else `make()`.

    texts: `texts_of` the function.

    Functions are the same if their code is, and all that it refers to: numbers, texts, tuples of these, and
    functions are compared; all else has to be the same object. A function that changes what it refers to is
    none of them: each arrival of it has its own.
    """
    with _lock:
        for text in texts:
            source_texts.bring(text)
    if type(fn) is not types.FunctionType or not _is_steady(fn.__code__):
        return make()
    key = fn.__code__, fn.__code__.co_filename, fn.__module__, fn.__qualname__, options
    with _lock:
        known = _known.get(key)
        if known is not None and _same_function(known.__wrapped__, fn, {}):
            _known.move_to_end(key)
            return known
        if not _same_function(fn, fn, {}):  # it refers to what may change
            return make()
        made = _known[key] = make()
        _known.move_to_end(key)
        if len(_known) > MAX_KNOWN:
            _known.popitem(last=False)
        return made


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _is_steady(code: types.CodeType) -> bool:
    """Tell if code leaves the globals and cells that it finds as they are, and names all that it uses."""
    for one in _codes(code):
        if not _NAMES.isdisjoint(one.co_names):
            return False
        for step in dis.get_instructions(one):
            if step.opname in _STORES or (step.opname in _OF_CELLS and step.argval in code.co_freevars):
                return False
    return True


def _same_function(one: Any, other: Any, seen: dict[tuple[int, int], bool]) -> bool:
    """Tell if two functions do the same, whichever is called. Of one function: if nothing it refers to may
    change."""
    if one.__code__ != other.__code__ or one.__code__.co_filename != other.__code__.co_filename:
        return False
    if not _is_steady(one.__code__):
        return False
    place = id(one), id(other)
    if place in seen:
        return True
    seen[place] = True
    names = {name for code in _codes(one.__code__) for name in code.co_names}
    pairs: list[tuple[Any, Any]] = [
        (one.__defaults__, other.__defaults__),
        *_by_key(one.__kwdefaults__ or {}, other.__kwdefaults__ or {}),
        *_by_key(vars(one), vars(other)),
        *((one.__globals__.get(name, _NOTHING), other.__globals__.get(name, _NOTHING)) for name in names),
        *zip(map(_content, one.__closure__ or ()), map(_content, other.__closure__ or ()), strict=True),
    ]
    return all(_same(a, b, seen) for a, b in pairs)


def _by_key(one: dict[str, Any], other: dict[str, Any]) -> list[tuple[Any, Any]]:
    return [(one.get(key, _NOTHING), other.get(key, _NOTHING)) for key in {*one, *other}]


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it is given its content later
        return _NOTHING


def _same(one: Any, other: Any, seen: dict[tuple[int, int], bool]) -> bool:
    """Tell if one value may stand for another, now and later."""
    kind = type(one)
    if kind is not type(other):
        return False
    if isinstance(one, _BY_EQUALITY):
        return bool(one == other)
    if kind is float or kind is complex or isinstance(one, np.generic):
        return (
            np.asarray(one).tobytes() == np.asarray(other).tobytes() and not np.asarray(one).dtype.hasobject
        )
    if kind is tuple:
        return len(one) == len(other) and all(_same(a, b, seen) for a, b in zip(one, other, strict=True))
    if kind is types.FunctionType:
        return _same_function(one, other, seen)
    return one is other and _stays(one)


def _stays(value: Any) -> bool:
    """Tell if an object is what it is in every arrival: modules, classes and functions are."""
    if value is _NOTHING or isinstance(value, types.ModuleType | type | types.BuiltinFunctionType | np.ufunc):
        return True
    return hasattr(type(value), "npcompile_function") or isinstance(value, type(np.sum))
