"""Slices that end where data say, and arrays as long as data say: one program whatever the data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.programs.jit_lane import judge


def data(seed: int, n: int = 100) -> np.ndarray:
    return np.round(np.random.default_rng(seed).standard_normal(n) * 8) / 8


def up_to_the_largest(x):
    return x[: np.argmax(x) + 1] * 2


def from_where(x):
    s = np.sort(x)
    return s[np.searchsorted(s, 0.5) :] * 2


def between(x):
    s = np.sort(x)
    a, b = np.searchsorted(s, [-0.5, 0.5])
    return s[a:b].mean() if b > a else 0.0


def last_ones(x):
    k = int((x > 0).sum())
    return np.sort(x)[-k:] * 2, len(x) - k


def as_many(x):
    k = np.count_nonzero(x > 0)
    return x[:k] * 2, np.zeros(k) + 1, np.ones((k, 2)).sum(axis=1)


def trimmed(x):
    found = np.flatnonzero(x > 0.5)
    return x[found[0] : found[-1] + 1] * 2 if len(found) else x


def as_wide_as_all(x):
    return np.arange(int(np.abs(x).sum()) + 2) * 2.0 + len(x)


def window(x):
    k = int(np.argmax(x))
    return x[max(k - 2, 0) : k + 3] * 2


def until_most(x):
    sums = np.cumsum(np.abs(x))
    return x[: int(np.searchsorted(sums, sums[-1] * 0.9)) + 1] * 2


def turned(x):
    return np.roll(x, int(np.argmax(x))) * 2, np.repeat(x[:3], int(np.argmin(x)) + 2)


def counted(x):
    return np.bincount(np.abs(np.round(x * 3)).astype(int)) * 2


def written(x):
    k = int(np.argmax(x))
    x[:k] = 0.0
    x[k:] += 1.0
    return x[k:].sum(), k


def placed(x):
    k = np.argmax(x)
    made = np.zeros(len(x))
    made[k:] = x[k:]
    made[: k // 2] -= 1.0
    return made


def in_two(x):
    k = int(np.argmin(np.abs(x - x.mean())))
    return x[:k].sum() - x[k:].sum(), x[:k, None] * x[k:][:3]


FUNCTIONS = [up_to_the_largest, from_where, between, last_ones, as_many, trimmed, as_wide_as_all, window]
FUNCTIONS += [until_most, turned, counted, placed, in_two]
ODD = [np.zeros(100), np.ones(100), -np.ones(100), np.arange(100.0), -np.arange(100.0), np.eye(1, 100, 1)[0]]


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_one_program_whatever_the_data(fn: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn, wait=True)
    for seed in range(40):
        judge(jitted, fn, (data(seed),))
    assert jitted.stats.recordings <= 6 and jitted.stats.replays >= 33, jitted.stats
    for seed in range(40):
        judge(jitted, fn, (data(seed, 90 + seed),))
    assert jitted.stats.recordings <= 10 and jitted.stats.replays >= 66, jitted.stats
    for x in [*ODD, *ODD, np.ones(1), np.zeros(2)]:
        judge(jitted, fn, (x.copy(),))


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_what_is_written_before_kernels_of_such_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(written, wait=True)
    for x in [*(data(seed, 90 + seed % 3) for seed in range(40)), *ODD]:
        judge(jitted, written, (x.copy(),))


@pytest.mark.parametrize("fn", [between, as_many, window, placed], ids=lambda fn: fn.__name__)
def test_compiled_they_share_their_kernels(fn: Callable[..., Any]) -> None:
    jitted = npcompile.jit(fn, wait=True)
    for seed in range(25):
        judge(jitted, fn, (data(seed),), ulp=16)
    assert jitted.stats.replays >= 18 and jitted.stats.compilations <= 8, jitted.stats
    for x in ODD:
        judge(jitted, fn, (x.copy(),), ulp=16)
