"""Wrappers behind this package's names: NumPy functions and ufuncs that run their op on our arrays."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

import numpy

from npcompile.frontend.eager import dispatch, ufuncs
from npcompile.frontend.eager.ndarray import asarray


class Function:
    """A NumPy function on our arrays: its op, or a counted host call."""

    def __init__(self, function: Any) -> None:
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return dispatch.call(self.__wrapped__, args, kwargs)  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return f"<npcompile {dispatch.name_of(self.__wrapped__)}>"  # type: ignore[attr-defined]

    def __reduce__(self) -> tuple[Any, ...]:
        return find, (self.__module__, self.__name__)  # type: ignore[attr-defined]


P = ParamSpec("P")
R = TypeVar("R")


class Conversion(Generic[P, R]):
    """A function of this package's own that is no Python function, as NumPy's is none: held by a class, it is
    no method."""

    def __init__(self, function: Callable[P, R]) -> None:
        functools.update_wrapper(self, function)
        self._function = function

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._function(*args, **kwargs)

    def __reduce__(self) -> tuple[Any, ...]:
        return find, ("numpy", self._function.__name__)


class OfArray(Function):
    """A NumPy function that views its first argument: a number or list becomes our array first."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if args and not isinstance(args[0], (dispatch.Strided, numpy.ndarray)):
            args = (asarray(args[0]), *args[1:])
        return super().__call__(*args, **kwargs)


class Fact(Function):
    """A NumPy function that asks for shapes, dtypes or memory only: answered from the layout, uncounted."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return dispatch.host(self.__wrapped__, args, kwargs, count=False)  # type: ignore[attr-defined]


class _Ufuncs(type):
    """The metaclass by which NumPy's ufuncs (those made by `frompyfunc`) are instances of `ufunc`, too."""

    def __instancecheck__(cls, value: Any) -> bool:
        return super().__instancecheck__(value) or isinstance(value, numpy.ufunc)


class ufunc(metaclass=_Ufuncs):
    """A NumPy ufunc on our arrays, with its methods and attributes."""

    def __init__(self, real: numpy.ufunc) -> None:
        self._real = real
        self.__name__ = self.__qualname__ = real.__name__
        self.__doc__ = real.__doc__
        self.nin, self.nout, self.nargs, self.ntypes = real.nin, real.nout, real.nargs, real.ntypes
        self.types, self.identity, self.signature = real.types, real.identity, real.signature

    @property
    def __signature__(self) -> inspect.Signature:
        """The ufunc's signature, where NumPy has one (from 2.4 on; ValueError before)."""
        return inspect.signature(self._real)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return ufuncs.call(self._real, args, kwargs)

    def reduce(self, *args: Any, **kwargs: Any) -> Any:
        return ufuncs.method(self._real, "reduce", args, kwargs)

    def accumulate(self, *args: Any, **kwargs: Any) -> Any:
        return ufuncs.method(self._real, "accumulate", args, kwargs)

    def reduceat(self, *args: Any, **kwargs: Any) -> Any:
        return ufuncs.method(self._real, "reduceat", args, kwargs)

    def outer(self, *args: Any, **kwargs: Any) -> Any:
        return ufuncs.method(self._real, "outer", args, kwargs)

    def at(self, *args: Any, **kwargs: Any) -> None:
        ufuncs.method(self._real, "at", args, kwargs)

    def resolve_dtypes(self, *args: Any, **kwargs: Any) -> Any:
        return self._real.resolve_dtypes(*args, **kwargs)

    def __repr__(self) -> str:
        return repr(self._real)

    def __reduce__(self) -> tuple[Any, ...]:
        return find, ("numpy", self.__name__)


def wrap(value: Any) -> Any:
    """Return a function of NumPy's as a name of this package; modules, classes and constants are NumPy's
    own."""
    if isinstance(value, numpy.ufunc):
        return ufunc(value)
    if callable(value) and not isinstance(value, type):
        return Function(value)
    return value


def find(module: str, name: str) -> Any:
    """Return the object of this package that stands for a NumPy name (the other half of pickling)."""
    return getattr(importlib.import_module(f"npcompile.{module}"), name)
