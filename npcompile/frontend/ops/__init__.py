"""Every op: importing this package fills the table."""

from __future__ import annotations

from npcompile.frontend.ops import (
    bitwise,
    comparison,
    elementwise,
    indexing,
    linalg,
    numeric,
    products,
    shape,
)

__all__ = ["bitwise", "comparison", "elementwise", "indexing", "linalg", "numeric", "products", "shape"]
