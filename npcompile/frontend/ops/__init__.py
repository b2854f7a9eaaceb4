"""Every op: importing this package fills the table."""

from __future__ import annotations

from npcompile.frontend.ops import (
    bitwise,
    comparison,
    creation,
    elementwise,
    indexing,
    joining,
    linalg,
    numeric,
    products,
    reductions,
    shape,
    sorting,
    putting,
    statistics,
    searching,
)
    signal,
    solving,

__all__ = [
    "bitwise",
    "comparison",
    "creation",
    "elementwise",
    "indexing",
    "joining",
    "linalg",
    "numeric",
    "products",
    "reductions",
    "shape",
    "sorting",
    "statistics",
]
    "putting",
    "searching",
    "signal",
    "solving",
