"""Complex values in segments are pairs of real tensors, as Inductor generates no code for complex ones.

While a segment is traced under a `Lowering` (`complex_ops.py`), each complex value is a `Complex`: a tensor
subclass with the dtype and shape of the complex tensor, which holds the real and the imaginary part.

A complex input enters the generated code as two real ones, whose elements alternate in its memory; a complex
output leaves as a real one with a last axis of two. The memory outside is therefore laid out as NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import torch

from npcompile.lower.adapter import wrapper_tensor
from npcompile.lower.arithmetic import complex_math as mathematics
from npcompile.lower.arithmetic.complex_math import Pair
from npcompile.lower.codegen.outputs import Orders
from npcompile.lower.plan.values import Value

PARTS = {torch.complex64: torch.float32, torch.complex128: torch.float64}
COMPLEX_OF = {part: whole for whole, part in PARTS.items()}

# -- outside -------------------------------------------------------------------------------------------------


class CodeSignature:
    """The inputs and outputs of a segment as its generated code has them.

    parts: the code takes complex values as real ones. `places`: for each input of the code, the input of the
    segment that it is a part of, and where in that input it begins, in elements.
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
        """Return the orders of the outputs' axes with the axis of parts added where the code has one."""
        pairs = zip(orders, self._complex, strict=True)
        return [(*order, len(order)) if order is not None and there else order for order, there in pairs]

    def shapes(self, outputs: Sequence[torch.Tensor]) -> list[tuple[Any, ...]]:
        """Return the shapes of the code's outputs without the axis of parts."""
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
    """Return the dtype of a complex value, None for any other value."""
    dtype = torch.complex128 if value.kind == "complex" else value.dtype
    return dtype if dtype in PARTS else None


def code_inputs(inputs: Iterable[torch.Tensor], parts: bool) -> list[torch.Tensor]:
    """Return a segment's inputs as its code takes them."""
    if not parts:
        return list(inputs)
    found: list[torch.Tensor] = []
    for tensor in inputs:
        found.extend(torch.view_as_real(tensor).unbind(-1) if tensor.is_complex() else [tensor])
    return found


def code_outputs(outputs: Iterable[torch.Tensor], parts: bool) -> list[torch.Tensor]:
    """Return a segment's outputs as its code fills them."""
    return [torch.view_as_real(t) if parts and t.is_complex() else t for t in outputs]


# -- inside --------------------------------------------------------------------------------------------------


def _outside(func: Any, types: Iterable[type], args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
    raise TypeError(f"{func} outside of a lowering")


class Complex(torch.Tensor):
    """A complex tensor, held as two real ones. `given`: the parts lie in an input's memory."""

    re: torch.Tensor
    im: torch.Tensor
    given: bool

    @staticmethod
    def __new__(cls, re: torch.Tensor, im: torch.Tensor, given: bool = False) -> Complex:
        tensor: Complex = wrapper_tensor(cls, re.shape, COMPLEX_OF[re.dtype], re.device)
        tensor.re, tensor.im, tensor.given = re, im, given
        return tensor

    __torch_dispatch__ = staticmethod(_outside)  # type: ignore[assignment]


class Alternating(torch.Tensor):
    """A real tensor whose last axis holds the two parts of complex numbers."""

    re: torch.Tensor
    im: torch.Tensor

    @staticmethod
    def __new__(cls, re: torch.Tensor, im: torch.Tensor) -> Alternating:
        tensor: Alternating = wrapper_tensor(cls, (*re.shape, 2), re.dtype, re.device)
        tensor.re, tensor.im = re, im
        return tensor

    __torch_dispatch__ = staticmethod(_outside)  # type: ignore[assignment]


def from_pair(pair: Pair) -> Complex:
    return Complex(*torch.broadcast_tensors(pair.re, pair.im))


def modulus(tensor: torch.Tensor) -> torch.Tensor:
    """Return the absolute values of complex numbers. Under a `Lowering`, `torch.abs` has NumPy's digits."""
    if isinstance(tensor, Complex):
        return torch.abs(tensor)
    return torch.hypot(*torch.view_as_real(tensor).unbind(-1))


def in_pairs(
    operator: Callable[..., torch.Tensor], function: Callable[..., Pair]
) -> Callable[..., torch.Tensor]:
    """Return torch's operator, with a function of pairs in its place for complex numbers on a device.

    CUDA's own functions of complex numbers lose digits. operator: has NumPy's on the processor, and under a
    `Lowering`.
    """

    def apply(*tensors: torch.Tensor) -> torch.Tensor:
        first = tensors[0]
        if not first.is_complex() or isinstance(first, Complex) or first.device.type == "cpu":
            return operator(*tensors)
        return torch.complex(*function(*(Pair(tensor.real, tensor.imag) for tensor in tensors)))

    return apply


def whole_power(tensor: torch.Tensor, exponent: int) -> torch.Tensor:
    """Raise complex numbers to a positive integer power, by products in the order of NumPy's `npy_cpow`.

    NumPy's powers of zero carry no sign, whatever the products give.
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
    """Multiply with each product rounded, as NumPy's powers do, unlike `np.multiply`."""
    if not isinstance(one, Complex) or not isinstance(other, Complex):
        return one * other
    pairs = Pair(one.re, one.im), Pair(other.re, other.im)
    return from_pair(mathematics.multiply(*pairs, mathematics.rounded_twice))


def in_axis_order(result: torch.Tensor, order: tuple[int, ...] | None) -> torch.Tensor:
    """Return an output as a real tensor whose axes lie in memory in this order; a real one as it is for
    None."""
    if isinstance(result, Complex):
        parts = [part if order is None else part.permute(order) for part in (result.re, result.im)]
        return torch.stack(parts, -1)
    if order is None:
        return result
    return result.permute(order).clone(memory_format=torch.contiguous_format)
