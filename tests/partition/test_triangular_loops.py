"""Loops over the triangle of a matrix (`C[i, : i + 1]`): ends of slices are sizes at some trips and not at
others, as 0 and 1 are constants."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import npcompile


def syr2k(alpha, beta, C, A, B):
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += A[: i + 1, k] * alpha * B[i, k] + B[: i + 1, k] * alpha * A[i, k]


def syrk(alpha, beta, C, A, B):
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += alpha * A[i, k] * A[: i + 1, k]


def trmm(alpha, beta, C, A, B):
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] += np.dot(C[i + 1 : B.shape[0], i], B[i + 1 :, j])
    B *= alpha


def symm(alpha, beta, C, A, B):
    temp = np.empty((A.shape[1],))
    A *= beta
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            A[:i, j] += alpha * B[i, j] * C[i, :i]
            temp[j] = B[:i, j] @ C[i, :i]
        A[i, :] += alpha * B[i, :] * C[i, i] + alpha * temp


@pytest.mark.parametrize("rows", [20, 33])
@pytest.mark.parametrize("function", [syr2k, syrk, trmm, symm])
def test_triangle(function: Callable[..., None], rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(function)
    for call in range(3):
        rng = np.random.default_rng(call)
        given = [rng.random((rows, rows)), rng.random((rows, 10)), rng.random((rows, 10))]
        expected = [array.copy() for array in given]
        function(1.5, 1.2, *expected)
        jitted(1.5, 1.2, *given)
        for mine, theirs in zip(given, expected, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-13)  # `dot` may add in another order
