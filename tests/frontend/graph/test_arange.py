"""`np.arange` of numbers that change, and what NumPy makes of it: few programs, and never another length."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

LENGTHS = [10, 13, 300, 40, 41, 301, 2, 3, 1000, 302, 77, 12, 5, 90, 91, 92, 10, 301, *range(50, 70)]
NUMBERS = [0, 1, 2, 3, 7, 10, -3, -1, 0.5, 2.5, -0.0, 0.1, 1e-320, 12, 13, 14, 15.5, 300, 301.0, 302.5]
NUMBERS += [np.float64(4.5), np.int64(6), np.float32(3.5), True, float("nan")]
STEPS = [1, 2, -1, 0.1, 0.3, -0.25, 0, 1e300, np.float64(0.7), np.int64(2)]


def to(a, b, c):
    return np.arange(a)


def between(a, b, c):
    return np.arange(a, b) + 1


def by_steps(a, b, c):
    return np.arange(a, b, c)


def by_halves(a, b, c):
    return np.arange(a, b, 0.5), len(np.arange(b, a))


def worked_out(a, b, c):
    return np.arange(a + 0.0, b * 1.0, c / 2)


def whole(a, b, c):
    return np.arange(int(np.float64(a)), int(b), 2), np.arange(float(b))


def of_elements(a, b, c):
    return np.arange(np.array([a * 1.0])[0], np.array([b * 1.0])[0])


def outcome(fn: Callable[..., Any], *args: Any) -> Any:
    try:
        return fn(*args)
    except Exception as error:
        return type(error)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("fn", [to, between, by_steps, by_halves, worked_out, whole, of_elements])
def test_any_numbers(fn: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    rng = random.Random(1)
    for _ in range(12):  # a function that is given up is begun anew
        jitted = npcompile.jit(fn, wait=True)
        for _ in range(40):
            args = rng.choice(NUMBERS), rng.choice(NUMBERS), rng.choice(STEPS)
            same(outcome(jitted, *args), outcome(fn, *args), where=repr(args))


def windows(x):
    return np.hanning(len(x)) * x, np.hamming(len(x)), np.blackman(len(x)) + x, np.bartlett(len(x))


def floats(x):
    return np.arange(float(len(x))) * x


def parts(x):
    n = len(x)
    return np.arange(0, 2.0, 2.0 / n), np.arange(n, 0, -1.0) + x


def rate(x):
    return np.arange(0.0, len(x) / 8.0, 0.125) * x


FUNCTIONS = [windows, floats, parts, rate]


@pytest.mark.parametrize("fn", FUNCTIONS)
def test_three_recordings_answer_for_all_lengths(fn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn, wait=True)
    for n in LENGTHS:
        x = np.arange(float(n)) % 7
        same(jitted(x), fn(x), ulp=4, scale=1.0)
    assert jitted.stats.recordings == 3 and jitted.stats.plain_calls == 0, jitted.stats


@pytest.mark.parametrize("fn", [windows, parts])
def test_compiled_they_share_their_kernels(fn) -> None:
    jitted = npcompile.jit(fn, wait=True)
    for n in LENGTHS:
        x = np.arange(float(n)) % 7
        same(jitted(x), fn(x), ulp=8, scale=1.0)
    assert jitted.stats.recordings <= 4 and jitted.stats.plain_calls == 0, jitted.stats


def test_many_steps_share_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(by_steps, wait=True)
    for k in range(50):
        args = 0.0, 5.0 + k, 0.25 + k / 100
        same(jitted(*args), by_steps(*args))
    assert jitted.stats.recordings <= 6 and jitted.stats.plain_calls == 0, jitted.stats


def window_of(x, n):
    return np.kaiser(n, 8.6) * 2


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_calls_of_numpy_that_give_another_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(window_of, wait=True)
    for n in [10, 13, 11, 30, 4, 41, 2, 1, 3, 0, 12, 10, 5, -1, 9, 0, 14]:
        same(jitted(np.ones(120), n), window_of(np.ones(120), n), ulp=4, where=f"{n}")
