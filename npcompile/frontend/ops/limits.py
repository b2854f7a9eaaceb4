"""What an op asks of array-likes and dtypes before it takes a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npcompile.frontend.ops.table import TORCH, Op, Unsupported

DType = np.dtype[Any]


def list_dtype(value: Any) -> DType:
    """The dtype NumPy finds in a nested list. Raises Unsupported for ragged lists, strings and objects."""
    try:
        return np.asarray(value).dtype
    except ValueError:
        raise Unsupported("ragged list") from None


def list_reason(value: Any) -> str | None:
    try:
        dtype = list_dtype(value)
    except Unsupported as refusal:
        return str(refusal)
    return None if dtype in TORCH else f"dtype {dtype}"


def dtype_limit(default: int | None = None) -> Callable[[Op, tuple[Any, ...], dict[str, Any]], str | None]:
    """A `limits` for functions with a dtype parameter: by keyword, or at that position."""

    def limit(_: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
        asked = kwargs.get("dtype")
        if asked is None and default is not None and len(args) > default:
            asked = args[default]
        if asked is None:
            return None
        try:
            dtype = np.dtype(asked)
        except TypeError:
            return None  # NumPy raises for itself
        return None if dtype in TORCH else f"dtype {dtype}"

    return limit


def out_reason(kwargs: dict[str, Any], chosen: DType) -> str | None:
    """Why a reduction does not accumulate in the dtype chosen for it: without `dtype=` NumPy takes that of
    `out=`."""
    out = kwargs.get("out")
    if isinstance(out, np.ndarray) and out.dtype != chosen:
        return "an output of another dtype, in which NumPy keeps what it has so far"
    return None
