"""Loops of functions and methods that Python calls between blocks are native, too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npcompile


class Grid:
    """A model whose step notes something that no native loop holds."""

    def __init__(self, n: int) -> None:
        self.u = np.zeros((n, n))
        self.u[n // 2, n // 2] = 1.0
        self.log: list[str] = []

    def step(self, dt: float) -> None:
        spread(self.u, self.u.copy(), dt)
        self.log.append(str(dt))


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


@pytest.mark.parametrize("function", [by_method, by_function, beyond])
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
