"""Dunder calls: an array's special method, called by its name (`a.__add__(b)`), is recorded as its operator.

The registry lists the two handlers. Calls with other operands than arrays and numbers are left alone.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np

from npcompile.frontend.catalog.python_operators import BINARY, INPLACE
from npcompile.frontend.program.array_facts import is_numpy
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.special_methods import COMPARED, NAMES, UNARY

_Handler = Callable[[Any, tuple[Any, ...]], Any]
_OWN = vars(np.ndarray)


def _listed() -> dict[Any, tuple[int, _Handler]]:
    """Return, by the function in the class, its number of operands (0: any) and the hook that does it."""

    def left(symbol: str) -> _Handler:
        return lambda hooks, args: hooks.binary(symbol, *args)

    def right(symbol: str) -> _Handler:
        return lambda hooks, args: hooks.binary(symbol, *reversed(args))

    def inplace(symbol: str) -> _Handler:
        return lambda hooks, args: hooks.inplace(symbol, *args)

    def compare(symbol: str) -> _Handler:
        return lambda hooks, args: hooks.compare(symbol, *args)

    def unary(symbol: str) -> _Handler:
        return lambda hooks, args: hooks.unary(symbol, *args)

    def called(function: Any) -> _Handler:
        return lambda hooks, args: hooks.call(function, *args)

    found: dict[Any, tuple[int, _Handler]] = {}
    for symbol in BINARY:
        found[_OWN[f"__{NAMES[symbol]}__"]] = 2, left(symbol)
        found[_OWN[f"__r{NAMES[symbol]}__"]] = 2, right(symbol)
    for symbol in INPLACE:
        found[_OWN[f"__i{NAMES[symbol]}__"]] = 2, inplace(symbol)
    for symbol, name in COMPARED.items():
        found[_OWN[name]] = 2, compare(symbol)
    for symbol, name in UNARY.items():
        found[_OWN[name]] = 1, unary(symbol)
    for function in (abs, len, int, float, complex, bool):
        found[_OWN[f"__{function.__name__}__"]] = 1, called(function)
    found[_OWN["__divmod__"]] = 2, called(divmod)
    found[_OWN["__contains__"]] = 2, lambda hooks, args: hooks.compare("in", args[1], args[0])
    found[_OWN["__getitem__"]] = 0, lambda hooks, args: hooks.getitem(*args)
    found[_OWN["__setitem__"]] = 0, lambda hooks, args: hooks.setitem(*args)
    return found


_LISTED = _listed()
_OF_SCALARS = {"any": np.any, "all": np.all}  # methods of scalars, and the functions that do what they do


def call_special_method(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do a special method of an array by the hook of its operator."""
    if type(fn) in (types.MethodWrapperType, types.WrapperDescriptorType) and not kwargs:
        if type(fn) is types.MethodWrapperType and type(fn.__self__) is np.ndarray:
            found, args_ = _LISTED.get(_OWN.get(fn.__name__)), (fn.__self__, *args)
        else:
            found, args_ = _LISTED.get(fn), args
        if found is not None and args_ and type(args_[0]) is np.ndarray:
            count, handler = found
            plain = all(is_numpy(arg) or type(arg) in (*NUMBERS, bool) for arg in args_)
            if count == 0 or (len(args_) == count and plain):
                return handler(recording, args_)
    return PASS


def call_method_of_scalar(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Do `scalar.any()` and `scalar.all()` as `np.any` and `np.all`."""
    if isinstance(fn.__self__, np.generic) and not (args or kwargs):
        if (function := _OF_SCALARS.get(fn.__name__)) is not None:
            return recording.call(function, fn.__self__)
    return PASS
