"""Ranges as indices and lists as values: they stand for arrays, and cost no call of NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


def picked_by_a_range(a, k):
    return a[range(len(a)), k].sum() + a[range(1, 5, 2)].sum() + a[:, range(3)] * 2


def stored_by_a_range(a, k):
    a[range(len(a)), k] -= 1.5
    return a


def stored_lists(a, k):
    t = a[3, 1]
    a[0] = [1, t, 2.5, len(a)]
    a[2:4] = [[1, 2, 3, 4], (t, t * 2, t, 0)]
    return a


def stored_integers(a, k):
    k[:3] = [7, 8, 9]
    k[0] = [len(k)][0]
    return k * 2


FUNCTIONS = [picked_by_a_range, stored_by_a_range, stored_lists, stored_integers]


def arguments(seed: int, length: int, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(-9, 9, (length, 4)).astype(dtype) / 2, rng.integers(0, 4, length)


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_no_host_calls(fn: Callable[..., Any]) -> None:
    jitted = npcompile.jit(fn)
    for seed, length in enumerate((6, 6, 9, 13, 13, 17, 21)):
        for dtype in ("f8", "f4"):
            want_args, got_args = arguments(seed, length, dtype), arguments(seed, length, dtype)
            same(jitted(*got_args), fn(*want_args))
            same(got_args, want_args)
    assert jitted.stats.host_calls == 0
    assert jitted.stats.replays >= 4, jitted.stats
    if fn is stored_lists:
        assert jitted.stats.programs <= 6, jitted.stats


def into_integers(a, t):
    a[0] = [1, t, 3]
    return a + 1


def test_numbers_that_do_not_fit_raise() -> None:
    jitted = npcompile.jit(into_integers)
    for t in (2, 5, 2**40, 2.7, float("nan"), 3):
        outcomes = []
        for run in (into_integers, jitted):
            a = np.zeros((2, 3), np.int32)
            try:
                outcomes.append((run(a, t), a))
            except (ValueError, OverflowError) as error:
                outcomes.append((type(error), str(error), a))
        same(outcomes[1], outcomes[0], where=repr(t))


# Arrays that are shapes: of what is given, and of what the function makes.
SHAPES: dict[str, Callable[..., Any]] = {
    "reshape": lambda a, s: (a * 2).reshape(s),
    "np.reshape": lambda a, s: np.reshape(a + 1, np.array([4, -1])),
    "of a constant": lambda a, s: np.zeros((2, 6)).reshape(s) + a.sum(),
    "broadcast_to": lambda a, s: np.broadcast_to(a[0, 0] * 2, s) + 1,
    "roll": lambda a, s: np.roll(a, s, (0, 1)),
    "tile": lambda a, s: np.tile(a, s),
    "zeros": lambda a, s: np.zeros(np.array([2, 3])) + a[0, 0],
    "indices": lambda a, s: np.indices(s) * a[0, 0],
}


@pytest.mark.parametrize("name", SHAPES)
def test_arrays_as_shapes(name: str) -> None:
    jitted = npcompile.jit(SHAPES[name])
    a = np.arange(12.0).reshape(3, 4)
    for shape in ([2, 6], [2, 6], [6, 2], [2, 6], [5, -7]):
        outcomes = []
        for run in (SHAPES[name], jitted):
            try:
                outcomes.append(run(a, np.array(shape)))
            except ValueError as error:
                outcomes.append(str(error))
        same(outcomes[1], outcomes[0], where=f"{shape}")
    assert (jitted.stats.replays >= 2, jitted.stats.host_calls) == (True, 0), jitted.stats
