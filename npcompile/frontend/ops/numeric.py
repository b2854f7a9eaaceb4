"""Elementwise ops that are no ufuncs: rounding to decimals, clip, where, nan_to_num and others."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops import numpy_private
from npcompile.frontend.ops.rules import (
    BOOL,
    FLOAT64,
    NO_VALUE,
    as_dtype,
    cast,
    check_broadcast,
    constant,
    device_of,
    do,
    dtype_of,
    op,
    operand,
    promoted,
    strength,
    tensor,
)
from npcompile.frontend.ops.table import Op, Weak
from npcompile.nep50 import promote
from npcompile.nep50.asked import clip_keeps_equals, takes, where_wraps


def _may_return_itself() -> bool:
    """Tell if NumPy returns the array itself where integers are rounded to decimals: until NumPy 2.3."""
    whole = np.zeros(1, np.int64)
    return np.round(whole) is whole


_ITSELF = _may_return_itself()


def _returns_itself(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Tell if NumPy returns the array itself for this call."""
    if not _ITSELF or kwargs.get("out") is not None or len(args) > 2:
        return False
    decimals = args[1] if len(args) > 1 else kwargs.get("decimals", 0)
    return isinstance(args[0], np.ndarray) and args[0].dtype.kind in "iu" and decimals >= 0


def _power_of_ten(exponent: int) -> float:
    """Return NumPy's power of ten: multiplied up from 1e9, thus rounded at each step beyond 1e22, and
    infinite in the end."""
    power = 10.0 ** min(exponent, 9)
    for _ in range(min(exponent, 310) - 9):
        power *= 10.0
    return power


def _round_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    """Refuse, as a `limits`, an `out=` of another dtype: NumPy does each step into the output."""
    out = kwargs.get("out", args[2] if len(args) > 2 else None)
    other = isinstance(out, np.ndarray) and out.dtype != np.asarray(args[0]).dtype
    return Cause.ROUNDS_IN_OUT() if other else None


@op(
    *(np.round, np.around, np.ndarray.round),
    name="numpy.round",
    view=_ITSELF,
    views=_returns_itself,
    limits=_round_limits,
)
def round(a: Tensor, decimals: int = 0, out: None = None) -> Tensor:
    """Do PyArray_Round: scale by a power of ten, rint, scale back, in the array's dtype (integers:
    float64)."""
    decimals = operator.index(decimals)
    dtype = dtype_of(a)
    if dtype.kind in "iu" and decimals >= 0:
        return a.clone()
    if decimals == 0:
        return do(np.rint, a)
    if dtype.kind == "b":
        np.multiply(np.empty(0, dtype), 0.5, out=np.empty(0, dtype))  # raises the UFuncTypeError of this cast
    factor = _power_of_ten(abs(decimals))
    scale, back = (np.multiply, np.divide) if decimals > 0 else (np.divide, np.multiply)
    if dtype.kind == "c":
        return torch.view_as_complex(round.body(torch.view_as_real(a), decimals))
    ready = cast(a, FLOAT64) if dtype.kind in "iu" else a
    return cast(do(back, do(np.rint, do(scale, ready, factor)), factor), promote.result_type(dtype_of(a)))


@op(np.fix)
def fix(x: Tensor, out: None = None) -> Tensor:
    return do(np.trunc, x)


# Since NumPy 2.1: bounds by name, no bounds at all, Python integers beyond what the array's dtype holds.
_BOUNDS_BY_NAME = takes(lambda: np.clip(np.ones(1), min=0))
_NO_BOUNDS = takes(lambda: np.ones(1).clip(None, None))  # type: ignore[call-overload]
_WIDE_BOUNDS = takes(lambda: np.ones(1, np.uint8).clip(-1, 300))
_KEEPS_EQUALS = clip_keeps_equals()


@op(np.clip, operands=("a_min", "a_max", "min", "max"))
def clip(
    a: Tensor,
    a_min: Any = NO_VALUE,
    a_max: Any = NO_VALUE,
    out: None = None,
    *,
    min: Any = NO_VALUE,
    max: Any = NO_VALUE,
) -> Tensor:
    by_place = a_min is not NO_VALUE and a_max is not NO_VALUE
    if not (_BOUNDS_BY_NAME or (by_place and min is NO_VALUE and max is NO_VALUE)):
        raise TypeError("clip() takes 'a_min' and 'a_max', and no bounds by name")
    by_name = [None if item is NO_VALUE else item for item in (min, max)]
    if a_min is NO_VALUE and a_max is NO_VALUE:
        return _clipped(a, *by_name)
    if a_min is NO_VALUE or a_max is NO_VALUE:
        raise TypeError("clip() missing 1 required positional argument: 'a_min' or 'a_max'")
    if min is not NO_VALUE or max is not NO_VALUE:
        raise ValueError("`min` or `max` beside `a_min` and `a_max` is forbidden.")
    return _clipped(a, a_min, a_max)


