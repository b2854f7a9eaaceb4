"""Functions of all items of arrays are NumPy's natively: its own inner loops make them.

They are equal to the last digit where items lie side by side: those of other arrays NumPy's loops may make in
another way.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npcompile
from tests.frontend.loops.native import check

RANDOM = np.random.default_rng(3)


def functions(x, y, n):
    for i in range(n):
        one = np.exp(x[i:]) + np.log(y[i, i:])  # noqa: F841 - the names are compared
        two = np.sin(x * 2.0) * np.cos(y[i, ::-1] * 2.0) - np.tan(y[:, i] + 1.0)  # noqa: F841
        three = np.tanh(np.sinh(x[i:]) / np.cosh(y[i, :1]))  # noqa: F841
        four = np.arctan(y[i:]) + np.arcsin(y[i:] / 9)  # noqa: F841
        five = np.log1p(y[i])[::2].max() + np.expm1(y[i]).min()  # noqa: F841


def of_all_items(y, n):
    for _ in range(n):
        one = np.exp2(y) + np.log2(y.T) + np.log10(y)  # noqa: F841
        two = np.arctanh(y / 9) + np.arcsinh(y) + np.arccosh(y + 1) + np.arccos(y / 9) + np.cbrt(y)  # noqa: F841


@pytest.mark.parametrize("code", ["f8", "f4"])
@pytest.mark.parametrize("size", [1, 3, 40])
def test_functions_are_numpys(size: int, code: str) -> None:
    x, y = RANDOM.uniform(0.1, 3, size).astype(code), RANDOM.uniform(0.1, 3, (size, size)).astype(code)
    with np.errstate(all="ignore"):
        check(functions, x, y, min(size, 3))
        check(of_all_items, y, 2)
        check(of_all_items, np.asfortranarray(y), 2)


def in_place(x, n):
    for i in range(n):
        x[i + 1 :] = np.exp(-x[i:-1])
        x[:] = np.sin(x[::-1] + 1)
        x[i] = np.log(x[i] + 2)


@pytest.mark.parametrize("code", ["f8", "f4", "f2"])
def test_an_array_that_is_read_while_it_is_stored(code: str) -> None:
    check(in_place, RANDOM.random(50).astype(code), 5)


def of_ints(x, n):
    for i in range(n):
        one = np.sqrt(x[i:]) + np.exp(x[i:])  # noqa: F841
        two = np.log(x[i:] > 3)  # noqa: F841


@pytest.mark.parametrize("code", ["i8", "u1", "b1"])
def test_functions_of_ints(code: str) -> None:
    with np.errstate(all="ignore"):
        check(of_ints, RANDOM.integers(0, 9, 30).astype(code), 3)


def powers(x, y, p, q, n):
    for i in range(n):
        one = x[i:] ** p  # noqa: F841
        two = y[i:] ** 2.5 + x[i] ** 3  # noqa: F841
        three = (x[i:] + 1) ** -1 + x[i:] ** 0.5 + x[i:] ** 2 + x[i:] ** 1 + x[i:] ** 0  # noqa: F841
        four = y[i:] ** q  # noqa: F841
        five = x[i:] ** y[i:] + np.power(x, x * 2)[i:]  # noqa: F841


@pytest.mark.parametrize("exponent", [2, 3, 0.5, 1.7, -1, np.float32(2.5), np.float64(-2), 0])
def test_powers_are_numpys(exponent: Any) -> None:
    x = RANDOM.uniform(0.1, 3, 30)
    check(powers, x, x.astype("f4"), 1.3, exponent, 3)


def of_two(x, y, n):
    for i in range(n):
        one = np.arctan2(x[i] * 2, y[:, i] + 1)  # noqa: F841
        two = np.arctan2(y, x)  # noqa: F841
        three = (x + 1) ** (y + 1)  # noqa: F841


@pytest.mark.parametrize("code", ["f8", "f4"])
def test_functions_of_two_arrays(code: str) -> None:
    x, y = (RANDOM.uniform(0.1, 3, (20, 20)).astype(code) for _ in range(2))
    check(of_two, x, y, 3)
    check(of_two, np.asfortranarray(x), np.asfortranarray(y), 3)
    check(of_two, x, (y * 2).astype("f8"), 3)


def rows(x, out):
    for i in range(len(x)):
        out[i] = np.exp(x[i]) * np.sin(x[i])
    return out


def test_threads_share_trips_that_call_numpys_loops() -> None:
    x, out = RANDOM.random((4000, 300)), np.empty((4000, 300))
    jitted = npcompile.jit(rows)
    for _ in range(4):
        assert np.array_equal(jitted(x, out), rows(x, np.empty_like(x)))
        jitted.wait()
    assert jitted.stats.loop_entries > 0
