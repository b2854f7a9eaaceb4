"""Complex numbers in segments as pairs of real tensors: Inductor writes no code for complex ones.

While a segment is traced under a `Lowering` (`complex_ops.py`), each complex value is a `Complex`: it says
what a tensor of its dtype and shape says, and holds its real and its imaginary part.

A complex input enters as two real ones, whose elements alternate in its memory; a complex output leaves as a
real one with a last axis of two. So the memory outside is NumPy's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import torch

from npcompile.lower.adapter import shell
from npcompile.lower.arithmetic import complex_math as mathematics
from npcompile.lower.arithmetic.complex_math import Pair
from npcompile.lower.codegen.outputs import Orders
from npcompile.lower.plan.values import Value

PARTS = {torch.complex64: torch.float32, torch.complex128: torch.float64}
WHOLE = {part: whole for whole, part in PARTS.items()}

# -- outside -------------------------------------------------------------------------------------------------


class Form:
    """The inputs and outputs of a segment as its code has them. parts: complex ones are real ones there.

    `places`: for each input of the code the input of the segment that it is of, and where it begins, in
    elements.
    """

    def __init__(self, inputs: list[Value], outputs: list[Value], parts: bool) -> None:
        self.parts = parts
        self.inputs = [part for value in inputs for part in self._entering(value)]
        self.places = [
            (place, part) for place, value in enumerate(inputs) for part in range(len(self._entering(value)))
        ]
        self.outputs = [self._leaving(value) for value in outputs]
        self._complex = [parts and value.dtype in PARTS for value in outputs]

    def orders(self, orders: Orders) -> Orders:
        """The orders of the outputs' axes, for the outputs as the code has them."""
        pairs = zip(orders, self._complex, strict=True)
        return [(*order, len(order)) if order is not None and there else order for order, there in pairs]

    def shapes(self, outputs: Sequence[torch.Tensor]) -> list[tuple[Any, ...]]:
        """Those of the code's outputs without the axis of parts."""
        pairs = zip(outputs, self._complex, strict=True)
        return [tuple(output.shape[:-1] if there else output.shape) for output, there in pairs]

    def _entering(self, value: Value) -> list[Value]:
        dtype = complex_of(value) if self.parts else None
        if dtype is None:
            return [value]
        strides = tuple(2 * stride for stride in value.strides)
        return [replace(value, kind="array", dtype=PARTS[dtype], strides=strides)] * 2

    def _leaving(self, value: Value) -> Value:
        dtype = complex_of(value) if self.parts else None
        if dtype is None:
            return value
        strides = (*(2 * stride for stride in value.strides), 1)
        return replace(value, dtype=PARTS[dtype], shape=(*value.shape, 2), strides=strides)


def complex_of(value: Value) -> torch.dtype | None:
    """A value's dtype, if that is a complex one."""
    dtype = torch.complex128 if value.kind == "complex" else value.dtype
    return dtype if dtype in PARTS else None


def taken(inputs: Iterable[torch.Tensor], parts: bool) -> list[torch.Tensor]:
    """A segment's inputs as its code takes them."""
    if not parts:
        return list(inputs)
    found: list[torch.Tensor] = []
    for tensor in inputs:
        found.extend(torch.view_as_real(tensor).unbind(-1) if tensor.is_complex() else [tensor])
    return found


def given(outputs: Iterable[torch.Tensor], parts: bool) -> list[torch.Tensor]:
    """A segment's outputs as its code fills them."""
    return [torch.view_as_real(t) if parts and t.is_complex() else t for t in outputs]


# -- inside --------------------------------------------------------------------------------------------------


def _outside(func: Any, types: Iterable[type], args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
    raise TypeError(f"{func} outside of a lowering")


class Complex(torch.Tensor):
    """A complex tensor whose parts are real ones. `given`: the parts are an input's memory."""

    re: torch.Tensor
    im: torch.Tensor
    given: bool

    @staticmethod
    def __new__(cls, re: torch.Tensor, im: torch.Tensor, given: bool = False) -> Complex:
        made: Complex = shell(cls, re.shape, WHOLE[re.dtype], re.device)
        made.re, made.im, made.given = re, im, given
        return made

    __torch_dispatch__ = staticmethod(_outside)  # type: ignore[assignment]


class Alternating(torch.Tensor):
    """The real tensor whose last axis holds the two parts of complex numbers."""

    re: torch.Tensor
    im: torch.Tensor

    @staticmethod
    def __new__(cls, re: torch.Tensor, im: torch.Tensor) -> Alternating:
        made: Alternating = shell(cls, (*re.shape, 2), re.dtype, re.device)
        made.re, made.im = re, im
        return made

    __torch_dispatch__ = staticmethod(_outside)  # type: ignore[assignment]


def made(pair: Pair) -> Complex:
    return Complex(*torch.broadcast_tensors(pair.re, pair.im))


def modulus(tensor: torch.Tensor) -> torch.Tensor:
    """The size of complex numbers; a lowering knows NumPy's digits of it."""
    if isinstance(tensor, Complex):
        return torch.abs(tensor)
    return torch.hypot(*torch.view_as_real(tensor).unbind(-1))


def whole_power(tensor: torch.Tensor, exponent: int) -> torch.Tensor:
    """Complex numbers to a positive whole power: products in the order of NumPy's `npy_cpow`.

    Of zeros NumPy's powers have no signs.
    """
    result, square = None, tensor
    while True:
        if exponent & 1:
            result = square if result is None else _product(result, square)
        exponent >>= 1
        if not exponent:
            assert result is not None
            return result if square is tensor else torch.where(tensor == 0, 0.0, result)
        square = _product(square, square)


def _product(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Here NumPy rounds each product, as `np.multiply` does not."""
    if not isinstance(one, Complex) or not isinstance(other, Complex):
        return one * other
    pairs = Pair(one.re, one.im), Pair(other.re, other.im)
    return made(mathematics.multiply(*pairs, mathematics.rounded_twice))


def laid_out(result: torch.Tensor, order: tuple[int, ...] | None) -> torch.Tensor:
    """An output as a real tensor with its axes in this order in memory; None: a real one as it is."""
    if isinstance(result, Complex):
        parts = [part if order is None else part.permute(order) for part in (result.re, result.im)]
        return torch.stack(parts, -1)
    if order is None:
        return result
    return result.permute(order).clone(memory_format=torch.contiguous_format)
