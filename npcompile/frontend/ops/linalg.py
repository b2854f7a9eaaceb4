"""Ops for norms of vectors, and for those norms of matrices that need no singular values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple
from torch import Tensor

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops.rules import op
from npcompile.frontend.ops.square_root import square_root
from npcompile.frontend.ops.table import Op
from npcompile.nep50.asked import takes


def _norm_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    order = args[1] if len(args) > 1 else kwargs.get("ord")
    axis = args[2] if len(args) > 2 else kwargs.get("axis")
    if isinstance(order, (np.ndarray, complex)):
        return Cause.NORM_ORDER()
    ndim = np.ndim(args[0])
    if ndim == 0 and kwargs.get("keepdims"):
        return Cause.NORM_0D()
    matrix = len(axis) == 2 if isinstance(axis, tuple) else axis is None and ndim == 2
    if matrix and (order in ("nuc", 2, -2)):
        return Cause.NORM_SINGULAR()
    return None


@op(np.linalg.norm, limits=_norm_limits)
def norm(x: Tensor, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Tensor:
    if not (x.is_floating_point() or x.is_complex()):
        x = x.to(torch.float64)
    nd = x.dim()
    if axis is None:
        if ord is None or (ord in ("f", "fro") and nd == 2) or (ord == 2 and nd == 1):
            result = square_root(_squares(x).sum())
            return result.reshape([1] * nd) if keepdims else result
        axis = tuple(range(nd))
    elif not isinstance(axis, tuple):
        try:
            axis = (int(axis),)
        except Exception:
            raise TypeError("'axis' must be None, an integer or a tuple of integers") from None
    if len(axis) == 1:
        return _vector(x, ord, axis[0], keepdims)
    if len(axis) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    row, column = normalize_axis_index(axis[0], nd), normalize_axis_index(axis[1], nd)
    if row == column:
        raise ValueError("Duplicate axes given.")
    return _matrix(x, ord, row, column, keepdims)


def _squares(x: Tensor) -> Tensor:
    """Return |x|**2 without complex arithmetic: only squares and sums, which fuse into one kernel."""
    return x.real * x.real + x.imag * x.imag if x.is_complex() else x * x


_LARGEST_OF_NONE = takes(lambda: np.linalg.norm(np.empty(0), np.inf))  # it is 0 since NumPy 2.3


def _largest(x: Tensor, axis: int, keepdims: bool) -> Tensor:
    """Return the maximum with `initial=0`."""
    if x.shape[axis]:
        return x.amax(axis, keepdim=keepdims)
    if not _LARGEST_OF_NONE:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    return x.sum(axis, keepdim=keepdims)


def _smallest(x: Tensor, axis: int, keepdims: bool) -> Tensor:
    if x.shape[axis] == 0:
        raise ValueError("zero-size array to reduction operation minimum which has no identity")
    return x.amin(axis, keepdim=keepdims)


def _vector(x: Tensor, ord: Any, axis: int, keepdims: bool) -> Tensor:
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    axis = normalize_axis_index(axis, x.dim())
    if ord is None or ord == 2:
        return square_root(_squares(x).sum(axis, keepdim=keepdims))
    if ord == math.inf:
        return _largest(x.abs(), axis, keepdims)
    if ord == -math.inf:
        return _smallest(x.abs(), axis, keepdims)
    if ord == 0:
        return (x != 0).to(x.abs().dtype).sum(axis, keepdim=keepdims)
    if ord == 1:
        return x.abs().sum(axis, keepdim=keepdims)
    total = (x.abs() ** ord).sum(axis, keepdim=keepdims)
    return total ** torch.full((), ord, dtype=total.dtype, device=x.device).reciprocal()


def _matrix(x: Tensor, ord: Any, row: int, column: int, keepdims: bool) -> Tensor:
    if ord is None or ord in ("fro", "f"):
        result = square_root(_squares(x).sum((row, column), keepdim=True))
    elif ord == 1:
        result = _largest(x.abs().sum(row, keepdim=True), column, True)
    elif ord == -1:
        result = _smallest(x.abs().sum(row, keepdim=True), column, True)
    elif ord == math.inf:
        result = _largest(x.abs().sum(column, keepdim=True), row, True)
    elif ord == -math.inf:
        result = _smallest(x.abs().sum(column, keepdim=True), row, True)
    else:
        raise ValueError("Invalid norm order for matrices.")
    if keepdims:
        return result
    return result.reshape([extent for axis, extent in enumerate(result.shape) if axis not in (row, column)])


def _matrix_norm_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    order = kwargs.get("ord", "fro")
    if isinstance(order, (np.ndarray, complex)):
        return Cause.NORM_ORDER()
    return Cause.NORM_SINGULAR() if order in ("nuc", 2, -2) else None


@op(np.linalg.matrix_norm, limits=_matrix_norm_limits)
def matrix_norm(x: Tensor, /, *, keepdims: bool = False, ord: Any = "fro") -> Tensor:
    return norm.body(x, ord, (-2, -1), keepdims)


def _vector_norm_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    if isinstance(kwargs.get("ord"), (np.ndarray, complex)):
        return Cause.NORM_ORDER()
    axis = kwargs.get("axis")
    if axis is not None and not isinstance(axis, (int, tuple)):
        return Cause.AXIS_FORM()
    return Cause.NORM_0D() if np.ndim(args[0]) == 0 else None


@op(np.linalg.vector_norm, limits=_vector_norm_limits)
def vector_norm(x: Tensor, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Tensor:
    if not isinstance(axis, (tuple, type(None))) and not -x.dim() <= axis < x.dim():
        return norm.body(x, ord, axis)  # raises, for the order before it does for the axis
    axes = tuple(range(x.dim())) if axis is None else normalize_axis_tuple(axis, x.dim())
    rest = [place for place in range(x.dim()) if place not in axes]
    length = math.prod(x.shape[place] for place in axes)
    moved = x.permute(*axes, *rest).reshape(length, *(x.shape[place] for place in rest))
    result: Tensor = norm.body(moved, ord, 0)
    shape = [1 if place in axes else size for place, size in enumerate(x.shape)]
    return result.reshape(shape) if keepdims else result
