"""Decides which Python functions a recording goes into: the user's own, and listed ones of NumPy's.

Functions of other installed libraries are opaque calls.
"""

from __future__ import annotations

import builtins
import enum
import functools
import inspect
import re
import sys
import traceback
import types
import warnings
import weakref
from collections import ChainMap, UserDict, UserList
from collections.abc import Callable, Iterator
from typing import Any

import numpy

from npcompile.frontend.catalog import installed_packages, vectorized_rewrites
from npcompile.frontend.catalog.inlinable import FOLLOWED as _LISTED
from npcompile.frontend.catalog.inlinable_polynomials import CLASSES, INLINABLE_POLYNOMIALS
from npcompile.frontend.ops import numpy_private

# Classes of Python's library that wrap a list or dicts, by methods written in Python.
_WRAPPING: tuple[type, ...] = (UserDict, UserList, ChainMap)  # and their bases: `Mapping.get`
_LISTED_CLASSES = (*CLASSES, *_WRAPPING)

_MADE_BY_PYTHON = 1 << 9  # Py_TPFLAGS_HEAPTYPE


def unwrapped(fn: Any, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """Return the function in a jitted function or a bound method, however nested, and the arguments that it
    gets."""
    while True:
        if hasattr(type(fn), "npcompile_function"):
            fn = fn.npcompile_function()
        elif isinstance(fn, types.MethodType):
            fn, args = fn.__func__, (fn.__self__, *args)
        else:
            return fn, args


def is_users(fn: types.FunctionType) -> bool:
    """Tell if a function's source lies outside the standard library and the installed packages."""
    file = installed_packages.file_of(fn)
    return file is None or installed_packages.is_users_file(file)


_is_users_class: weakref.WeakKeyDictionary[type, bool] = weakref.WeakKeyDictionary()


def note_jitted(obj: object) -> None:
    """Note that a function or a class is jitted: a library that it lies in is the user's code from now on."""
    if installed_packages.adopt(obj):
        _is_users_class.clear()


def is_jitted(kind: type) -> bool:
    """Tell if objects of a class are jitted functions."""
    return hasattr(kind, "npcompile_function")


def is_users_class(kind: type) -> bool:
    """Tell if a class was written by the user, or is a listed one whose methods are recorded as well."""
    if kind in _LISTED_CLASSES:
        return True
    if not kind.__flags__ & _MADE_BY_PYTHON:
        return False
    known = _is_users_class.get(kind)
    if known is None:  # members of an enumeration are values
        known = _is_users_class[kind] = is_written_by_user(kind) and not issubclass(kind, enum.Enum)
    return known


def is_written_by_user(kind: type) -> bool:
    """Tell if a class statement of the user's made a class."""
    if not kind.__flags__ & _MADE_BY_PYTHON:
        return False
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    return _is_users_by_methods(kind, module) if file is None else installed_packages.is_users_file(file)


def _is_users_by_methods(kind: type, module: Any) -> bool:
    """Tell if a class is the user's where its module has no file, or is not in `sys.modules`."""
    for found in vars(kind).values():
        method = getattr(found, "__wrapped__", found)  # the plain function of a jitted one
        if isinstance(method, types.FunctionType):
            return is_users(method)
    return module is None or kind.__module__ == "__main__"


def is_called_by_users(obj: Any) -> bool:
    """Tell if calling this object runs `obj.__call__`, which the user wrote or jitted.

    The object is an instance of a class with `__call__`.
    """
    called: Any = getattr(type(obj), "__call__", None)  # noqa: B004
    if hasattr(type(called), "npcompile_function"):
        called = called.npcompile_function()
    if not isinstance(called, types.FunctionType) or not (is_users(called) or is_listed_method(called)):
        return False
    if "__call__" in getattr(obj, "__dict__", ()):
        return False  # an attribute by that name, which a call does not see
    return is_steady(type(obj), called)


# Classes that are made inside functions, by the code of a method of theirs.
_kinds: dict[types.CodeType, list[weakref.ref[type]]] = {}
MAX_CLASSES = 2


def is_steady(kind: type, method: types.FunctionType) -> bool:
    """Tell if objects of this class have one signature at each call.

    Where a function makes a class anew each time it runs, only the first few classes are steady.
    """
    if "<locals>" not in kind.__qualname__:
        return True
    known = _kinds.setdefault(method.__code__, [])
    if any(ref() is kind for ref in known):
        return True
    if len(known) >= MAX_CLASSES:
        return False
    known.append(weakref.ref(kind))
    return True


# The id of a NumPy function -> the Python function that NumPy wrote for it.
FOLLOWED: dict[int, types.FunctionType] = {
    id(function): source
    for function in (*_LISTED, *INLINABLE_POLYNOMIALS)
    if (source := numpy_private.implementation(function)) is not None
}


def _methods(kind: type) -> Iterator[types.CodeType]:
    for found in vars(kind).values():
        if isinstance(found, property):
            yield from (one.__code__ for one in (found.fget, found.fset) if one is not None)
        elif isinstance(found := getattr(found, "__func__", found), types.FunctionType):
            yield found.__code__


def _ordering_methods() -> Iterator[types.CodeType]:
    """Yield the methods that `functools.total_ordering` gives a class."""
    for name in ("__lt__", "__le__", "__gt__", "__ge__"):
        kind = type("Kind", (), {name: None, "__eq__": None})
        yield from _methods(functools.total_ordering(kind))


# NumPy's class that gives its subclasses the operators of arrays.
OPERATORS = numpy.lib.mixins.NDArrayOperatorsMixin

_METHODS = frozenset(
    code
    for kind in (*_LISTED_CLASSES, OPERATORS)
    for base in kind.__mro__
    if base is not object
    for code in _methods(base)
) | frozenset(_ordering_methods())


def is_listed_method(fn: types.FunctionType) -> bool:
    """Tell if this is a method of NumPy's or of Python's library that a recording goes into."""
    return fn.__code__ in _METHODS


def is_numpys(space: dict[str, Any]) -> bool:
    """Tell if these are the globals of one of NumPy's own modules, or of `vectorized_rewrites.py`."""
    name = space.get("__name__")
    if space is _REWRITES:
        return True
    return isinstance(name, str) and (name == "numpy" or name.startswith("numpy."))


_REWRITES = vars(vectorized_rewrites)


def is_of_others(obj: Any) -> bool:
    """Tell if a function, or the object whose method is called, is of another library and written in
    Python."""
    if isinstance(obj, types.FunctionType):
        return not is_users(obj) and not is_numpys(obj.__globals__)
    kind = type(obj)
    if hasattr(kind, "npcompile_function") or is_users_class(kind):
        return False
    return kind.__flags__ & _MADE_BY_PYTHON != 0 and not is_numpys({"__name__": kind.__module__})


# Functions that tell a function who called it.
_CALLERS: tuple[Any, ...] = (sys._getframe, inspect.currentframe, inspect.stack, traceback.extract_stack)
_CALLERS += (traceback.format_stack, traceback.print_stack, traceback.walk_stack, breakpoint)
# Callables that look up their caller's variables where they are given a text of names.
_OF_TEXTS: tuple[Any, ...] = (numpy.bmat, numpy.r_, numpy.c_)


def looks_at_callers(fn: types.FunctionType) -> bool:
    """Tell if a function asks who called it, or has a logger do so (`stacklevel=2`).

    Called as it is, from a frame like that of its caller, it sees that caller. `warnings.warn` has a
    replacement of its own.
    """
    if looks_at_frames(fn):
        return True
    constants = fn.__code__.co_consts  # names of arguments: in tuples, or one by one beside `*args`
    named = any(one == "stacklevel" or (type(one) is tuple and "stacklevel" in one) for one in constants)
    return named and not _reaches(fn, (warnings.warn,))


def looks_at_frames(fn: types.FunctionType) -> bool:
    """Tell if a function asks for its own frame, or its callers': rewritten, it would find other frames
    there.

    NumPy's own functions do for texts that name variables (`np.r_["a,b"]`).
    """
    if is_numpys(fn.__globals__):
        return False
    debugger = sys.modules.get("pdb")  # which few import
    callers = _CALLERS if debugger is None else (*_CALLERS, debugger.set_trace)
    return _reaches(fn, callers) or (
        _reaches(fn, _OF_TEXTS) and any(map(_names_in(fn), fn.__code__.co_consts))
    )


def _names_in(fn: types.FunctionType) -> Callable[[Any], bool]:
    """Return the predicate that tells if a constant is a text of nothing but names of a function's
    variables."""
    code = fn.__code__
    names = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}

    def is_such(constant: Any) -> bool:
        return isinstance(constant, str) and names.issuperset(re.split(r"[,;\s]+", constant.strip()))

    return is_such


def _reaches(fn: types.FunctionType, functions: tuple[Any, ...]) -> bool:
    """Tell if one of these functions is a global of a function's, or an attribute of a module that is."""
    names = fn.__code__.co_names
    spaces = fn.__globals__, vars(builtins)
    held = [space[name] for name in names for space in spaces if name in space]
    # Not by `getattr`: a module may warn of a name that it no longer has.
    held += [vars(one).get(name) for one in held if isinstance(one, types.ModuleType) for name in names]
    # Loops, since this is done at each first call: a generator would be entered for each pair.
    for one in held:
        for function in functions:
            if one is function:
                return True
    return False


def key_of(fn: types.FunctionType) -> Any:
    """Return the key under which a function's programs are kept.

    Functions that one `def` inside a function makes share their programs, but for methods with `super()`,
    which belong to one class each.
    """
    code = fn.__code__
    if code.co_flags & inspect.CO_NESTED and code.co_freevars != ("__class__",):
        return code, code.co_filename, id(fn.__globals__)
    return fn
