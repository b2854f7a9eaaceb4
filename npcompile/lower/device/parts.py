"""Segments with complex numbers on a GPU: their kernels work on the real and the imaginary parts.

Triton has no complex numbers, and Inductor would call torch's operators on them one by one. The code of such
a segment takes each complex input as two real tensors, whose elements alternate in its memory. Complex
results are made outside; the code writes to their parts.
"""

from __future__ import annotations

import itertools
import numbers
from collections.abc import Callable
from typing import Any

import torch

from npcompile.lower import adapter
from npcompile.lower.arithmetic.complex_math import rounded_twice
from npcompile.lower.codegen.complex_ops import Lowering, UnknownOperator
from npcompile.lower.codegen.complexes import PARTS, Complex, code_inputs, complex_of
from npcompile.lower.plan.values import Value

Kernel = Callable[..., list[torch.Tensor]]


class Parts:
    """A segment whose complex numbers are pairs of real ones.

    Parameters
    ----------
    rows
        The segment, as `graph.rows_of` has it.
    inputs, outputs
        Its values.
    """

    def __init__(self, rows: list[tuple[Any, ...]], inputs: list[Value], outputs: tuple[Value, ...]) -> None:
        self._rows, self._inputs, self._outputs = rows, inputs, outputs
        self._made = [value for value in outputs if complex_of(value) is not None]
        self.device = inputs[0].device if inputs else "cuda"  # as `adapter.compile_device` takes it
        self.results = len(outputs) - len(self._made)  # that the code returns
        self.saw_complex = False

    def examples(self, examples: list[adapter.DeviceInput]) -> list[adapter.DeviceInput]:
        """Return the inputs of the code. examples: those of the segment."""
        made = [
            adapter.DeviceInput(value.shape, _strides(value), _dtype(value), self.device)
            for value in self._made
        ]
        return [part for example in (*examples, *made) for part in _parts(example)]

    def code(self, *tensors: torch.Tensor) -> list[torch.Tensor]:
        """Do the segment's work on parts: return the results that are real, write those that are complex.

        Raises UnknownOperator where an operator has no form on parts.
        """
        count = sum(2 if complex_of(value) is not None else 1 for value in self._inputs)
        lowering = Lowering(adapter.fused_multiply_add() or rounded_twice)
        results = lowering.evaluate(self._rows, tensors[:count])
        self.saw_complex |= lowering.saw_complex
        parts = iter(tensors[count:])
        returned = []
        for result, value in zip(results, self._outputs, strict=True):
            if complex_of(value) is None:
                returned.append(check(result, value))
                continue
            if not isinstance(result, Complex):
                raise UnknownOperator("a result that is no pair of parts")
            check(result, value)
            next(parts).copy_(result.re)
            next(parts).copy_(result.im)
        return returned

    def around(self, code: Kernel) -> Kernel:
        """Return the segment's kernel. code: is compiled."""
        laid = [(value.shape, _strides(value), _dtype(value)) for value in self._made]
        are_made = [complex_of(value) is not None for value in self._outputs]

        def run(*tensors: torch.Tensor) -> list[torch.Tensor]:
            device = tensors[0].device if tensors else self.device
            made = [
                torch.empty_strided(shape, strides, dtype=dtype, device=device)
                for shape, strides, dtype in laid
            ]
            returned = iter(code(*code_inputs(itertools.chain(tensors, made), True)))
            there = iter(made)
            return [next(there) if is_made else next(returned) for is_made in are_made]

        return run


def of(
    rows: list[tuple[Any, ...]],
    inputs: list[Value],
    outputs: tuple[Value, ...],
    examples: list[adapter.DeviceInput],
) -> Parts | None:
    """Return a segment as one on parts; None where it has no complex numbers, or no form on parts."""
    if not any(complex_of(value) is not None for value in (*inputs, *outputs)) and not _names_complex(rows):
        return None
    parts = Parts(rows, inputs, outputs)
    try:
        with adapter.fake_mode(), torch.device(parts.device), torch.no_grad():
            parts.code(*(example.fake() for example in parts.examples(examples)))
    except Exception:  # the segment is compiled as it is, and that tells what fails
        return None
    return parts if parts.saw_complex else None


def _names_complex(item: Any) -> bool:
    """Tell if a complex number, or a type of complex numbers, is among the arguments of a segment's calls.

    NumPy registers its own with `numbers`.
    """
    if isinstance(item, dict):
        return any(map(_names_complex, item.values()))
    if isinstance(item, tuple | list):
        return any(map(_names_complex, item))
    if isinstance(item, torch.dtype):
        return item in PARTS
    if isinstance(item, type):
        return issubclass(item, numbers.Complex) and not issubclass(item, numbers.Real)
    if isinstance(item, numbers.Complex):
        return not isinstance(item, numbers.Real)
    return getattr(item, "kind", "") == "c"  # of a dtype


def check(result: torch.Tensor, value: Value) -> torch.Tensor:
    """Return an op's result. Raises TypeError unless it has the dtype and the shape that NumPy's had."""
    if result.dtype != value.dtype or tuple(result.shape) != tuple(value.shape):
        raise TypeError(
            f"an op gave {result.dtype}{list(result.shape)} where NumPy gave {value.dtype}{list(value.shape)}"
        )
    return result


def _parts(example: adapter.DeviceInput) -> list[adapter.DeviceInput]:
    if example.dtype not in PARTS:
        return [example]
    strides = tuple(2 * stride for stride in example.strides)
    return [
        example._replace(strides=strides, dtype=PARTS[example.dtype], offset=2 * example.offset + place)
        for place in (0, 1)
    ]


def _dtype(value: Value) -> torch.dtype:
    dtype = complex_of(value)
    assert dtype is not None
    return dtype


def _strides(value: Value) -> tuple[int, ...]:
    """Return the strides of a result's memory: those recorded, if they are dense, else those of C's order."""
    expected = 1
    for stride, size in sorted(zip(value.strides, value.shape, strict=True)):
        if size != 1 and stride != expected:
            return torch.empty(value.shape, device="meta").stride()
        expected *= size
    return tuple(value.strides)
