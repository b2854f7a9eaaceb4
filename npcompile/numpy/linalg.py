"""`numpy.linalg` on our arrays: norms and products are ops, decompositions go to NumPy's LAPACK."""

from __future__ import annotations

from typing import Any

import numpy

from npcompile.numpy.wrappers import Function, wrap

LinAlgError = numpy.linalg.LinAlgError
norm = Function(numpy.linalg.norm)
matmul = Function(numpy.linalg.matmul)
outer = Function(numpy.linalg.outer)
diagonal = Function(numpy.linalg.diagonal)
matrix_transpose = Function(numpy.linalg.matrix_transpose)
vecdot = Function(numpy.linalg.vecdot)
cross = Function(numpy.linalg.cross)
trace = Function(numpy.linalg.trace)
tensordot = Function(numpy.linalg.tensordot)
vector_norm = Function(numpy.linalg.vector_norm)
matrix_norm = Function(numpy.linalg.matrix_norm)


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return wrap(getattr(numpy.linalg, name))
