"""Ops that solve linear equations and what goes with them: solve, inv, det, slogdet, cholesky, lstsq."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.linalg import LinAlgError
from torch import Tensor

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops.gufuncs import core_dimensions
from npcompile.frontend.ops.lapack import (
    common,
    finite,
    left_to_numpy,
    numpys,
    real_of,
    regular,
    square,
    surely_definite,
)
from npcompile.frontend.ops.numpy_private import LAPACK, LEAST_SQUARES, SlogdetResult
from npcompile.frontend.ops.rules import op, tensor
from npcompile.frontend.ops.table import Op

Checked = tuple[Any, Tensor | None]
_EPS = torch.finfo(torch.float64).eps


def _factored(matrix: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return LU factors, pivots, and if all matrices are regular beyond doubt (0-d bool)."""
    lu, pivots, _ = torch.linalg.lu_factor_ex(matrix)
    return lu, pivots, regular(matrix, lu)


@op(np.linalg.solve, arrays=2, scalar=False, library=True, checked=True)
def solve(a: Tensor, b: Tensor) -> Checked:
    square(a)
    work, result = common(a, b)
    vector = b.dim() == 1
    if vector:
        core_dimensions("solve1", "(m,m),(m)->(m)", a.shape, b.shape)
    else:
        core_dimensions("solve", "(m,m),(m,n)->(m,n)", a.shape, b.shape)
    right = b.to(work)[:, None] if vector else b.to(work)
    batch = torch.broadcast_shapes(a.shape[:-2], right.shape[:-2])
    shape = (*batch, a.shape[-1], right.shape[-1])
    matrix = a.to(work)
    if a.numel() == 0 or 0 in batch:
        x, ok = right.new_zeros(shape), None
    else:
        lu, pivots, ok = _factored(matrix)
        ok = ok & finite(right)
        if left_to_numpy(ok):
            x, ok = numpys(LAPACK.solve, matrix, right)
        else:
            # With an empty right side there is nothing to solve, but NumPy refuses a singular matrix all
            # the same.
            lu, pivots = lu.expand(*batch, *lu.shape[-2:]), pivots.expand(*batch, pivots.shape[-1])
            right = right.expand(shape)
            x = torch.linalg.lu_solve(lu, pivots, right) if right.shape[-1] else right
    return (x[..., 0] if vector else x).to(result).contiguous(), ok


@op(np.linalg.inv, scalar=False, library=True, checked=True)
def inv(a: Tensor) -> Checked:
    square(a)
    work, result = common(a)
    if a.numel() == 0:
        return torch.zeros_like(a, dtype=result), None
    matrix = a.to(work)
    lu, pivots, ok = _factored(matrix)
    if left_to_numpy(ok):
        inverse, ok = numpys(LAPACK.inv, matrix)
        return inverse.to(result), ok
    one = torch.eye(a.shape[-1], dtype=work, device=a.device).expand(matrix.shape)
    return torch.linalg.lu_solve(lu, pivots, one).to(result).contiguous(), ok


def _determinants(a: Tensor) -> tuple[Tensor, Tensor, torch.dtype, Tensor | None]:
    """Return signs (phases) and logarithms, from the LU factors as NumPy takes them; the answer's dtype; the
    check."""
    square(a)
    work, result = common(a)
    if a.numel() == 0:
        one = torch.ones(a.shape[:-2], dtype=work, device=a.device)
        return one, torch.zeros_like(one, dtype=real_of(work)), result, None
    matrix = a.to(work)
    lu, pivots, ok = _factored(matrix)
    if left_to_numpy(ok):
        (sign, log), ok = numpys(LAPACK.slogdet, matrix)
        return sign, log, result, None
    diagonal = lu.diagonal(dim1=-2, dim2=-1)
    size = diagonal.abs()
    swapped = pivots != torch.arange(1, a.shape[-1] + 1, dtype=pivots.dtype, device=a.device)
    odd = swapped.sum(-1) % 2
    sign = torch.where((size == 0).any(-1), 0.0, (diagonal / size).prod(-1) * (1 - 2 * odd).to(work))
    return sign, size.log().sum(-1), result, ok


