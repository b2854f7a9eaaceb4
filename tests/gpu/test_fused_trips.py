"""Trips of loops that only work element by element are done several by one kernel, on a CUDA device."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import npcompile

pytestmark = [
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"),
    pytest.mark.usefixtures("quiet"),
]

SECONDS = 60.0  # until kernels are there


def escape(c: Any, trips: int) -> Any:
    z, count = np.zeros_like(c), np.zeros(c.shape, np.int64)
    for _ in range(trips):
        inside = np.abs(z) <= 2.0
        z = np.where(inside, z * z + c, z)
        count += inside
    return z, count


def logistic_map(x: Any, trips: int) -> Any:
    for _ in range(trips):
        x = 3.9 * x * (1.0 - x)
    return x


def _plane() -> Any:
    return np.linspace(-2, 1, 60)[:, None] + 1j * np.linspace(-1, 1, 70)


@pytest.mark.parametrize("on_device", [True, False])
@pytest.mark.parametrize("function", [escape, logistic_map])
def test_bits_are_those_of_trips_one_by_one(function: Callable[..., Any], on_device: bool) -> None:
    plain = _plane() if function is escape else np.random.default_rng(0).random(1000)
    jitted = npcompile.jit(function, wait=True)
    with npcompile.device("cuda", force=True):
        own = npcompile.asarray(plain) if on_device else plain
        first = _bits(jitted(own, 50))  # trip by trip
        began = time.monotonic()
        while not jitted.stats.fused_trips and time.monotonic() - began < SECONDS:
            assert _bits(jitted(own, 50)) == first
        assert jitted.stats.fused_trips > 0
        for trips in (50, 17, 3, 33):
            fresh = npcompile.jit(function, wait=True)
            assert _bits(jitted(own, trips)) == _bits(fresh(own, trips))


def _bits(answer: Any) -> list[bytes]:
    return [np.asarray(part).tobytes() for part in (answer if isinstance(answer, tuple) else (answer,))]
