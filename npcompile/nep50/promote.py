"""Promotion: the dtypes that an operation computes in and answers with are asked of NumPy, and remembered."""

from __future__ import annotations

import functools
from typing import Any, TypeAlias

import numpy as np

DType: TypeAlias = "np.dtype[Any]"
Operand: TypeAlias = "np.dtype[Any] | type"  # a dtype is strong; Python's int, float and complex are weak

_SAMPLE: dict[type, Any] = {int: 0, float: 0.0, complex: 0j}


@functools.cache
def resolve(
    ufunc: np.ufunc,
    operands: tuple[Operand, ...],
    dtype: DType | None = None,
    signature: tuple[DType | None, ...] | None = None,
    casting: str = "same_kind",
    reduction: bool = False,
) -> tuple[DType, ...]:
    """Return the dtypes of the loop that NumPy would run: its inputs, then its outputs.

    operands: one per input, a dtype or the Python type `int`, `float` or `complex` (weak, NEP 50; a Python
    bool is strong: pass `np.dtype(bool)`). For `reduction=True` the one operand that is reduced; the answer's
    first entry is then the dtype it accumulates in, and `casting` plays no part: NumPy's reductions cast
    their input freely. `dtype` is the ufunc keyword: it fixes the outputs (for a reduction the accumulator).
    Raises what NumPy raises: TypeError, or a UFuncTypeError where `casting` forbids the operands. Source of
    the rule: `ufunc.resolve_dtypes` itself.
    """
    if len(operands) == 1 and isinstance(operands[0], type):  # with no other operand a number is an array
        operands = (np.dtype(operands[0]),)
    keywords: dict[str, Any] = {"casting": "unsafe" if reduction else casting}
    if reduction:
        if dtype is not None:
            keywords["signature"] = (dtype, None, None)
        return ufunc.resolve_dtypes((None, *operands, None), reduction=True, **keywords)
    if dtype is not None:
        if signature is not None:
            raise TypeError("cannot specify both 'signature' and 'dtype'")
        signature = (None,) * ufunc.nin + (dtype,) * ufunc.nout
    if signature is not None:
        keywords["signature"] = signature
    if any(isinstance(item, type) for item in operands) and (
        casting in ("no", "equiv") or signature is not None
    ):
        # The ufunc itself is asked if it casts: for "no" and "equiv" resolve_dtypes reads freed memory (NumPy
        # 2.4), and NumPy 2.0 casts a number to the dtype that is given, whatever `casting` says.
        with np.errstate(all="ignore"):
            ufunc(
                *[_SAMPLE[item] if isinstance(item, type) else np.empty(0, item) for item in operands],
                **keywords,
            )
        keywords["casting"] = "unsafe"
    return ufunc.resolve_dtypes(operands + (None,) * ufunc.nout, **keywords)


@functools.cache
def _result_type(operands: tuple[Operand, ...]) -> DType:
    return np.result_type(*(_SAMPLE[item] if isinstance(item, type) else item for item in operands))


def result_type(*operands: Operand) -> DType:
    """Return `np.result_type` of dtypes and weak Python types; for weak types alone their default dtype."""
    return _result_type(operands)


@functools.cache
def can_cast(source: DType, target: DType, casting: str = "same_kind") -> bool:
    """Return `np.can_cast` of two dtypes."""
    return bool(np.can_cast(source, target, casting))  # type: ignore[arg-type]


@functools.cache
def default_dtype(kind: type) -> DType:
    """Return the dtype that a weak Python number has with no strong operand beside it."""
    return np.dtype(kind)
