"""Elements, rows and windows whose place a loop's counter gives: one program for all trips."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    yield


def windows(x: Any, width: int) -> Any:
    out = np.zeros((x.shape[0] - width + 1, x.shape[1]))
    for i in range(out.shape[0]):
        out[i] = np.sum(x[i : i + width] * 2.0, axis=0) + x[i]
    return out


def windows_past_the_end(x: Any, width: int) -> Any:
    out = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        out[i] = np.sum(x[i : i + width])  # the last ones are shorter
    return out


def pools(x: Any, width: int) -> Any:
    out = np.zeros((x.shape[0] // 2, x.shape[1] // 2))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = np.max(x[2 * i : 2 * i + 2, 2 * j : 2 * j + 2])
    return out


def forwards(x: Any, width: int) -> Any:
    for k in range(1, x.shape[0]):
        x[k] = x[k] - 0.5 * x[k - 1] * x[k]
        x[k] = x[k] / (1.0 + x[k] * x[k])
    return x


def backwards(x: Any, width: int) -> Any:
    for k in range(x.shape[0] - 2, -1, -1):
        x[k] = x[k] + 0.25 * x[k + 1]
    return x


def around(x: Any, width: int) -> Any:
    for k in range(x.shape[0]):
        x[k] = x[k] * 0.5 + x[k - 1]  # the first takes the last
        x[k - 1] = x[k] - x[k - 2]
    return x


def all_around(x: Any, width: int) -> Any:
    one = x[:1]
    for k in range(x.shape[0]):
        one[0] = one[0] + 1.0
        one[k - k] = one[k - k - 1] * 0.5 + x[k]  # one row: `-1` is `0`
    return x


def crossing(x: Any, width: int) -> Any:
    for k in range(x.shape[0]):
        x[k, 1:] = x[k, :-1] + x[-k - 1, 1:]  # halfway, the other row is this one
        x[k] = x[k] + x[x.shape[0] - 1 - k]
    return x


def columns(x: Any, width: int) -> Any:
    p = np.zeros_like(x)
    for t in range(2):
        for j in range(1, x.shape[1] - 1):
            p[1:-1, j] = -1.0 / (0.5 * p[1:-1, j - 1] + 2.0)
            x[1:-1, j] = (x[:-2, j] + x[2:, j] - p[1:-1, j - 1] * x[1:-1, j + 1]) * p[1:-1, j] + t
    return x, p


def shifted(x: Any, width: int) -> Any:
    for k in range(2, x.shape[0] - 2):
        x[k - 2 : k] = x[k - 1 : k + 1] * 0.5
        x[k : k + 2] += x[k - 1 : k + 1]
    return x


def out_of_range(x: Any, width: int) -> Any:
    try:
        for k in range(x.shape[0]):
            x[k] = x[k] * 2.0
            x[k + 1] += x[k]
    except IndexError:
        x[0] = -1.0
    return x


FUNCTIONS = [
    *(windows, windows_past_the_end, pools, forwards, backwards, around, all_around, crossing, columns),
    *(shifted, out_of_range),
]


@pytest.mark.parametrize("shape", [(12, 5), (40, 30), (1, 4), (300, 3)])
@pytest.mark.parametrize("fn", FUNCTIONS)
def test_places_that_move(fn: Any, shape: tuple[int, int]) -> None:
    jitted = npcompile.jit(fn)
    rng = np.random.default_rng(0)
    for width in (2, 2, 3, 2):
        x = rng.random(shape)
        mine, theirs = copy.deepcopy((x, x))
        try:
            want = fn(theirs, width)
        except (ValueError, IndexError) as error:
            with pytest.raises(type(error)):
                jitted(mine, width)
        else:
            same(jitted(mine, width), want, ulp=8)
        same(mine, theirs, ulp=8)


@pytest.mark.parametrize("fn", [windows, pools, forwards, backwards, columns])
def test_one_program_does_for_all_trips(fn: Any) -> None:
    jitted = npcompile.jit(fn)
    for _ in range(6):
        jitted(np.random.default_rng(0).random((40, 30)), 2)
    stats = jitted.stats
    assert stats.replays >= 2
    recordings = stats.recordings
    jitted(np.random.default_rng(0).random((40, 30)), 2)
    assert jitted.stats.recordings == recordings
    assert stats.programs <= 4


def test_writes_to_neighbours_are_one_segment() -> None:
    jitted = npcompile.jit(columns)
    for _ in range(4):
        jitted(np.random.default_rng(0).random((40, 30)), 2)
    assert jitted.stats.segments == jitted.stats.programs
