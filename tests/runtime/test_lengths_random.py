"""How many random numbers are drawn follows from lengths and numbers: 50 of them have three programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.signal import lfilter

import npcompile
from npcompile.frontend.catalog import purity
from tests.checker import same


def monte_carlo(n, rng):
    x, y = rng.random(n), rng.uniform(-1.0, 1.0, size=n)
    return 4 * np.mean(x * x + y * y <= 1.0)


def rows(n, rng):
    return (rng.normal(0.0, 2.0, (n, 3)) ** 2).sum(axis=1)


def noisy(x, rng):
    return x * x + 0.5 * rng.standard_normal(len(x))


def noise_of_shape(x, rng):
    return x + rng.normal(size=x.shape)


def as_many(x, rng):
    return x - rng.poisson(np.abs(x))


def of_two(x, rng):
    return rng.normal(x, 0.5) * rng.exponential(size=2 * len(x))[::2]


def shuffled(x, rng):
    order = rng.permutation(len(x))
    return x[order] * 2


def bootstrapped(x, rng):
    return x[rng.integers(0, len(x), size=len(x))].mean()


def chosen(x, rng):
    return (rng.choice(x, size=len(x) // 2) + rng.choice(len(x), 5).sum()) * 2


def split_in_two(x, rng):
    order = rng.permutation(len(x))
    half = len(x) // 2
    return x[order[:half]].sum(), x[order[half:]] * 2


def between(x, rng):
    """A kernel, a draw, a kernel that takes what both gave."""
    y = np.abs(x) * 0.5 + 1
    return y[1:] * rng.random(len(y) - 1) + y[:-1].max()


def walk(x, rng):
    for _ in range(4):
        proposal = x + 0.3 * rng.standard_normal(len(x))
        accepted = rng.random(len(x)) < np.exp(0.5 * (x * x - proposal * proposal))
        x = np.where(accepted, proposal, x)
    return x


def walk_of(n, rng):
    state = np.zeros(n)
    for _ in range(5):
        state = state + rng.standard_normal(n)
    return state.max(), state


def smoothed(x, rng):
    x = x.copy()
    n = len(x)
    for _ in range(3):
        x = (x + x[rng.permutation(n)]) / 2
    return x


def spectrum(n, rng):
    """Between draws and kernels, NumPy's libraries."""
    s = np.linspace(0, 1, n) ** 2 + rng.normal(size=n)
    power = np.fft.rfft(np.sort(s)).real
    return power / power.max()


def fitted(n, rng):
    rows = rng.normal(size=(n, 3))
    y = rows @ np.array([1.0, 2.0, 3.0]) + 0.5 * rng.random(n)
    return np.linalg.lstsq(rows, y, rcond=None)[0]


def printed(x, rng):
    print(end="")
    y = x * 2 + 1
    return y.sum()


def of_another_library(x, rng):
    return lfilter([1.0], [1.0, -0.5], x) * 2 + x


def mixed_in_place(x, rng):
    y = x * 2
    rng.shuffle(y)
    return y[::2] + 1


def a_scalar_between(x, rng):
    return x[: int(rng.integers(1, len(x)))].sum() + rng.random(len(x))


def nothing_drawn(x, rng):
    return x * float(rng.random()) + rng.normal(size=(len(x), 0)).sum()


def of_rarer_distributions(x, rng):
    return (
        rng.weibull(2.0, len(x)) * x + rng.pareto(np.abs(x) + 1) - rng.hypergeometric(5, 5, 3, size=x.shape)
    )


TABLE = np.linspace(0.0, 1.0, 80)


