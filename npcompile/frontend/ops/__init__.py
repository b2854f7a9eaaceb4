"""Every op: importing this package fills the table."""

from __future__ import annotations

from npcompile.frontend.ops import (
    bitwise,
    comparison,
    creation,
    decompositions,
    einsum,
    elementwise,
    fft,
    histograms,
    indexing,
    joining,
    linalg,
    numeric,
    patterns,
    power,
    products,
    putting,
    reductions,
    searching,
    shape,
    signal,
    solving,
    sorting,
    statistics,
    ufunc_at,
    ufunc_methods,
    ufunc_outer,
)
from npcompile.frontend.table import TABLE

TABLE.later["scipy.special"] = "npcompile.frontend.ops.special"

__all__ = [
    "bitwise",
    "comparison",
    "creation",
    "decompositions",
    "einsum",
    "elementwise",
    "fft",
    "histograms",
    "indexing",
    "joining",
    "linalg",
    "numeric",
    "patterns",
    "power",
    "products",
    "putting",
    "reductions",
    "searching",
    "shape",
    "signal",
    "solving",
    "sorting",
    "statistics",
    "ufunc_at",
    "ufunc_methods",
    "ufunc_outer",
]
