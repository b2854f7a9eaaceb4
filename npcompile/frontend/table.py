"""The op table: what an op is, and how one is registered.

One op is one statement in `frontend/ops/`: the NumPy objects it stands for, its promotion rule, its tensor body.
Calling the `Op` on tensors applies the rule and runs the body; the debug shim, the replay interpreter and the
compiler's tracing all go through that one call, so a body is right in all three or in none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch


class Weak(NamedTuple):
    """A traced Python number inside a graph: promoted as its Python type, whatever its tensor's dtype."""

    tensor: torch.Tensor  # 0-d: int64, float64 or complex128
    type: type  # int, float or complex


class Unsupported(Exception):
    """The op cannot do this call (a dtype, a keyword): the caller hands it to NumPy and counts a host call."""


@dataclass(frozen=True, eq=False)
class Op:
    """A NumPy operation with its tensor body.

    Operands of a call: `torch.Tensor` (strong), `Weak`, Python numbers (weak), NumPy scalars (strong), and statics
    (axes, dtypes, slices, None, strings, nested lists of operands where NumPy takes array-likes).
    """

    name: str  # its NumPy name, "numpy.linalg.norm": how it prints, pickles and is named in reports
    objects: tuple[Any, ...]  # the NumPy objects recognised by identity: np.sum, np.ndarray.sum
    rule: Callable[..., Any]  # rule(op, args, kwargs) -> result of the body, after promotion
    body: Callable[..., Any]
    scalar: bool = True  # 0-d results are NumPy scalars, not 0-d arrays
    view: bool = False  # NumPy may answer with a view of the first argument
    library: bool = False  # on the CPU a tuned library does it best: not fused, run by NumPy at replay
    checked: bool = False  # the body returns (result, ok): ok is a 0-d bool tensor, False where NumPy would raise
    creates: bool = False  # makes an array from no array: has a default float dtype and a device

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.rule(self, args, kwargs)

    def __reduce__(self) -> tuple[Any, ...]:
        return lookup, (self.name,)

    def __repr__(self) -> str:
        return self.name


@dataclass
class Table:
    by_name: dict[str, Op] = field(default_factory=dict)
    by_object: dict[int, Op] = field(default_factory=dict)  # id of a NumPy object: they live as long as NumPy

    def add(self, op: Op) -> Op:
        if op.name in self.by_name:
            raise ValueError(f"two ops are named {op.name}")
        self.by_name[op.name] = op
        for obj in op.objects:
            if id(obj) in self.by_object:
                raise ValueError(f"{obj!r} belongs to {self.by_object[id(obj)].name} and {op.name}")
            self.by_object[id(obj)] = op
        return op

    def of(self, obj: Any) -> Op | None:
        """The op that stands for this NumPy object, by identity."""
        return self.by_object.get(id(obj))


TABLE = Table()


def lookup(name: str) -> Op:
    """The op of that name (the other half of pickling an op by reference)."""
    import npcompile.frontend.ops  # noqa: F401  (registers every op)

    return TABLE.by_name[name]
