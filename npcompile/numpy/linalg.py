"""`numpy.linalg` on our arrays: its names stand for ops, and for clones of NumPy's Python functions."""

from __future__ import annotations

from typing import Any

import numpy

from npcompile.numpy.wrappers import Function, wrap

__all__ = list(numpy.linalg.__all__)

LinAlgError = numpy.linalg.LinAlgError

cholesky = Function(numpy.linalg.cholesky)
cond = Function(numpy.linalg.cond)
cross = Function(numpy.linalg.cross)
det = Function(numpy.linalg.det)
diagonal = Function(numpy.linalg.diagonal)
eig = Function(numpy.linalg.eig)
eigh = Function(numpy.linalg.eigh)
eigvals = Function(numpy.linalg.eigvals)
eigvalsh = Function(numpy.linalg.eigvalsh)
inv = Function(numpy.linalg.inv)
lstsq = Function(numpy.linalg.lstsq)
matmul = Function(numpy.linalg.matmul)
matrix_norm = Function(numpy.linalg.matrix_norm)
matrix_power = Function(numpy.linalg.matrix_power)
matrix_rank = Function(numpy.linalg.matrix_rank)
matrix_transpose = Function(numpy.linalg.matrix_transpose)
multi_dot = Function(numpy.linalg.multi_dot)
norm = Function(numpy.linalg.norm)
outer = Function(numpy.linalg.outer)
pinv = Function(numpy.linalg.pinv)
qr = Function(numpy.linalg.qr)
slogdet = Function(numpy.linalg.slogdet)
solve = Function(numpy.linalg.solve)
svd = Function(numpy.linalg.svd)
svdvals = Function(numpy.linalg.svdvals)
tensordot = Function(numpy.linalg.tensordot)
tensorinv = Function(numpy.linalg.tensorinv)
tensorsolve = Function(numpy.linalg.tensorsolve)
trace = Function(numpy.linalg.trace)
vecdot = Function(numpy.linalg.vecdot)
vector_norm = Function(numpy.linalg.vector_norm)


def __getattr__(name: str) -> Any:
    """Return names that older or newer versions of NumPy have."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return wrap(getattr(numpy.linalg, name))


def __dir__() -> list[str]:
    return sorted({*globals(), *numpy.linalg.__all__})
