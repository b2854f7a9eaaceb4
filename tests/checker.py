"""Is an answer NumPy's answer? Value, dtype, byte order, shape, scalar-or-array type, structure, exceptions,
aliasing.

Every lane (op bodies, shim, interpreter, compiled kernels) judges with these functions, so none is laxer than
another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def same(got: Any, want: Any, ulp: float = 0, scale: float = 0.0, where: str = "") -> None:
    """Raise AssertionError where `got` is not the answer `want` that NumPy gave.

    ulp: how many units in the last place a float or complex may be off; 0 also asks for the sign of zeros.
    Integers, bools, NaN and infinities are always exact. scale: the size of the numbers that were added up
    (for sums, where cancellation makes the answer smaller than its rounding error): the ulp are then those of
    the larger of the two.
    """
    at = where or "answer"
    if isinstance(want, (tuple, list)):
        assert type(got) is type(want), f"{at}: {type(got).__name__} instead of {type(want).__name__}"
        assert len(got) == len(want), f"{at}: {len(got)} items instead of {len(want)}"
        for index, (one, other) in enumerate(zip(got, want, strict=True)):
            same(one, other, ulp, scale, f"{at}[{index}]")
        return
    if isinstance(want, dict):
        assert type(got) is type(want), f"{at}: {type(got).__name__} instead of {type(want).__name__}"
        assert list(got) == list(want), f"{at}: keys {list(got)} instead of {list(want)}"
        for key in want:
            same(got[key], want[key], ulp, scale, f"{at}[{key!r}]")
        return
    assert type(got) is type(want), f"{at}: {type(got).__name__} instead of {type(want).__name__}"
    if isinstance(want, (np.ndarray, np.generic)):
        assert got.dtype == want.dtype, f"{at}: dtype {got.dtype} instead of {want.dtype}"
        assert got.dtype.byteorder == want.dtype.byteorder, (
            f"{at}: byte order {got.dtype.str}, not {want.dtype.str}"
        )
        assert got.shape == want.shape, f"{at}: shape {got.shape} instead of {want.shape}"
        _same_values(np.asarray(got), np.asarray(want), ulp, scale, at)
    elif isinstance(want, (float, complex)):
        _same_values(np.asarray(got), np.asarray(want), ulp, scale, at)
    else:
        assert got == want, f"{at}: {got!r} instead of {want!r}"


def _same_values(got: np.ndarray, want: np.ndarray, ulp: float, scale: float, at: str) -> None:
    if want.dtype.kind == "c":
        if ulp:
            # the error of a complex number is measured against its modulus: components may cancel
            with np.errstate(all="ignore"):
                size = np.maximum(np.abs(want.real), np.abs(want.imag))
            _close(got.real, want.real, ulp, np.maximum(size, scale), f"{at}.real")
            _close(got.imag, want.imag, ulp, np.maximum(size, scale), f"{at}.imag")
        else:
            _exact(got.real, want.real, f"{at}.real")
            _exact(got.imag, want.imag, f"{at}.imag")
    elif want.dtype.kind == "f" and ulp:
        _close(got, want, ulp, np.maximum(np.abs(want), scale), at)
    else:
        _exact(got, want, at)


def _exact(got: np.ndarray, want: np.ndarray, at: str) -> None:
    wrong = got != want
    if want.dtype.kind == "f":
        wrong &= ~(np.isnan(got) & np.isnan(want))
        wrong |= (want == 0) & (np.signbit(got) != np.signbit(want))
    _report(wrong, got, want, at)


def _close(got: np.ndarray, want: np.ndarray, ulp: float, size: np.ndarray, at: str) -> None:
    with np.errstate(all="ignore"):
        size = np.where(np.isfinite(size), size, np.abs(want)).astype(want.dtype)
        allowed = ulp * np.abs(np.spacing(size)).astype(np.longdouble)
        far = np.abs(got.astype(np.longdouble) - want.astype(np.longdouble)) > allowed
        finite = np.isfinite(got) & np.isfinite(want)
        wrong = np.where(finite, far, (got != want) & ~(np.isnan(got) & np.isnan(want)))
    _report(wrong, got, want, at)


def _report(wrong: np.ndarray, got: np.ndarray, want: np.ndarray, at: str) -> None:
    if not np.any(wrong):
        return
    first = tuple(int(index) for index in np.argwhere(wrong)[0])
    count = int(np.count_nonzero(wrong))
    raise AssertionError(
        f"{at}{list(first)}: {got[first]!r} instead of {want[first]!r} ({count} of {want.size} wrong)"
    )


def same_exception(got: BaseException | None, want: BaseException | None) -> None:
    """Raise AssertionError unless both raised the same type of exception, or neither raised."""
    if want is None:
        assert got is None, f"raised {type(got).__name__}: {got}, where NumPy does not"
    else:
        assert got is not None, f"did not raise NumPy's {type(want).__name__}: {want}"
        assert type(got) is type(want), (
            f"raised {type(got).__name__}: {got}\nNumPy: {type(want).__name__}: {want}"
        )


def aliasing(outputs: Sequence[Any], inputs: Sequence[Any]) -> set[tuple[str, int, int]]:
    """Which outputs share memory with which inputs, and which outputs with each other: equal sets are equal
    aliasing."""
    found = set()
    for at, output in enumerate(outputs):
        if not isinstance(output, np.ndarray):
            continue
        for other, value in enumerate(inputs):
            if isinstance(value, np.ndarray) and np.shares_memory(output, value):
                found.add(("input", at, other))
        for other, value in enumerate(outputs[:at]):
            if isinstance(value, np.ndarray) and np.shares_memory(output, value):
                found.add(("output", at, other))
    return found
