"""Numbers that nothing but a comparison sees: they decide, and are not taken for literals that equal them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.programs.jit_lane import judge


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


def array() -> np.ndarray:
    return np.arange(1.0, 25.0).reshape(4, 6)


def _every_third(x, n):
    y = x[1:-1] * 2 + x[0] - x[2]
    if n % 3 == 0:
        y = y + 1
    return y


def _next_but_one(x, n):
    y = x[:2] * 1 + x[0] + x[1] + x[2] * 3
    k = 1
    return y if (n + 1) % 4 // 2 == k else -y


def _odd(x, n):
    return x[1:2] * 3 if n % 2 else x[0:1] * 2


def _not_the_fifth(x, n):
    return x[1:4] - x[0] if not n % 5 else x[2:] + x[3]


# These decide by numbers equal to their literals, which to CPython are the same objects.
@pytest.mark.parametrize("fn", [_every_third, _next_but_one, _odd, _not_the_fifth])
def test_what_nothing_but_a_comparison_sees_is_not_taken_for_a_literal(fn: Callable[..., Any]) -> None:
    jitted = npcompile.jit(fn)
    for n in [300, 301, 302, 303, 304, *range(400, 440)]:
        judge(jitted, fn, (array(), n))
    assert jitted.stats.programs == jitted.stats.recordings == 2


def _half_as_often(x, n):
    return x * 2 if (n % 4) * 0.5 == 1 else x[1:]


def _which(x, n):
    return n % 4 == x, (n % 4) * x > 1, n % 2 == x


def _none_of_it(x, n):
    k = None
    return x + 1 if n % 2 == k else x - (n % 4)


def _never(x, n):
    return x / 2 if n % 3 == 7 else x[n % 3 :]


@pytest.mark.parametrize("fn", [_half_as_often, _which, _none_of_it, _never])
def test_what_a_comparison_sees_is_used_otherwise(fn: Callable[..., Any]) -> None:
    jitted = npcompile.jit(fn)
    for n in [*range(9), *range(400, 409)]:
        judge(jitted, fn, (array(), n))
