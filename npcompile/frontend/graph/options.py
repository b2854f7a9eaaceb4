"""Python's own operations with npcompile's options: those of `jit`, and tensors on a device, apply to every
call.

An unrecorded call runs under `Defaults` where plain Python could not do them.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import torch

from npcompile.frontend.catalog import fast_random as catalog_fast_random
from npcompile.frontend.catalog import inlining
from npcompile.frontend.graph.resize_refcount import counted, resized
from npcompile.frontend.ops.table import TABLE
from npcompile.frontend.program.array_facts import from_tensor, is_array, to_tensor
from npcompile.frontend.rewrite.hooks import Hooks
from npcompile.frontend.rewrite.rewriter import Rewritten, rewrite


def with_default(
    fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], dtype: np.dtype[Any]
) -> dict[str, Any]:
    """Return the keywords of a creating call, with `dtype` added where NumPy would have taken float64 by
    itself."""
    if kwargs.get("dtype") is not None or any(
        isinstance(arg, np.dtype | type | np.ndarray | np.generic) for arg in args
    ):
        return kwargs
    made = fn(*args, **kwargs)
    is_default = isinstance(made, np.ndarray) and made.dtype == np.float64
    return {**kwargs, "dtype": dtype} if is_default else kwargs


_PLAIN = frozenset((np.ndarray, int, float, bool, complex, str, type(None), *np.sctypeDict.values()))


# Each call searches at most this many things for tensors, where the process has none on a GPU.
_MOST = 1024


def on_device(value: Any) -> bool:
    """Tell if a torch tensor on a device is among the arguments: its `.numpy()` is a device array."""
    pending, looked, seen = [value], 0, set()
    while pending:
        value = pending.pop()
        kind = type(value)
        if kind in _PLAIN:  # asking torch about each would take longer than a small function does
            continue
        if kind is tuple or kind is list or kind is dict:
            if id(value) in seen:
                continue
            seen.add(id(value))
            if kind is dict:
                value = list(value.values())
            looked += len(value)
            if looked > _MOST and not torch.cuda.is_initialized():
                return False
            if not _PLAIN.issuperset(map(type, value)):
                pending += value
        elif isinstance(value, torch.Tensor) and value.device.type != "cpu":
            return True
    return False


class Defaults(Hooks):
    """Python's own operations, with three exceptions.

    These are the dtype of arrays that are made without one, random draws that `fast_random` computes, and
    `tensor.numpy()` and `torch.from_numpy` where the memory is a device's.
    """

    def __init__(self, dtype: np.dtype[Any] | None, fast_random: bool = False) -> None:
        self.dtype = dtype
        self.fast_random = fast_random

    def getattr(self, obj: Any, name: str) -> Any:
        return counted(obj, name) or getattr(obj, name)

    def call(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        if self.fast_random and (draw := catalog_fast_random.draw_of(fn, args, kwargs)) is not None:
            return draw()
        if fn is np.ndarray.resize:
            return resized(*args, **kwargs)
        op = TABLE.of(fn)
        if fn is torch.from_numpy and len(args) == 1 and is_array(args[0]):
            return to_tensor(args[0])
        if (
            isinstance(getattr(fn, "__self__", None), torch.Tensor)
            and fn.__name__ == "numpy"
            and not (args or kwargs)
        ):
            return from_tensor(fn.__self__)
        if op is not None:
            if op.creates and self.dtype is not None:
                kwargs = with_default(fn, args, kwargs, self.dtype)
        elif hasattr(type(fn), "npcompile_function"):
            return self.call(fn.npcompile_function(), *args, **kwargs)
        elif isinstance(fn, types.FunctionType) and inlining.is_users(fn):
            rewritten = rewrite(fn)
            if isinstance(rewritten, Rewritten):
                fn = rewritten.bind(fn, self)
        return fn(*args, **kwargs)