@op(np.ndarray.clip, operands=("min", "max"))
def ndarray_clip(a: Tensor, /, min: Any = None, max: Any = None, out: None = None) -> Tensor:
    return _clipped(a, min, max)


def _clipped(a: Tensor, low: Any, high: Any) -> Tensor:
    """Return maximum, then minimum, in the common dtype of all three: NaN propagates and the upper bound
    wins.

    Between two single floats an element that equals a bound stays, since NumPy 2.1; a complex one becomes
    the bound, which matters to the sign of 0.
    """
    dtype = dtype_of(a)
    if low is None and high is None and not _NO_BOUNDS:
        raise ValueError("One of max or min must be given")
    if dtype.kind in "iu" and _WIDE_BOUNDS:  # Python integers out of bounds bound nothing
        if type(low) is int and low <= np.iinfo(dtype).min:
            low = None
        if type(high) is int and high >= np.iinfo(dtype).max:
            high = None
        if isinstance(low, Weak) and low.type is int:
            low = Weak(low.tensor.clamp(min=np.iinfo(dtype).min), int)
        if isinstance(high, Weak) and high.type is int:
            high = Weak(high.tensor.clamp(max=min(np.iinfo(dtype).max, 2**63 - 1)), int)
    if low is None and high is None:
        return do(np.positive, a)
    if low is None:
        return do(np.minimum, a, high)
    if high is None:
        return do(np.maximum, a, low)
    ready = promoted(a, low, high)
    check_broadcast(ready)
    least, most = ready[1], ready[2]
    if _KEEPS_EQUALS and ready[0].is_floating_point() and least.numel() == most.numel() == 1:
        kept = torch.where((ready[0] >= least) | torch.isnan(ready[0]), ready[0], least)
        return torch.where((kept <= most) | torch.isnan(kept), kept, most)
    if dtype_of(ready[0]).kind == "c":
        kept = torch.where(_is_before(least, ready[0]) | torch.isnan(ready[0]), ready[0], least)
        return torch.where(_is_before(kept, most) | torch.isnan(kept), kept, most)
    return do(np.minimum, do(np.maximum, ready[0], least), most)


def _is_before(one: Tensor, other: Tensor) -> Tensor:
    """Tell if one complex number is before another in clip's order: by real parts, then by imaginary parts,
    NaN or not."""
    return torch.where(one.real == other.real, one.imag < other.imag, one.real < other.real)


def _where_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    if len(args) == 1:
        return Cause.NONZERO()
    return (
        Cause.DTYPE("object")
        if any(type(item) is int and not -(2**63) <= item < 2**63 for item in args[1:])
        else None
    )


_WHERE_WRAPS = where_wraps()


@op(np.where, operands=("x", "y"), scalar=False, limits=_where_limits)
def where(condition: Tensor, x: Any, y: Any, /) -> Tensor:
    given = [item for item in (condition, x, y) if getattr(item, "ndim", 1)]
    device = device_of(given) or condition.device
    ready = [operand(item, device) for item in (x, y)]
    dtype = promote.result_type(*map(strength, ready))
    chosen, other = [
        as_dtype(item, dtype, device)
        if type(item) is int and not _WHERE_WRAPS
        else cast(tensor(item, device), dtype)
        for item in ready
    ]
    check_broadcast((condition, chosen, other))
    return torch.where(cast(condition, BOOL).to(device), chosen, other)


def _nan_to_num_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    if (len(args) > 1 and args[1] is not True) or kwargs.get("copy", True) is not True:
        return Cause.OPTION("copy=False")
    return None


