"""Loops of functions and methods that Python calls between blocks are native, too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.partition.callees import CalleeSubstitution
from npcompile.tiering import overhead


class Grid:
    """A model whose step notes something that no native loop holds."""

    def __init__(self, n: int) -> None:
        self.u = np.zeros((n, n))
        self.u[n // 2, n // 2] = 1.0
        self.log: list[str] = []

    def step(self, dt: float) -> None:
        spread(self.u, self.u.copy(), dt)
        self.log.append(str(dt))

    def sweep(self, dt: float) -> float:
        worst, u, n = 0.0, self.u, len(self.u)
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                change = u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4 * u[i, j]
                worst = max(worst, abs(change))
                u[i, j] += dt * change
        return worst


def spread(new, u, dt):
    for i in range(1, len(u) - 1):
        for j in range(1, len(u) - 1):
            new[i, j] = u[i, j] + dt * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4 * u[i, j])
    return repr(dt)


def by_method(grid, steps, dt):
    for _ in range(steps):
        grid.step(dt)
    return grid.u, grid.log


def by_function(grid, steps, dt):
    t = 0.0
    while t < steps * dt:
        old = grid.u
        grid.u = np.zeros_like(old)
        grid.log.append(spread(grid.u, old, dt))
        t += dt
    return grid.u, grid.log


def beyond(grid, steps, dt):
    for k in range(steps):
        grid.log.append(str(k))
        reach(grid.u, k, str(dt))
    return grid.u, grid.log


def reach(u, k, text):
    for i in range(len(u)):
        u[i, i + k] += len(text)


def by_a_method_of_a_helper(grid, steps, dt):
    worst = 0.0
    for k in range(steps):
        worst = max(worst, swept(grid, k, dt))
    return grid.u, grid.log


def swept(grid, k, dt):
    worst = grid.sweep(dt)
    grid.log.append(f"{k}: {worst:.3e}")
    return worst


@pytest.mark.parametrize("function", [by_method, by_function, by_a_method_of_a_helper, beyond])
def test_they_do_what_python_does(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_CONTESTS", "0")
    jitted = npcompile.jit(function)
    for call in range(5):
        mine, plain = Grid(40), Grid(40)
        got, want = outcome(jitted, mine), outcome(function, plain)
        assert got == want, f"call {call}"
        np.testing.assert_array_equal(mine.u, plain.u)
        assert mine.log == plain.log
        jitted.wait()
    assert jitted.stats.loop_entries, npcompile.explain(jitted, Grid(40), 20, 0.1)


def outcome(function: Any, grid: Grid) -> Any:
    try:
        u, log = function(grid, 20, 0.1)
        return u is grid.u, log is grid.log
    except IndexError as error:
        return str(error)


@pytest.mark.parametrize("spent", [True, False])
def test_a_function_that_was_put_off_is_asked_for(spent: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the call that cuts a driver has no time left, later calls jit what it calls all the same."""
    monkeypatch.setenv("NPCOMPILE_CONTESTS", "0")
    jitted = npcompile.jit(by_a_method_of_a_helper)
    with monkeypatch.context() as patch:
        if spent:
            patch.setattr(CalleeSubstitution, "_entered", lambda cut, fn: fn)
            patch.setattr(overhead.Call, "affords", lambda call, seconds: seconds > 0.0)
        jitted(Grid(40), 20, 0.1)
    for _ in range(3):
        jitted(Grid(40), 20, 0.1)
        jitted.wait(120)
    assert jitted.stats.loop_entries, npcompile.explain(jitted, Grid(40), 20, 0.1)
