"""Straight programs of several kernels, launched as graphs, and complex numbers, on a CUDA device."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
import torch

import npcompile
from npcompile.lower.device import kernel_graphs
from tests.checker import same

pytestmark = [
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"),
    pytest.mark.usefixtures("quiet"),
]


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that gets an item for each graph that is launched."""
    found: list[int] = []
    answer = kernel_graphs.KernelGraphs._answer

    def counted(self: Any, *args: Any) -> Any:
        found.append(1)
        return answer(self, *args)

    monkeypatch.setattr(kernel_graphs.KernelGraphs, "_answer", counted)
    return found


def mlp(x: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
    return np.maximum(x @ w1 + b1, 0.0) @ w2 + b2


def masked(x: Any) -> Any:
    valid = np.isfinite(x) & (x > 0.1)
    kept = np.where(valid, x, 0.0)
    count = valid.sum()
    mean = kept.sum() / count
    spread = np.sqrt((np.where(valid, x - mean, 0.0) ** 2).sum() / count)
    return mean, spread, np.where(valid, x, -np.inf).max()


def scaled(x: Any) -> Any:
    total, largest, squares = x.sum(), x.max(), (x * x).sum()
    x /= largest + 1.0
    return total, largest, squares


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("on_device", [True, False])
def test_products_in_a_row(launched: list[int], dtype: str, on_device: bool) -> None:
    rng = np.random.default_rng(0)
    shapes = [(64, 32), (32, 48), (48,), (48, 8), (8,)]
    args = [rng.normal(size=shape).astype(dtype) for shape in shapes]
    jitted = npcompile.jit(mlp, wait=True)
    with npcompile.device("cuda", force=True):
        own = [npcompile.asarray(arg) for arg in args] if on_device else args
        answers = [jitted(*own) for _ in range(12)]
        for answer in answers:
            assert np.allclose(np.asarray(answer), mlp(*args), rtol=1e-4, atol=1e-4)
        if on_device:
            own[0] *= 2
            got = np.asarray(jitted(*own))
            assert np.allclose(got, mlp(2 * args[0], *args[1:]), rtol=1e-4, atol=1e-4)
            assert np.allclose(np.asarray(answers[-1]), mlp(*args), rtol=1e-4, atol=1e-4)
            assert launched


def test_numbers_of_one_call_are_read_at_once(launched: list[int]) -> None:
    x = np.random.default_rng(0).normal(size=(100_000,))
    jitted = npcompile.jit(masked, wait=True)
    with npcompile.device("cuda", force=True):
        own = npcompile.asarray(x)
        for _ in range(10):
            got = jitted(own)
        assert launched
        same(got, masked(x), ulp=16, scale=1e5)
        own += 1.0
        same(jitted(own), masked(x + 1.0), ulp=16, scale=1e5)


def test_graphs_that_write_in_place(launched: list[int]) -> None:
    x = np.random.default_rng(0).random(10_000)
    plain, jitted = x.copy(), npcompile.jit(scaled, wait=True)
    with npcompile.device("cuda", force=True):
        own = npcompile.asarray(x)
        for _ in range(12):
            got, want = jitted(own), scaled(plain)
            same(got, want, ulp=64, scale=1e4)
            assert np.allclose(np.asarray(own), plain, rtol=1e-12)


def test_two_threads_at_once() -> None:
    rng = np.random.default_rng(0)
    args = [rng.normal(size=shape) for shape in [(64, 32), (32, 48), (48,), (48, 8), (8,)]]
    expected, jitted, wrong = mlp(*args), npcompile.jit(mlp, wait=True), []

    def work() -> None:
        with npcompile.device("cuda", force=True):
            own = [npcompile.asarray(arg) for arg in args]
            for _ in range(200):
                if not np.allclose(np.asarray(jitted(*own)), expected):
                    wrong.append(1)

    work()
    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# -- complex numbers -----------------------------------------------------------------------------------------


def escape(c: Any, trips: int) -> Any:
    z, count = np.zeros_like(c), np.zeros(c.shape, np.int64)
    for _ in range(trips):
        inside = np.abs(z) <= 2.0
        z = np.where(inside, z * z + c, z)
        count += inside
    return count, z


def functions(a: Any, b: Any) -> Any:
    return (
        a * b + a - 2j * b,
        np.exp(a) / b,
        (a / b).T,
        np.abs(a),
        a.conj() + 1,
        np.sqrt(a),
        (a.real * b.imag),
    )


def moved(a: Any) -> Any:
    a[1:-1] = a[2:] * 2j
    return a.sum(), a[::-1].copy()


def made(n: int) -> Any:
    return np.exp(2j * np.pi * np.arange(n) / n)


def unknown(a: Any) -> Any:
    return np.arctan(a) + 1


def _complex(*shape: int, dtype: str = "complex128") -> Any:
    rng = np.random.default_rng(3)
    return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (escape, lambda dtype: (_complex(40, 30, dtype=dtype), 30)),
        (functions, lambda dtype: (_complex(20, 30, dtype=dtype), _complex(20, 30, dtype=dtype) + 1)),
        (functions, lambda dtype: (_complex(30, 20, dtype=dtype).T, _complex(20, 31, dtype=dtype)[:, 1:])),
        (moved, lambda dtype: (_complex(50, dtype=dtype),)),
        (made, lambda dtype: (1000,)),
        (unknown, lambda dtype: (_complex(50, dtype=dtype),)),
    ],
)
@pytest.mark.parametrize("on_device", [True, False])
def test_complex_numbers(function: Any, arguments: Any, dtype: str, on_device: bool) -> None:
    jitted = npcompile.jit(function, wait=True)
    tolerance = 1e-4 if dtype == "complex64" else 1e-10
    with npcompile.device("cuda", force=True):
        for _ in range(4):
            given, plain = arguments(dtype), arguments(dtype)
            own = [npcompile.asarray(v) if on_device and isinstance(v, np.ndarray) else v for v in given]
            _close(jitted(*own), function(*plain), tolerance)
            _close(own[0], plain[0], tolerance)


def _close(got: Any, want: Any, tolerance: float) -> None:
    if isinstance(want, tuple):
        for one, other in zip(got, want, strict=True):
            _close(one, other, tolerance)
        return
    got, want = np.asarray(got), np.asarray(want)
    assert got.dtype == want.dtype and got.shape == want.shape
    assert np.allclose(got, want, rtol=tolerance, atol=tolerance)
