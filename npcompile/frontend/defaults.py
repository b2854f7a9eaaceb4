"""`default_float`: the dtype of arrays that a function makes without naming one, in plain calls and in recordings."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from npcompile.frontend import follow
from npcompile.frontend.hooks import Hooks
from npcompile.frontend.rewrite import Rewritten, rewrite
from npcompile.frontend.table import TABLE


def with_default(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], dtype: np.dtype[Any]) -> dict[str, Any]:
    """The keywords of a creating call, `dtype` added where NumPy would have taken float64 of its own accord."""
    if kwargs.get("dtype") is not None or any(isinstance(arg, np.dtype | type | np.ndarray | np.generic) for arg in args):
        return kwargs
    made = fn(*args, **kwargs)
    is_default = isinstance(made, np.ndarray) and made.dtype == np.float64
    return {**kwargs, "dtype": dtype} if is_default else kwargs


class Defaults(Hooks):
    """Python's own operations, but for the default dtype of arrays that are made."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype

    def call(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        op = TABLE.of(fn)
        if op is not None:
            if op.creates:
                kwargs = with_default(fn, args, kwargs, self.dtype)
        elif isinstance(fn, types.FunctionType) and follow.is_users(fn):
            rewritten = rewrite(fn)
            if isinstance(rewritten, Rewritten):
                fn = rewritten.bind(fn, self)
        return fn(*args, **kwargs)
