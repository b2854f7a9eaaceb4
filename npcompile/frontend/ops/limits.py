"""What an op asks of array-likes and dtypes before it takes a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops.table import TORCH, Op, Unsupported

DType = np.dtype[Any]


def list_dtype(value: Any) -> DType:
    """The dtype NumPy finds in a nested list. Raises Unsupported for ragged lists, strings and objects."""
    try:
        return np.asarray(value).dtype
    except ValueError:
        raise Unsupported("ragged list") from None


def list_reason(value: Any) -> Reason | None:
    try:
        dtype = list_dtype(value)
    except Unsupported as refusal:
        return Cause.UNSUPPORTED(str(refusal))
    return None if dtype in TORCH else Cause.DTYPE(str(dtype))


def dtype_limit(default: int | None = None) -> Callable[[Op, tuple[Any, ...], dict[str, Any]], Reason | None]:
    """A `limits` for functions with a dtype parameter: by keyword, or at that position."""

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
    """Why a reduction does not accumulate in the dtype chosen for it: without `dtype=` NumPy takes that of
    `out=`."""
    out = kwargs.get("out")
    if isinstance(out, np.ndarray) and out.dtype != chosen:
        return Cause.OUT_OTHER_DTYPE()
    return None
