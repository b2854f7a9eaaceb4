"""`fast_random=True` on a CUDA device: the numbers are made there, and are those that the CPU makes."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import npcompile
import npcompile.numpy
from tests.checker import same

pytestmark = [
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"),
    pytest.mark.usefixtures("quiet"),
]


def several(rng, x):
    made = rng.normal(1.0, 2.0, size=(500, 4)) + rng.random((500, 4)) - rng.exponential(size=(500, 4))
    return (made * x).sum(axis=1), rng.integers(-5, 5, size=2000)


def test_numbers_are_made_on_the_device() -> None:
    x = np.linspace(0.5, 2.0, 4)
    on_cpu = npcompile.jit(several, wait=True, fast_random=True)
    on_device = npcompile.jit(several, wait=True, fast_random=True)
    one, other = np.random.default_rng(4), np.random.default_rng(4)
    for call in range(3):
        with npcompile.device("cuda"):
            got = on_device(one, x)
        same(got, on_cpu(other, x), ulp=64, scale=100.0)
        if call == 0:
            on_device.wait()
            before = on_device.stats.bytes_to_device
    assert on_device.stats.replays == 2, on_device.stats
    assert on_device.stats.bytes_to_device - before == 2 * x.nbytes  # and no number is moved there
    assert one.bit_generator.state == other.bit_generator.state


def test_numbers_of_the_array_module_are_made_on_the_device() -> None:
    def draw(space):
        rng = space.random.default_rng(4)
        return rng.normal(size=500), rng.integers(-5, 5, size=(20, 3)), rng.exponential(2.0, 100)

    with npcompile.device("cuda", fast_random=True):
        made = draw(npcompile.numpy)
    assert all(array.device == "cuda:0" for array in made)
    with npcompile.device("cpu", fast_random=True):
        want = draw(npcompile.numpy)
    same([np.asarray(array) for array in made], [np.asarray(array) for array in want], ulp=64)
