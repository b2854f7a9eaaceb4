"""Products of arrays: matrix, inner, outer, tensor products, einsum. Tuned libraries do most best."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple
from torch import Tensor

from npcompile.frontend.ops.rules import cast, check_broadcast, device_of, op, promoted, tensor, torch_dtype
from npcompile.frontend.table import TORCH, Op, Unsupported


def contracted(body: Callable[..., Tensor], *operands: Tensor) -> Tensor:
    """A contraction of operands of one dtype, computed in a dtype in which torch sums as NumPy does.

    NumPy adds float16 in float32 and rounds once, takes bool as "any of all", and wraps integers.
    """
    dtype = operands[0].dtype
    if dtype == torch.bool:
        return body(*(item.to(torch.float32) for item in operands)) != 0  # a sum of ones is never 0
    if dtype == torch.float16:
        return body(*(item.to(torch.float32) for item in operands)).to(torch.float16)
    if not dtype.is_floating_point and not dtype.is_complex and operands[0].device.type != "cpu":
        raise Unsupported("products of integers on a device")
    return body(*operands)


def _vectors(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    one, other = promoted(a, b)
    return one, other


def _product_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    if kwargs.get("dtype") is not None or "casting" in kwargs or "axes" in kwargs or "axis" in kwargs:
        return "keywords of a generalised ufunc"
    return None


def _matmul(a: Tensor, b: Tensor) -> Tensor:
    if a.dim() == 0 or b.dim() == 0:
        raise ValueError("matmul: Input operand does not have enough dimensions")
    if a.shape[-1] != b.shape[-2 if b.dim() > 1 else -1]:
        raise ValueError("matmul: Input operand 1 has a mismatch in its core dimension 0")
    if a.dim() > 2 or b.dim() > 2:
        check_broadcast([a.new_empty(a.shape[:-2]), b.new_empty(b.shape[:-2])])
    return contracted(torch.matmul, *_vectors(a, b))


@op(np.matmul, arrays=2, library=True, limits=_product_limits)
def matmul(x1: Tensor, x2: Tensor, out: None = None) -> Tensor:
    return _matmul(x1, x2)


@op(np.linalg.matmul, arrays=2, library=True)
def linalg_matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    return _matmul(x1, x2)


def _vecdot(a: Tensor, b: Tensor) -> Tensor:
    if a.dim() == 0 or b.dim() == 0 or a.shape[-1] != b.shape[-1]:
        raise ValueError("vecdot: Input operand 1 has a mismatch in its core dimension 0")
    check_broadcast([a, b])
    return contracted(lambda x, y: (x.conj() * y).sum(-1, dtype=x.dtype), *_vectors(a, b))


@op(np.vecdot, arrays=2, library=True, limits=_product_limits)
def vecdot(x1: Tensor, x2: Tensor, out: None = None) -> Tensor:
    return _vecdot(x1, x2)


def _pairs(a: Tensor, b: Tensor, axes_a: tuple[int, ...], axes_b: tuple[int, ...]) -> Tensor:
    """The contraction of pairs of axes: the free axes of `a`, then those of `b`."""
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
    return contracted(torch.matmul, left, right).reshape(shape)


@op(np.dot, np.ndarray.dot, arrays=2, library=True)
def dot(a: Tensor, b: Tensor, out: None = None) -> Tensor:
    if a.dim() == 0 or b.dim() == 0:
        one, other = _vectors(a, b)
        return one * other if one.dtype != torch.bool else one & other
    return _pairs(a, b, (a.dim() - 1,), (max(b.dim() - 2, 0),))


@op(np.inner, arrays=2, library=True)
def inner(a: Tensor, b: Tensor, /) -> Tensor:
    if a.dim() == 0 or b.dim() == 0:
        one, other = _vectors(a, b)
        return one * other if one.dtype != torch.bool else one & other
    return _pairs(a, b, (a.dim() - 1,), (b.dim() - 1,))


@op(np.vdot, arrays=2, library=True)
def vdot(a: Tensor, b: Tensor, /) -> Tensor:
    one, other = _vectors(a.reshape(-1), b.reshape(-1))
    return _pairs(one.conj().resolve_conj(), other, (0,), (0,))


def _multiplied(a: Tensor, b: Tensor) -> Tensor:
    one, other = _vectors(a, b)
    return one & other if one.dtype == torch.bool else one * other


@op(np.outer, arrays=2, scalar=False)
def outer(a: Tensor, b: Tensor, out: None = None) -> Tensor:
    return _multiplied(a.reshape(-1, 1), b.reshape(1, -1))


@op(np.linalg.outer, arrays=2, scalar=False)
def linalg_outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    if x1.dim() != 1 or x2.dim() != 1:
        raise ValueError("Input arrays must be one-dimensional")
    return _multiplied(x1.reshape(-1, 1), x2.reshape(1, -1))


@op(np.tensordot, arrays=2, scalar=False, library=True)
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
    return _pairs(a, b, normalize_axis_tuple(axes_a, a.dim()), normalize_axis_tuple(axes_b, b.dim()))


def _einsum_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    if not args or not isinstance(args[0], str):
        return "subscripts as lists"
    if kwargs.get("dtype") is not None or kwargs.get("order", "K") != "K" or "casting" in kwargs:
        return "dtype, order or casting"
    inputs, arrow, output = args[0].replace(" ", "").partition("->")
    if len(args) == 2:
        # One operand may be answered by a view, unless something is summed.
        labels = set(inputs) - {"."}
        kept = set(output) if arrow else {label for label in labels if inputs.count(label) == 1}
        if labels <= kept:
            return "a view by einsum"
    optimize = kwargs.get("optimize", False)
    if not isinstance(optimize, (bool, str)):
        return "optimize= with a path"
    left = output if arrow else [label for label in inputs if label == "." or inputs.count(label) == 1]
    if optimize is not False and not set(left) - {",", "."}:
        return "optimize= of a sum of everything, which answers with a 0-d array"
    kinds = [np.asarray(item).dtype for item in args[1:]]
    return "operands that torch cannot hold" if any(kind.kind not in "biufc" for kind in kinds) else None


@op(np.einsum, arrays=0, library=True, limits=_einsum_limits)
def einsum(subscripts: str, /, *operands: Any, out: None = None, optimize: Any = False) -> Tensor:
    tensors = promoted(*(tensor(item, device_of(operands)) for item in operands))
    terms = subscripts.replace(" ", "").partition("->")[0].split(",")
    if len(terms) != len(tensors):
        raise ValueError(
            "more operands provided to einstein sum function than specified in the subscripts string"
        )
    for term, item in zip(terms, tensors, strict=True):
        labels = term.replace("...", "")
        if len(labels) > item.dim() or ("..." not in term and len(labels) != item.dim()):
            raise ValueError("operand has another number of dimensions than its subscripts")
    dtype = tensors[0].dtype
    if not dtype.is_floating_point and not dtype.is_complex and dtype != torch.bool:
        tensors = [item.to(torch.int64) for item in tensors]  # as torch adds up small integers
    try:
        result = contracted(lambda *items: torch.einsum(subscripts, *items), *tensors)
    except RuntimeError as error:
        raise ValueError(str(error)) from None
    return result.to(dtype)


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


def _cross_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    if any(np.asarray(item).dtype == np.bool_ for item in args[:2]):
        return "differences of bools"
    axis = kwargs.get("axis")
    places = [kwargs.get("axisa", -1), kwargs.get("axisb", -1)] if axis is None else [axis, axis]
    for item, at in zip(args, places, strict=False):
        shape = np.shape(item)
        if shape and -len(shape) <= at < len(shape) and shape[at] == 2:
            return "vectors of length 2"
    return None


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
    result = torch.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], -1)
    return result.movedim(-1, normalize_axis_index(axisc, result.dim()))


def _trace_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    dtype = args[4] if len(args) > 4 else kwargs.get("dtype")
    if dtype is not None:
        return None if np.dtype(dtype) in TORCH and np.dtype(dtype).kind != "b" else f"dtype {dtype}"
    return "unsigned integers add up to uint64" if np.asarray(args[0]).dtype.kind == "u" else None


@op(np.trace, np.ndarray.trace, limits=_trace_limits)
def trace(
    a: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: None = None
) -> Tensor:
    if a.dim() < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    axes = normalize_axis_index(axis1, a.dim()), normalize_axis_index(axis2, a.dim())
    if axes[0] == axes[1]:
        raise ValueError("axis1 and axis2 cannot be the same")
    taken = a.diagonal(operator.index(offset), *axes)
    if dtype is None:
        target = a.dtype if a.is_floating_point() or a.is_complex() else torch.int64
    else:
        target = torch_dtype(np.dtype(dtype))
        taken = cast(taken, np.dtype(dtype))
    return taken.sum(-1, dtype=target)
