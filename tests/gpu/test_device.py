"""Jitted functions on a CUDA device: NumPy's answers, no hidden copies, every copy counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import npcompile
from tests.checker import same

pytestmark = [
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"),
    pytest.mark.usefixtures("quiet"),
]


def kmeans(X: Any, means: Any) -> Any:
    return np.argmin(np.linalg.norm(X - means[:, None], axis=2), axis=0)


def points(dtype: str = "float32") -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    return rng.normal(size=(10_000, 2)).astype(dtype), rng.normal(size=(3, 2)).astype(dtype)


def test_device_arrays_stay_on_the_device() -> None:
    X, means = points()
    f = npcompile.jit(kmeans, wait=True)
    with npcompile.device("cuda"):
        X_device, means_device = npcompile.asarray(X), npcompile.asarray(means)
    answers = [f(X_device, means_device) for _ in range(3)]
    assert f.stats.replays == 2, f.stats
    assert f.stats.kernels == 1, f.stats
    assert (f.stats.bytes_to_device, f.stats.bytes_from_device) == (0, 0)
    for answer in answers:
        assert isinstance(answer, npcompile.ndarray) and answer.device == "cuda:0"
        same(np.asarray(answer), kmeans(X, means))


def test_numpy_arrays_move_at_the_boundary() -> None:
    X, means = points("float64")
    f = npcompile.jit(kmeans, wait=True)
    want = kmeans(X, means)
    with npcompile.device("cuda"):
        same(f(X, means), want)
        same(f(X, means), want)
    assert f.stats.replays == 1, f.stats
    assert f.stats.bytes_to_device == X.nbytes + means.nbytes
    assert f.stats.bytes_from_device == want.nbytes


def test_tensors_are_not_copied() -> None:
    X, means = points()

    @npcompile.jit(wait=True)
    def on_tensors(X: Any, means: Any) -> Any:
        X, means = X.numpy(), means.numpy()
        return torch.from_numpy(kmeans(X, means))

    X_tensor, means_tensor = torch.from_numpy(X).cuda(), torch.from_numpy(means).cuda()
    for _ in range(3):
        answer = on_tensors(X_tensor, means_tensor)
        assert answer.is_cuda
        same(answer.cpu().numpy(), kmeans(X, means))
    assert on_tensors.stats.replays == 2, on_tensors.stats
    assert (on_tensors.stats.bytes_to_device, on_tensors.stats.bytes_from_device) == (0, 0)


def written(x: Any, y: Any, scale: Any) -> Any:
    x += y
    x[0] = scale
    x[1:-1, 1] = x[2:, 1] * 2
    return x[1:], x.T, x.sum(), x @ x.T, np.zeros(3) + scale, x.mean(axis=0)


def reversed_rows(x: Any) -> Any:
    v = x[::-1]
    v[0] = v[1] + 1
    return v * 2, float(x.max()) + 1.0


def hosted(x: Any) -> Any:
    return np.linalg.inv(x) * 2, np.sort(x, axis=0), np.cumsum(x, axis=1)


@pytest.mark.parametrize(
    ("fn", "make"),
    [
        (written, lambda rng: (rng.normal(size=(6, 6)), rng.normal(size=6), float(rng.random()))),
        (reversed_rows, lambda rng: (rng.normal(size=(5, 4)),)),
        (hosted, lambda rng: (rng.normal(size=(4, 4)),)),
    ],
)
@pytest.mark.parametrize("where", ["numpy", "device"])
def test_answers_and_effects_are_numpys(fn: Any, make: Any, where: str) -> None:
    f = npcompile.jit(fn, wait=True)
    for seed in (1, 2, 3):
        args, plain = make(np.random.default_rng(seed)), make(np.random.default_rng(seed))
        want = fn(*plain)
        with npcompile.device("cuda"):
            given = args if where == "numpy" else tuple(_moved(arg) for arg in args)
            got = f(*given)
        same(tuple(map(_back, got)), want, ulp=16, scale=100.0)
        same(tuple(map(_back, given)), plain, ulp=16, scale=100.0)
        if where == "numpy" and fn is written:
            assert np.shares_memory(got[0], given[0])
    assert f.stats.replays == 2, f.stats


def _moved(value: Any) -> Any:
    return npcompile.asarray(value) if isinstance(value, np.ndarray) else value


def _back(value: Any) -> Any:
    return np.asarray(value) if isinstance(value, npcompile.ndarray) else value
