"""Sums in float32: compiled ones are no less exact than NumPy's, which adds in pairs.

NumPy's own error may be nearly none by chance. Then those units are allowed that `npcompile.verify` allows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.verify.tolerance import ULP


def sums(x: Any) -> Any:
    return (x * x).sum(), x.sum(), x.var(), x.mean(), np.linalg.norm(x)


@pytest.mark.parametrize("size", [5_000, 50_000, 1_000_000])
def test_float32_sums_are_no_worse_than_pairwise(size: int) -> None:
    jitted = npcompile.jit(sums, wait=True)
    for seed in (0, 1):
        x = (np.random.default_rng(seed).random(size) + 1000).astype("f4")
        found = jitted(x)
    assert jitted.stats.replays == 1
    for got, plain, exact in zip(found, sums(x), sums(x.astype("f8")), strict=True):
        assert type(got) is np.float32
        assert abs(got - exact) <= 2 * abs(plain - exact) + ULP * np.spacing(np.float32(exact))
