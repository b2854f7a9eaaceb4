"""Ops for decompositions of matrices: they return eigenvalues and eigenvectors, singular values and vectors,
QR.

Their checks, and NumPy's LAPACK, are in `lapack.py`.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import torch
from torch import Tensor

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops.lapack import (
    common,
    eager,
    finite,
    left_to_numpy,
    numpys,
    real_of,
    square,
    stacked,
    upper,
)
from npcompile.frontend.ops.numpy_private import (
    LAPACK,
    SINGULAR_VALUES,
    SVD_FULL,
    SVD_REDUCED,
    EighResult,
    EigResult,
    QRResult,
    SVDResult,
)
from npcompile.frontend.ops.rules import op
from npcompile.frontend.ops.table import Op

Checked = tuple[Any, Tensor | None]


# -- eigenvalues ---------------------------------------------------------------------------------------------


@functools.cache
def _may_return_real() -> bool:
    """Tell if this NumPy returns real arrays where all eigenvalues are real: until NumPy 2.4."""
    return np.linalg.eigvals(np.eye(1)).dtype.kind == "f"


def _returns_real(a: Tensor, values: Tensor) -> bool:
    """Tell if NumPy returns real arrays for a real matrix: until NumPy 2.4 that depends on the values."""
    return not a.is_complex() and _may_return_real() and bool((values.imag == 0).all())


@op(np.linalg.eigvals, scalar=False, library=True, checked=True, varies=_may_return_real())
def eigvals(a: Tensor) -> Checked:
    square(a)
    work, result = common(a)
    matrix, ok = a.to(work), finite(a)
    if eager(matrix) and not ok:
        return matrix.new_zeros(matrix.shape[:-1]), ok
    if a.numel() == 0:
        values = matrix.new_zeros(matrix.shape[:-1], dtype=torch.complex128)
    elif eager(matrix):  # rounding decides if two near ones are real or complex
        values, done = numpys(LAPACK.eigvals, matrix)
        ok = ok & done
    else:
        values = torch.linalg.eigvals(matrix)
    if _returns_real(a, values):
        return values.real.to(real_of(result)).contiguous(), ok
    return values.to(torch.complex64 if real_of(result) == torch.float32 else torch.complex128), ok


@op(np.linalg.eig, scalar=False, library=True, checked=True)
def eig(a: Tensor) -> Checked:
    square(a)
    work, result = common(a)
    matrix, ok = a.to(work), finite(a)
    if eager(matrix) and not ok:
        return EigResult(matrix.new_zeros(matrix.shape[:-1]), matrix), ok
    if a.numel() == 0:
        values = matrix.new_zeros(matrix.shape[:-1], dtype=torch.complex128)
        vectors = matrix.to(torch.complex128)
    elif eager(matrix):
        (values, vectors), done = numpys(LAPACK.eig, matrix)
        ok = ok & done
    else:
        values, vectors = torch.linalg.eig(matrix)
    if _returns_real(a, values):
        answer = (values.real, vectors.real)
        target = real_of(result)
    else:
        answer = (values, vectors)
        target = torch.complex64 if real_of(result) == torch.float32 else torch.complex128
    ready = [item.to(target).contiguous() for item in answer]
    return EigResult(*ready), ok


def _uplo_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    letter = args[1] if len(args) > 1 else kwargs.get("UPLO", "L")
    return None if isinstance(letter, str) else Cause.UPLO()


def _triangle(letter: str) -> str:
    letter = letter.upper()
    if letter not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return letter


def _hermitian(a: Tensor, letter: str) -> tuple[Tensor, Tensor, Tensor | None]:
    """Return the eigenvalues and eigenvectors of the matrix that a triangle stands for, in double
    precision."""
    matrix = a.to(common(a)[0])
    if a.numel() == 0:
        return matrix.new_zeros(matrix.shape[:-1], dtype=torch.float64), matrix, None
    if eager(matrix):
        (values, vectors), ok = numpys(LAPACK.eigh_lo if letter == "L" else LAPACK.eigh_up, matrix)
        return values, vectors, ok
    ok = finite(matrix)
    left_to_numpy(ok)  # raises, on a device
    values, vectors = torch.linalg.eigh(matrix, letter)
    return values, vectors, ok


def _hermitian_values(a: Tensor, letter: str) -> tuple[Tensor, Tensor | None]:
    matrix = a.to(common(a)[0])
    if a.numel() == 0:
        return matrix.new_zeros(matrix.shape[:-1], dtype=torch.float64), None
    ok = finite(matrix)
    if left_to_numpy(ok):
        return numpys(LAPACK.eigvalsh_lo if letter == "L" else LAPACK.eigvalsh_up, matrix)
    return torch.linalg.eigvalsh(matrix, letter), ok


@op(np.linalg.eigvalsh, scalar=False, library=True, checked=True, limits=_uplo_limits)
def eigvalsh(a: Tensor, UPLO: str = "L") -> Checked:
    letter = _triangle(UPLO)
    square(a)
    values, ok = _hermitian_values(a, letter)
    return values.to(real_of(common(a)[1])), ok


@op(np.linalg.eigh, scalar=False, library=True, checked=True, limits=_uplo_limits)
def eigh(a: Tensor, UPLO: str = "L") -> Checked:
    letter = _triangle(UPLO)
    square(a)
    result = common(a)[1]
    values, vectors, ok = _hermitian(a, letter)
    return EighResult(values.to(real_of(result)), vectors.to(result).contiguous()), ok


# -- singular values -----------------------------------------------------------------------------------------


def _by_eigenvalues(a: Tensor, compute_uv: Any) -> Checked:
    """Do `svd(hermitian=True)`: singular values are the sizes of eigenvalues, largest first."""
    square(a)
    result = common(a)[1]
    if not compute_uv:
        values, ok = _hermitian_values(a, "L")
        return values.to(real_of(result)).abs().sort(-1).values.flip(-1), ok
    values, u, ok = _hermitian(a, "L")
    s, u = values.to(real_of(result)), u.to(result)
    order = s.abs().argsort(stable=True, dim=-1).flip(-1)
    sign = torch.where(torch.signbit(s), -1.0, 1.0).to(s.dtype).gather(-1, order)
    s = s.abs().gather(-1, order)
    u = u.gather(-1, order[..., None, :].expand(u.shape))
    vh = (u * sign[..., None, :]).mH.resolve_conj().contiguous()
    return SVDResult(u, s, vh), ok


def _singular_values(a: Tensor) -> Checked:
    stacked(a)
    work, result = common(a)
    matrix = a.to(work)
    if a.numel() == 0:
        shape = (*a.shape[:-2], min(a.shape[-2:]))
        return matrix.new_zeros(shape, dtype=real_of(result)), None
    ok = finite(matrix)
    if left_to_numpy(ok):
        s, ok = numpys(SINGULAR_VALUES, matrix)
        return s.to(real_of(result)), ok
    return torch.linalg.svdvals(matrix).to(real_of(result)), ok


@op(np.linalg.svd, scalar=False, library=True, checked=True)
def svd(a: Tensor, full_matrices: Any = True, compute_uv: Any = True, hermitian: Any = False) -> Checked:
    if hermitian:
        return _by_eigenvalues(a, compute_uv)
    if not compute_uv:
        return _singular_values(a)
    stacked(a)
    work, result = common(a)
    matrix = a.to(work)
    if eager(matrix):
        (u, s, vh), ok = numpys(SVD_FULL if full_matrices else SVD_REDUCED, matrix)
    else:
        ok = finite(matrix)
        left_to_numpy(ok)  # raises, on a device
        u, s, vh = torch.linalg.svd(matrix, full_matrices=bool(full_matrices))
    u, vh = u.to(result).contiguous(), vh.to(result).resolve_conj().contiguous()
    return SVDResult(u, s.to(real_of(result)), vh), ok


@op(np.linalg.svdvals, scalar=False, library=True, checked=True)
def svdvals(x: Tensor, /) -> Checked:
    return _singular_values(x)


# -- QR ------------------------------------------------------------------------------------------------------


def _mode_limits(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
    mode = args[1] if len(args) > 1 else kwargs.get("mode", "reduced")
    return Cause.MODE_WARNS() if mode in ("f", "full", "e", "economic") else None


@op(np.linalg.qr, scalar=False, library=True, checked=True, limits=_mode_limits)
def qr(a: Tensor, mode: str = "reduced") -> Checked:
    if mode not in ("reduced", "complete", "r", "raw"):
        raise ValueError(f"Unrecognized mode '{mode}'")
    stacked(a)
    work, result = common(a)
    matrix = a.to(work)
    ok = finite(matrix)
    if left_to_numpy(ok):
        found, ok = numpys(np.linalg.qr, matrix, mode)
    else:
        found = _reflected(matrix, mode)
    if mode == "r":
        return found.to(result).contiguous(), ok
    ready = [item.to(result).contiguous() for item in found]
    return tuple(ready) if mode == "raw" else QRResult(*ready), ok


def _reflected(matrix: Tensor, mode: str) -> Any:
    """Return the factors by Householder's reflections, as each of NumPy's modes asks for them."""
    m, n = matrix.shape[-2:]
    factored, tau = torch.geqrf(matrix)
    if mode == "r":
        return upper(factored[..., : min(m, n), :])
    if mode == "raw":
        return factored.mT, tau
    columns = m if mode == "complete" and m > n else min(m, n)
    reflectors = factored[..., : min(m, n)]
    if columns > min(m, n):  # further columns hold no reflectors: they are what the reflections make of them
        more = reflectors.new_zeros((*reflectors.shape[:-1], columns - reflectors.shape[-1]))
        reflectors = torch.cat([reflectors, more], -1)
    q = torch.linalg.householder_product(reflectors, tau)
    return q, upper(factored[..., :columns, :])
