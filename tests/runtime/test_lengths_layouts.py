"""Columns, reversed arrays and parts of matrices as arguments: one program for many lengths of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same
from tests.programs.jit_lane import outcome, sharing

SIZES = [5, 7, 9, 4, 12, 20, 3, 2, 33, 6, *range(40, 60), 5, 41]
Make = Callable[..., np.ndarray]


def judge(jitted: Any, fn: Callable[..., Any], make: Callable[[], np.ndarray], ulp: float = 4) -> None:
    """One call is NumPy's, on an array that lies as the other does (a deep copy would not)."""
    got, mine = outcome(jitted, (make(),))
    want, theirs = outcome(fn, (make(),))
    same((got, mine), (want, theirs), ulp=ulp, scale=1.0)
    assert sharing(got, mine) == sharing(want, theirs)


def numbers(*shape: int) -> np.ndarray:
    return np.arange(float(np.prod(shape))).reshape(shape) % 11 - 4.0


VECTORS: dict[str, Make] = {
    "column": lambda n: numbers(n, 3)[:, 0],
    "column of a wider one": lambda n: numbers(n, n + 1)[:, 1],
    "reversed": lambda n: numbers(n)[::-1],
    "every second": lambda n: numbers(2 * n)[::2],
    "diagonal": lambda n: numbers(n, n).reshape(-1)[:: n + 1],
}
MATRICES: dict[str, Make] = {
    "turned": lambda n: numbers(n, 5).T,
    "every second row": lambda n: numbers(2 * n, 4)[::2],
    "inner part": lambda n: numbers(n + 2, n + 4)[1:-1, 1:-1],
    "backwards": lambda n: numbers(n, 4)[::-1],
    "first columns": lambda n: numbers(n, 6)[:, :3],
    "turned part": lambda n: numbers(n + 1, n + 3)[1:, 2:].T,
    "of a block": lambda n: numbers(3, n, 4)[:, :, 1],
}


def scaled(v):
    return (v - v.mean()) * 2 + 1, len(v) * v.sum()


def step_width(v):
    return (v[1:] - v[:-1]) * (1.0 / (len(v) - 1))


def changed(v):
    v[1:-1] += 1
    v[0] = v[-1]
    return v[::2]


def laid_like_it(v):
    return np.zeros_like(v) + v, v.copy() * 2, np.concatenate([v, v])


def table(v):
    return v[:, None] * v, np.cumsum(v), v.reshape(-1, 1) + 1


def rows(m):
    return m[0] + m[:, 0].sum(), m.T * 2, m.sum(axis=1)


def flat(m):
    return m.ravel() * 2, m.reshape(-1) + 1, m.flatten("A")


def inner(m):
    m[1:-1, 1:-1] += 1
    m[0] = 0
    return m.shape[0] * m.shape[1]


def product(m):
    return m @ m.T, np.zeros(m.shape) + m


CASES = [
    (fn, name, VECTORS[name]) for fn in (scaled, step_width, changed, laid_like_it, table) for name in VECTORS
]
CASES += [(fn, name, MATRICES[name]) for fn in (rows, flat, inner, product, scaled) for name in MATRICES]


@pytest.mark.parametrize("fn, name, make", CASES, ids=lambda part: getattr(part, "__name__", str(part)))
def test_one_program_for_many_lengths(fn, name, make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn, wait=True)
    for n in SIZES:
        judge(jitted, fn, lambda n=n: make(n))
    assert jitted.stats.recordings <= (5 if fn is changed else 4)  # two or three elements have their own
    assert jitted.stats.plain_calls == 0, jitted.stats


@pytest.mark.parametrize("fn", [scaled, changed])
def test_another_layout_is_no_length(fn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn, wait=True)
    for n in range(6, 12):
        for make in VECTORS.values():
            judge(jitted, fn, lambda make=make, n=n: make(n))
    for n in range(12, 16):
        judge(jitted, fn, lambda n=n: numbers(n))
        for stride in (2, 3, 4):
            judge(jitted, fn, lambda n=n, stride=stride: numbers(stride * n)[::stride])


@pytest.mark.parametrize("name", ["column of a wider one", "reversed"])
def test_compiled_they_share_their_kernels(name: str) -> None:
    jitted = npcompile.jit(scaled, wait=True)
    for n in SIZES:
        judge(jitted, scaled, lambda n=n: VECTORS[name](n), ulp=16)
    assert jitted.stats.programs == 3 and jitted.stats.compilations <= 3, jitted.stats


def two_columns(a, b):
    a += b
    return a * 2 + b[::-1]


def test_columns_of_one_array(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(two_columns, wait=True)
    for n in [*range(5, 25), 3, 40]:
        mine, theirs = numbers(n, 3), numbers(n, 3)
        assert np.array_equal(jitted(mine[:, 0], mine[:, 2]), two_columns(theirs[:, 0], theirs[:, 2]))
        assert np.array_equal(mine, theirs)
    assert jitted.stats.recordings <= 4 and jitted.stats.plain_calls == 0, jitted.stats
    for n in (6, 7):  # that share their memory, or lie apart
        mine, theirs = numbers(n + 1, 3), numbers(n + 1, 3)
        assert np.array_equal(jitted(mine[1:, 0], mine[:-1, 0]), two_columns(theirs[1:, 0], theirs[:-1, 0]))
        assert np.array_equal(mine, theirs)
        one = numbers(n, 3)
        mine, theirs = numbers(n, 4), numbers(n, 4)
        assert np.array_equal(jitted(mine[:, 0], one[:, 1]), two_columns(theirs[:, 0], one[:, 1]))
        assert np.array_equal(mine, theirs)
