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
    indexing,
    joining,
    linalg,
    numeric,
    products,
    putting,
    reductions,
    searching,
    shape,
    signal,
    solving,
    sorting,
    statistics,
)

__all__ = [
    "bitwise",
    "comparison",
    "creation",
    "decompositions",
    "einsum",
    "elementwise",
    "fft",
    "indexing",
    "joining",
    "linalg",
    "numeric",
    "products",
    "putting",
    "reductions",
    "searching",
    "shape",
    "signal",
    "solving",
    "sorting",
    "statistics",
]
