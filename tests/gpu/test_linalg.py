"""The cases of products, decompositions, transforms and sums of products, on arrays of a CUDA device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import npcompile
import npcompile.numpy
from npcompile.frontend.eager import counters
from npcompile.frontend.eager.convert import TORCH_OF
from npcompile.frontend.eager.ndarray import ndarray
from tests.cases import decompositions, einsum, fft, linalg, products
from tests.cases.framework import CASES, Case, judged, limit, scale
from tests.checker import same, same_exception
from tests.frontend.ops.test_eager import run

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")

FILES = tuple(module.__name__ for module in (decompositions, einsum, fft, linalg, products))
# Their vectors have signs of the library's choosing: judged by what they are factors of.
FACTORS = ("numpy.linalg.eig", "numpy.linalg.eigh", "numpy.linalg.svd", "numpy.linalg.eigvals")


def on_device(value: Any) -> Any:
    if type(value) is not np.ndarray or value.dtype not in TORCH_OF:
        return value
    return npcompile.asarray(value).to_device("cuda")


def on_host(value: Any) -> Any:
    if isinstance(value, ndarray):
        return np.asarray(value)
    if isinstance(value, (list, tuple)):
        items = [on_host(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value


def problem(case: Case, body: Callable[..., Any], args: tuple[Any, ...], own: tuple[Any, ...]) -> str | None:
    want, raised = run(body, np, *args)
    got, error = run(body, npcompile.numpy, *map(on_device, own))
    try:
        same_exception(error, raised)
        if raised is None:
            same(on_host(got), want, 16 * limit(case, want), scale(case, args))
    except AssertionError as wrong:
        return str(wrong)
    return None


MINE = [case for case in CASES if case.body.__module__ in FILES and case.op not in FACTORS]


@pytest.mark.parametrize("case", MINE, ids=lambda case: case.id)
def test_the_answer_is_numpys(case: Case) -> None:
    problems = judged(case, problem)
    counters.reset()
    assert not problems, f"{len(problems)} problems:\n" + "\n".join(problems[:20])


@pytest.mark.parametrize("kind", ["float32", "float64", "complex128"])
def test_factors_are_factors(kind: str) -> None:
    np_ = npcompile.numpy
    a = decompositions.matrix((2, 4, 4), kind)
    h = decompositions.definite((2, 4, 4), kind)
    counters.reset()
    w, v = map(on_host, np_.linalg.eigh(on_device(h)))
    same(w, np.linalg.eigvalsh(h), 256, 64.0)
    same((v * w[:, None, :]) @ v.conj().swapaxes(-1, -2), h, 1024, 64.0)
    u, s, vh = map(on_host, np_.linalg.svd(on_device(a)))
    same((u * s[:, None, :]) @ vh, a, 1024, 64.0)
    w, v = map(on_host, np_.linalg.eig(on_device(a)))
    same(a @ v, (v * w[:, None, :]).astype((a @ v).dtype), 4096, 64.0)
    assert not counters.host_calls and not counters.op_failures, (counters.host_calls, counters.op_failures)
