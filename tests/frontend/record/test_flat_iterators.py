"""`a.flat`, items of scalars and `np.longlong` in jitted functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

CALLS = 3


def looped(x: Any) -> Any:
    return [v * 2 for v in x.flat]


def summed(x: Any) -> Any:
    return sum(x.flat), len(x.flat), list(x.flat)


def item(x: Any) -> Any:
    return x.flat[3] + x.flat[-1] * x


def part(x: Any) -> Any:
    some = x.flat[1:5]
    some += 1
    return some, x


def picked(x: Any) -> Any:
    return x.flat[[0, 2, 4]] * 2, x.T.flat[4], x.T.flat[np.array([1, 1])]


def frozen(x: Any) -> Any:
    x.setflags(write=False)
    try:
        x.flat[0] = 1
    except ValueError as error:
        return str(error)
    return x


def of_one_number(x: Any) -> Any:
    try:
        return iter(x.sum()), iter(np.array(3.0))
    except TypeError as error:
        return str(error)


def masked(x: Any) -> Any:
    return x.flat[x.ravel() > 2]


def diagonal(x: Any) -> Any:
    y = x * 1
    y.flat[:: x.shape[1] + 1] = 0
    y.flat[2] = 7
    return y


def cycled(x: Any) -> Any:
    y = x * 1
    y.flat[1:5] = [1, 2, 3]
    y.flat[[0, 5]] = [9, 8]
    return y


def transposed(x: Any) -> Any:
    y = (x * 1).T
    y.flat[1] = 5
    for v in y.flat:
        y[0, 0] += v
    return y


def filled(x: Any) -> Any:
    y = x + 1
    y.flat = np.arange(4)
    x.flat = 5
    return x, y


def in_turn(x: Any) -> Any:
    it = x.flat
    first = next(it)
    return first, it[0], [v + 1 for v in it]


def scalar_items(x: Any) -> Any:
    s = x.sum()
    return s[()], s[...], s[None], s[..., None] + x, (s[()] + 1) * x, np.float64(3)[()]


def long_scalars(x: Any) -> Any:
    y = x.astype(np.longlong)
    return y[0, 0], y.sum(), y + 1, x.astype(np.ulonglong).max(), np.longlong(3) + np.longlong(4)


def long_arrays(x: Any) -> Any:
    y = np.ones(3, np.longlong)
    y += 1
    return y, y[1], np.sum(y, dtype=np.longlong), np.cumsum(y)[-1]


def test_long_arguments_are_another_signature(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")

    def parts(x: Any) -> Any:
        return x + 1, x[0], x.sum(), x[::2]

    jitted = npcompile.jit(parts)
    for code in "lqLQ" * CALLS:
        x = np.arange(3, dtype=code)
        want, got = parts(x), jitted(x)
        same(got, want)
        assert chars(got) == chars(want) == [code] * 4
    assert jitted.stats.programs == 4


def chars(value: Any) -> Any:
    """What `==` of dtypes does not tell."""
    if isinstance(value, (tuple, list)):
        return [chars(item) for item in value]
    return value.dtype.char if isinstance(value, (np.ndarray, np.generic)) else None


FUNCTIONS = [looped, summed, item, part, picked, masked, diagonal, cycled, transposed, filled, in_turn]
FUNCTIONS += [scalar_items, long_scalars, long_arrays, frozen, of_one_number]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_the_answer_is_numpys(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(f)
    for _ in range(CALLS):
        x, y = np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(2, 3)
        want, got = f(x), jitted(y)
        same(got, want)
        same(y, x)
        assert chars(got) == chars(want)
    if f not in (in_turn, long_scalars, frozen, of_one_number):
        assert jitted.stats.replays
