"""Drawing for our arrays: NumPy's own generators and streams are used, or the numbers are computed on a
device."""

from __future__ import annotations

import abc
import contextvars
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy
import torch

from npcompile.frontend.catalog import fast_random
from npcompile.frontend.eager import counters, dispatch
from npcompile.frontend.eager.ndarray import ndarray
from npcompile.frontend.ops.table import Unsupported
from npcompile.numpy.wrappers import Function, ufunc
from npcompile.runtime.current_device import drawing_device

# While NumPy's code runs, other methods that it calls of a generator or seed are NumPy's, too.
_within: contextvars.ContextVar[bool] = contextvars.ContextVar("within NumPy", default=False)


class StandsForNumpys(abc.ABCMeta):
    """The metaclass of a class that stands for the NumPy class that it derives from: NumPy's objects are
    instances, too."""

    def __instancecheck__(cls, value: Any) -> bool:
        return super().__instancecheck__(value) or isinstance(value, vars(cls).get("stands_for", ()))


def within() -> bool:
    return _within.get()


def as_numpys(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a function while our generators and seeds behave as NumPy's."""
    token = _within.set(True)
    try:
        return call(*args, **kwargs)
    finally:
        _within.reset(token)


def on_host(value: Any) -> Any:
    """Return a state or a seed with NumPy's arrays for ours."""
    return dispatch.map_arrays(value, ndarray._on_host)


def ours(value: Any) -> Any:
    """Return a new object of NumPy's with our arrays for NumPy's."""
    return dispatch.map_arrays(value, _array, numpy.ndarray)


def _array(array: Any) -> Any:
    try:
        return ndarray._of_numpy(array)
    except Unsupported:
        return array


class _Arithmetic:
    """Stands for `np` in the functions of `frontend/catalog/fast_random.py`: its arrays lie on one device."""

    cos, log1p, sqrt = ufunc(numpy.cos), ufunc(numpy.log1p), ufunc(numpy.sqrt)

    def __init__(self, device: torch.device) -> None:
        self._device = device

    def arange(self, first: int, end: int) -> Any:
        return ndarray._of_tensor(torch.arange(first, end, device=self._device))

    def run(self, function: types.FunctionType, *operands: Any) -> Any:
        return types.FunctionType(function.__code__, {"np": self})(*operands)


def _computed(method: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the numbers of a draw that is computed here; None where NumPy draws. method: of one of its
    generators."""
    device = drawing_device()
    draw = None if device is None else fast_random.draw_of(method, args, kwargs)
    return None if draw is None or device is None else draw(_Arithmetic(device).run)


def drawing(method: Any) -> Callable[..., Any]:
    """Return a method of NumPy's generators that returns our arrays; a shuffled argument may be one."""

    def draw(self: Any, *args: Any, **kwargs: Any) -> Any:
        if within():
            return method(self, *args, **kwargs)
        if drawing_device() is not None:
            new = isinstance(self, numpy.random.Generator)
            kind = numpy.random.Generator if new else numpy.random.RandomState
            same = getattr(kind(self._bit_generator), method.__name__)  # the same state, without our methods
            if (numbers := _computed(same, args, kwargs)) is not None:
                return numbers
        return as_numpys(dispatch.host, method, (getattr(self, "_shared", self), *args), kwargs)

    draw.__name__, draw.__doc__ = method.__name__, method.__doc__
    return draw


def shuffling(method: Any) -> Callable[..., Any]:
    """Return `shuffle`, which shuffles any other argument than our arrays as NumPy does."""
    draw = drawing(method)

    def shuffle(self: Any, *args: Any, **kwargs: Any) -> None:
        x = args[0] if args else kwargs.get("x")
        if within() or isinstance(x, ndarray):
            draw(self, *args, **kwargs)
        else:
            _from_caller(method, getattr(self, "_shared", self), *args, **kwargs)

    shuffle.__name__, shuffle.__doc__ = method.__name__, method.__doc__
    return shuffle


def _from_caller(method: Any, *args: Any, **kwargs: Any) -> None:
    """Call NumPy, counted, on behalf of our function's caller: NumPy's warnings name the caller's file and
    line."""
    frame = sys._getframe(2)
    code = _CALL.replace(co_filename=frame.f_code.co_filename, co_firstlineno=frame.f_lineno)
    types.FunctionType(code, frame.f_globals)(method, args, kwargs)
    counters.host_calls[dispatch.name_of(method)] += 1


_CALL = (lambda method, args, kwargs: method(*args, **kwargs)).__code__


class Draw(Function):
    """A function of `numpy.random`, which draws from NumPy's global generator."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        numbers = _computed(self.__wrapped__, args, kwargs)  # type: ignore[attr-defined]
        return super().__call__(*args, **kwargs) if numbers is None else numbers


class Shuffle(Function):
    """`numpy.random.shuffle`, which uses NumPy's global generator."""

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        x = args[0] if args else kwargs.get("x")
        if isinstance(x, ndarray):
            super().__call__(*args, **kwargs)
        else:
            _from_caller(self.__wrapped__, *args, **kwargs)  # type: ignore[attr-defined]
