"""Chains of steps each of which uses the one before it more than once: their compilation grows with their
length, not with the number of ways through them (which would take longer than a compilation may)."""

from __future__ import annotations

import numpy as np
import pytest

from npcompile import jit
from tests.checker import same


def logistic(x, r):
    for _ in range(24):
        x = r * x * (1 - x)
    return x


def iterated(z, c):
    for _ in range(20):
        z = z * z + c
    return z


def quotients(z, c):
    for _ in range(8):
        z = (z - c) / (z + 2 * c)
    return z


def reduced(x, r):
    y = x[:, None] - x[None, :7]
    for _ in range(24):
        y = y * y - r * y
    return y.sum(axis=1), y.max()


def masked(x, r):
    for _ in range(20):
        x = np.where(x < 0.5, 2 * x, x * (1 - x) * r)
        x[x > 0.9] *= 0.5
    return np.pad(x, 2) * r


X = np.linspace(0.01, 0.99, 50)
Z = np.exp(1j * X) / 4
CALLS = {
    "logistic": (logistic, (X, 3.2)),
    "iterated": (iterated, (Z, 0.1 - 0.2j)),
    "quotients": (quotients, (Z, 0.3 + 1j)),
    "reduced": (reduced, (X / 4, 0.25)),
    "masked": (masked, (X, 3.1)),
}


@pytest.mark.parametrize("name", CALLS)
def test_chains(name):
    plain, args = CALLS[name]
    f = jit(plain, wait=True)
    for _ in range(3):
        same(f(*args), plain(*args), ulp=2**14)  # each step enlarges what was rounded before it
    assert f.stats.kernels > 0 and f.stats.replays == 2, f.stats
    assert not f.stats.reasons