def below_half(x, rng):
    return x[rng.permutation(len(x) // 2)] * 2 + rng.normal(size=len(x) // 2)


def from_the_end(x, rng):
    return x[rng.integers(-2, len(x), 7)] * rng.random()


def of_a_table(x, rng):
    return TABLE[rng.integers(0, len(x), 5)] * x[0]


def into_zeros(x, rng):
    y = np.zeros(len(x))
    y[rng.integers(0, len(x), 5)] = 1.0
    y[rng.permutation(len(x))[:2]] += x[:2]
    return y * x


def below_zeros(n, rng):
    y = np.zeros((3, n))
    rng.random()
    return y[:, rng.integers(0, n - 1, 5) + 1] + rng.random((3, 5))


def rows_of(x, rng):
    m = np.stack([x, -x], axis=1)
    return rng.choice(m, 5) * 2, rng.permutation(m, axis=1) * 3, rng.choice(m, (2, 1), axis=1) + 1


def of_a_list(n, rng):
    return np.cumsum(rng.choice([-1, 1], n)), rng.choice((0.5, n), size=(n, 2)).sum()


# The draw, True where it takes a number, and its count of programs.
CASES: list[tuple[Callable[..., Any], bool, int]] = [
    (monte_carlo, True, 3),
    (rows, True, 3),
    (noisy, False, 3),
    (noise_of_shape, False, 3),
    (as_many, False, 3),
    (of_two, False, 3),
    (shuffled, False, 3),
    (bootstrapped, False, 3),
    (chosen, False, 3),
    (split_in_two, False, 3),
    (between, False, 3),
    (walk, False, 6),
    (walk_of, True, 9),
    (nothing_drawn, False, 3),
    (a_scalar_between, False, 6),
    (smoothed, False, 3),
    (spectrum, True, 3),
    (fitted, True, 6),
    (printed, False, 3),
    (of_another_library, False, 3),
    (mixed_in_place, False, 6),
    (of_rarer_distributions, False, 3),
    (below_half, False, 3),
    (from_the_end, False, 3),
    (of_a_table, False, 3),
    (into_zeros, False, 3),
    (below_zeros, True, 3),
    (rows_of, False, 3),
    (of_a_list, True, 3),
]
ids = [row[0].__name__ for row in CASES]


def run(jitted: Any, sizes: Any, number: bool, generator: Any = np.random.default_rng) -> None:
    plain = jitted.__wrapped__
    for n in sizes:
        mine, theirs = generator(n), generator(n)
        for scale in (1.0, -0.5):
            given = n if number else np.arange(0.25, n) * scale
            same(jitted(given, mine), plain(given, theirs), where=f"{n}")
        assert mine.random() == theirs.random()


@pytest.mark.parametrize(("fn", "number", "most"), CASES, ids=ids)
def test_fifty_lengths(monkeypatch: pytest.MonkeyPatch, fn: Any, number: bool, most: int) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn)
    run(jitted, range(12, 62), number)
    assert jitted.stats.plain_calls == 0, jitted.stats
    assert jitted.stats.programs <= most, jitted.stats
    run(jitted, [2, 3, 2, 12], number)


@pytest.mark.parametrize("fn", [rows, noisy, shuffled, between], ids=lambda fn: fn.__name__)
def test_compiled(fn: Any) -> None:
    jitted = npcompile.jit(fn, wait=True)
    run(jitted, [12, 20, 33, 57, 90, 12], fn is rows)
    assert jitted.stats.programs <= 3, jitted.stats
    assert jitted.stats.replays >= 6, jitted.stats


class Count:
    """What Python takes for a number by asking it."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __index__(self) -> int:
        return self.number

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.arange(float(self.number))


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize(
    "fn",
    [
        lambda x, rng, count: rng.random(count) * 2,
        lambda x, rng, count: rng.random((count, 2)) * 2,
        lambda x, rng, count: rng.normal(loc=count) * 2,
        lambda x, rng, count: rng.uniform(x[0], [count, count]) * 2,
    ],
    ids=["size", "of a tuple", "parameter", "of a list"],
)
def test_sizes_that_objects_give(monkeypatch: pytest.MonkeyPatch, fn: Any) -> None:
    """They are the user's code, and give others at each call."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn)
    for number in (3, 4, 5, 3, 4, 5):
        mine, theirs = np.random.default_rng(number), np.random.default_rng(number)
        same(jitted(np.zeros(5), mine, Count(number)), fn(np.zeros(5), theirs, Count(number)))
        assert mine.random() == theirs.random()


def test_parameters_before_the_size() -> None:
    for function, before in purity.DRAWS.items():
        words = function.__doc__.strip().partition("(")[2].partition(")")[0].split(",")
        names = [word.partition("=")[0].strip() for word in words]
        assert [name for name in names if name not in ("self", "$self")].index("size") == before, function
