"""Ops for products of arrays: matrix, inner, outer, tensor, cross; trace. Tuned libraries do most of them
best."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
import torch
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple
from torch import Tensor

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops.contraction import contracted
from npcompile.frontend.ops.gufuncs import loop_limit, product
from npcompile.frontend.ops.rules import check_broadcast, do, op, promoted
from npcompile.frontend.ops.table import TABLE, Op
from npcompile.lower.plan.products import is_small, summed


def _vectors(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    one, other = promoted(a, b)
    return one, other


# -- generalised ufuncs --------------------------------------------------------------------------------------


def _limits(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    return loop_limit(op.objects[0], args, kwargs)


def _multiply(one: Tensor, other: Tensor) -> Tensor:
    """Multiply matrices by a library, or as sums in a kernel."""
    if one.device.type != "cpu" and one.shape[-1] == 1:  # a sum begins with 0.0: it is never -0.0
        return torch.matmul(one, other) + 0
    small = not one.is_complex() and one.device.type == "cpu" and is_small(one.shape, other.shape)
    return summed(one, other) if small else torch.matmul(one, other)


def _matmul(one: Tensor, other: Tensor) -> Tensor:
    return contracted(_multiply, one, other)


def _vecdot(one: Tensor, other: Tensor) -> Tensor:
    return contracted(lambda x, y: (x.conj() * y).sum(-1, dtype=x.dtype), one, other)


def _matvec(one: Tensor, other: Tensor) -> Tensor:
    return contracted(lambda x, y: torch.matmul(x, y[..., None])[..., 0], one, other)


def _vecmat(one: Tensor, other: Tensor) -> Tensor:
    return contracted(lambda x, y: torch.matmul(x.conj()[..., None, :], y)[..., 0, :], one, other)


@op(np.matmul, arrays=2, library=True, product=True, limits=_limits)
def matmul(
    x1: Tensor,
    x2: Tensor,
    out: None = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
    axes: Any = None,
) -> Tensor:
    return product(np.matmul, _matmul, (x1, x2), dtype=dtype, casting=casting, axes=axes)


@op(np.linalg.matmul, arrays=2, library=True, product=True)
def linalg_matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    return product(np.matmul, _matmul, (x1, x2))


@op(np.vecdot, arrays=2, library=True, limits=_limits)
def vecdot(
    x1: Tensor,
    x2: Tensor,
    out: None = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
    axes: Any = None,
    axis: Any = None,
    keepdims: Any = False,
) -> Tensor:
    keywords = {"dtype": dtype, "casting": casting, "axes": axes, "axis": axis, "keepdims": keepdims}
    return product(np.vecdot, _vecdot, (x1, x2), **keywords)


@op(np.linalg.vecdot, arrays=2, library=True)
def linalg_vecdot(x1: Tensor, x2: Tensor, /, *, axis: Any = -1) -> Tensor:
    return product(np.vecdot, _vecdot, (x1, x2), axis=axis)


if hasattr(np, "matvec"):  # since NumPy 2.2

    @op(np.matvec, arrays=2, library=True, limits=_limits)
    def matvec(
        x1: Tensor,
        x2: Tensor,
        out: None = None,
        *,
        dtype: Any = None,
        casting: str = "same_kind",
        axes: Any = None,
    ) -> Tensor:
        return product(np.matvec, _matvec, (x1, x2), dtype=dtype, casting=casting, axes=axes)

    @op(np.vecmat, arrays=2, library=True, limits=_limits)
    def vecmat(
        x1: Tensor,
        x2: Tensor,
        out: None = None,
        *,
        dtype: Any = None,
        casting: str = "same_kind",
        axes: Any = None,
    ) -> Tensor:
        return product(np.vecmat, _vecmat, (x1, x2), dtype=dtype, casting=casting, axes=axes)


# -- dot and its like ----------------------------------------------------------------------------------------


def _contract_axes(a: Tensor, b: Tensor, axes_a: tuple[int, ...], axes_b: tuple[int, ...]) -> Tensor:
    """Contract pairs of axes: the result has the free axes of `a`, then those of `b`."""
    if len(axes_a) != len(axes_b) or any(
        a.shape[i] != b.shape[j] for i, j in zip(axes_a, axes_b, strict=True)
    ):
        raise ValueError("shape-mismatch for sum")
    one, other = _vectors(a, b)
    free_a = [axis for axis in range(a.dim()) if axis not in axes_a]
    free_b = [axis for axis in range(b.dim()) if axis not in axes_b]
    shape = [a.shape[axis] for axis in free_a] + [b.shape[axis] for axis in free_b]
    inner = math.prod(a.shape[axis] for axis in axes_a)
    rows = math.prod(a.shape[axis] for axis in free_a)
    columns = math.prod(b.shape[axis] for axis in free_b)
    left = one.permute((*free_a, *axes_a)).reshape(rows, inner)
    right = other.permute((*axes_b, *free_b)).reshape(inner, columns)
    return contracted(_multiply, left, right).reshape(shape)


def _dot_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    out = kwargs.get("out")
    if out is None:
        return None
    own = np.result_type(*(np.asarray(item).dtype for item in args[:2]))
    return None if out.dtype == own and out.flags.c_contiguous else Cause.OUT_REFUSED()


@op(np.dot, np.ndarray.dot, arrays=2, library=True, product=True, limits=_dot_limits)
def dot(a: Tensor, b: Tensor, out: None = None) -> Tensor:
    if a.dim() == 0 or b.dim() == 0:
        return _multiplied(a, b)
    if a.shape == b.shape == (1,) and a.dtype != torch.float16:  # BLAS's own dtypes
        return _multiplied(a[0], b[0])
    return _contract_axes(a, b, (a.dim() - 1,), (max(b.dim() - 2, 0),))


@op(np.inner, arrays=2, library=True)
def inner(a: Tensor, b: Tensor, /) -> Tensor:
    if a.dim() == 0 or b.dim() == 0:
        return _multiplied(a, b)
    if a.shape == b.shape == (1,) and a.dtype != torch.float16:  # BLAS's own dtypes
        return _multiplied(a[0], b[0])
    return _contract_axes(a, b, (a.dim() - 1,), (b.dim() - 1,))


@op(np.vdot, arrays=2, library=True)
def vdot(a: Tensor, b: Tensor, /) -> Tensor:
    one, other = _vectors(a.reshape(-1), b.reshape(-1))
    return _contract_axes(one.conj().resolve_conj(), other, (0,), (0,))


def _multiplied(a: Tensor, b: Tensor) -> Tensor:
    return do(np.multiply, a, b)


@op(np.outer, arrays=2, scalar=False)
def outer(a: Tensor, b: Tensor, out: None = None) -> Tensor:
    return _multiplied(a.reshape(-1, 1), b.reshape(1, -1))


@op(np.linalg.outer, arrays=2, scalar=False)
def linalg_outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    if x1.dim() != 1 or x2.dim() != 1:
        raise ValueError(
            f"Input arrays must be one-dimensional, but they are x1.ndim={x1.dim()} and x2.ndim={x2.dim()}."
        )
    return _multiplied(x1.reshape(-1, 1), x2.reshape(1, -1))


def _tensordot_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    axes = args[2] if len(args) > 2 else kwargs.get("axes", 2)
    every = (axes, *axes) if isinstance(axes, (tuple, list)) else (axes,)
    return Cause.AXES_IN_ARRAYS() if any(isinstance(item, np.ndarray) for item in every) else None


@op(np.tensordot, arrays=2, scalar=False, library=True, limits=_tensordot_limits)
def tensordot(a: Tensor, b: Tensor, axes: Any = 2) -> Tensor:
    if isinstance(axes, (tuple, list)):
        first, second = axes
        axes_a = tuple(first) if isinstance(first, (tuple, list)) else (first,)
        axes_b = tuple(second) if isinstance(second, (tuple, list)) else (second,)
    else:
        count = operator.index(axes)
        axes_a, axes_b = tuple(range(-count, 0)), tuple(range(count))
    if len(axes_a) != len(axes_b) or any(
        not -a.dim() <= i < a.dim() or not -b.dim() <= j < b.dim()
        for i, j in zip(axes_a, axes_b, strict=True)
    ):
        raise (ValueError if len(axes_a) != len(axes_b) else IndexError)("shape-mismatch for sum")
    for own in (axes_a, axes_b):
        if len(set(own)) != len(own):
            raise ValueError("duplicate axes are not allowed in tensordot")
    return _contract_axes(a, b, normalize_axis_tuple(axes_a, a.dim()), normalize_axis_tuple(axes_b, b.dim()))


@op(np.linalg.tensordot, arrays=2, scalar=False, library=True, limits=_tensordot_limits)
def linalg_tensordot(x1: Tensor, x2: Tensor, /, *, axes: Any = 2) -> Tensor:
    return tensordot.body(x1, x2, axes)


@op(np.kron, arrays=2, scalar=True)
def kron(a: Tensor, b: Tensor) -> Tensor:
    one, other = _vectors(a, b)
    if a.dim() == 0 or b.dim() == 0:
        return _multiplied(one, other)
    count = max(a.dim(), b.dim())
    one = one.reshape((1,) * (count - a.dim()) + tuple(a.shape))
    other = other.reshape((1,) * (count - b.dim()) + tuple(b.shape))
    shape = [m * n for m, n in zip(one.shape, other.shape, strict=True)]
    left = one.reshape([n for extent in one.shape for n in (extent, 1)])
    right = other.reshape([n for extent in other.shape for n in (1, extent)])
    return _multiplied(left, right).reshape(shape)


def _cross_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    if all(np.asarray(item).dtype == np.bool_ for item in args[:2]):
        return Cause.BOOL_DIFFERENCES()
    axis = kwargs.get("axis")
    places = [kwargs.get("axisa", -1), kwargs.get("axisb", -1)] if axis is None else [axis, axis]
    for item, at in zip(args, places, strict=False):
        shape = np.shape(item)
        if shape and -len(shape) <= at < len(shape) and shape[at] == 2:
            return Cause.CROSS_OF_TWO()
    return None


def _difference_of_products(a: Tensor, b: Tensor, c: Tensor, d: Tensor) -> Tensor:
    """Return `a * b - c * d`, with complex numbers multiplied as NumPy does."""
    return do(np.subtract, do(np.multiply, a, b), do(np.multiply, c, d))


@op(np.cross, arrays=2, scalar=False, limits=_cross_limits)
def cross(
    a: Tensor, b: Tensor, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None
) -> Tensor:
    if axis is not None:
        axisa = axisb = axisc = axis
    if a.dim() < 1 or b.dim() < 1:
        raise ValueError("At least one array has zero dimension")
    a = a.movedim(normalize_axis_index(axisa, a.dim()), -1)
    b = b.movedim(normalize_axis_index(axisb, b.dim()), -1)
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    check_broadcast([a, b])
    one, other = _vectors(a, b)
    (a0, a1, a2), (b0, b1, b2) = one.unbind(-1), other.unbind(-1)
    result = torch.stack(
        [
            _difference_of_products(a1, b2, a2, b1),
            _difference_of_products(a2, b0, a0, b2),
            _difference_of_products(a0, b1, a1, b0),
        ],
        -1,
    )
    return result.movedim(-1, normalize_axis_index(axisc, result.dim()))


@op(np.linalg.cross, arrays=2, scalar=False, limits=_cross_limits)
def linalg_cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    sizes = tuple(x1.shape)[axis], tuple(x2.shape)[axis]
    if sizes != (3, 3):
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, "
            f"but they are {sizes[0]} and {sizes[1]} dimensional instead."
        )
    return cross.body(x1, x2, axis=axis)


def _trace_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    dtype = args[4] if len(args) > 4 else kwargs.get("dtype")
    total = TABLE.of(np.sum)
    assert total is not None
    return total.refuses((args[0],), {"axis": -1, "dtype": dtype})


@op(np.trace, np.ndarray.trace, limits=_trace_limits)
def trace(
    a: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: None = None
) -> Tensor:
    if a.dim() < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    axes = normalize_axis_index(axis1, a.dim()), normalize_axis_index(axis2, a.dim())
    if axes[0] == axes[1]:
        raise ValueError("axis1 and axis2 cannot be the same")
    total: Tensor = do(np.sum, a.diagonal(operator.index(offset), *axes), axis=-1, dtype=dtype)
    return total


@op(np.linalg.trace, limits=_trace_limits)
def linalg_trace(x: Tensor, /, *, offset: int = 0, dtype: Any = None) -> Tensor:
    return trace.body(x, offset, -2, -1, dtype)
