"""Ops for means, variances, averages, differences, and the forms that skip NaN: each step is NumPy's."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import torch
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple
from torch import Tensor

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops.limits import dtype_limit
from npcompile.frontend.ops.reductions import ADD, MULTIPLY, accumulates, mask_of, reduce
from npcompile.frontend.ops.rules import (
    BOOL,
    FLOAT64,
    INT64,
    NO_VALUE,
    DType,
    cast,
    do,
    dtype_of,
    op,
    promoted,
    tensor,
)
from npcompile.frontend.ops.table import Op
from npcompile.nep50 import promote

FLOAT32 = np.dtype(np.float32)


def count(a: Tensor, axis: Any, keepdims: bool, where: Any) -> Any:
    """Return how many elements go into each result: a strong NumPy integer, or a tensor where there is a
    mask."""
    mask = mask_of(where, a)
    if mask is not None:
        return reduce(ADD, mask, axis, INT64, keepdims)
    items = 1
    for at in range(a.dim()) if axis is None else axis if isinstance(axis, tuple) else (axis,):
        items *= a.shape[normalize_axis_index(at, a.dim())]
    if isinstance(items, torch.SymInt):
        return torch.full((), items, dtype=torch.int64, device=a.device)
    return np.int64(items)


def divided(total: Tensor, by: Any) -> Tensor:
    """Divide, keeping the dtype of the dividend, whatever the divisor's."""
    return cast(do(np.divide, total, by), dtype_of(total))


# -- mean and variance ---------------------------------------------------------------------------------------


