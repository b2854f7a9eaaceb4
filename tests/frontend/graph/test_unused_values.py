"""A value that nothing uses is not worked out; what NumPy raises where it has none is raised."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile

pytestmark = [
    pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),  # a mean of nothing
]


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


# Uses of `a` and `b` of which nobody uses the result; extend the list at will.
UNUSED: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a + b,
    lambda a, b: a.max(),
    lambda a, b: a @ b,
    lambda a, b: a[2],
    lambda a, b: a[len(b) - 1],
    lambda a, b: a.reshape(-1, 2),
    lambda a, b: np.zeros(len(a) - 3),
    lambda a, b: np.split(a, len(b)),
    lambda a, b: np.concatenate([a[None], b[None]]),
    lambda a, b: a[a > 0].max(),
    lambda a, b: a[a > b.mean()] + b[:2],
    lambda a, b: a.astype(complex)[a > 0].max(),
    lambda a, b: a[a > 0].reshape(3, 1),
    lambda a, b: np.argmax(a[a > 0]),
    lambda a, b: b[np.nonzero(a > 0)[0]] + np.ones(3),
    lambda a, b: np.unique(a)[2] - np.unique(a).max(),
    lambda a, b: np.compress(a > 0, a).min(),
]
SIZES = [(4, 4), (4, 4), (6, 6), (8, 8), (5, 6), (7, 7), (0, 4), (4, 0), (3, 3), (6, 2)]
SIZES += [(2, 2), (2, 6), (1, 5)]


@pytest.mark.parametrize("unused", UNUSED)
def test_what_an_unused_value_raises_is_raised(unused: Callable[[Any, Any], Any]) -> None:
    def used(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        unused(a, b)
        return b * 2

    def outcome(fn: Callable[..., Any], a: np.ndarray, b: np.ndarray) -> str:
        try:
            return repr(fn(a.copy(), b.copy()))
        except (ValueError, IndexError, ZeroDivisionError) as error:
            return repr(error)

    jitted = npcompile.jit(used, wait=True)
    rng = np.random.default_rng(0)
    with np.errstate(all="ignore"):
        for n, m in SIZES:
            for positive in (True, True, False):
                a, b = rng.integers(-3, 4, n) * 1.0, rng.integers(-3, 4, m) * 1.0
                if not positive:
                    a = -np.abs(a)
                assert outcome(jitted, a, b) == outcome(used, a, b), (n, m, positive)
