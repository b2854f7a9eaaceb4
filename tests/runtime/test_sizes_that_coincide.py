"""Lengths and numbers that are one object to Python, views that are all of an array at some lengths, sizes of
matrices: three programs answer for all of them."""

from __future__ import annotations

import gc
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import npcompile
from npcompile.frontend.graph.identity import Tracked
from tests.checker import same
from tests.programs.jit_lane import sharing

LENGTHS = [
    10,
    13,
    300,
    40,
    41,
    301,
    12,
    302,
    77,
    640,
    16,
    24,
    90,
    91,
    92,
    17,
    29,
    33,
    64,
    65,
    128,
    100,
    99,
    20,
    32,
    48,
]
SHAPES = [
    (5, 7),
    (8, 8),
    (8, 12),
    (20, 9),
    (33, 33),
    (64, 48),
    (10, 10),
    (16, 16),
    (31, 17),
    (12, 13),
    (6, 40),
]
SHAPES += [(9 + k, 40 - k) for k in range(12)] + [(10 + k, 10 + k) for k in range(6)]


def blocks(x):
    return x[: len(x) // 4 * 4].reshape(len(x) // 4, 4).mean(axis=1)


def whole_blocks(x):
    return x[: len(x) - len(x) % 8] * 2, x[: len(x) // 2 * 2].reshape(-1, 2).sum(1)


def split(x):
    a, b = np.split(x, [len(x) // 2])
    return a.sum() - b.sum(), [part.mean() for part in np.array_split(x, 3)]


def grouped(x):
    return np.bincount(np.arange(len(x)) % 3, weights=x) * 2


def simpson(x):
    n = (len(x) - 1) // 2 * 2
    return (x[0:n:2] + 4 * x[1 : n + 1 : 2] + x[2 : n + 1 : 2]).sum() / (3 * n)


def interior(x):
    u = np.zeros_like(x)
    u[1:-1] = x[2:] - 2 * x[1:-1] + x[:-2]
    return u


def size(m):
    return m.sum() / m.size, np.size(m) + m, np.zeros(np.shape(m)) + 1, m.ravel()[: m.size // 2] * 2


def halved(m):
    h, w = m.shape
    return m[: h // 2 * 2, : w // 2 * 2].reshape(h // 2, 2, w // 2, 2).mean(axis=(1, 3))


def cropped(m):
    h, w = m.shape
    return m[h // 4 : h - h // 4, w // 4 : w - w // 4] * 2


def layer(m):
    return np.maximum(m @ (np.ones((m.shape[1], 4)) / m.shape[1]) + 0.1, 0)


def smaller(m):
    n = min(m.shape)
    return m[:n, :n] * 2, m[np.arange(n), np.arange(n)]


def window(x, n):
    return sliding_window_view(x, n).mean(axis=1)


def one_way_or_another(x, n):
    return np.ones(n) * 2 if n > 30 else np.zeros(n) - 1


def outcome(fn: Callable[..., Any], *args: Any) -> Any:
    try:
        return fn(*args)
    except Exception as error:
        return type(error).__name__


def judge(fn: Callable[..., Any], calls: list[tuple[Any, ...]], programs: int) -> None:
    jitted = npcompile.jit(fn, wait=True)
    for args in calls:
        mine, theirs = ([a.copy() if isinstance(a, np.ndarray) else a for a in args] for _ in range(2))
        got, want = outcome(jitted, *mine), outcome(fn, *theirs)
        same(got, want, ulp=8, scale=100.0)
        same(mine, theirs)
        assert sharing(got, mine) == sharing(want, theirs)
    assert jitted.stats.programs <= programs and not jitted.stats.plain_calls, jitted.stats


@pytest.mark.parametrize("fn", [blocks, whole_blocks, split, grouped, simpson, interior])
def test_three_programs_for_all_lengths(fn: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    rng = np.random.default_rng(0)
    judge(fn, [(rng.integers(-9, 9, n) / 8,) for n in LENGTHS], 3)


@pytest.mark.parametrize("fn", [size, halved, cropped, layer, smaller])
def test_four_programs_for_all_shapes(fn: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The second is of a square, which says nothing of others."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    rng = np.random.default_rng(0)
    judge(fn, [(rng.integers(-9, 9, shape) / 8,) for shape in SHAPES], 4)


@pytest.mark.parametrize(("fn", "programs"), [(window, 3), (one_way_or_another, 5)])
def test_whole_numbers_that_sizes_depend_on(
    fn: Callable[..., Any], programs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    x = np.arange(100.0)
    judge(fn, [(x, n) for n in [10, 13, 40, 41, 5, 3, 7, 50, 51, 9, 25, 33, 60, 2, 12]], programs)


def test_part_of_an_array_at_some_lengths_is_all_of_it_at_others() -> None:
    judge(blocks, [(np.arange(float(n)),) for n in (13, 30, 40, 41, 42, 43, 44, 64, 300)], 3)


def of_two(x, n):
    two = 2
    return x[:n] * two + n, n is two, x[: two * n]


def test_small_numbers_are_objects_of_their_own_but_one_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    tracked = Tracked(lambda *_: None, lambda *_: True, lambda *_: None)
    for number in (*range(-6, 300), 2**31, -(2**70)):
        made = tracked.stand(number)
        assert (
            made == number and type(made) is int and hash(made) == hash(number) and str(made) == str(number)
        )
        assert made + 1 == number + 1 and tracked.meant(number) is number
        assert made is not number and tracked.meant(made) is number
        if -5 <= number <= 256:
            assert pickle.loads(pickle.dumps(made)) is number + 1 - 1 and {number: 1}[made] == 1
    gc.collect()
    assert sum(range(257)) == 32896
    jitted = npcompile.jit(of_two)
    for n in (2, 2, 3, 2):
        x = np.arange(9.0)
        same(outcome(jitted, x, n), of_two(x, n))
