"""Ops that create arrays with a pattern: identities, triangles, grids of indices."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops.creation import creation_limits, own_dtype, shape_of
from npcompile.frontend.ops.rules import cast, device_of, op, tensor, torch_dtype
from npcompile.frontend.ops.shape import in_order
from npcompile.frontend.ops.symbolic_sizes import as_whole
from npcompile.frontend.ops.table import Op

# -- matrices of ones and zeros ------------------------------------------------------------------------------


def _below(rows: int, columns: int, k: int, device: Any) -> Tensor:
    """Return where a column is at or left of the k-th diagonal."""
    rows, columns = max(rows, 0), max(columns, 0)
    return torch.arange(rows, device=device)[:, None] + k >= torch.arange(columns, device=device)


@op(np.eye, arrays=0, scalar=False, creates=True, limits=creation_limits(3, 4))
def eye(
    N: int, M: int | None = None, k: int = 0, dtype: Any = float, order: str = "C", *, device: Any = None
) -> Tensor:
    rows, columns = shape_of((N, N if M is None else M))
    diagonal = torch.arange(rows, device=device)[:, None] + as_whole(k) == torch.arange(
        columns, device=device
    )
    return in_order(cast(diagonal, own_dtype(None if dtype is float else dtype)), order)


@op(np.identity, arrays=0, scalar=False, creates=True, limits=creation_limits(1))
def identity(n: int, dtype: Any = None, *, device: Any = None) -> Tensor:
    return eye.body(n, None, 0, float if dtype is None else dtype, device=device)


@op(np.tri, arrays=0, scalar=False, creates=True, limits=creation_limits(3))
def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = float, *, device: Any = None) -> Tensor:
    rows = as_whole(N)
    below = _below(rows, rows if M is None else as_whole(M), as_whole(k), device)
    return cast(below, own_dtype(None if dtype is float else dtype))


def _triangle(m: Tensor, k: int) -> Tensor:
    if m.dim() == 0:
        raise TypeError("tri() missing 1 required positional argument: 'N'")
    rows, columns = (m.shape[-2], m.shape[-1]) if m.dim() > 1 else (m.shape[0], m.shape[0])
    return _below(rows, columns, as_whole(k), m.device)


@op(np.tril, scalar=False)
def tril(m: Tensor, k: int = 0) -> Tensor:
    return torch.where(_triangle(m, k), m, torch.zeros((), dtype=m.dtype, device=m.device))


@op(np.triu, scalar=False)
def triu(m: Tensor, k: int = 0) -> Tensor:
    return torch.where(_triangle(m, k - 1), torch.zeros((), dtype=m.dtype, device=m.device), m)


# -- grids ---------------------------------------------------------------------------------------------------


@op(np.indices, arrays=0, scalar=False, creates=True, limits=creation_limits(1))
def indices(dimensions: Any, dtype: Any = int, sparse: bool = False, *, device: Any = None) -> Any:
    sizes = shape_of(tuple(dimensions))
    chosen = np.dtype(dtype)
    axes = [
        cast(torch.arange(size, device=device), chosen).reshape(
            [size if at == place else 1 for place in range(len(sizes))]
        )
        for at, size in enumerate(sizes)
    ]
    if sparse:
        return tuple(axes)
    if not axes:
        return torch.empty((0,), dtype=torch_dtype(chosen), device=device)
    return torch.stack([item.broadcast_to(sizes) for item in axes])


def _meshgrid_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    return Cause.OPTION("copy=False") if kwargs.get("copy", True) is not True else None


@op(np.meshgrid, scalar=False, limits=_meshgrid_limits)
def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple[Tensor, ...]:
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    count = len(xi)
    place = list(range(count))
    if indexing == "xy" and count > 1:
        place[:2] = 1, 0
    device = device_of(xi)
    lines = [
        tensor(item, device).reshape([-1 if axis == place[at] else 1 for axis in range(count)])
        for at, item in enumerate(xi)
    ]
    if not sparse and count > 1:
        lines = list(torch.broadcast_tensors(*lines))
    return tuple(item.clone(memory_format=torch.contiguous_format) for item in lines)
