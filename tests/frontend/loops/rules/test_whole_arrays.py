# ruff: noqa: F841 - the names that loops bind are compared
"""Functions of whole arrays in native loops: reductions along an axis, order, running sums."""

from __future__ import annotations

import numpy as np
import pytest

from tests.frontend.loops.native import check, run_natively


def along(A, n):
    for i in range(n):
        a = np.sum(A, axis=0)
        b = A.sum(axis=1)
        c = A.T.sum(axis=-1)
        d = A.min(axis=0)
        e = np.max(A, axis=1, keepdims=True)
        f = np.argmin(A, axis=1)
        g = A.argmax(0)
        h = np.any(A, axis=0)
        j = np.all(A[:, 1:], axis=-2, keepdims=True)
        k = np.prod(A[: i + 2], 1)
        o = A[:, ::-1].sum(axis=0)
        p = A[:, :1].sum(axis=0)


def columns_first(A, n):
    for i in range(n):
        a = A.sum(axis=0)
        b = A.sum(axis=1)
        c = A[i:].max(axis=0)
        d = A.prod(axis=1)


@pytest.mark.parametrize("code", ["b1", "u1", "i4", "f4", "f8"])
def test_reductions_along_an_axis(code):
    A = (np.random.default_rng(3).random((30, 7)) * 4).astype(code)
    check(along, A, 2)
    check(columns_first, np.asfortranarray(A), 1)


def nearest(C, X, n):
    for i in range(n):
        d = ((C - X[i]) ** 2).sum(axis=1)
        a = d.argmin()
        b = np.any(C > X[i], axis=0)
        c = (C == X[i]).all(axis=1).any()


def test_reductions_of_expressions_along_an_axis():
    rng = np.random.default_rng(3)
    check(nearest, rng.random((5, 3)), rng.random((7, 3)), 7)


def means(A, n):
    for i in range(n):
        a = A.mean(axis=0)
        b = np.mean(A, axis=1, keepdims=True)
        c = A[i] - b
        d = A.max(1)


@pytest.mark.parametrize("code", ["f4", "f8"])
def test_means_along_an_axis(code):
    A = np.random.default_rng(3).normal(size=(5, 300)).astype(code)
    A[2, 5] = np.nan
    check(means, A, 2)


def order(x, A, n):
    for i in range(n):
        a = np.sort(x)
        b = np.sort(A[i : i + 2].ravel())[3]
        c = A[:, i].copy()
        c.sort()
        d = np.median(x)
        e = np.median(A[i:])
        f = np.searchsorted(a, 2)
        g = np.searchsorted(a, x[i], side="right")
        h = np.searchsorted(a, 1.5, "left")
        j = np.cumsum(x)
        k = A[1].cumsum()
        m = np.cumprod(x[:3])
        o = np.diff(x)
        p = A.T.flatten()
        x[::2].sort()


@pytest.mark.parametrize("code", ["u1", "i8", "f4", "f8"])
@pytest.mark.parametrize("size", [19])
def test_order(code, size):
    rng = np.random.default_rng(size)
    check(order, (rng.random(size) * 9).astype(code), (rng.random((4, size)) * 9).astype(code), 2)


def test_order_of_nan():
    x = np.array([2.0, np.nan, -np.inf, np.inf, 1.0, np.nan])

    def sorts(x, n):
        for i in range(n):
            a = np.sort(x)
            b = np.searchsorted(a, x[i])
            c = np.searchsorted(a, np.nan, side="right")

    check(sorts, x, 6)


def middle(x, n):
    for i in range(n):
        a = np.median(x[i:])


@pytest.mark.parametrize("x", [np.array([1.0, np.nan, 3.0]), np.empty(0)])
def test_medians_that_warn_leave(x):
    assert not run_natively(middle, x, 3).is_done
