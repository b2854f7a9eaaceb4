"""Measures this machine's floors, once a process: bytes moved and operations done in a second."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from npcompile.diagnostics.settings import config

_BYTES = 1 << 26  # of each of two arrays, which no cache holds
_SIZE = 512  # of the matrices that are multiplied
_TIMES = 5


@dataclass(frozen=True)
class Floors:
    """The most that this machine does in a second.

    bytes: moved by a copy of a large array or by reading one, whichever is faster. operations: on float64, by
    products of matrices.
    """

    bytes: float
    operations: float


@functools.cache
def floors() -> Floors:
    """Return the floors, with the threads that kernels use."""
    source, target = np.ones(_BYTES // 8), np.zeros(_BYTES // 8)
    threads = max(1, config.num_threads)
    parts = list(zip(np.array_split(target, threads), np.array_split(source, threads), strict=True))
    with ThreadPoolExecutor(threads) as pool:
        copying = _fastest(lambda: list(pool.map(lambda part: np.copyto(*part), parts)))
        reading = _fastest(lambda: list(pool.map(lambda part: part[1].max(), parts)))
    matrix = np.ones((_SIZE, _SIZE))
    product = _fastest(lambda: matrix @ matrix)
    return Floors(max(2 * _BYTES / copying, _BYTES / reading), 2 * _SIZE**3 / product)


def _fastest(function: Callable[[], object]) -> float:
    times = []
    for _ in range(_TIMES):
        began = time.perf_counter()
        function()
        times.append(time.perf_counter() - began)
    return min(times)
