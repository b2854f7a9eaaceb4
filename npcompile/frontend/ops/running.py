"""Running sums, products and extremes along an axis. On the CPU they are library calls.

torch adds narrow floats up in wider ones; NumPy rounds at each step, and a result that has become infinite
stays so.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.lib.array_utils import normalize_axis_index
from torch import Tensor

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops.reductions import (
    ADD,
    MAXIMUM,
    MINIMUM,
    MULTIPLY,
    Reduction,
    accumulates,
    accumulator,
    array_dtype,
)
from npcompile.frontend.ops.rules import cast, dtype_of, op
from npcompile.frontend.ops.table import Op, Unsupported

MOST_HALVES = 64  # float16 is rounded so coarsely that each step is made by itself: up to here
_NARROW = (torch.float16, torch.float32)


def _one_by_one(reduction: Reduction, a: Tensor, axis: int) -> Tensor:
    """Combine one element after the other, each result rounded."""
    steps = list(a.unbind(axis))
    for at in range(1, len(steps)):
        one, other = steps[at - 1], steps[at]
        steps[at] = one + other if reduction is ADD else one * other
    return torch.stack(steps, axis)


def _vectorized(reduction: Reduction, a: Tensor, axis: int) -> Tensor:
    """Compute by torch; from where a narrow float has become infinite (or a product zero), go on from
    that."""
    scan = torch.cumsum if reduction is ADD else torch.cumprod
    result = scan(a, axis, dtype=a.dtype)
    if a.dtype not in _NARROW:
        return result
    stuck = torch.isinf(result) if reduction is ADD else torch.isinf(result) | (result == 0)
    passed = torch.cumsum(stuck, axis)
    after, first = passed > 0, stuck & (passed == 1)
    identity = 0.0 if reduction is ADD else 1.0
    rest = torch.where(first, result, torch.where(after, a, identity))
    return torch.where(after, scan(rest, axis, dtype=a.dtype), result)


def _scanned(reduction: Reduction, a: Tensor, axis: int) -> Tensor:
    stepwise = a.dtype == torch.float16 or (reduction is MULTIPLY and a.is_complex())
    steps = stepwise and a.shape[axis] <= MOST_HALVES
    return _one_by_one(reduction, a, axis) if steps else _vectorized(reduction, a, axis)


def _running_sum(a: Tensor, axis: int) -> Tensor:
    """Return running sums that begin with the first element: negative zeros have one for their sum, unlike in
    torch."""
    if a.is_complex():
        return torch.complex(*(_running_sum(part, axis) for part in torch.view_as_real(a).unbind(-1)))
    negative = ((a == 0) & torch.signbit(a)).to(torch.uint8) if a.is_floating_point() else None
    total = _scanned(ADD, a, axis)
    return total if negative is None else torch.where(torch.cummin(negative, axis).values != 0, -0.0, total)


def running(reduction: Reduction, a: Tensor, axis: int, dtype: Any) -> Tensor:
    """Do `ufunc.accumulate` along one axis."""
    a = cast(a, accumulator(reduction, dtype_of(a), dtype))
    if a.dtype == torch.bool:  # of bools, sums are "any" and products "all"
        extreme = MAXIMUM if reduction in (ADD, MAXIMUM) else MINIMUM
        return running(extreme, a.to(torch.uint8), axis, None) != 0
    if a.numel() == 0:
        return a.clone()
    if reduction is ADD:
        return _running_sum(a, axis)
    if reduction is MULTIPLY:
        result = _scanned(MULTIPLY, a, axis)
        if not a.is_complex():
            return result
        # torch begins with 1 times the first: another number where a part of it is NaN or infinite
        return torch.cat((a.narrow(axis, 0, 1), result.narrow(axis, 1, a.shape[axis] - 1)), axis)
    if a.is_complex():
        raise Unsupported(Cause.COMPLEX_NUMBERS())
    return (torch.cummax if reduction is MAXIMUM else torch.cummin)(a, axis).values


def _running(reduction: Reduction, a: Tensor, axis: Any, dtype: Any) -> Tensor:
    if axis is None:
        return running(reduction, a.reshape(-1), 0, dtype)
    if a.dim() == 0:
        a = a.reshape(1)
    return running(reduction, a, normalize_axis_index(operator.index(axis), a.dim()), dtype)


def many_halves(reduction: Reduction, array: Any, axis: Any, asked: Any) -> Reason | None:
    """Return the reason why a running result is left to NumPy: it rounds float16 at each of many steps."""
    try:
        chosen = accumulator(reduction, array_dtype(array), asked)
        shape = np.shape(array)
        length = np.size(array) if axis is None or not shape else shape[operator.index(axis)]
    except (TypeError, IndexError, Unsupported):
        return None  # NumPy raises for itself, or another limit says why
    return Cause.LONG_HALVES() if chosen == np.float16 and length > MOST_HALVES else None


def _limits(reduction: Reduction) -> Callable[[Op, tuple[Any, ...], dict[str, Any]], Reason | None]:
    accumulated = accumulates(reduction)

    def limit(op_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
        if (reason := accumulated(op_, args, kwargs)) is not None or not args:
            return reason
        axis = args[1] if len(args) > 1 else kwargs.get("axis")
        return many_halves(reduction, args[0], axis, args[2] if len(args) > 2 else kwargs.get("dtype"))

    return limit


@op(np.cumsum, np.ndarray.cumsum, name="numpy.cumsum", library=True, limits=_limits(ADD))
def cumsum(a: Tensor, axis: Any = None, dtype: Any = None, out: None = None) -> Tensor:
    return _running(ADD, a, axis, dtype)


@op(np.cumprod, np.ndarray.cumprod, name="numpy.cumprod", library=True, limits=_limits(MULTIPLY))
def cumprod(a: Tensor, axis: Any = None, dtype: Any = None, out: None = None) -> Tensor:
    return _running(MULTIPLY, a, axis, dtype)
