"""Containers among the arguments that grow at each call: what is around the append is recorded once."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

CALLS = 100


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


def appended(u, history, dt):
    u[1:-1] += dt * (u[2:] - 2 * u[1:-1] + u[:-2])
    history.append(float(u.max()))
    return u.sum()


def by_key(u, history, dt):
    u[1:-1] += dt * (u[2:] - 2 * u[1:-1] + u[:-2])
    history[len(history)] = float(u.max())
    return u.sum()


def note(history, value):
    history.append(value)


def by_a_helper(u, history, dt):
    u[1:-1] += dt * (u[2:] - 2 * u[1:-1] + u[:-2])
    note(history, float(u.max()))
    return u.sum()


def read_again(u, history, dt):
    history.append(u[0] * dt)
    u += history[-1] + len(history)
    return u * 2, history[0]


@pytest.mark.parametrize(
    ("fn", "make"),
    [(appended, list), (appended, deque), (by_key, dict), (by_a_helper, list), (read_again, list)],
)
def test_the_function_is_recorded_once(fn: Any, make: Any) -> None:
    jitted = npcompile.jit(fn)
    u, history = np.linspace(0, 1, 9), make()
    v, expected = u.copy(), make()
    for call in range(CALLS):
        dt = 0.1 + call % 3
        same(jitted(u, history, dt), fn(v, expected, dt))
        same((u, list(history)), (v, list(expected)))
    assert history == expected
    assert jitted.stats.recordings < 25, jitted.stats
    assert jitted.stats.replays + jitted.stats.plain_calls > CALLS - 25
    if fn is not read_again:
        assert jitted.stats.plain_calls == 0


def test_a_list_that_is_another_at_each_call() -> None:
    """Lists of other lengths that are not one list are signatures of their own."""

    def summed(arrays):
        total = 0.0
        for array in arrays:
            total = total + array
        return total

    jitted = npcompile.jit(summed)
    arrays = [np.arange(3.0) + place for place in range(6)]
    kept = [arrays[:2], arrays[:4]]
    for _ in range(5):
        for given in kept:
            same(jitted(given), summed(given))
    assert jitted.stats.plain_calls == 0


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_a_dict_that_holds_a_history() -> None:
    def note(state, x):
        state["history"].append(float(x.sum()))
        state["x"] = x * 2
        return state["x"].max()

    jitted = npcompile.jit(note)
    ours, plain = ({"history": [], "x": None} for _ in range(2))
    for call in range(40):
        x = np.arange(3.0) + call
        assert jitted(ours, x) == note(plain, x)
        np.testing.assert_equal(ours, plain)
        if call == 20:
            recorded = jitted.stats.recordings
    assert jitted.stats.recordings == recorded, jitted.stats
