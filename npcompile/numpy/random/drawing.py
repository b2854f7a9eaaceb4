"""How NumPy's generators draw for us: NumPy's own streams, as our arrays; what is computed on a device."""

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

# NumPy's code runs, and what it calls of a generator's or seed's other methods is to be NumPy's, too.
_within: contextvars.ContextVar[bool] = contextvars.ContextVar("within NumPy", default=False)


class Standing(abc.ABCMeta):
    """The type of a class that stands for the NumPy class that it is derived from: NumPy's objects are its
    instances, too."""

    def __instancecheck__(cls, value: Any) -> bool:
        return super().__instancecheck__(value) or isinstance(value, vars(cls).get("stands_for", ()))


def within() -> bool:
    return _within.get()


def numpys(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What the call gives where our generators and seeds behave as NumPy's."""
    token = _within.set(True)
    try:
        return call(*args, **kwargs)
    finally:
        _within.reset(token)


def on_host(value: Any) -> Any:
    """A state, a seed: with NumPy's arrays for ours."""
    return dispatch.map_arrays(value, ndarray._on_host)


def ours(value: Any) -> Any:
    """What NumPy has made new: with our arrays for NumPy's."""
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
    """The numbers of a draw that is taken over; None where NumPy draws. method: of one of its generators."""
    device = drawing_device()
    draw = None if device is None else fast_random.draw_of(method, args, kwargs)
    return None if draw is None or device is None else draw(_Arithmetic(device).run)


def drawn(method: Any) -> Callable[..., Any]:
    """A method of NumPy's generators: what it draws becomes our array, what it shuffles may be one."""

    def draw(self: Any, *args: Any, **kwargs: Any) -> Any:
        if within():
            return method(self, *args, **kwargs)
        if drawing_device() is not None:
            new = isinstance(self, numpy.random.Generator)
            kind = numpy.random.Generator if new else numpy.random.RandomState
            same = getattr(kind(self._bit_generator), method.__name__)  # the same state, without our methods
            if (numbers := _computed(same, args, kwargs)) is not None:
                return numbers
        return numpys(dispatch.host, method, (getattr(self, "_shared", self), *args), kwargs)

    draw.__name__, draw.__doc__ = method.__name__, method.__doc__
    return draw


def shuffled(method: Any) -> Callable[..., Any]:
    """`shuffle`: what is no array of ours is shuffled as it is, whatever lies in it."""
    draw = drawn(method)

    def shuffle(self: Any, *args: Any, **kwargs: Any) -> None:
        x = args[0] if args else kwargs.get("x")
        if within() or isinstance(x, ndarray):
            draw(self, *args, **kwargs)
        else:
            _from_caller(method, getattr(self, "_shared", self), *args, **kwargs)

    shuffle.__name__, shuffle.__doc__ = method.__name__, method.__doc__
    return shuffle


def _from_caller(method: Any, *args: Any, **kwargs: Any) -> None:
    """A counted call of NumPy's by the caller of our function: NumPy's warnings name its file and line."""
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
    """`numpy.random.shuffle`, likewise."""

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        x = args[0] if args else kwargs.get("x")
        if isinstance(x, ndarray):
            super().__call__(*args, **kwargs)
        else:
            _from_caller(self.__wrapped__, *args, **kwargs)  # type: ignore[attr-defined]
