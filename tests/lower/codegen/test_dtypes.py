"""Dtypes that NumPy has twice, by the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same
from tests.programs.jit_lane import judge


def _updated(a: Any, places: Any, values: Any) -> Any:
    np.add.at(a, places, values)
    return a * values[0]


def _stored(a: Any, places: Any, values: Any) -> Any:
    made = a.copy()
    made[places] = np.add(made[places], values)
    return made, np.cumsum(a), made * values[:1]


@pytest.mark.parametrize("fn", [_updated, _stored])
@pytest.mark.parametrize("code", "lqLQ")
def test_both_integers_of_64_bits(code: str, fn: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn)
    args = np.arange(10).astype(code), np.array([-1, 1, -1, 2]), np.array([1, 5, 2, 10]).astype(code)
    for _ in range(4):
        judge(jitted, fn, args)
    assert jitted.stats.replays >= 2, jitted.stats


def _overflowing(a: Any) -> Any:
    size = np.abs(a)
    return np.bincount(size % 7), size < 0, a + 1 > a, np.add.outer(size % 7, a[:3] % 5).sum(0)


@pytest.mark.parametrize("step", [1, 2, -1])
def test_integers_wrap_around_in_compiled_code(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiler draws no conclusions from overflow: an absolute value may be negative, a + 1 below a."""
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    jitted = npcompile.jit(_overflowing, wait=True)
    least, most = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    for _ in range(2):
        judge(jitted, _overflowing, (np.tile(np.array([least, most, -7, 3]), 20)[::step],))
    assert jitted.stats.replays == 1, jitted.stats


def means_into(x: Any) -> Any:
    return (
        np.mean(x, 0, "f4", np.zeros(3)),
        np.mean(x > 1, 0, "u1", np.zeros(3, "f4")),
        np.std(x, 0, out=np.zeros(3, "f4")),
        np.round(x.astype("i8"), -1, out=np.zeros((2, 3), "f4")),
    )


def test_outputs_of_another_dtype_hold_what_numpy_computes_in_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(means_into)
    for start in (-3.0, 1.0, 2.0):
        x = np.arange(start, start + 6).reshape(2, 3)
        same(jitted(x), means_into(x))


def test_what_does_not_fit_is_the_least_integer_in_kernels_too() -> None:
    def counted(x: np.ndarray) -> np.ndarray:
        return np.bincount(np.abs(x).astype("i8") % 7)

    jitted = npcompile.jit(counted, wait=True)
    with np.errstate(invalid="ignore"):
        for call in range(3):
            x = np.arange(40.0) - 20 + call
            x[[3, 5, 7, 9]] = 1e300, np.inf, -1e300, np.nan
            np.testing.assert_array_equal(jitted(x[::-1]), counted(x[::-1]))
    assert jitted.stats.replays
