"""What `partition` leaves open, the order within the parts, is NumPy's in every mode."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npcompile
import npcompile.numpy
from tests.checker import same

CALLS = 3
RNG = np.random.default_rng(5)


def in_place(np: Any, a: Any) -> Any:
    b = a.copy()
    b.partition(7)
    return b, b[::2] + 1


BODIES = {
    "partition": lambda np, a: np.partition(a, 5),
    "several": lambda np, a: np.partition(a, [3, -4], axis=0),
    "flat": lambda np, a: np.partition(a, 30, axis=None),
    "argpartition": lambda np, a: np.argpartition(a, 4),
    "method": lambda np, a: a.argpartition(9, axis=0),
    "with work": lambda np, a: np.partition(a * 2 + 1, 5)[:, :6].sum(axis=1),
    "in_place": in_place,
}


def operands(dtype: str) -> Any:
    return (RNG.standard_normal((40, 50)) * 50).astype(dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", "uint8"])
@pytest.mark.parametrize("name", BODIES)
def test_the_shim_gives_numpys_order(name: str, dtype: str) -> None:
    a = operands(dtype)
    want = BODIES[name](np, a)
    got = BODIES[name](npcompile.numpy, npcompile.numpy.array(a))
    for mine, other in zip(
        *(item if isinstance(item, tuple) else (item,) for item in (got, want)), strict=True
    ):
        same(np.asarray(mine), other, 2)


@pytest.mark.parametrize("name", BODIES)
def test_jit_gives_numpys_order(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    body, a = BODIES[name], operands("float64")
    jitted = npcompile.jit(lambda a: body(np, a))
    for _ in range(CALLS):
        same(jitted(a), body(np, a), 2)
    assert jitted.stats.replays