@op(np.linalg.slogdet, library=True, checked=True)
def slogdet(a: Tensor) -> Checked:
    sign, log, result, ok = _determinants(a)
    return SlogdetResult(sign.to(result), log.to(real_of(result))), ok


@op(np.linalg.det, library=True, checked=True)
def det(a: Tensor) -> Checked:
    """Return sign * exp(log), as NumPy does, with its rounding and its overflow."""
    sign, log, result, ok = _determinants(a)
    return (sign * log.exp()).to(result), ok


def _upper_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    return None if isinstance(kwargs.get("upper", False), (bool, int)) else Cause.UPPER()


@op(np.linalg.cholesky, scalar=False, library=True, checked=True, limits=_upper_limits)
def cholesky(a: Tensor, /, *, upper: bool = False) -> Checked:
    square(a)
    work, result = common(a)
    if a.numel() == 0:
        return torch.zeros_like(a, dtype=result), None
    matrix = a.to(work)
    factor, info = torch.linalg.cholesky_ex(matrix, upper=bool(upper))
    ok = (info == 0).all() & surely_definite(matrix, factor)
    if left_to_numpy(ok):
        gufunc = LAPACK.cholesky_up if upper else LAPACK.cholesky_lo
        factor, ok = numpys(gufunc, matrix)
    return factor.to(result).contiguous(), ok


def _least_squares(a: Tensor, b: Tensor, rcond: Tensor) -> tuple[Any, Tensor]:
    """Return the shortest solution, the squares of the residuals, the rank and the singular values.

    Also returns if any LAPACK would find that rank (0-d bool).
    """
    u, s, vh = torch.linalg.svd(a, full_matrices=False)
    largest = s[:1].sum()
    # LAPACK's dlalsd takes machine precision where the threshold is negative or above 1.
    cut = torch.where((rcond > 0) & (rcond < 1), rcond, _EPS / 2) * largest
    kept = s > cut
    weights = torch.where(kept, 1 / torch.where(kept, s, 1.0), 0.0).to(a.dtype)
    x = vh.mH @ (weights[:, None] * (u.mH @ b))
    gone = b - a @ x
    left = (gone.real.square() + gone.imag.square() if gone.is_complex() else gone.square()).sum(0)
    noise = 16 * max(a.shape) * _EPS * largest
    return (x, left, kept.sum().to(torch.int32), s), ((s - cut).abs() > noise).all()


@op(np.linalg.lstsq, arrays=2, operands=["rcond"], scalar=True, library=True, checked=True)
def lstsq(a: Tensor, b: Tensor, rcond: Any = None) -> Checked:
    vector = b.dim() == 1
    right = b[:, None] if vector else b
    for item in (a, right):
        if item.dim() != 2:
            raise LinAlgError(f"{item.dim()}-dimensional array given. Array must be two-dimensional")
    (m, n), columns = a.shape, right.shape[1]
    if m != right.shape[0]:
        raise LinAlgError("Incompatible dimensions")
    work, result = common(a, b)
    real = real_of(result)
    if rcond is None:
        rcond = float(np.finfo(np.float64).eps) * max(n, m)
    matrix, target = a.to(work), right.to(work)
    ok = finite(matrix) & finite(target)
    ask = left_to_numpy(ok)
    found: Any = None
    if not ask:
        found, settled = _least_squares(matrix, target, tensor(rcond, a.device).to(torch.float64))
        ok = ok & settled
        ask = left_to_numpy(ok)
    if ask:
        some = target if columns else target.new_zeros((m, 1))
        found, ok = numpys(LEAST_SQUARES, matrix, some, rcond)
    x, left, rank, s = found
    x = x[:, 0] if vector else x[:, :columns]
    left = left[:columns] if int(rank) == n and m > n else s.new_empty(0)
    return (x.to(result).contiguous(), left.to(real), rank, s.to(real)), ok
