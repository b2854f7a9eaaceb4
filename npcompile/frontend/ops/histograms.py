"""Ops for histograms over bins of equal width: each step is NumPy's, rounding included."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops.rules import (
    FLOAT64,
    INT64,
    as_dtype,
    cast,
    device_of,
    do,
    dtype_of,
    op,
    promoted,
    strength,
)
from npcompile.frontend.ops.sums_at_places import sums_at
from npcompile.frontend.ops.table import Op, Weak
from npcompile.nep50 import promote


def _limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    names = ("a", "bins", "range", "density", "weights")
    given = dict(zip(names, args, strict=False)) | kwargs
    a, weights = np.asarray(given["a"]), given.get("weights")
    if isinstance(given.get("bins", 10), str) or np.ndim(given.get("bins", 10)):
        return Cause.BINS_NO_NUMBER()
    if a.dtype.kind not in "iuf" or a.dtype.itemsize + (a.dtype.kind == "u") > 8 or a.dtype == np.float16:
        return Cause.HISTOGRAM_OF(str(a.dtype))
    if a.size == 0:
        return Cause.HISTOGRAM_OF_NOTHING()
    if weights is not None and np.asarray(weights).dtype.kind not in "iuf":
        return Cause.WEIGHTS_OF(str(np.asarray(weights).dtype))
    if a.size == 1 and a.dtype.kind in "iu" and given.get("range") is None:
        return Cause.HISTOGRAM_OF_ONE()
    return None


@op(np.histogram, operands=["weights", "range"], scalar=False, checked=True, limits=_limits)
def histogram(
    a: Tensor, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[tuple[Tensor, Tensor], Tensor]:
    """Do numpy.lib._histograms_impl.histogram.

    NumPy refuses ends that are not finite, and bins too narrow for their dtype.
    """
    count = operator.index(bins)
    if count < 1:
        raise ValueError("`bins` must be positive, when an integer")
    if weights is not None:
        (weights,) = promoted(weights)
        if weights.shape != a.shape:
            raise ValueError("weights should have the same shape as a.")
        weights = weights.reshape(-1)
    a = a.reshape(-1)
    first, last, ok = _outer_edges(a, range)
    dtype = promote.result_type(*map(strength, (first, last, a)))
    dtype = promote.result_type(dtype, float) if dtype.kind in "iu" else dtype
    edge = _Edges(first, last, count, dtype, a.device)
    edges = edge(torch.arange(count + 1, device=a.device))
    ok = ok & edge.ok & (edges[:-1] < edges[1:]).all()

    keep = None
    if range is not None:
        keep = do(np.greater_equal, a, first) & do(np.less_equal, a, last)
    width = _difference(last, first)
    value = cast(a, dtype)
    place = do(np.multiply, do(np.divide, do(np.subtract, value, first), width), count)
    index = torch.where(place >= 0, place, 0).clamp(max=count - 1).to(torch.int64)  # NaN is in no bin
    # The index computed from the width may be off by one beside an edge.
    index = (index - (value < edge(index)).to(torch.int64)).clamp(min=0)
    index = index + ((value >= edge(index + 1)) & (index != count - 1)).to(torch.int64)
    if keep is not None:
        index = torch.where(keep, index, count)
    made = _counted(index, weights, count)
    if density:
        made = do(np.divide, do(np.divide, made, cast(do(np.diff, edges), FLOAT64)), do(np.sum, made))
    return (made, edges), ok


class _Edges:
    """The edges, as `np.linspace` has them. ok: False where steps underflow, and NumPy computes them in
    another way.

    Each edge is computed from its number where it is needed, which takes less time than looking it up.
    """

    def __init__(self, first: Any, last: Any, count: int, dtype: Any, device: Any) -> None:
        self.count = count
        inexact = promote.result_type(*map(strength, (first, last)), float)
        self.dtype, self.inexact = dtype, inexact
        self.first, self.last = as_dtype(first, inexact, device), as_dtype(last, inexact, device)
        self.step = do(np.divide, do(np.subtract, self.last, self.first), count)
        self.ok = self.step != 0

    def __call__(self, number: Tensor) -> Tensor:
        made = do(np.add, do(np.multiply, cast(number, self.inexact), self.step), self.first)
        return cast(torch.where(number == self.count, self.last, made), self.dtype)


def _outer_edges(a: Tensor, given: Any) -> tuple[Any, Any, Tensor]:
    """Return the outer edges, and if NumPy can work with them."""
    if given is not None:
        first, last = given
        if isinstance(first, Tensor | Weak) or isinstance(last, Tensor | Weak):
            return first, last, _are_in_order(first, last, a.device)
        ok = torch.ones((), dtype=torch.bool, device=a.device)
        if first > last:
            raise ValueError("max must be larger than min in range parameter.")
        if not (np.isfinite(first) and np.isfinite(last)):
            raise ValueError(f"supplied range of [{first}, {last}] is not finite")
        return (first - 0.5, last + 0.5, ok) if first == last else (first, last, ok)
    first, last = do(np.min, a), do(np.max, a)
    same = first == last
    if (
        not a.is_floating_point()
    ):  # where they are one, NumPy goes on with floats; and they may be too far apart
        return first, last, ~same & (last.to(torch.int64) - first.to(torch.int64) > 0)
    ok = torch.isfinite(first) & torch.isfinite(last)
    return torch.where(same, first - 0.5, first), torch.where(same, last + 0.5, last), ok


def _are_in_order(first: Any, last: Any, device: torch.device) -> Tensor:
    """Tell if ends that a step gave are finite and apart: NumPy refuses others, or moves them."""
    first, last = as_dtype(first, FLOAT64, device), as_dtype(last, FLOAT64, device)
    return torch.isfinite(first) & torch.isfinite(last) & (first < last)


def _difference(last: Any, first: Any) -> Any:
    """Return the difference of the ends; of integers as an unsigned number.

    NumPy's is a scalar with a dtype, also of Python's numbers.
    """
    traced = [end for end in (last, first) if isinstance(end, Tensor | Weak)]
    if not traced:
        whole = isinstance(last, (int, np.integer)) and isinstance(first, (int, np.integer))
        return int(last) - int(first) if whole else last - first
    dtype = promote.result_type(strength(last), strength(first))
    dtype = INT64 if dtype.kind in "iu" else dtype
    device = device_of(traced)
    return do(np.subtract, as_dtype(last, dtype, device), as_dtype(first, dtype, device))


def _counted(index: Tensor, weights: Tensor | None, count: int) -> Tensor:
    """Return how many elements, or how much weight, each bin has; an element in no bin has index `count`."""
    values = torch.ones(index.shape, dtype=torch.float64, device=index.device)
    # Compiled code cannot add integers at places; up to this number of them, floats are exact.
    made = sums_at(index, values if weights is None else cast(weights, FLOAT64), count + 1)[:count]
    return cast(made, INT64 if weights is None else dtype_of(weights))
