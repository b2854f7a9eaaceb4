"""Ops that reduce along axes: each is a ufunc's reduction, in the dtype in which NumPy accumulates.

The dtype comes from `nep50.promote.resolve(reduction=True)`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple
from torch import Tensor

from npcompile.diagnostics.reason import Reason
from npcompile.frontend.ops.limits import list_dtype, out_reason
from npcompile.frontend.ops.rules import (
    BOOL,
    INT64,
    NO_VALUE,
    DType,
    as_dtype,
    cast,
    do,
    dtype_of,
    op,
    tensor,
    torch_dtype,
)
from npcompile.frontend.ops.table import Op, Unsupported
from npcompile.nep50 import promote

# -- axes and masks ------------------------------------------------------------------------------------------


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """Return the axes meant, in order. Raises NumPy's AxisError and TypeError, and ValueError for an axis
    named twice."""
    if axis is None:
        return tuple(range(ndim))
    if any(isinstance(item, bool) for item in (axis if isinstance(axis, tuple) else (axis,))):
        raise TypeError("an integer is required for the axis")
    if not isinstance(axis, tuple):
        if ndim == 0 and operator.index(axis) in (0, -1):
            return ()  # NumPy reduces a 0-d array along its first axis, out of old habit
        return (normalize_axis_index(axis, ndim),)
    return tuple(sorted(normalize_axis_tuple(axis, ndim)))


def mask_of(where: Any, like: Tensor) -> Tensor | None:
    """Return the `where=` of a reduction as a bool tensor of the array's shape; None where nothing is
    masked."""
    if where is True:
        return None
    mask = tensor(where, like.device)
    if mask.dtype != torch.bool:
        raise TypeError(
            f"Cannot cast array data from {dtype_of(mask)!r} to dtype('bool') according to the rule 'safe'"
        )
    if mask.dim() > like.dim() or any(
        size not in (1, other) for size, other in zip(mask.shape[::-1], like.shape[::-1], strict=False)
    ):
        raise ValueError("non-broadcastable operand with shape of where=")
    return mask.broadcast_to(like.shape)


# -- the reductions of ufuncs --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reduction:
    """A ufunc that reduces: `along` reduces one or more axes and keeps them with length 1."""

    ufunc: np.ufunc
    along: Callable[[Tensor, tuple[int, ...]], Tensor]
    identity: Callable[[Tensor], Any] | None  # of a tensor's dtype; None: an empty reduction is an error


def _reduced_in(a: Tensor) -> Tensor:
    """Return a tensor in a wider dtype for the reduction itself.

    Compiled code has wrong extremes of 8-bit integers, and some float16 reductions that its C++ compiler
    refuses.
    """
    if a.dtype in (torch.int8, torch.uint8, torch.bool):
        return a.to(torch.int32)
    return a.float() if a.dtype == torch.float16 else a


def _sum(a: Tensor, axes: tuple[int, ...]) -> Tensor:
    if a.dtype == torch.bool:
        return torch.any(a, axes, keepdim=True)
    wide = _reduced_in(a)
    result = torch.sum(wide, axes, keepdim=True, dtype=wide.dtype).to(a.dtype)
    if math.prod(a.shape[axis] for axis in axes) != 1 or not (a.is_complex() or a.is_floating_point()):
        return result
    return result + 0.0  # NumPy begins with zero, compiled code with the one element: of -0.0 it is 0.0


def _sum_from(a: Tensor, axes: tuple[int, ...]) -> Tensor:
    """Return the sum that does not begin with zero: negative zeros alone have one for their sum."""
    if a.is_complex():
        return torch.complex(*(_sum_from(part, axes) for part in torch.view_as_real(a).unbind(-1)))
    return torch.where(torch.all((a == 0) & torch.signbit(a), axes, keepdim=True), -0.0, _sum(a, axes))


def _prod(a: Tensor, axes: tuple[int, ...]) -> Tensor:
    if a.dtype == torch.bool:
        return torch.all(a, axes, keepdim=True)
    result = _reduced_in(a)
    for axis in axes:
        if a.is_complex() and a.shape[axis]:
            result = _complex_prod(result, axis)
            continue
        result = torch.prod(result, axis, keepdim=True, dtype=result.dtype)
    return result.to(a.dtype)


_MOST_PRODUCTS = 32  # of complex numbers, written out one after the other


def _complex_prod(a: Tensor, axis: int) -> Tensor:
    """Return the product along an axis, kept, beginning with 1, in NumPy's order.

    The order decides signs of zeros and infinities. Many numbers are multiplied half by half until there are
    few.
    """
    while (length := a.shape[axis]) > _MOST_PRODUCTS:
        half = length // 2
        pairs = a.narrow(axis, 0, half) * a.narrow(axis, half, half)
        a = torch.cat((pairs, a.narrow(axis, 2 * half, 1)), axis) if length % 2 else pairs
    first, *others = a.split(1, axis)
    result = torch.ones_like(first) * first
    for other in others:
        result = result * other
    return result


def _place_of_complex_extreme(a: Tensor, axis: int, *, largest: bool, skips_nan: bool = False) -> Tensor:
    """Return the place along an axis, kept, of the extreme of complex numbers.

    They are ordered by real part, then by imaginary part. NaN in either is beyond all, or with `skips_nan`
    behind all.
    """
    re, im = torch.view_as_real(a).unbind(-1)
    if not largest:
        re, im = -re, -im
    missing = torch.isnan(re) | torch.isnan(im)
    re = torch.where(missing, -math.inf, re)
    among = (re == torch.amax(re, axis, keepdim=True)) & ~missing
    im = torch.where(among, im, -math.inf)
    best = among & (im == torch.amax(im, axis, keepdim=True))
    all_or_any = torch.all if skips_nan else torch.any
    chosen = torch.where(all_or_any(missing, axis, keepdim=True), missing, best)
    return torch.argmax(chosen.to(torch.int32), axis, keepdim=True)


def _complex_extreme(a: Tensor, axes: tuple[int, ...], *, largest: bool, skips_nan: bool = False) -> Tensor:
    shape = [1 if at in axes else size for at, size in enumerate(a.shape)]
    others = [at for at in range(a.dim()) if at not in axes]
    rows = a.permute(*others, *axes).reshape(*[a.shape[at] for at in others], -1)
    place = _place_of_complex_extreme(rows, -1, largest=largest, skips_nan=skips_nan)
    parts = [part.gather(-1, place) for part in torch.view_as_real(rows).unbind(-1)]
    return torch.complex(*parts).reshape(shape)


def _amax(a: Tensor, axes: tuple[int, ...]) -> Tensor:
    if a.is_complex():
        return _complex_extreme(a, axes, largest=True)
    return torch.amax(_reduced_in(a), axes, keepdim=True).to(a.dtype)


def _amin(a: Tensor, axes: tuple[int, ...]) -> Tensor:
    if a.is_complex():
        return _complex_extreme(a, axes, largest=False)
    return torch.amin(_reduced_in(a), axes, keepdim=True).to(a.dtype)


def _fmax(a: Tensor, axes: tuple[int, ...]) -> Tensor:
    if a.is_complex():
        return _complex_extreme(a, axes, largest=True, skips_nan=True)
    if not a.is_floating_point():
        return _amax(a, axes)
    missing = torch.isnan(a)
    found = _amax(torch.where(missing, -math.inf, a), axes)
    return torch.where(torch.all(missing, axes, keepdim=True), math.nan, found)


def _fmin(a: Tensor, axes: tuple[int, ...]) -> Tensor:
    if a.is_complex():
        return _complex_extreme(a, axes, largest=False, skips_nan=True)
    return -_fmax(-a, axes) if a.is_floating_point() else _amin(a, axes)


ADD = Reduction(np.add, _sum, lambda a: 0)
ADD_FROM = Reduction(np.add, _sum_from, lambda a: complex(-0.0, -0.0) if a.is_complex() else -0.0)
MULTIPLY = Reduction(np.multiply, _prod, lambda a: 1)
MAXIMUM = Reduction(np.maximum, _amax, None)
MINIMUM = Reduction(np.minimum, _amin, None)
FMAX = Reduction(np.fmax, _fmax, None)
FMIN = Reduction(np.fmin, _fmin, None)
AND = Reduction(np.logical_and, lambda a, axes: torch.all(a, axes, keepdim=True), lambda a: 1)
OR = Reduction(np.logical_or, lambda a, axes: torch.any(a, axes, keepdim=True), lambda a: 0)
REDUCTIONS = (ADD, MULTIPLY, MAXIMUM, MINIMUM, FMAX, FMIN, AND, OR)


def accumulator(reduction: Reduction, dtype: DType, asked: Any) -> DType:
    """Return the dtype that a reduction of that dtype computes in and returns. Raises NumPy's TypeError, or
    Unsupported."""
    fixed = None if asked is None else np.dtype(asked)
    chosen = promote.resolve(reduction.ufunc, (dtype,), fixed, reduction=True)[0]
    torch_dtype(chosen)
    return chosen


def reduce(
    reduction: Reduction,
    a: Tensor,
    axis: Any = None,
    dtype: Any = None,
    keepdims: bool = False,
    initial: Any = NO_VALUE,
    where: Any = True,
) -> Tensor:
    """Do `ufunc.reduce`. Raises ValueError for an empty or masked reduction without identity."""
    keepdims = bool(operator.index(keepdims))
    axes = axes_of(axis, a.dim())
    chosen = accumulator(reduction, dtype_of(a), dtype)
    a = cast(a, chosen)
    if reduction is ADD and initial is not NO_VALUE and chosen.kind in "fc":
        reduction = ADD_FROM
    mask = mask_of(where, a)
    name = reduction.ufunc.__name__
    start = None if initial is NO_VALUE or initial is None else as_dtype(initial, chosen, a.device)
    identity = reduction.identity if initial is not None else None
    if mask is not None:
        if start is None and identity is None:
            raise ValueError(
                f"reduction operation '{name}' does not have an identity, "
                "so to use a where mask one has to specify 'initial'"
            )
        neutral = start if identity is None else as_dtype(identity(a), chosen, a.device)
        a = torch.where(mask, a, neutral)  # type: ignore[arg-type]
    shape = [1 if at in axes else size for at, size in enumerate(a.shape)]
    if identity is None and any(a.shape[at] == 0 for at in axes):
        if start is None:
            raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
        result = start.broadcast_to(shape).clone()
    else:
        if a.numel() == 0 and 0 in shape:
            result = a.new_empty(shape)
        else:
            result = reduction.along(a, axes) if axes else reduction.along(a[None], (0,))[0]
        if start is not None:
            result = do(reduction.ufunc, result, start)
    return result if keepdims else result.reshape([size for at, size in enumerate(shape) if at not in axes])


def array_dtype(value: Any) -> DType:
    """Return the dtype of an array-like as the user passed it."""
    return value.dtype if isinstance(value, (np.ndarray, np.generic)) else list_dtype(value)


def _asked(args: tuple[Any, ...], kwargs: dict[str, Any], at: int) -> Any:
    return args[at] if len(args) > at else kwargs.get("dtype")


def accumulates(
    reduction: Reduction, dtype_at: int = 2
) -> Callable[[Op, tuple[Any, ...], dict[str, Any]], Reason | None]:
    """Return a `limits`: the dtype that the call accumulates in has to be one that bodies compute in."""

    def limit(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
        try:
            asked = _asked(args, kwargs, dtype_at)
            chosen = accumulator(reduction, array_dtype(args[0] if args else kwargs["a"]), asked)
        except Unsupported as refusal:
            return refusal.reason
        except (TypeError, KeyError):
            return None  # NumPy raises for itself
        return out_reason(kwargs, chosen)

    return limit


NO_DTYPE = 99  # the position of `dtype` in functions that have none


@op(np.sum, np.ndarray.sum, name="numpy.sum", operands=("initial", "where"), limits=accumulates(ADD))
def sum(
    a: Tensor,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    keepdims: bool = False,
    initial: Any = NO_VALUE,
    where: Any = True,
) -> Tensor:
    return reduce(ADD, a, axis, dtype, keepdims, initial, where)


@op(np.prod, np.ndarray.prod, name="numpy.prod", operands=("initial", "where"), limits=accumulates(MULTIPLY))
def prod(
    a: Tensor,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    keepdims: bool = False,
    initial: Any = NO_VALUE,
    where: Any = True,
) -> Tensor:
    return reduce(MULTIPLY, a, axis, dtype, keepdims, initial, where)


def _extreme(name: str, reduction: Reduction, *objects: Any) -> None:
    """Register min or max, which have one signature, without dtype."""

    @op(*objects, name=name, operands=("initial", "where"), limits=accumulates(reduction, NO_DTYPE))
    def body(
        a: Tensor,
        axis: Any = None,
        out: None = None,
        keepdims: bool = False,
        initial: Any = NO_VALUE,
        where: Any = True,
    ) -> Tensor:
        return reduce(reduction, a, axis, None, keepdims, initial, where)


_extreme("numpy.max", MAXIMUM, np.max, np.amax, np.ndarray.max)
_extreme("numpy.min", MINIMUM, np.min, np.amin, np.ndarray.min)
_extreme("numpy.nanmax", FMAX, np.nanmax)
_extreme("numpy.nanmin", FMIN, np.nanmin)


@op(np.any, np.ndarray.any, name="numpy.any", operands=("where",))
def any_(
    a: Tensor, axis: Any = None, out: None = None, keepdims: bool = False, *, where: Any = True
) -> Tensor:
    return reduce(OR, a, axis, None, keepdims, where=where)


@op(np.all, np.ndarray.all, name="numpy.all", operands=("where",))
def all_(
    a: Tensor, axis: Any = None, out: None = None, keepdims: bool = False, *, where: Any = True
) -> Tensor:
    return reduce(AND, a, axis, None, keepdims, where=where)


@op(np.ptp, limits=accumulates(MAXIMUM, NO_DTYPE))
def ptp(a: Tensor, axis: Any = None, out: None = None, keepdims: bool = False) -> Tensor:
    return do(np.subtract, reduce(MAXIMUM, a, axis, None, keepdims), reduce(MINIMUM, a, axis, None, keepdims))


def _counts_in_python(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Tell if the count is a Python number. Until NumPy 2.2 all counts of whole arrays are."""
    axis = args[1] if len(args) > 1 else kwargs.get("axis")
    return axis is None and not kwargs.get("keepdims", False)


