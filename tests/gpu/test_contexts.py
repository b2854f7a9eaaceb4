"""The device is a context's own: of a thread, of an asyncio task; and another device than the first."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
import torch

import npcompile
from npcompile.runtime.current_device import current_device

pytestmark = [
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"),
    pytest.mark.usefixtures("quiet"),
]


def norms(x):
    return np.sqrt((x * x).sum(axis=1))


X = np.random.default_rng(0).standard_normal((1000, 3))


def test_each_task_has_its_own_device() -> None:
    async def on(name: str, pause: float) -> list[str]:
        seen = []
        with npcompile.device(name):
            for _ in range(3):
                await asyncio.sleep(pause)
                seen.append(str(current_device()))
        return seen

    async def both() -> list[list[str]]:
        return list(await asyncio.gather(on("cuda", 0.01), on("cpu", 0.013), on("cuda", 0.007)))

    first, second, third = asyncio.run(both())
    assert first == third
    assert set(first) <= {"cuda", "cuda:0"}
    assert set(second) == {"cpu"}
    assert current_device() is None


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="one CUDA device")
def test_a_second_device() -> None:
    jitted = npcompile.jit(norms, wait=True)
    with npcompile.device("cuda:1"):
        for _ in range(3):
            np.testing.assert_allclose(jitted(X), norms(X), rtol=1e-14)
        assert jitted.stats.replays == 2
        there = npcompile.asarray(X)
        assert there.device == "cuda:1"
        moved = jitted.stats.bytes_to_device
        result = jitted(there)
        assert result.device == "cuda:1"
        jitted(there)
        assert jitted.stats.bytes_to_device == moved
        with npcompile.device("cuda:0"):
            np.testing.assert_allclose(jitted(X), norms(X), rtol=1e-14)
        assert str(current_device()) == "cuda:1"
    np.testing.assert_allclose(jitted(X), norms(X), rtol=1e-14)
