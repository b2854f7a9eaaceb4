"""A stand-in for the C helper by which NumPy's Python functions convert operands and wrap results.

`numpy_inlining` gives it to the functions that it records. It converts by hooks: a conversion is a step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_NUMBERS = (int, float, complex)


class Converter(tuple):
    """The operands of a function as arrays. The methods do what the helper's methods do.

    Source: numpy/_core/src/multiarray/array_converter.c.
    """

    hooks: Any  # the recording
    given: tuple[Any, ...]
    scalar_input: tuple[bool, ...]

    @classmethod
    def of(cls, hooks: Any, given: tuple[Any, ...]) -> Converter:
        """Convert operands to arrays, each by a step if it is not one yet."""
        made = cls(
            [item if isinstance(item, np.ndarray) else hooks.call(np.asanyarray, item) for item in given]
        )
        made.hooks, made.given = hooks, given
        made.scalar_input = tuple(
            [
                not isinstance(item, np.ndarray) and array.ndim == 0
                for item, array in zip(given, made, strict=True)
            ]
        )
        return made

    def as_arrays(self, *, subok: bool = True, pyscalars: str = "convert_if_no_array") -> tuple[Any, ...]:
        """Return the arrays. Python numbers stay numbers beside arrays, or always ("preserve")."""
        plain = [type(item) in _NUMBERS for item in self.given]
        keep = pyscalars == "preserve" or (pyscalars == "convert_if_no_array" and not all(plain))
        pairs = zip(self.given, self, plain, strict=True)
        return tuple([item if keep and number else array for item, array, number in pairs])

    def result_type(self, extra_dtype: Any = None, *, ensure_inexact: bool = False) -> Any:
        """Return the dtype that the operands have in common; Python numbers are weak."""
        pairs = zip(self.given, self, strict=True)
        kinds = [type(item)(0) if type(item) in _NUMBERS else array.dtype for item, array in pairs]
        extra = [] if extra_dtype is None else [np.dtype(extra_dtype)]
        return np.result_type(*kinds, *extra, *([0.0] if ensure_inexact else []))

    def wrap(self, array: Any, /, *, to_scalar: bool | None = None) -> Any:
        """Return a result as a scalar if it is 0-d and all operands were scalars, or as `to_scalar` says."""
        if to_scalar is None:
            to_scalar = all(self.scalar_input)
        return self.hooks.getitem(array, ()) if to_scalar and array.ndim == 0 else array
