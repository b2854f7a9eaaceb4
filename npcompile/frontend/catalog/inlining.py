"""Which Python functions a recording goes into: the user's own, and listed ones of NumPy's.

Other installed libraries are opaque calls.
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
from npcompile.frontend.catalog.inlinable_polynomials import CLASSES, SERIES
from npcompile.frontend.ops import numpy_private

# Classes of Python's library that wrap a list or dicts, by methods written in Python.
_WRAPPING: tuple[type, ...] = (UserDict, UserList, ChainMap)  # and what these are made of: `Mapping.get`
_LISTED_CLASSES = (*CLASSES, *_WRAPPING)

_MADE_BY_PYTHON = 1 << 9  # Py_TPFLAGS_HEAPTYPE


def unwrapped(fn: Any, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """The function in a jitted function or a bound method, however nested, and the arguments that it gets."""
    while True:
        if hasattr(type(fn), "npcompile_function"):
            fn = fn.npcompile_function()
        elif isinstance(fn, types.MethodType):
            fn, args = fn.__func__, (fn.__self__, *args)
        else:
            return fn, args


def is_users(fn: types.FunctionType) -> bool:
    """Whether this function's source lies outside the standard library and the installed packages."""
    file = installed_packages.file_of(fn)
    return file is None or installed_packages.is_users_file(file)


_users: weakref.WeakKeyDictionary[type, bool] = weakref.WeakKeyDictionary()


def jits(obj: object) -> None:
    """A function or a class is jitted: a library that it lies in is the user's code from now on."""
    if installed_packages.adopt(obj):
        _users.clear()


def is_users_class(kind: type) -> bool:
    """Whether a class was written by the user, neither built in nor in an installed module, or is followed as
    if it were."""
    if kind in _LISTED_CLASSES:
        return True
    if not kind.__flags__ & _MADE_BY_PYTHON:
        return False
    known = _users.get(kind)
    if known is None:
        module = sys.modules.get(kind.__module__)
        file = getattr(module, "__file__", None)
        known = _is_users_by_methods(kind, module) if file is None else installed_packages.is_users_file(file)
        known = _users[kind] = known and not issubclass(kind, enum.Enum)  # its members are values
    return known


def _is_users_by_methods(kind: type, module: Any) -> bool:
    """The same of a class whose module has no file, or was loaded without a name in `sys.modules`."""
    for found in vars(kind).values():
        method = getattr(found, "__wrapped__", found)  # what is jitted
        if isinstance(method, types.FunctionType):
            return is_users(method)
    return module is None or kind.__module__ == "__main__"


def is_called_by_users(obj: Any) -> bool:
    """Whether calling this object runs a method that the user wrote (or jitted), and `obj.__call__` is it: it
    is an instance of a class with `__call__`."""
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
FEW = 2


def is_steady(kind: type, method: types.FunctionType) -> bool:
    """Whether objects of this class are the same signature at each call: where a function makes a class anew
    each time it runs, only the first few are."""
    if "<locals>" not in kind.__qualname__:
        return True
    known = _kinds.setdefault(method.__code__, [])
    if any(ref() is kind for ref in known):
        return True
    if len(known) >= FEW:
        return False
    known.append(weakref.ref(kind))
    return True


# id of a NumPy function -> the Python function that NumPy wrote for it.
FOLLOWED: dict[int, types.FunctionType] = {
    id(function): source
    for function in (*_LISTED, *SERIES)
    if (source := numpy_private.implementation(function)) is not None
}


def _methods(kind: type) -> Iterator[types.CodeType]:
    for found in vars(kind).values():
        if isinstance(found, property):
            yield from (one.__code__ for one in (found.fget, found.fset) if one is not None)
        elif isinstance(found := getattr(found, "__func__", found), types.FunctionType):
            yield found.__code__


def _orders() -> Iterator[types.CodeType]:
    """The methods that `functools.total_ordering` gives a class."""
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
) | frozenset(_orders())


