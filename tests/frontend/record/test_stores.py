"""What is stored into an array: what no program can store is left to NumPy, numbers raise as NumPy's do."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.programs.jit_lane import judge


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def text(x, y):
    x[...] = "3"
    return x + y


def octets(x, y):
    x[0] = b"3"
    return x + y


def nothing(x, y):
    x[0] = None
    return x + y


def memory(x, y):
    x[...] = memoryview(y)
    return x + y


def memory_copied(x, y):
    np.copyto(x, memoryview(y))
    return x + y


def fraction(x, y):
    x[0] = Fraction(1, 2)
    return x + y


def longdouble(x, y):
    x[1] = np.longdouble(3)
    x.fill(np.longdouble(2))
    return x + y


def longdouble_scaled(x, y):
    x[:1] *= np.longdouble(3)
    return x + y


def other_order(x, y):
    x[...] = y.astype(">f8")
    return x + y


def other_order_made(x, y):
    return np.stack([x, y], dtype=">f8"), np.concatenate([x, y], dtype=">f8")


def objects(x, y):
    x[...] = np.array([1, Fraction(1, 2), 2.5], object)
    return x + y


@pytest.mark.parametrize(
    "function",
    [text, octets, nothing, memory, memory_copied, fraction, longdouble, longdouble_scaled, other_order]
    + [other_order_made, objects],
    ids=lambda function: function.__name__,
)
def test_what_is_no_native_value(function: Callable[..., Any]) -> None:
    jitted = npcompile.jit(function, wait=True)
    for call in range(4):
        judge(jitted, function, (np.arange(3.0) + call, np.arange(3.0) * 2))


def ratio(x, y):
    x[0] = x[1] / y
    return x


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8"])
def test_a_float_that_an_integer_array_cannot_hold(dtype: str) -> None:
    """NumPy raises for infinities and NaN, and for what is too large."""
    jitted = npcompile.jit(ratio, wait=True)
    for y in (2.0, 3.0, 0.0, np.inf, np.nan, -1e-12, 2.0):
        judge(jitted, ratio, (np.array([1, 200, 3], dtype), np.float64(y)))
    assert jitted.stats.replays >= 2


def unused_row(x, i):
    x[i]
    return x * 2


def unused_element(x, i):
    x[i, 0]
    return x * 2


@pytest.mark.parametrize("function", [unused_row, unused_element], ids=lambda function: function.__name__)
def test_an_index_out_of_bounds_raises_though_nothing_uses_it(function: Callable[..., Any]) -> None:
    jitted = npcompile.jit(function, wait=True)
    for i in (1, 2, 7, 0):
        judge(jitted, function, (np.ones((3, 2)), i))
    assert jitted.stats.replays >= 2
