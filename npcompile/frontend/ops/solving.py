"""Linear equations: solve, inv, det, slogdet, cholesky, lstsq."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.linalg import LinAlgError, _umath_linalg
from numpy.linalg._linalg import SlogdetResult
from torch import Tensor

from npcompile.frontend.ops.gufuncs import core_dimensions
from npcompile.frontend.ops.lapack import common, decided, eager, numpys, real_of, square
from npcompile.frontend.ops.rules import op
from npcompile.frontend.table import Op

Checked = tuple[Any, Tensor | None]


def _factored(matrix: Tensor) -> tuple[Tensor, Tensor, Tensor, bool]:
    """LU, pivots, where it failed; and whether NumPy's LAPACK is to be asked about it."""
    lu, pivots, info = torch.linalg.lu_factor_ex(matrix)
    ask = eager(matrix) and not decided(matrix, lu.diagonal(dim1=-2, dim2=-1), matrix.shape[-1])
    return lu, pivots, info, ask


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
        lu, pivots, info, ask = _factored(matrix)
        if ask:
            x, ok = numpys(_umath_linalg.solve, matrix, right)
        else:
            ok = (info == 0).all()
            # an empty right side has nothing to solve, but a singular matrix is one all the same
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
    lu, pivots, info, ask = _factored(matrix)
    if ask:
        inverse, ok = numpys(_umath_linalg.inv, matrix)
        return inverse.to(result), ok
    one = torch.eye(a.shape[-1], dtype=work, device=a.device).expand(matrix.shape)
    return torch.linalg.lu_solve(lu, pivots, one).to(result).contiguous(), (info == 0).all()


def _determinants(a: Tensor) -> tuple[Tensor, Tensor, torch.dtype]:
    """Signs (phases) and logarithms, from the LU factors as NumPy takes them; the dtype to answer with."""
    square(a)
    work, result = common(a)
    if a.numel() == 0:
        shape = a.shape[:-2]
        return (
            torch.ones(shape, dtype=work, device=a.device),
            torch.zeros(shape, dtype=real_of(work), device=a.device),
            result,
        )
    matrix = a.to(work)
    lu, pivots, _, ask = _factored(matrix)
    if ask:
        (sign, log), _ = numpys(_umath_linalg.slogdet, matrix)
        return sign, log, result
    diagonal = lu.diagonal(dim1=-2, dim2=-1)
    size = diagonal.abs()
    swapped = pivots != torch.arange(1, a.shape[-1] + 1, dtype=pivots.dtype, device=a.device)
    odd = swapped.sum(-1) % 2
    sign = (diagonal / size).prod(-1) * (1 - 2 * odd).to(work)
    singular = (size == 0).any(-1)
    sign = torch.where(singular, torch.zeros((), dtype=work, device=a.device), sign)
    return sign, size.log().sum(-1), result


@op(np.linalg.slogdet, library=True)
def slogdet(a: Tensor) -> SlogdetResult:
    sign, log, result = _determinants(a)
    return SlogdetResult(sign.to(result), log.to(real_of(result)))


@op(np.linalg.det, library=True)
def det(a: Tensor) -> Tensor:
    """sign * exp(log): NumPy's own way, with its rounding and its overflow."""
    sign, log, result = _determinants(a)
    return (sign * log.exp()).to(result)


def _upper_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    return None if isinstance(kwargs.get("upper", False), (bool, int)) else "upper= that is no bool"


@op(np.linalg.cholesky, scalar=False, library=True, checked=True, limits=_upper_limits)
def cholesky(a: Tensor, /, *, upper: bool = False) -> Checked:
    square(a)
    work, result = common(a)
    if a.numel() == 0:
        return torch.zeros_like(a, dtype=result), None
    matrix = a.to(work)
    factor, info = torch.linalg.cholesky_ex(matrix, upper=bool(upper))
    if eager(matrix) and not decided(
        matrix, factor.diagonal(dim1=-2, dim2=-1).real.square(), matrix.shape[-1]
    ):
        gufunc = _umath_linalg.cholesky_up if upper else _umath_linalg.cholesky_lo
        factor, ok = numpys(gufunc, matrix)
        return factor.to(result), ok
    return factor.to(result).contiguous(), (info == 0).all()


def _least_squares(a: Tensor, b: Tensor, rcond: float) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The shortest solution, the squares of what is left, the rank and the singular values."""
    u, s, vh = torch.linalg.svd(a, full_matrices=False)
    # as LAPACK's gelsd counts it: a negative rcond stands for the machine's precision
    cut = (rcond if rcond >= 0 else float(np.finfo(np.float64).eps)) * (s[0] if len(s) else 0.0)
    kept = s > cut
    weights = torch.where(kept, 1 / torch.where(kept, s, 1.0), 0.0).to(a.dtype)
    x = vh.mH @ (weights[:, None] * (u.mH @ b))
    gone = b - a @ x
    left = (gone.real.square() + gone.imag.square() if gone.is_complex() else gone.square()).sum(0)
    return x, left, kept.sum().to(torch.int32), s


@op(np.linalg.lstsq, arrays=2, scalar=True, library=True, checked=True)
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
    if eager(matrix) and columns and not (torch.isfinite(matrix).all() and torch.isfinite(target).all()):
        (x, left, rank, s), ok = numpys(
            _umath_linalg.lstsq, matrix, target, rcond
        )  # NaN is the library's affair
    else:
        x, left, rank, s = _least_squares(matrix, target, rcond)
        ok = torch.isfinite(s).all()
    if int(rank) != n or m <= n:
        left = s.new_empty(0)
    x = x[:, 0] if vector else x
    return (x.to(result).contiguous(), left.to(real), rank, s.to(real)), ok