def is_listed_method(fn: types.FunctionType) -> bool:
    """Whether this is a method of NumPy's or of Python's library that a recording goes into."""
    return fn.__code__ in _METHODS


def is_numpys(space: dict[str, Any]) -> bool:
    """Whether these are the globals of one of NumPy's own modules, or of what stands for its functions."""
    name = space.get("__name__")
    if space is _RESTATED:
        return True
    return isinstance(name, str) and (name == "numpy" or name.startswith("numpy."))


_RESTATED = vars(vectorized_rewrites)


def is_of_others(obj: Any) -> bool:
    """Whether a function, or an object whose method is called, is of another library, written in Python."""
    if isinstance(obj, types.FunctionType):
        return not is_users(obj) and not is_numpys(obj.__globals__)
    kind = type(obj)
    if hasattr(kind, "npcompile_function") or is_users_class(kind):
        return False
    return kind.__flags__ & _MADE_BY_PYTHON != 0 and not is_numpys({"__name__": kind.__module__})


# What tells a function who called it.
_CALLERS: tuple[Any, ...] = (sys._getframe, inspect.currentframe, inspect.stack, traceback.extract_stack)
_CALLERS += (traceback.format_stack, traceback.print_stack, traceback.walk_stack, breakpoint)
# What looks its caller's variables up where it is given their names in a text.
_OF_TEXTS: tuple[Any, ...] = (numpy.bmat, numpy.r_, numpy.c_)


def looks_at_callers(fn: types.FunctionType) -> bool:
    """Whether a function asks who called it, or has a logger do so (`stacklevel=2`): called as it is, from a
    frame like that of its caller, it sees what it would see. `warnings.warn` is seen to by itself."""
    if looks_at_frames(fn):
        return True
    constants = fn.__code__.co_consts  # names of arguments: in tuples, or one by one beside `*args`
    named = any(one == "stacklevel" or (type(one) is tuple and "stacklevel" in one) for one in constants)
    return named and not _reaches(fn, (warnings.warn,))


def looks_at_frames(fn: types.FunctionType) -> bool:
    """Whether a function asks for its own frame, or its callers': rewritten, it would find others there.
    NumPy's own do for texts that name variables (`np.r_["a,b"]`)."""
    if is_numpys(fn.__globals__):
        return False
    debugger = sys.modules.get("pdb")  # which few import
    callers = _CALLERS if debugger is None else (*_CALLERS, debugger.set_trace)
    return _reaches(fn, callers) or (
        _reaches(fn, _OF_TEXTS) and any(map(_names_in(fn), fn.__code__.co_consts))
    )


def _names_in(fn: types.FunctionType) -> Callable[[Any], bool]:
    """Whether a constant is a text that names variables of a function's, and nothing else."""
    code = fn.__code__
    names = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}

    def is_such(constant: Any) -> bool:
        return isinstance(constant, str) and names.issuperset(re.split(r"[,;\s]+", constant.strip()))

    return is_such


def _reaches(fn: types.FunctionType, functions: tuple[Any, ...]) -> bool:
    """Whether one of these is a global name of a function's, or an attribute of a module that is."""
    names = fn.__code__.co_names
    spaces = fn.__globals__, vars(builtins)
    held = [space[name] for name in names for space in spaces if name in space]
    # Not by `getattr`: a module may warn of a name that it no longer has.
    held += [vars(one).get(name) for one in held if isinstance(one, types.ModuleType) for name in names]
    return any(one is function for one in held for function in functions)


def key_of(fn: types.FunctionType) -> Any:
    """What a function's programs are kept by: those that one `def` inside a function makes have theirs in
    common, methods with `super()` apart, which are of one class each."""
    code = fn.__code__
    if code.co_flags & inspect.CO_NESTED and code.co_freevars != ("__class__",):
        return code, id(fn.__globals__)
    return fn
