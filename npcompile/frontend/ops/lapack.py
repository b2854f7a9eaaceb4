"""Helpers of the decompositions: NumPy's checks and dtypes, and the LAPACK that NumPy is linked with.

On the CPU a decomposition is a library call at replay (`library=True`): NumPy calls LAPACK. The bodies are
torch's own. Three things are left to the library and its rounding: the signs (phases) of eigenvectors and
singular vectors, the order of eigenvalues, and if the last pivot of a matrix that is singular to working
precision is exactly zero. Where one of them decides the answer, bodies on eager CPU tensors ask the LAPACK
that NumPy is linked with, bodies on a device leave the call to NumPy, and traced ones say so by their check.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.linalg import LinAlgError
from torch import Tensor

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.ops.table import Unsupported

_EPS = torch.finfo(torch.float64).eps
SINGLE = (torch.float32, torch.complex64)


def common(*tensors: Tensor) -> tuple[torch.dtype, torch.dtype]:
    """Return the dtype that NumPy computes in, which is never single precision, and the dtype of its answer.

    Raises NumPy's TypeError for float16. Source of the rule: `_commonType` in numpy/linalg/_linalg.py.
    """
    if any(item.dtype == torch.float16 for item in tensors):
        raise TypeError("array type float16 is unsupported in linalg")
    single = all(item.dtype in SINGLE for item in tensors)
    if any(item.is_complex() for item in tensors):
        return torch.complex128, torch.complex64 if single else torch.complex128
    return torch.float64, torch.float32 if single else torch.float64


def real_of(dtype: torch.dtype) -> torch.dtype:
    """Return the dtype of the parts of a complex dtype; a real dtype itself."""
    return {torch.complex64: torch.float32, torch.complex128: torch.float64}.get(dtype, dtype)


def stacked(*tensors: Tensor) -> None:
    """Raise NumPy's LinAlgError unless all are matrices or stacks of them."""
    for item in tensors:
        if item.dim() < 2:
            raise LinAlgError(f"{item.dim()}-dimensional array given. Array must be at least two-dimensional")


def square(*tensors: Tensor) -> None:
    """Raise NumPy's LinAlgError unless all are square matrices or stacks of them."""
    stacked(*tensors)
    for item in tensors:
        if item.shape[-2] != item.shape[-1]:
            raise LinAlgError("Last 2 dimensions of the array must be square")


def eager(tensor: Tensor) -> bool:
    """Tell if the values are known and in host memory: neither on a device nor traced."""
    return type(tensor) is Tensor and tensor.device.type == "cpu"


def left_to_numpy(settled: Tensor) -> bool:
    """Tell if NumPy's LAPACK has to answer, since another LAPACK may find another answer.

    settled: a 0-d bool, True if every LAPACK finds the answer; while tracing it is unknown and becomes the
    op's check. Raises Unsupported where the values are on a device: NumPy does the whole call.
    """
    if type(settled) is not Tensor or bool(settled):
        return False
    if settled.device.type != "cpu":
        raise Unsupported(Cause.ON_DEVICE("what the rounding of NumPy's LAPACK decides"))
    return True


def numpys(routine: Callable[..., Any], *tensors: Any) -> tuple[Any, Tensor]:
    """Run a routine of NumPy's LAPACK on tensors of float64 or complex128; return also if it succeeded for
    all.

    routine: one of `private.LAPACK`, or a function on them; its result, or tuple of results, comes back as
    tensors.
    """
    failed: list[str] = []
    arrays = [
        item.resolve_conj().resolve_neg().numpy() if isinstance(item, Tensor) else item for item in tensors
    ]
    with np.errstate(call=lambda *what: failed.append(str(what)), invalid="call", over="ignore",
                     divide="ignore", under="ignore"):  # fmt: skip
        answer = routine(*arrays)
    ok = torch.tensor(not failed)
    if isinstance(answer, tuple):
        return tuple(torch.from_numpy(np.asarray(item)) for item in answer), ok
    return torch.from_numpy(np.asarray(answer)), ok


def regular(matrix: Tensor, lu: Tensor) -> Tensor:
    """Tell if any LAPACK would find these matrices regular (0-d bool). lu: their LU factors.

    A pivot larger than its rounding error can be, by the bound on the error of elimination, is never exactly
    zero. NaN settles nothing, and the factors need not show it: CUDA's library takes NaN for 0.
    """
    size = lu.shape[-1]
    parts = lu.abs()
    pivots = parts.diagonal(dim1=-2, dim2=-1)
    at = torch.arange(size, device=lu.device)
    below = torch.where(
        at[:, None] > at, parts * parts.mT, torch.zeros((), dtype=parts.dtype, device=lu.device)
    )
    summed = pivots + below.sum(-1)
    return (pivots > 16 * size * _EPS * summed).all() & finite(matrix)


def surely_definite(matrix: Tensor, factor: Tensor) -> Tensor:
    """Tell if any LAPACK would find these matrices positive definite (0-d bool). factor: their Cholesky
    factors."""
    given, left = (item.diagonal(dim1=-2, dim2=-1).real for item in (matrix, factor))
    return (left.square() > 16 * matrix.shape[-1] * _EPS * given.abs()).all() & finite(matrix)


def finite(a: Tensor) -> Tensor:
    """Tell if all elements are finite (0-d bool): libraries differ in their treatment of NaN."""
    return torch.isfinite(a).all()


def upper(a: Tensor) -> Tensor:
    """Return the matrix with zeros below the diagonal. (`Tensor.triu` wakes all of torch's threads, however
    small it is.)"""
    rows, columns = (torch.arange(length, device=a.device) for length in a.shape[-2:])
    return torch.where(rows[:, None] <= columns, a, torch.zeros((), dtype=a.dtype, device=a.device))
