"""`ArrayConverter` for our arrays: the helper in C through which NumPy's Python functions convert
operands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy

from npcompile.frontend.eager.strided import Strided
from npcompile.numpy.creation import asanyarray

_NUMBERS = (int, float, complex)


class ArrayConverter:
    """Operands as arrays, a flag for each that was a scalar, and results of the operands' kind.

    Source: numpy/_core/src/multiarray/array_converter.c.
    """

    def __init__(self, *operands: Any) -> None:
        self._operands = operands
        self._arrays = tuple([asanyarray(item) for item in operands])
        self.scalar_input = tuple(
            [
                not isinstance(item, (Strided, numpy.ndarray)) and array.ndim == 0
                for item, array in zip(operands, self._arrays, strict=True)
            ]
        )

    def __iter__(self) -> Iterator[Any]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __getitem__(self, index: Any) -> Any:
        return self._arrays[index]

    def as_arrays(self, *, subok: bool = True, pyscalars: str = "convert_if_no_array") -> tuple[Any, ...]:
        """Return the arrays; Python numbers stay Python numbers, beside arrays or always ("preserve")."""
        plain = [type(item) in _NUMBERS for item in self._operands]
        keep = pyscalars == "preserve" or (pyscalars == "convert_if_no_array" and not all(plain))
        return tuple(
            [
                item if keep and number else array
                for item, array, number in zip(self._operands, self._arrays, plain, strict=True)
            ]
        )

    def result_type(self, extra_dtype: Any = None, *, ensure_inexact: bool = False) -> Any:
        """Return the common dtype of the operands, Python numbers being weak."""
        kinds: list[Any] = [
            item if type(item) in _NUMBERS else array.dtype
            for item, array in zip(self._operands, self._arrays, strict=True)
        ]
        if extra_dtype is not None:
            kinds.append(numpy.dtype(extra_dtype))
        return numpy.result_type(*kinds, *([0.0] if ensure_inexact else []))

    def wrap(self, array: Any, /, *, to_scalar: bool | None = None) -> Any:
        """Return a result: a scalar where it is 0-d and all operands were scalars, or as `to_scalar` says."""
        if to_scalar is None:
            to_scalar = all(self.scalar_input)
        return array[()] if to_scalar and array.ndim == 0 else array