_PYTHON_COUNTS = isinstance(np.count_nonzero(np.ones(1)), int)


@op(np.count_nonzero, numbers=_counts_in_python if _PYTHON_COUNTS else None)
def count_nonzero(a: Tensor, axis: Any = None, *, keepdims: bool = False) -> Tensor:
    return reduce(ADD, cast(a, BOOL), axis, INT64, keepdims)


# -- positions of extremes -----------------------------------------------------------------------------------


def position(name: str, search: Callable[..., Tensor], a: Tensor, axis: Any, keepdims: bool) -> Tensor:
    """Register the first position of the extreme, NaN being more extreme than any number, as in torch's
    order."""
    if a.is_complex():
        search = _argmax if search is torch.argmax else _argmin
    a = _reduced_in(a)
    whole = (1,) * a.dim()
    if axis is None or a.dim() == 0:
        if axis is not None:
            axes_of(operator.index(axis), a.dim())
        if a.numel() == 0:
            raise ValueError(f"attempt to get {name} of an empty sequence")
        found = search(a.reshape(-1), 0)
        return found.reshape(whole) if keepdims else found
    at = normalize_axis_index(operator.index(axis), a.dim())
    if a.shape[at] == 0:
        raise ValueError(f"attempt to get {name} of an empty sequence")
    if a.numel() == 0:
        return a.new_empty([*a.shape[:at], *([1] if keepdims else []), *a.shape[at + 1 :]], dtype=torch.int64)
    return search(a, at, keepdim=bool(keepdims))


