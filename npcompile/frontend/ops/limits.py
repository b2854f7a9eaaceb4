"""Limits of ops: checks of array-likes and dtypes that decide if an op takes a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops.table import TORCH, Op, Unsupported

DType = np.dtype[Any]


def list_dtype(value: Any) -> DType:
    """Return the dtype that NumPy finds in a nested list. Raises Unsupported for ragged lists, strings and
    objects."""
    try:
        return np.asarray(value).dtype
    except ValueError:
        raise Unsupported(Cause.RAGGED_LIST()) from None


def list_reason(value: Any) -> Reason | None:
    try:
        dtype = list_dtype(value)
    except Unsupported as refusal:
        return refusal.reason
    return None if dtype in TORCH else Cause.DTYPE(str(dtype))


def dtype_limit(default: int | None = None) -> Callable[[Op, tuple[Any, ...], dict[str, Any]], Reason | None]:
    """Return a `limits` for functions with a dtype parameter: by keyword, or at that position."""

    def limit(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reason | None:
        asked = kwargs.get("dtype")
        if asked is None and default is not None and len(args) > default:
            asked = args[default]
        if asked is None:
            return None
        try:
            dtype = np.dtype(asked)
        except TypeError:
            return None  # NumPy raises for itself
        return None if dtype in TORCH else Cause.DTYPE(str(dtype))

    return limit


def out_reason(kwargs: dict[str, Any], chosen: DType) -> Reason | None:
    """Return the reason why a reduction does not accumulate in the dtype chosen for it, None if it does.

    Without `dtype=` NumPy takes the dtype of `out=`.
    """
    out = kwargs.get("out")
    if isinstance(out, np.ndarray) and out.dtype != chosen:
        return Cause.OUT_OTHER_DTYPE()
    return None
