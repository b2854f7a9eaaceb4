"""Integers over a number that the program knows are divided in whole vectors, and exactly."""

from __future__ import annotations

import numpy as np
import pytest

import npcompile
import npcompile.numpy as shim

NUMBERS = (1, 2, 3, 7, 10, 64, 100, 127)


def cells(x, y):
    return x % 4, x // 4, (x + y) % 10, (x + y) // 10, divmod(x, 7)


def edges(dtype: str) -> np.ndarray:
    limits = np.iinfo(dtype)
    near = [base + step for base in (limits.min, 0, limits.max) for step in range(-130, 131)]
    return np.array([value for value in near if limits.min <= value <= limits.max], dtype)


@pytest.mark.parametrize("dtype", ["int64", "int32", "int16", "int8", "uint8"])
def test_in_whole_vectors(dtype: str) -> None:
    x = np.tile(edges(dtype), 16)
    jitted = npcompile.jit(cells, wait=True)
    expected = cells(x, x[::-1].copy())
    for _ in range(3):
        answer = jitted(x, x[::-1].copy())
        for got, known in zip((*answer[:4], *answer[4]), (*expected[:4], *expected[4]), strict=True):
            assert got.dtype == known.dtype
            np.testing.assert_array_equal(got, known)
    assert jitted.stats.replays == 2
    programs = npcompile.explain(jitted, x, x).programs
    sources = [kernel.source for program in programs for kernel in program.kernels]
    assert sources
    assert not any("remainder_integral" in text or "div_floor" in text for text in sources)


@pytest.mark.parametrize("dtype", ["int64", "int32", "int16", "int8", "uint8"])
def test_exactly(dtype: str) -> None:
    limits = np.iinfo(dtype)
    rng = np.random.default_rng(0)
    for number in (*NUMBERS, *rng.integers(1, min(limits.max, 2**31 - 1), 200).tolist()):
        quotients = rng.integers(limits.min // number, limits.max // number, 100, endpoint=True)
        whole = quotients.astype(dtype) * np.dtype(dtype).type(number)
        x = np.concatenate(
            [whole, whole - np.dtype(dtype).type(1), whole + np.dtype(dtype).type(1), edges(dtype)]
        )
        for got, known in zip(shim.divmod(shim.asarray(x), number), np.divmod(x, number), strict=True):
            assert got.dtype == known.dtype
            np.testing.assert_array_equal(np.asarray(got), known)