def _argmax(a: Tensor, axis: int, keepdim: bool = False) -> Tensor:
    place = _place_of_complex_extreme(a, axis, largest=True)
    return place if keepdim else place.squeeze(axis)


def _argmin(a: Tensor, axis: int, keepdim: bool = False) -> Tensor:
    place = _place_of_complex_extreme(a, axis, largest=False)
    return place if keepdim else place.squeeze(axis)


@op(np.argmin, np.ndarray.argmin, name="numpy.argmin")
def argmin(a: Tensor, axis: Any = None, out: None = None, *, keepdims: bool = False) -> Tensor:
    return position("argmin", torch.argmin, a, axis, keepdims)


@op(np.argmax, np.ndarray.argmax, name="numpy.argmax")
def argmax(a: Tensor, axis: Any = None, out: None = None, *, keepdims: bool = False) -> Tensor:
    return position("argmax", torch.argmax, a, axis, keepdims)


def _nan_position(
    name: str, search: Callable[..., Tensor], instead: float, a: Tensor, axis: Any, keepdims: bool
) -> Any:
    if not (a.is_floating_point() or a.is_complex()):
        return position(name, search, a, axis, keepdims), None
    missing = torch.isnan(a)
    filled = torch.where(missing, torch.full_like(a, instead), a)
    result = position(name, search, filled, axis, keepdims)
    return result, ~torch.any(reduce(AND, missing, axis))


@op(np.nanargmin, checked=True)
def nanargmin(a: Tensor, axis: Any = None, out: None = None, *, keepdims: bool = False) -> Any:
    return _nan_position("argmin", torch.argmin, math.inf, a, axis, keepdims)


@op(np.nanargmax, checked=True)
def nanargmax(a: Tensor, axis: Any = None, out: None = None, *, keepdims: bool = False) -> Any:
    return _nan_position("argmax", torch.argmax, -math.inf, a, axis, keepdims)
