"""Python's operators on our arrays: which ufunc each is, NumPy's rule of deferring, and its fast scalar powers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from npcompile.frontend import dispatch
from npcompile.frontend.strided import Strided

_NEVER_DEFER = (int, float, complex, str, bytes, list, tuple, np.generic, np.ndarray, Strided)


def _defers(other: Any, inplace: bool = False) -> bool:
    """Whether `other` asks to do the operation itself. Source: NumPy's `binop_should_defer` (binop_override.h)."""
    if isinstance(other, _NEVER_DEFER) and not isinstance(other, np.ndarray):
        return False
    protocol = getattr(type(other), "__array_ufunc__", False)
    if protocol is not False:
        return protocol is None
    if inplace:
        return False
    return float(getattr(type(other), "__array_priority__", -1_000_000.0)) > 0.0


def binary(ufunc: np.ufunc, python: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        if _defers(other):
            return NotImplemented
        return dispatch.call(ufunc, (self, other), {}, real=python)

    return method


def reflected(ufunc: np.ufunc, python: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        if _defers(other):
            return NotImplemented
        return dispatch.call(ufunc, (other, self), {}, real=python)

    return method


def inplace(ufunc: np.ufunc, python: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        if _defers(other, inplace=True):
            return NotImplemented
        return dispatch.call(ufunc, (self, other), {"out": self}, real=python)

    return method


def unary(ufunc: np.ufunc) -> Callable[[Any], Any]:
    def method(self: Any) -> Any:
        return dispatch.call(ufunc, (self,), {})

    return method


def _fast_power(array: Any, exponent: Any) -> np.ufunc | None:
    """The cheaper ufunc NumPy takes for `array ** 2` and the like. Source: `fast_scalar_power` (number.c)."""
    if type(exponent) is not int and type(exponent) is not float:
        return None
    kind = array.dtype.kind
    if kind in "fc":
        return {2.0: np.square, 1.0: np.positive, -1.0: np.reciprocal, 0.5: np.sqrt}.get(float(exponent))
    return np.square if kind in "iu" and type(exponent) is int and exponent == 2 else None


def power(self: Any, other: Any, modulo: None = None) -> Any:
    if modulo is not None or _defers(other):
        return NotImplemented
    if (fast := _fast_power(self, other)) is not None:
        return dispatch.call(fast, (self,), {})
    return dispatch.call(np.power, (self, other), {}, real=operator.pow)


def inplace_power(self: Any, other: Any) -> Any:
    if _defers(other, inplace=True):
        return NotImplemented
    if (fast := _fast_power(self, other)) is not None:
        return dispatch.call(fast, (self,), {"out": self})
    return dispatch.call(np.power, (self, other), {"out": self}, real=operator.ipow)
