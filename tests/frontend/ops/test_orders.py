"""How answers lie in memory, what hash tables order, and `out=` that decides: shim and jit beside NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npcompile
import npcompile.numpy
from tests.checker import same

CALLS = 3


def x() -> Any:
    return np.arange(12).reshape(3, 4) % 5


LAID = {
    "nonzero": lambda np, a: np.nonzero(a),
    "where": lambda np, a: np.where(a > 2),
    "accumulate": lambda np, a: (np.add.accumulate(a.T, axis=1), np.fmin.accumulate(a.T)),
    "reduceat": lambda np, a: (np.add.reduceat(a, [0, 2], axis=1), np.add.reduceat(a.T, [0, 2])),
    "no axis": lambda np, a: np.maximum.reduce(a.T, axis=()),
}


@pytest.mark.parametrize("name", LAID)
def test_the_shims_arrays_lie_as_numpys(name: str) -> None:
    want, got = LAID[name](np, x()), LAID[name](npcompile.numpy, npcompile.numpy.array(x()))
    for mine, other in zip(got, want, strict=True) if isinstance(want, tuple) else [(got, want)]:
        same(np.asarray(mine), other)
        assert mine.strides == other.strides


CALLED = {
    "unique_values": lambda np, a: np.unique_values(np.array([30, 10, 20, 10, 7])),
    "unsorted": lambda np, a: np.unique(np.array([30, 10, 20, 10, 7]), sorted=False),
    "choice": lambda np, a: type(np.random.default_rng(5).choice(5)).__name__,
    "std of integers": lambda np, a: np.std(a, dtype="i4"),
    "var of integers": lambda np, a: np.var(a, axis=0, dtype="i8"),
    "nanstd of integers": lambda np, a: np.nanstd(a * 1.0, dtype="u2"),
    "no average": lambda np, a: np.average(a[:0], axis=-1),
    "accumulate into wider": lambda np, a: np.left_shift.accumulate(
        (a * 9).astype("i2"), out=np.zeros((3, 4), "i8")
    ),
    "add into wider": lambda np, a: np.add.reduce((a * 9999).astype("u2"), 0, out=np.zeros(4, "u1")),
    "sum into wider": lambda np, a: np.sum((a * 9999).astype("u2"), 0, out=np.zeros(4, "f4")),
    "reduceat into more": lambda np, a: np.add.reduceat(a, [1], axis=1, out=np.full((3, 4), 3)),
}


def outcome(call: Any, *args: Any) -> Any:
    try:
        return call(*args)
    except Exception as error:
        return type(error).__name__


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("name", CALLED)
def test_calls_that_numpy_decides(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    if name == "unsorted" and np.lib.NumpyVersion(np.__version__) < "2.3.0":
        pytest.skip("sorted= is not there")
    body: Any = CALLED[name]
    want = outcome(body, np, x())
    got = outcome(body, npcompile.numpy, npcompile.numpy.array(x()))
    same(np.asarray(got) if isinstance(got, npcompile.ndarray) else got, want, 2)
    jitted = npcompile.jit(lambda a: body(np, a))
    for _ in range(CALLS):
        same(outcome(jitted, x()), want, 2)


def _laid(a: np.ndarray, how: str) -> np.ndarray:
    """The same elements, in memory in another order."""
    if how == "F":
        return np.asfortranarray(a)
    if how == "gaps":
        return np.repeat(a, 2, axis=-1)[..., ::2]
    turned = {"C": (), "first": (slice(None, None, -1),), "last": (..., slice(None, None, -1))}
    turn = turned.get(how, (slice(None, None, -1),) * a.ndim)
    return np.ascontiguousarray(a[turn])[turn]


def _at_one(a, index, value):
    a[index] = value
    return a


def _at_two(a, index, value):
    a[index, index % 2] = value
    return a


def _at_rows(a, index, value):
    a[index] = np.stack([value, value + 0.5], axis=-1)
    return a


WAYS = ["C", "F", "first", "last", "all", "gaps"]


@pytest.mark.parametrize("store", [_at_one, _at_two, _at_rows])
@pytest.mark.parametrize("shape", [(6,), (2, 3), (3, 1)])
def test_the_last_of_several_values_for_one_place(
    store: Any, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which one comes last goes by how index and values lie (`_are_met_otherwise`)."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    rng = np.random.default_rng(3)
    for index_way in WAYS:
        for value_way in (*WAYS, "one row"):
            index = _laid(rng.integers(0, 3, shape), index_way)
            value = rng.permutation(index.size).reshape(shape) * 1.0
            value = value[:1] if value_way == "one row" else _laid(value, value_way)
            a = np.zeros((3,) if store is _at_one else (3, 2))
            want = store(a.copy(), index, value)
            jitted = npcompile.jit(store)
            for _ in range(2):
                same(jitted(a.copy(), index, value), want)
            shown = [npcompile.numpy.asarray(item) for item in (a.copy(), index, value)]
            same(np.asarray(store(*shown)), want)
