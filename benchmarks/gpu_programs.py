"""The kinds of NumPy program that `gpu_suite.py` measures on a CUDA device, with their arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def mandelbrot(width, height, trips):
    re = np.linspace(-2.0, 0.5, width)
    im = np.linspace(-1.25, 1.25, height)
    c = re + 1j * im[:, None]
    z = np.zeros_like(c)
    count = np.zeros(c.shape, dtype=np.int64)
    for _ in range(trips):
        inside = np.abs(z) <= 2.0
        z = np.where(inside, z * z + c, z)
        count += inside
    return count


def escape_times(c, trips):
    z = np.zeros_like(c)
    count = np.zeros_like(c, dtype=np.int64)
    for _ in range(trips):
        inside = np.abs(z) <= 2.0
        z = np.where(inside, z * z + c, z)
        count += inside
    return count


def jacobi(a, b, trips):
    for _ in range(trips):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])


def gray_scott(u, v, trips):
    for _ in range(trips):
        lu = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4.0 * u
        lv = np.roll(v, 1, 0) + np.roll(v, -1, 0) + np.roll(v, 1, 1) + np.roll(v, -1, 1) - 4.0 * v
        uvv = u * v * v
        u = u + 0.16 * lu - uvv + 0.06 * (1.0 - u)
        v = v + 0.08 * lv + uvv - 0.122 * v
    return u, v


def converging(matrix, start, tolerance):
    x = start
    while True:
        y = matrix @ x
        y = y / np.sqrt(np.sum(y * y))
        if np.max(np.abs(y - x)) < tolerance:
            return y
        x = y


def logistic(X, y, trips):
    w = np.zeros(X.shape[1], dtype=X.dtype)
    for _ in range(trips):
        p = 1.0 / (1.0 + np.exp(-(X @ w)))
        w = w - 0.1 * (X.T @ (p - y)) / len(y)
    return w


def histogram_gather(x, bins):
    counts, edges = np.histogram(x, bins=bins, range=(0.0, 1.0))
    place = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, bins - 1)
    return counts[place] / len(x)


def mlp(x, w1, b1, w2, b2):
    return np.maximum(x @ w1 + b1, 0.0) @ w2 + b2


def masked_statistics(x):
    valid = np.isfinite(x) & (x > 0.1)
    kept = np.where(valid, x, 0.0)
    count = valid.sum()
    mean = kept.sum() / count
    spread = np.sqrt((np.where(valid, x - mean, 0.0) ** 2).sum() / count)
    return mean, spread, np.where(valid, x, -np.inf).max()


def boolean_updates(x):
    y = x.copy()
    y[y < 0.2] = 0.0
    y[y > 0.8] *= 2.0
    return y


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def layer_norm(x, gain, bias):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-5) * gain + bias


def n_body(position, mass):
    d = position[None, :, :] - position[:, None, :]
    r2 = (d * d).sum(axis=2) + 1e-3
    return (d * (mass[None, :] / (r2 * np.sqrt(r2)))[:, :, None]).sum(axis=1)


def kmeans(X, means):
    return np.argmin(np.linalg.norm(X - means[:, None], axis=2), axis=0)


def black_scholes(price, strike, years):
    d = (np.log(price / strike) + 0.06 * years) / (0.2 * np.sqrt(years))
    chance = 1.0 / (1.0 + np.exp(-1.702 * d))
    return price * chance - strike * np.exp(-0.05 * years) * chance


def blurred(image):
    padded = np.pad(image, 1, mode="edge")
    total = sum(padded[i : i + image.shape[0], j : j + image.shape[1]] for i in range(3) for j in range(3))
    return np.clip(total / 9.0, 0.0, 1.0)


def cases(dtype: str) -> dict[str, tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]]:
    """Return each program with what makes its arguments."""
    rng = np.random.default_rng(0)

    def uniform(*shape: int) -> np.ndarray:
        return rng.random(shape).astype(dtype)

    return {
        "mandelbrot": (mandelbrot, lambda: (1200, 800, 50)),
        "escape_times": (
            escape_times,
            lambda: ((uniform(800, 1200) * 2.5 - 2 + 1j * (uniform(800, 1200) * 2.5 - 1.25)), 50),
        ),
        "jacobi": (jacobi, lambda: (uniform(2000, 2000), uniform(2000, 2000), 25)),
        "gray_scott": (gray_scott, lambda: (uniform(1024, 1024), uniform(1024, 1024), 40)),
        "converging": (
            converging,
            lambda: (uniform(2000, 2000) + 2000 * np.eye(2000, dtype=dtype), uniform(2000), 1e-5),
        ),
        "logistic": (logistic, lambda: (uniform(200_000, 50), (uniform(200_000) > 0.5).astype(dtype), 20)),
        "histogram_gather": (histogram_gather, lambda: (uniform(4_000_000), 64)),
        "mlp": (
            mlp,
            lambda: (uniform(8192, 512), uniform(512, 1024), uniform(1024), uniform(1024, 64), uniform(64)),
        ),
        "masked_statistics": (masked_statistics, lambda: (uniform(10_000_000),)),
        "boolean_updates": (boolean_updates, lambda: (uniform(10_000_000),)),
        "softmax": (softmax, lambda: (uniform(20_000, 512),)),
        "layer_norm": (layer_norm, lambda: (uniform(20_000, 512), uniform(512), uniform(512))),
        "n_body": (n_body, lambda: (uniform(3000, 3), uniform(3000))),
        "kmeans": (kmeans, lambda: (uniform(5_000_000, 2), uniform(2, 2))),
        "black_scholes": (
            black_scholes,
            lambda: (uniform(10_000_000) + 1, uniform(10_000_000) + 1, uniform(10_000_000) + 0.1),
        ),
        "blurred": (blurred, lambda: (uniform(4000, 4000),)),
    }
