"""Lengths of arrays, and whole numbers, that are read from outside: one program answers for many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

WEIGHTS = np.arange(5.0)
TABLE: dict[str, Any] = {}
COUNT = 3


class Grid:
    """Something that holds arrays, their lengths, and a number of its own."""

    def __init__(self, n: int, m: int = 4) -> None:
        self.u = np.arange(float(n))
        self.rows = np.arange(float(n * m)).reshape(n, m)
        self.shape = (n, m)
        self.n = n

    def slope(self):
        return self.u[1:] - self.u[:-1]


def with_a_global_array(grid, x):
    return x * 2 + WEIGHTS.sum()


def of_an_object(grid, x):
    return grid.u * 2 + grid.u[::-1].mean() / len(grid.u)


def of_a_method(grid, x):
    return grid.slope().sum() + x


def of_a_dict(grid, x):
    return TABLE["u"] * 2 + x.sum()


def of_a_tuple(grid, x):
    return np.zeros(grid.shape) + grid.u[:, None] * grid.n


def of_a_number(grid, x):
    return np.linspace(0, 1, grid.n) * grid.u


def written(grid, x):
    grid.u[1:] += grid.u[:-1] * 2
    grid.rows[0] = x[0]
    return grid.u.sum()


def stored(grid, x):
    grid.u = grid.u * 2 + 1
    return grid.u[: grid.n // 2]


FUNCTIONS = [
    with_a_global_array,
    of_an_object,
    of_a_method,
    of_a_dict,
    of_a_tuple,
    of_a_number,
    written,
    stored,
]


def ask(fn: Any, jitted: Any, n: int, m: int = 4, x: Any = None) -> None:
    x = np.ones(n) if x is None else x
    TABLE["u"] = np.arange(float(n))
    mine, theirs = Grid(n, m), Grid(n, m)
    same(jitted(mine, x), fn(theirs, x), where=f"{n}, {m}")
    same(list(vars(mine).values()), list(vars(theirs).values()), where=f"what it holds at {n}, {m}")


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_three_recordings_answer_for_all_lengths(fn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn)
    for n in range(300, 350):
        ask(fn, jitted, n)
    assert jitted.stats.recordings == jitted.stats.programs == 3
    assert jitted.stats.replays == 47 and jitted.stats.plain_calls == 0
    for n in (300, 310, 300, 310):  # known
        ask(fn, jitted, n)
    assert jitted.stats.recordings == 3
    for n, m in [(2, 4), (1, 4), (7, 7), (5, 1), (3, 2), (2, 2), (300, 4)]:
        ask(fn, jitted, n, m)


@pytest.mark.parametrize("fn", [of_an_object, of_a_tuple, written], ids=lambda fn: fn.__name__)
def test_compiled_they_share_their_kernels(fn) -> None:
    jitted = npcompile.jit(fn, wait=True)
    for n in range(300, 330):
        ask(fn, jitted, n)
    assert jitted.stats.recordings == 3
    assert jitted.stats.compilations <= 6


def test_lengths_of_what_is_given_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(of_an_object)
    x = np.ones(3)
    for n in range(10, 30):
        ask(of_an_object, jitted, n, x=x)
    assert jitted.stats.recordings == 3


def sized_by_a_global(grid, x):
    return np.zeros((COUNT, 2)) + x[:2] * len(grid.u)


def test_a_global_number_that_stayed_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(sized_by_a_global)
    for n in range(10, 20):
        ask(sized_by_a_global, jitted, n)
    assert jitted.stats.recordings == 3
    for count in (4, 3, 5, 2, 0):
        monkeypatch.setitem(globals(), "COUNT", count)
        for n in (12, 40):
            ask(sized_by_a_global, jitted, n)


def of_another_order(grid, x):
    return (grid.rows * 2).reshape(-1)


def test_orders_types_and_kinds_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(of_another_order)
    for n in range(10, 20):
        ask(of_another_order, jitted, n)
    other = [
        np.asfortranarray(np.arange(12.0).reshape(3, 4)),
        np.arange(12).reshape(3, 4),
        np.arange(24.0).reshape(3, 8)[:, ::2],
        np.arange(12.0).reshape(3, 4)[::-1],
        np.arange(12.0),
        [[1.0, 2.0]],
        np.float64(3.0),
    ]
    for rows in [*other, *other]:
        mine, theirs = Grid(4), Grid(4)
        mine.rows, theirs.rows = rows, rows  # type: ignore[assignment]
        got = want = None
        try:
            want = of_another_order(theirs, WEIGHTS)
        except Exception as error:
            with pytest.raises(type(error)):
                jitted(mine, WEIGHTS)
            continue
        got = jitted(mine, WEIGHTS)
        same(got, want)


def shares(grid, x):
    grid.u[: len(x) - 1] += x[1:]
    return grid.u * 2


def test_what_is_read_may_share_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(shares)
    for n in (8, 9, 10, 11, 12, 13):
        for once in (False, True, False):
            mine, theirs = Grid(n), Grid(n)
            x = mine.u if once else np.ones(n)
            y = theirs.u if once else np.ones(n)
            same(jitted(mine, x), shares(theirs, y), where=f"{n}, {once}")
            same(mine.u, theirs.u)


def of_equal_tuples(grid, x):
    return x.sum(axis=grid.shape[1] - 4) + len(grid.shape)


def test_tuples_are_known_by_what_they_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(of_equal_tuples)
    for _ in range(6):
        ask(of_equal_tuples, jitted, 7)
    assert jitted.stats.recordings == 1 and jitted.stats.replays == 5
    grid = Grid(7)
    grid.shape = (7, True + 3)
    same(jitted(grid, np.ones((2, 2))), of_equal_tuples(grid, np.ones((2, 2))))


def near(grid, x):
    close = grid.u < x[0]
    some = grid.u[close]
    return some.sum() * len(some), some


def test_lengths_by_data_of_what_changes_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same object at first, other limits; then others."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(near)
    for n in (40, 40, 40, 40, 40, 41, 42, 43, 44, 45, 60, 61):
        ask(near, jitted, n, x=np.array([n / 2 + jitted.stats.calls]))
    assert jitted.stats.recordings <= 5 and jitted.stats.replays >= 7
