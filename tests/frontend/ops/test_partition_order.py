"""What `partition` leaves open, the order within the parts, is NumPy's under `jit`, and in short rows here.

Long rows of our arrays come sorted, by no host call.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import npcompile
import npcompile.numpy
from npcompile.frontend.eager import counters
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
    "flat": lambda np, a: np.partition(a[0], 30, axis=None),
    "argpartition": lambda np, a: np.argpartition(a, 4),
    "method": lambda np, a: a.argpartition(9, axis=0),
    "with work": lambda np, a: np.partition(a * 2 + 1, 5)[:, :6].sum(axis=1),
    "in_place": in_place,
}


def operands(dtype: str) -> Any:
    return (RNG.standard_normal((40, 50)) * 50).astype(dtype)


def rows(dtype: str, length: int) -> Any:
    """One with few equal items or none, one with many, and one with NaN where the dtype has it."""
    a = RNG.standard_normal((3, length)) * 50
    a[1] = np.round(a[1] / 30)
    a[2, ::3] = np.nan if np.dtype(dtype).kind in "fc" else 7
    return (abs(a) if dtype[0] == "u" else a).astype(dtype)


DTYPES = (
    *("bool", "int8", "uint8", "int16", "uint16", "float16", "int32", "uint32", "int64", "uint64"),
    *("float32", "float64", "complex64", "complex128"),
)


@pytest.mark.parametrize("length", [1, 2, 9, 17, 64])
@pytest.mark.parametrize("dtype", DTYPES)
def test_short_rows_in_numpys_order(dtype: str, length: int) -> None:
    for row in rows(dtype, length):
        ours = npcompile.numpy.array(row)
        for kth in (0, length // 2, -1, [0, length - 1]):
            for name in ("partition", "argpartition"):
                same(np.asarray(getattr(npcompile.numpy, name)(ours, kth)), getattr(np, name)(row, kth), 2)


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 1), (3, 0)])
def test_rows_of_one_and_none(shape: tuple[int, ...]) -> None:
    a = np.arange(float(math.prod(shape))).reshape(shape)
    for axis in (-1, None):
        counters.reset()
        same(np.asarray(npcompile.numpy.array(a).argpartition(0, axis=axis)), a.argpartition(0, axis=axis), 2)
        assert not counters.op_failures and not counters.host_calls


@pytest.mark.parametrize("dtype", DTYPES)
def test_long_rows_come_sorted_without_a_host_call(dtype: str) -> None:
    a = rows(dtype, 65)
    ours = npcompile.numpy.array(a)
    counters.reset()
    values, places = npcompile.numpy.partition(ours, [3, 60]), ours.argpartition(20)
    ours.partition(-1)
    assert not counters.host_calls
    for found in (values, np.take_along_axis(a, np.asarray(places), 1), ours):
        same(np.asarray(found), np.sort(a), 2)


def test_verify_has_numpys_order_of_long_rows() -> None:
    assert npcompile.verify(
        lambda a: np.partition(a, 9)[:4] + np.argpartition(a, 500)[:4], RNG.random(1000)
    ).ok


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
