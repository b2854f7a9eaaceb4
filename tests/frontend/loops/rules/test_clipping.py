# ruff: noqa: F841 - the names that loops bind are compared
"""`np.where`, `np.clip` and `np.isclose` of single numbers, and arrays without axes, in native loops."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from npcompile.lower.loops.types import C_TYPES
from tests.frontend.loops.jitted import check as check_jitted
from tests.frontend.loops.native import check

REAL = [code for code in C_TYPES if code[0] in "iuf"]


def sample(code: str) -> np.ndarray:
    numbers = np.array([3, 0, -2, 7, 100, 5, -0.0, 1])
    if code[0] == "f":
        numbers = np.append(numbers, [np.nan, np.inf, -np.inf, 0.3])
    return abs(numbers).astype(code) if code[0] == "u" else numbers.astype(code)


def chosen_numbers(x, n):
    for i in range(n):
        a = np.where(x[i] > 2, x[i], 0)
        b = np.where(x[i], x[i], x[0])
        c = np.where(a > i, 1, 2)
        d = np.where(i > 2, a + x[i], a)
        e = float(a) + int(c)
        if a > 1:
            f = a
        g = -np.where(True, x[i], x[0])
        x[i] = np.where(x[i] == x[0], 5, a)


@pytest.mark.parametrize("code", [*REAL, "c16"])
def test_choices_of_numbers(code):
    x = sample("f8").astype(code) if code == "c16" else sample(code)
    if code == "c16":
        x = np.where(np.isfinite(x), x, 2 + 1j)
        check(chosen_complex, x, len(x))
    else:
        check(chosen_numbers, x, len(x))


def chosen_complex(x, n):
    for i in range(n):
        a = np.where(i > 2, x[i], 1)
        b = np.where(x[i], 2.5, a)


def chosen_of_python(x, n):
    for i in range(n):
        a = np.where(i > 2, 1, 2.5)
        b = np.where(i > 2, True, i)
        c = np.where(x[i] > 2, 100, x[i])


def misfits(x, n):
    """Python's ints that no item can be: NumPy 2.5 raises for them, and lets none wrap."""
    found = []
    for number in (300, -1, 2**24 + 1, 5):
        for i in range(n):
            try:
                found.append(np.where(x[i] > 2, number, x[i]))
                found.append(np.where(x > 2, x, number))
                found.append(np.where(number > i, number, x))
            except OverflowError as error:
                found.append(str(error))
    return found


def misfits_alone(x, n, number):
    total = 0
    for i in range(n):
        total += np.where(x[i] > 2, number + i, x[i])
    return total


@pytest.mark.parametrize("code", REAL)
def test_python_numbers_that_do_not_fit(code):
    check_jitted(misfits, sample(code), len(sample(code)), native=None)
    check_jitted(misfits_alone, sample(code), len(sample(code)), 5)
    for number in (300, -1, 2**24 + 1, 125):
        check_jitted(misfits_alone, sample(code), len(sample(code)), number, native=None)


@pytest.mark.parametrize("code", REAL)
def test_python_numbers_beside_others(code):
    check(chosen_of_python, sample(code), len(sample(code)))


def chosen_beside_arrays(x, n):
    for i in range(n):
        a = np.where(x > i, x, 100)
        b = np.where(i > 1, x, x[0])
        c = np.where(x > 1, 100, x)


@pytest.mark.parametrize("code", REAL)
def test_numbers_beside_arrays(code):
    check(chosen_beside_arrays, sample(code), len(sample(code)))


def updated(x, n):
    total = 0.0
    kept = np.where(True, 0.0, 1.0)
    for i in range(n):
        y = np.where(x[i] > 2, x[i], 0.5)
        total += y
        y += 1
        y *= x[i]
        z = math.sqrt(y * y)
        kept += y
        w = y


def test_an_array_without_axes_is_changed_in_place():
    check(updated, sample("f8")[:8], 8)


def missing(x: Any) -> Any:
    s = 0.0
    for i in range(len(x)):
        s += np.where(i < 3, x[i], x[i + 1])  # both are evaluated
    return s


def test_both_ways_are_evaluated():
    check_jitted(missing, np.arange(200.0))


def clipped(x, n):
    for i in range(n):
        a = np.clip(x[i], 1, 5)
        b = np.clip(x[i], a_min=1, a_max=5)
        c = np.clip(x[i], x[0], a_max=x[5])
        d = np.clip(i, 2, 3)
        e = np.clip(i, None, 3)
        f = np.clip(i * 0.5, 1, None)
        g = np.clip(x[i], None, x[0])
        h = np.clip(x[i], min=x[7])
        k = np.clip(x, x[7], x[0])
        m = x.clip(x[7], x[0])
        o = np.clip(x, None, x[0])
        p = x.clip(max=x[0])
        q = np.clip(i * 0.5, None, x[0])


@pytest.mark.parametrize("code", REAL)
def test_clip(code):
    check(clipped, sample(code), len(sample(code)))


def close(x, y, n):
    for i in range(n):
        a = np.isclose(x[i], y[i])
        b = np.isclose(x[i], i, rtol=0.5)
        c = np.isclose(i, x[i], 0.0, atol=1.0)
        d = np.isclose(i, 3)
        if np.isclose(y[i], x[i]):
            e = i


def test_isclose():
    x = sample("f8")
    check(close, x, x * (1 + 1e-6), len(x))
    check(close, sample("i8"), x[:8] + 1e-9, 8)
