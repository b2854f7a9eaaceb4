"""Decompositions traced on fake tensors, as for a device: the factors that the graph gives are factors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

import npcompile.frontend.ops  # noqa: F401
from npcompile.frontend.ops.table import TABLE
from tests.cases.decompositions import definite, matrix
from tests.checker import same

KINDS = ("int32", "float32", "float64", "complex64", "complex128")


def traced(function: Any, *args: np.ndarray, **statics: Any) -> Any:
    """What the graph of an op gives for these arrays, which the tracing did not see, as NumPy arrays."""
    op = TABLE.of(function)
    assert op is not None
    tensors = [torch.from_numpy(item.copy()) for item in args]

    def run(*given: torch.Tensor) -> Any:
        result, _ = op(*given, **statics) if op.checked else (op(*given, **statics), None)
        return tuple(result) if isinstance(result, tuple) else result

    graph = make_fx(run, tracing_mode="fake")(*(torch.zeros_like(item) for item in tensors))
    answer = graph(*tensors)
    return tuple(item.numpy() for item in answer) if isinstance(answer, tuple) else answer.numpy()


def hermitian(shape: tuple[int, ...], kind: str) -> np.ndarray:
    return definite(shape, kind) - np.eye(shape[-1]).astype(kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 4), (1, 1)])
@pytest.mark.parametrize("letter", ["L", "U"])
def test_eigh(kind: str, shape: tuple[int, ...], letter: str) -> None:
    a = hermitian(shape, kind)
    want = np.linalg.eigh(a, letter)
    values, vectors = traced(np.linalg.eigh, a, UPLO=letter)
    same(values, want.eigenvalues, 64, 64.0)
    assert (vectors.dtype, vectors.shape) == (want.eigenvectors.dtype, want.eigenvectors.shape)
    again = (vectors * values[..., None, :]) @ vectors.conj().swapaxes(-1, -2)
    same(again, a.astype(again.dtype), 512, 64.0)
    same(traced(np.linalg.eigvalsh, a, UPLO=letter), np.linalg.eigvalsh(a, letter), 64, 64.0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(3, 4), (2, 4, 3), (1, 1)])
@pytest.mark.parametrize("full", [True, False])
def test_svd(kind: str, shape: tuple[int, ...], full: bool) -> None:
    a = matrix(shape, kind)
    want = np.linalg.svd(a, full)
    u, s, vh = traced(np.linalg.svd, a, full_matrices=full)
    same(s, want.S, 64, 64.0)
    assert [(item.dtype, item.shape) for item in (u, vh)] == [(item.dtype, item.shape) for item in want[::2]]
    count = s.shape[-1]
    again = (u[..., :count] * s[..., None, :]) @ vh[..., :count, :]
    same(again, a.astype(again.dtype), 512, 64.0)
    same(traced(np.linalg.svd, a, compute_uv=False), np.linalg.svdvals(a), 64, 64.0)


@pytest.mark.parametrize("kind", KINDS)
def test_svd_of_a_hermitian_matrix(kind: str) -> None:
    a = hermitian((2, 3, 3), kind)
    u, s, vh = traced(np.linalg.svd, a, hermitian=True)
    same(s, np.linalg.svd(a, hermitian=True).S, 64, 64.0)
    again = (u * s[..., None, :]) @ vh
    same(again, a.astype(again.dtype), 512, 64.0)


SINGULAR: list[tuple[Callable[..., Any], np.ndarray]] = [
    (np.linalg.inv, np.ones((2, 2))),
    (np.linalg.inv, np.stack([np.eye(2), np.zeros((2, 2))])),
    (np.linalg.cholesky, np.array([[1.0, 2.0], [2.0, 1.0]])),
]


@pytest.mark.parametrize("function, a", SINGULAR)
def test_the_flag_says_what_numpy_would_refuse(function: Any, a: np.ndarray) -> None:
    op = TABLE.of(function)
    assert op is not None
    graph = make_fx(lambda given: op(given)[1], tracing_mode="fake")(torch.zeros_like(torch.from_numpy(a)))
    assert not graph(torch.from_numpy(a))
    assert graph(torch.from_numpy(np.broadcast_to(np.eye(2), a.shape).copy()))
