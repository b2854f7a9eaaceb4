"""The thinnest lane: `np.X` stands for the op registered for `numpy.X`, called on eager tensors.

Values are NumPy's between the calls, so that `Op.refuses` is asked exactly what the recorder asks it.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import torch

from npcompile.frontend.ops.table import TABLE, Op, Unsupported, Weak
from npcompile.nep50.scalars import answer


class Refused(Exception):
    """The op said before the call that it goes to NumPy."""


class Failed(Exception):
    """A checked op found at run time that NumPy would raise."""


def to_tensor(value: Any) -> Any:
    """A NumPy value as an op gets it: arrays become tensors, everything else stays."""
    if isinstance(value, np.ndarray):
        if any(stride < 0 for stride in value.strides) or not value.flags.writeable:
            value = value.copy("K")
        return torch.from_numpy(value)
    if isinstance(value, (list, tuple)) and any(
        isinstance(item, (np.ndarray, list, tuple)) for item in value
    ):
        return type(value)(to_tensor(item) for item in value)
    return value


def to_numpy(value: Any, scalar: bool) -> Any:
    """What an op answered, as NumPy would have typed it."""
    if isinstance(value, torch.Tensor):
        return answer(value.resolve_conj().resolve_neg().numpy(), scalar)
    if isinstance(value, (list, tuple)):
        items = [to_numpy(item, scalar) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value


class Call:
    """An op as a NumPy function, with its ufunc methods."""

    def __init__(self, op: Op | None, obj: Any, traced: bool) -> None:
        self.op, self.obj, self.traced = op, obj, traced

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        op = self.op
        if op is None:
            raise LookupError(f"{self.obj!r} is not registered")
        if (reason := op.refuses(args, kwargs)) is not None:
            raise Refused(reason)
        out = kwargs.pop("out", None)
        if out is not None and "where" in kwargs and "base" in op.accepts:
            kwargs["base"] = out
        ready = [self.operand(item, at) for at, item in enumerate(args)]
        named = {key: self.operand(item, key) for key, item in kwargs.items()}
        try:
            result = op(*ready, **named)
        except Unsupported as late:
            raise AssertionError(f"{op} did not refuse beforehand: {late}") from late
        scalar = op.scalar_at(args, kwargs)
        if op.checked:
            result, ok = result
            if ok is not None and not ok:
                raise Failed(op.name)
        if out is None:
            answer = to_numpy(result, scalar)
            return answer.item() if op.numbers is not None and op.numbers(args, kwargs) else answer
        np.copyto(out, to_numpy(result, scalar), casting="same_kind")
        return out

    def operand(self, value: Any, place: int | str) -> Any:
        assert self.op is not None
        kind = type(value)
        if self.traced and kind in (int, float, complex) and place in self.op.operands:
            if kind is not int or -(2**63) <= value < 2**63:
                wide = {int: torch.int64, float: torch.float64, complex: torch.complex128}[kind]
                return Weak(torch.tensor(value, dtype=wide), kind)
        return to_tensor(value)

    def __getattr__(self, method: str) -> Any:
        if method.startswith("__"):
            raise AttributeError(method)
        if isinstance(self.obj, np.ufunc) and callable(getattr(self.obj, method, None)):
            return type(self)(TABLE.of_method(self.obj, method), getattr(self.obj, method), self.traced)
        return Lane(self.obj, self.traced).__getattr__(method)


class Lane:
    """A NumPy module or class seen through the op table; traced: Python numbers are passed as `Weak`
    tensors."""

    call = Call

    def __init__(self, space: Any = np, traced: bool = False) -> None:
        self.space, self.traced = space, traced

    def of(self, obj: Any) -> Call:
        """A ufunc that is not NumPy's."""
        return self.call(TABLE.of(obj), obj, self.traced)

    def __getattr__(self, name: str) -> Any:
        obj = getattr(self.space, name)
        op = TABLE.of(obj)
        if op is not None or isinstance(obj, np.ufunc):
            return self.call(op, obj, self.traced)
        if isinstance(obj, types.ModuleType) or obj is np.ndarray:
            return type(self)(obj, self.traced)
        if isinstance(obj, type) or not callable(obj):
            return obj  # dtypes, constants
        return self.call(None, obj, self.traced)
