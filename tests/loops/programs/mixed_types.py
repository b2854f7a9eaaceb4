"""Loops with values of several types within a statement, functions of whole windows, and assertions."""

from __future__ import annotations

import numpy as np

from tests.loops.programs.program import loop


@loop(
    lambda n, rng: (rng.random((n, n)), 5, 1.5),
    sizes=(2, 6),
    realistic=100,
    float32=lambda rng: (rng.random((4, 5)).astype(np.float32), 3, 1.2),
)
def relax_until_small(u, most, omega):
    rows, columns = u.shape
    worst = 0.0
    for step in range(most):
        worst = 0.0
        for i in range(1, rows - 1):
            for j in range(1 + (i + step) % 2, columns - 1, 2):
                new = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
                difference = new - u[i, j]
                u[i, j] += omega * difference
                worst = max(worst, abs(difference))
        if worst < 1e-6:
            break
    return u, worst


@loop(
    lambda n, rng: (rng.standard_normal((n, 12)), 100.0, 101.0, 0.02, 0.2),
    sizes=(0, 5),
    realistic=2000,
    exact=False,
)
def asian_option_above_zero(z, start, strike, rate, sigma):
    paths, steps = z.shape
    total = low = 0.0
    for i in range(paths):
        price, sum_ = start, 0.0
        for one in z[i]:
            price *= np.exp((rate - 0.5 * sigma**2) / steps + sigma * np.sqrt(1 / steps) * one)
            sum_ += price
        total += max(sum_ / steps - strike, 0)
        low = min(low, sum_ / steps - strike, i - 3)
    return total / max(paths, 1), low


@loop(
    lambda n, rng: (rng.random(n), 5),
    sizes=(0, 1, 12),
    realistic=3000,
    integers=lambda rng: (rng.integers(0, 9, 9), 3),
    a_nan=lambda rng: (np.array([1.0, np.nan, 0.5, 2.0]), 1),
)
def moving_medians(x, width):
    half = width // 2
    out = np.zeros((len(x), 3))
    for i in range(len(x)):
        window = x[max(0, i - half) : i + half + 1]
        out[i, 0] = np.median(window)
        out[i, 1] = np.sort(window)[0]
        out[i, 2] = np.cumsum(window)[-1]
    return out


@loop(
    lambda n, rng: (rng.random((n, 3)), rng.random((4, 3)), np.linspace(0, 1, 6)),
    sizes=(0, 7),
    realistic=5000,
    exact=False,
)
def nearest_and_histogram(points, centers, edges):
    labels = np.zeros(len(points), dtype=int)
    counts = np.zeros(len(edges) - 1, dtype=int)
    for i in range(len(points)):
        away = ((centers - points[i]) ** 2).sum(axis=1)
        labels[i] = away.argmin()
        at = np.searchsorted(edges, points[i, 0], side="right") - 1
        if 0 <= at < len(counts):
            counts[at] += 1
    return labels, counts


@loop(
    lambda n, rng: (rng.random(n), 1.0),
    sizes=(0, 9),
    realistic=50_000,
    too_large=lambda rng: (np.array([0.5, 0.2, 7.0, 0.1]), 1.0),
    negative=lambda rng: (np.array([0.5, 0.2, -7.0, 0.1]), 1.0),
)
def asserted_sum(x, most):
    total = 0.0
    for i, value in enumerate(x):
        assert value <= most, f"{value:.1f} at {i}"
        if value < 0:
            raise ValueError(f"{value:.2f} is negative")
        total += value if value > 0.5 else 0
    return total


@loop(
    lambda n, rng: (rng.integers(0, 256, n).astype(np.uint8),),
    sizes=(0, 17),
    realistic=50_000,
)
def mixed_hash(data):
    mask = 0xFFFFFFFF
    h, state = 42, 12345
    for at in range(len(data)):
        k = int(data[at]) * 0xCC9E2D51 & mask
        k = (k << 15 | k >> 17) & mask
        h = ((h ^ k * 0x1B873593 & mask) * 0x85EBCA6B * 5 + 0xE6546B64) & mask
        state = (6364136223846793005 * state + 1442695040888963407) % 2**48
        quotient, rest = divmod(state, 1000)
        h ^= rest + quotient % 7
    return h, state
