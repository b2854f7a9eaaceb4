# ruff: noqa: B007, F841 - the names that loops bind are compared
"""Reductions, products and new arrays in native loops."""

from __future__ import annotations

import numpy as np
import pytest

from tests.frontend.loops.native import check, run_in_python, run_natively

DTYPES = ["b1", "i1", "u4", "i8", "f2", "f4", "f8", "c8", "c16"]


def sample(code: str, *shape: int) -> np.ndarray:
    return (np.random.default_rng(len(shape)).random(shape) * 4).astype(code)


def reductions(x, A, n):
    for i in range(n):
        a = np.sum(x)
        b = x.sum()
        c = np.sum(x[:i] * x[:i])
        d = A.sum()
        e = A[:, i].sum(axis=0)
        f = np.sum(A.T)
        g = x[1:].max()
        h = A.min()
        j = np.argmax(x)
        k = np.argmin(A)
        m = np.mean(x)
        o = np.any(x > 1)
        p = np.all(A > 0)
        q = np.count_nonzero(x)
        r = np.prod(x[i : i + 3])
        s = x[::-2].sum()


@pytest.mark.parametrize("code", DTYPES)
def test_reductions(code):
    check(reductions, sample(code, 300), sample(code, 20, 30), 2)
    check(reductions, sample(code, 3), sample(code, 2, 2), 2)


def extremes(x, n):
    for i in range(n):
        a = x.min()
        b = x.max()
        c = x.argmin()
        d = np.argmax(x)
        e = np.min(x[::-1])
        f = x.sum()


@pytest.mark.parametrize("code", ["f2", "f4", "f8"])
@pytest.mark.parametrize("place", [0, 3, 70])
def test_extremes_of_nan(code, place):
    x = sample(code, 71)
    x[place] = np.nan
    check(extremes, x, 1)


# Which zero NumPy takes of more items depends on how many its instructions compare at once.
@pytest.mark.parametrize("code", ["f2", "f4", "f8"])
def test_extremes_of_zeros_with_two_signs(code):
    for size in (2, 3, 8):
        for first in range(size):
            x = np.zeros(size, code)
            x[first] = -0.0
            check(extremes, x, 1)


@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 63, 64, 65, 129, 1000])
def test_sums_are_numpy_s_in_every_bit(size):
    check(extremes, np.random.default_rng(size).normal(size=size), 1)


def least(x, n):
    for i in range(n):
        x[0:1] = i
        a = x[2:].min()


def average(x, n):
    for i in range(n):
        x[0:1] = i
        a = x[2:].mean()


@pytest.mark.parametrize("function", [least, average])
def test_reductions_of_nothing_leave(function):
    run = run_natively(function, np.ones(2), 3)
    assert not run.is_done and run.names["i"] == 0


def products(x, y, A, n):
    for i in range(n):
        a = np.dot(x, y)
        b = x @ y
        c = A[:, i] @ x
        d = A @ x
        e = x @ A
        f = A.T @ x
        g = A @ A
        h = np.vdot(x, y)
        j = np.inner(x[:i], y[:i])
        k = A[i].dot(x)


@pytest.mark.parametrize("code", ["f2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("size", [2, 5, 40])
def test_products(code, size):
    args = sample(code, size), sample(code, size)[::-1].copy(), sample(code, size, size), 2
    run, want = run_natively(products, *args), run_in_python(products, *args)
    assert run.is_done
    for name in "abcdefghjk":
        got = run.names[name]
        assert type(got) is type(want[name]) and got.dtype == want[name].dtype
        np.testing.assert_allclose(got, want[name], rtol=size * np.finfo(want[name].dtype).eps * 4)


def exact_products(x, y, n):
    for i in range(n):
        a = np.dot(x, y)
        b = x[i:] @ y[i:]


@pytest.mark.parametrize("code", ["b1", "i1", "u8", "i4"])
def test_products_of_integers(code):
    check(exact_products, sample(code, 50), sample(code, 50)[::-1], 2)


def test_lengths_that_do_not_fit_leave():
    assert not run_natively(exact_products, np.ones(3), np.ones(4), 2).is_done


def creations(x, A, n):
    for i in range(n):
        a = np.zeros(n)
        b = np.ones((2, i), dtype=np.int32)
        c = np.full((i, 2), 1.5)
        d = np.zeros_like(x)
        e = np.arange(i, 10, 2)
        f = np.array([1, i, 2.5])
        g = np.empty(3)
        g.fill(2)
        h = np.full(2, i)
        j = np.ones_like(A)
        k = np.zeros(A.shape, dtype=A.dtype)
        m = np.array([True, False])
        o = np.arange(n)
        p = np.full_like(x, 3)
        y = x.copy()
        w = y
        y[i] = 3
        y = y * 2


@pytest.mark.parametrize("code", ["b1", "i2", "f4", "f8", "c16"])
def test_new_arrays(code):
    check(creations, sample(code, 4), sample(code, 4, 5), 3)


def negative(n):
    for i in range(n):
        a = np.zeros(2 - i)


def test_negative_lengths_leave():
    run = run_natively(negative, 5)
    assert not run.is_done and run.names["i"] == 3 and run.names["a"].shape == (0,)
