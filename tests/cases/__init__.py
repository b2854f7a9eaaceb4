"""The table of conformance cases: every file here adds its own to it, and every lane runs all of them."""

from __future__ import annotations

from tests.cases import (
    comparison,
    creation,
    decompositions,
    einsum,
    elementwise,
    fft,
    indexing,
    linalg,
    numeric,
    products,
    putting,
    reductions,
    searching,
    shape,
    special,
    statistics,
    ufunc_methods,
    unsigned,
)
from tests.cases.framework import CASES, Case, expand

__all__ = [
    "CASES",
    "Case",
    "comparison",
    "creation",
    "decompositions",
    "einsum",
    "elementwise",
    "expand",
    "fft",
    "indexing",
    "linalg",
    "numeric",
    "products",
    "putting",
    "reductions",
    "searching",
    "shape",
    "special",
    "statistics",
    "ufunc_methods",
    "unsigned",
]
