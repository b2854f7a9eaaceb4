"""Chooses which inputs of a segment are split among the devices of a mesh: those that have as many rows as
the largest of them. All other inputs are replicated."""

from __future__ import annotations

import math
from collections.abc import Sequence

from npcompile.lower.plan.values import Value


def rows_to_split(inputs: Sequence[Value], size: int) -> int | None:
    """Return the number of rows that is split in `size` equal parts; None if the largest input has no such
    number."""
    arrays = [value for value in inputs if value.kind == "array" and value.shape]
    if not arrays:
        return None
    rows = largest(arrays).shape[0]
    return rows if rows >= size and rows % size == 0 and 0 not in largest(arrays).shape else None


def is_split(value: Value, rows: int | None) -> bool:
    """Tell if an input is split, where arrays of so many rows are."""
    return rows is not None and value.kind == "array" and bool(value.shape) and value.shape[0] == rows


def largest(arrays: Sequence[Value]) -> Value:
    """Return the array with the most elements."""
    return max(arrays, key=_elements)


def _elements(value: Value) -> int:
    return math.prod(value.shape)