@op(np.nan_to_num, operands=("nan", "posinf", "neginf"), limits=_nan_to_num_limits)
def nan_to_num(
    x: Tensor, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Tensor:
    if x.is_complex():
        parts = [
            nan_to_num.body(part, True, nan, posinf, neginf) for part in torch.view_as_real(x).unbind(-1)
        ]
        return torch.complex(*parts)
    if not x.is_floating_point():
        return x.clone()
    dtype, limits = dtype_of(x), np.finfo(dtype_of(x))
    instead = [
        nan,
        float(limits.max) if posinf is None else posinf,
        float(limits.min) if neginf is None else neginf,
    ]
    of_nan, of_inf, of_minus_inf = [as_dtype(item, dtype, x.device) for item in instead]
    finite = torch.where(x == math.inf, of_inf, torch.where(x == -math.inf, of_minus_inf, x))
    return torch.where(torch.isnan(x), of_nan, finite)


def _number(np_ufunc: np.ufunc, *items: Any) -> Any:
    """Apply a ufunc as Python's operators do: Python numbers alone give a Python number, which stays weak."""
    if all(type(item) in (bool, int, float, complex) for item in items):
        with np.errstate(all="ignore"):
            return np_ufunc(*items).item()
    result = do(np_ufunc, *items)
    weakly = all(isinstance(item, Weak) or type(item) in (bool, int, float, complex) for item in items)
    return Weak(cast(result, FLOAT64), float) if weakly else result


@op(np.isclose, arrays=0, operands=("a", "b", "rtol", "atol"))
def isclose(a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: bool = False) -> Tensor:
    if isinstance(b, Weak):
        b = Weak(b.tensor.double(), float) if b.type is int else b
    elif isinstance(b, (int, float, complex)):
        b = float(b) if isinstance(b, int) else b
    else:
        b = tensor(b, device_of((a, b, rtol, atol)))
        b = cast(b, promote.result_type(dtype_of(b), float))
    bound = _number(np.add, atol, _number(np.multiply, rtol, _number(np.absolute, b)))
    near = do(np.less_equal, do(np.absolute, do(np.subtract, a, b)), bound)
    close = (near & do(np.isfinite, b)) | do(np.equal, a, b)
    return close | (do(np.isnan, a) & do(np.isnan, b)) if equal_nan else close


@op(np.isposinf)
def isposinf(x: Tensor, out: None = None) -> Tensor:
    return do(np.isinf, x) & ~do(np.signbit, x)


@op(np.isneginf)
def isneginf(x: Tensor, out: None = None) -> Tensor:
    return do(np.isinf, x) & do(np.signbit, x)


with np.errstate(invalid="ignore"):
    # Until NumPy 2.2, 1e-20 stands for 0 in float16, too.
    _SINC_OF_HALF = not np.isnan(np.sinc(np.float16(0)))


@op(np.sinc)
def sinc(x: Tensor) -> Tensor:
    angle = do(np.multiply, math.pi, x)
    dtype = dtype_of(angle)
    tiny = float(np.finfo(dtype).eps) if dtype.kind == "f" and _SINC_OF_HALF else 1e-20
    safe = torch.where(angle != 0, angle, constant(tiny, dtype, angle.device))
    return do(np.divide, do(np.sin, safe), safe)


def _chebyshev(x: Tensor, coefficients: list[float]) -> Tensor:
    """Do NumPy's `_chbevl`, step by step."""
    before: Any = 0.0
    last: Any = 0.0
    value: Any = coefficients[0]
    for coefficient in coefficients[1:]:
        before, last = last, value
        value = do(np.add, do(np.subtract, do(np.multiply, x, last), before), coefficient)
    return do(np.multiply, 0.5, do(np.subtract, value, before))


@op(np.i0, scalar=False)
def i0(x: Tensor) -> Tensor:
    if x.is_complex():
        raise TypeError("i0 not supported for complex values")
    x = do(np.abs, x if x.is_floating_point() else cast(x, FLOAT64))
    near, far = numpy_private.I0
    small = _chebyshev(do(np.subtract, do(np.divide, x, 2.0), 2), near)
    large = _chebyshev(do(np.subtract, do(np.divide, 32.0, x), 2.0), far)
    scale = do(np.exp, x)
    far_away = do(np.divide, do(np.multiply, scale, large), do(np.sqrt, x))
    return torch.where(x <= 8.0, do(np.multiply, scale, small), far_away)


@op(np.angle)
def angle(z: Tensor, deg: bool = False) -> Tensor:
    if z.is_complex():
        re, im = torch.view_as_real(z).unbind(-1)
        radians = torch.arctan2(im, re)
    else:
        radians = do(np.arctan2, 0, z)
    return do(np.multiply, radians, 180 / math.pi) if deg else radians


def _conj_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    a = args[0]
    if isinstance(a, np.ndarray) and a.ndim == 0 and a.dtype.kind != "c":
        return Cause.CONJUGATE_0D()
    return None


@op(np.ndarray.conj, np.ndarray.conjugate, name="numpy.ndarray.conj", view=True, limits=_conj_limits)
def ndarray_conj(a: Tensor) -> Tensor:
    """Return the array itself where there is nothing to conjugate, unlike the ufunc."""
    return torch.conj_physical(a) if a.is_complex() else a
