"""Python's operators on eager arrays run ufuncs; NumPy's rule of deferring and its fast powers hold here,
too."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from npcompile.frontend.eager import dispatch
from npcompile.frontend.eager.strided import Strided
from npcompile.nep50 import powers

_NEVER_DEFER = (int, float, complex, str, bytes, list, tuple, np.generic, np.ndarray, Strided)


def _defers(other: Any, inplace: bool = False) -> bool:
    """Tell if `other` asks to do the operation itself. Source: NumPy's `binop_should_defer`
    (binop_override.h)."""
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


def inplace_matmul(self: Any, other: Any) -> Any:
    """Do `a @= b`, for matrices whose product has the shape of `a`; NumPy raises for others."""
    if _defers(other, inplace=True):
        return NotImplemented
    one, two = self._layout.shape, np.shape(other._layout if isinstance(other, Strided) else other)
    if len(one) < 2 or len(two) < 2 or one[-1] != two[-1]:
        return dispatch.host(operator.imatmul, (self, other), {}, name=np.matmul)
    return dispatch.call(np.matmul, (self, other), {"out": self}, real=operator.imatmul)


def fast_power(self: Any, exponent: Any, inplace: bool = False) -> powers.Fast | None:
    """Return the operation that NumPy does for `array ** 2` and the like in place of a power, None if there
    is none."""
    if isinstance(exponent, Strided):
        if not powers.SCALARS or exponent._layout.ndim:
            return None
        exponent = np.asarray(exponent)
    return powers.fast(self.dtype, exponent, inplace)


def power(self: Any, other: Any, modulo: None = None) -> Any:
    if modulo is not None or _defers(other):
        return NotImplemented
    if (fast := fast_power(self, other)) is not None:
        return dispatch.call(fast.ufunc, (self, *fast.more), fast.keywords)
    return dispatch.call(np.power, (self, other), {}, real=operator.pow)


def inplace_power(self: Any, other: Any) -> Any:
    if _defers(other, inplace=True):
        return NotImplemented
    if (fast := fast_power(self, other, True)) is not None:
        return dispatch.call(fast.ufunc, (self, *fast.more), {**fast.keywords, "out": self})
    return dispatch.call(np.power, (self, other), {"out": self}, real=operator.ipow)


class Operators(Strided):
    """Python's operators."""

    __slots__ = ()

    __add__ = binary(np.add, operator.add)
    __sub__ = binary(np.subtract, operator.sub)
    __mul__ = binary(np.multiply, operator.mul)
    __matmul__ = binary(np.matmul, operator.matmul)
    __truediv__ = binary(np.true_divide, operator.truediv)
    __floordiv__ = binary(np.floor_divide, operator.floordiv)
    __mod__ = binary(np.remainder, operator.mod)
    __divmod__ = binary(np.divmod, divmod)
    __lshift__ = binary(np.left_shift, operator.lshift)
    __rshift__ = binary(np.right_shift, operator.rshift)
    __and__ = binary(np.bitwise_and, operator.and_)
    __or__ = binary(np.bitwise_or, operator.or_)
    __xor__ = binary(np.bitwise_xor, operator.xor)
    __pow__ = power

    __radd__ = reflected(np.add, operator.add)
    __rsub__ = reflected(np.subtract, operator.sub)
    __rmul__ = reflected(np.multiply, operator.mul)
    __rmatmul__ = reflected(np.matmul, operator.matmul)
    __rtruediv__ = reflected(np.true_divide, operator.truediv)
    __rfloordiv__ = reflected(np.floor_divide, operator.floordiv)
    __rmod__ = reflected(np.remainder, operator.mod)
    __rdivmod__ = reflected(np.divmod, divmod)
    __rlshift__ = reflected(np.left_shift, operator.lshift)
    __rrshift__ = reflected(np.right_shift, operator.rshift)
    __rand__ = reflected(np.bitwise_and, operator.and_)
    __ror__ = reflected(np.bitwise_or, operator.or_)
    __rxor__ = reflected(np.bitwise_xor, operator.xor)
    __rpow__ = reflected(np.power, operator.pow)

    __iadd__ = inplace(np.add, operator.iadd)
    __isub__ = inplace(np.subtract, operator.isub)
    __imul__ = inplace(np.multiply, operator.imul)
    __imatmul__ = inplace_matmul
    __itruediv__ = inplace(np.true_divide, operator.itruediv)
    __ifloordiv__ = inplace(np.floor_divide, operator.ifloordiv)
    __imod__ = inplace(np.remainder, operator.imod)
    __ilshift__ = inplace(np.left_shift, operator.ilshift)
    __irshift__ = inplace(np.right_shift, operator.irshift)
    __iand__ = inplace(np.bitwise_and, operator.iand)
    __ior__ = inplace(np.bitwise_or, operator.ior)
    __ixor__ = inplace(np.bitwise_xor, operator.ixor)
    __ipow__ = inplace_power

    __lt__ = binary(np.less, operator.lt)
    __le__ = binary(np.less_equal, operator.le)
    __gt__ = binary(np.greater, operator.gt)
    __ge__ = binary(np.greater_equal, operator.ge)
    __eq__ = binary(np.equal, operator.eq)
    __ne__ = binary(np.not_equal, operator.ne)

    __neg__ = unary(np.negative)
    __pos__ = unary(np.positive)
    __abs__ = unary(np.absolute)
    __invert__ = unary(np.invert)