def _divide_limits(op_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    """Refuse, as a `limits`, an output of another dtype: NumPy adds up, and divides, in that dtype."""
    asked, out = args[2] if len(args) > 2 else kwargs.get("dtype"), kwargs.get("out")
    if (reason := dtype_limit(2)(op_, args, kwargs)) is not None or not isinstance(out, np.ndarray):
        return reason
    try:
        chosen = np.asarray(args[0]).dtype if asked is None else np.dtype(asked)
    except TypeError:
        return None  # NumPy raises for itself
    chosen = FLOAT64 if asked is None and chosen.kind in "biu" else chosen
    return None if out.dtype == chosen else Cause.OUT_DIVIDES()


@op(np.mean, np.ndarray.mean, name="numpy.mean", operands=("where",), limits=_divide_limits)
def mean(
    a: Tensor,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    keepdims: bool = False,
    *,
    where: Any = True,
) -> Tensor:
    own = dtype_of(a)
    if dtype is None and own.kind in "biu":
        dtype = FLOAT64
    half = dtype is None and own == np.float16
    total = reduce(ADD, a, axis, FLOAT32 if half else dtype, keepdims, where=where)
    result = divided(total, count(a, axis, keepdims, where))
    return cast(result, own) if half else result


def variance(
    a: Tensor, axis: Any, dtype: Any, ddof: Any, keepdims: bool, where: Any, mean: Any, correction: Any
) -> Tensor:
    """Do numpy._core._methods._var: two passes, in the array's own dtype, float16 too."""
    if correction is not NO_VALUE:
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    if dtype is None and dtype_of(a).kind in "biu":
        dtype = FLOAT64
    if mean is NO_VALUE:
        mean = divided(reduce(ADD, a, axis, dtype, True, where=where), count(a, axis, True, where))
    off = do(np.subtract, a, mean)
    if off.is_complex() and dtype_of(a).kind not in "iuf":  # of real numbers, whatever the mean, the squares
        parts = torch.view_as_real(off)
        squares = parts[..., 0] * parts[..., 0] + parts[..., 1] * parts[..., 1]
    else:
        squares = do(np.square, off)
    total = reduce(ADD, squares, axis, dtype, keepdims, where=where)
    freedom = do(np.maximum, do(np.subtract, count(a, axis, keepdims, where), ddof), 0)
    return divided(total, freedom)


def _float_limits(op_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    """Refuse, as a `limits`, arrays of integers as outputs: NumPy divides and takes roots into them by other
    rules."""
    asked = args[2] if len(args) > 2 else kwargs.get("dtype")
    try:
        if asked is not None and np.dtype(asked).kind in "biu":
            return Cause.INTEGER_DTYPE()
    except TypeError:
        return None  # NumPy raises for itself
    return _divide_limits(op_, args, kwargs)


@op(np.var, np.ndarray.var, name="numpy.var", operands=("where", "mean"), limits=_float_limits)
def var(
    a: Tensor,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    ddof: Any = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = NO_VALUE,
    correction: Any = NO_VALUE,
) -> Tensor:
    return variance(a, axis, dtype, ddof, keepdims, where, mean, correction)


@op(np.std, np.ndarray.std, name="numpy.std", operands=("where", "mean"), limits=_float_limits)
def std(
    a: Tensor,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    ddof: Any = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = NO_VALUE,
    correction: Any = NO_VALUE,
) -> Tensor:
    return do(np.sqrt, variance(a, axis, dtype, ddof, keepdims, where, mean, correction))


# -- passing over NaN ----------------------------------------------------------------------------------------


def _without_nan(a: Tensor, instead: float) -> tuple[Tensor, Tensor | None]:
    """Return the array with another value for NaN, and the mask of NaN; no mask for a dtype without NaN."""
    if not a.is_floating_point() and not a.is_complex():
        return a, None
    missing = torch.isnan(a)
    return torch.where(missing, torch.full_like(a, instead), a), ~missing


@op(np.nansum, operands=("initial", "where"), limits=accumulates(ADD))
def nansum(
    a: Tensor,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    keepdims: bool = False,
    initial: Any = NO_VALUE,
    where: Any = True,
) -> Tensor:
    return reduce(ADD, _without_nan(a, 0)[0], axis, dtype, keepdims, initial, where)


@op(np.nanprod, operands=("initial", "where"), limits=accumulates(MULTIPLY))
def nanprod(
    a: Tensor,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    keepdims: bool = False,
    initial: Any = NO_VALUE,
    where: Any = True,
) -> Tensor:
    return reduce(MULTIPLY, _without_nan(a, 1)[0], axis, dtype, keepdims, initial, where)


@op(np.nanmean, operands=("where",), limits=dtype_limit(2))
def nanmean(
    a: Tensor,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    keepdims: bool = False,
    *,
    where: Any = True,
) -> Tensor:
    arr, known = _without_nan(a, 0)
    if known is None:
        return do(np.mean, a, axis, dtype, None, keepdims, where=where)
    if dtype is not None and np.dtype(dtype).kind not in "fc":
        raise TypeError("If a is inexact, then dtype must be inexact")
    number = reduce(ADD, known, axis, INT64, keepdims, where=where)
    return divided(reduce(ADD, arr, axis, dtype, keepdims, where=where), number)


def _nan_variance(
    a: Tensor, axis: Any, dtype: Any, ddof: Any, keepdims: bool, where: Any, mean: Any, correction: Any
) -> Tensor:
    arr, known = _without_nan(a, 0)
    if known is None:
        return variance(a, axis, dtype, ddof, keepdims, where, mean, correction)
    if dtype is not None and np.dtype(dtype).kind not in "fc":
        raise TypeError("If a is inexact, then dtype must be inexact")
    if correction is not NO_VALUE:
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    number = reduce(ADD, known, axis, INT64, True, where=where)
    if mean is NO_VALUE:
        mean = divided(reduce(ADD, arr, axis, dtype, True, where=where), number)
    off = torch.where(known, cast(do(np.subtract, arr, mean), dtype_of(arr)), torch.zeros_like(arr))
    squares = torch.real(off * torch.conj_physical(off)) if off.is_complex() else do(np.multiply, off, off)
    total = reduce(ADD, squares, axis, dtype, keepdims, where=where)
    freedom = do(np.subtract, number if keepdims else number.reshape(total.shape), ddof)
    result = divided(total, freedom)
    return torch.where(freedom <= 0, torch.full_like(result, float("nan")), result)


@op(np.nanvar, operands=("where", "mean"), limits=_float_limits)
def nanvar(
    a: Tensor,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    ddof: Any = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = NO_VALUE,
    correction: Any = NO_VALUE,
) -> Tensor:
    return _nan_variance(a, axis, dtype, ddof, keepdims, where, mean, correction)


@op(np.nanstd, operands=("where", "mean"), limits=_float_limits)
def nanstd(
    a: Tensor,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    ddof: Any = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = NO_VALUE,
    correction: Any = NO_VALUE,
) -> Tensor:
    return do(np.sqrt, _nan_variance(a, axis, dtype, ddof, keepdims, where, mean, correction))


# -- weighted averages and differences -----------------------------------------------------------------------


def _weights(weights: Tensor, a: Tensor, axis: tuple[int, ...] | None) -> Tensor:
    if weights.shape == a.shape:
        return weights
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    if tuple(weights.shape) != tuple(a.shape[at] for at in axis):
        raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
    ordered = weights.permute(sorted(range(len(axis)), key=axis.__getitem__))
    return ordered.reshape([size if at in axis else 1 for at, size in enumerate(a.shape)])


@op(np.average, operands=("weights",), checked=True)
def average(
    a: Tensor, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False
) -> Any:
    """Return the average, or a pair with the sum of weights; not ok where NumPy raises ZeroDivisionError."""
    at = None if axis is None else normalize_axis_tuple(axis, a.dim())
    if weights is None:
        result = do(np.mean, a, at, None, None, keepdims)
        if result.numel() == 0:
            raise ZeroDivisionError("division by zero")  # by how many averages there are
        scale = cast(
            torch.full_like(result, a.numel() / max(result.numel(), 1), dtype=torch.float64), dtype_of(result)
        )
        return ((result, scale) if returned else result), None
    weight = _weights(tensor(weights, a.device), a, at)
    own = (dtype_of(a), dtype_of(weight))
    dtype: DType = promote.result_type(*own, FLOAT64) if own[0].kind in "biu" else promote.result_type(*own)
    scale = reduce(ADD, weight, at, dtype, keepdims)
    result = do(np.divide, reduce(ADD, do(np.multiply, a, weight, dtype=dtype), at, None, keepdims), scale)
    ok = torch.all(scale != 0)
    return ((result, scale.broadcast_to(result.shape).clone()) if returned else result), ok


def _diff_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    return Cause.DIFF_NONE() if (args[1] if len(args) > 1 else kwargs.get("n", 1)) == 0 else None


@op(np.diff, operands=("prepend", "append"), scalar=False, limits=_diff_limits)
def diff(a: Tensor, n: int = 1, axis: int = -1, prepend: Any = NO_VALUE, append: Any = NO_VALUE) -> Tensor:
    n = operator.index(n)
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    if a.dim() == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    at = normalize_axis_index(axis, a.dim())
    edge = [1 if place == at else size for place, size in enumerate(a.shape)]
    parts = [tensor(x, a.device).to(a.device) for x in (prepend, a, append) if x is not NO_VALUE]
    if len(parts) > 1:
        parts = [item.broadcast_to(edge) if item.dim() == 0 else item for item in parts]
        normalize_axis_index(at, parts[0].dim())
        if any(item.dim() != a.dim() for item in parts):  # torch lets empty 1-d tensors join anything
            raise ValueError("all the input arrays must have same number of dimensions")
        a = torch.cat(promoted(*parts), at)
    step = np.not_equal if dtype_of(a) == BOOL else np.subtract
    for _ in range(n):
        rest = max(a.shape[at] - 1, 0)
        a = do(step, a.narrow(at, a.shape[at] - rest, rest), a.narrow(at, 0, rest))
    return a
