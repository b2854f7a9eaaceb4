"""A jitted function of a Dask array beside plain Dask: eight elementwise operations and a sum, by turns."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np

import npcompile

POINTS, CHUNK, ROUNDS = 20_000_000, 1_000_000, 9


def energy(x: Any) -> Any:
    y = np.exp(-x * x) * np.sin(3 * x) + np.sqrt(x + 1) / 2
    return (y * y).sum()


def timed(function: Callable[[Any], Any], x: Any) -> tuple[float, float]:
    """Return the seconds of a call with its computation, and its value."""
    start = time.perf_counter()
    value = float(function(x).compute(scheduler="threads"))
    return time.perf_counter() - start, value


def main() -> None:
    x = da.from_array(np.random.default_rng(0).random(POINTS), chunks=CHUNK)
    jitted = npcompile.jit(energy)
    for _ in range(2):
        timed(jitted, x)
        jitted.wait()
    plain, ours = [], []
    for _ in range(ROUNDS):
        (one, expected), (other, value) = timed(energy, x), timed(jitted, x)
        assert abs(value - expected) < 1e-10 * abs(expected)
        plain.append(one)
        ours.append(other)
    ratio = statistics.median(a / b for a, b in zip(plain, ours, strict=True))
    print(f"plain Dask {min(plain):.3f} s, jitted {min(ours):.3f} s, ratio {ratio:.1f} (median of {ROUNDS})")


if __name__ == "__main__":
    main()
