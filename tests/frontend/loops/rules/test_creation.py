# ruff: noqa: F841 - the names that loops bind are compared
"""Functions that sort, count, join and make arrays within native loops answer as NumPy's do."""

from __future__ import annotations

import numpy as np
import pytest

from tests.frontend.loops.jitted import Programs
from tests.frontend.loops.native import check, run_natively
from tests.loops.random_check import compile_loops_alone


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_loops_alone(monkeypatch)


def sorts(x, n):
    for i in range(n):
        part = x[i:]
        a = np.argsort(part)
        b = part[::2].argsort()
        c = np.argsort(part, kind="stable")
        d = part.argsort(stable=True)
        e = np.sort(part)
        f = np.argsort(part)[: i + 1]
        part.sort()


@pytest.mark.parametrize("code", ["b1", "i1", "u2", "i4", "u8", "i8", "f4", "f8"])
def test_the_order_of_equal_items_is_numpys(code):
    x = np.random.default_rng(4).integers(0, 9, 300).astype(code)
    if code[0] == "f":
        x[::7], x[1::9], x[2::11] = np.nan, -0.0, -np.inf
    check(sorts, x, 3)
    check(sorts, x[:0], 1)


def of_values(x, z, n):
    for i in range(n):
        a = np.asarray(x)
        b = np.array(x)
        c = np.array(x[::2])
        d = np.asarray(x, dtype=np.float64)
        e = np.array(z.T)
        f = np.asarray(z.T, np.float32)
        g = np.array(x[i])
        h = np.asarray(i)
        k = np.array(g)
        m = np.asarray(g)
        o = np.asarray([x[i], x[0]])
        p = np.array(2.5 * i, dtype=np.float32)
        b[0] = x[i]
        a[i] = 1


@pytest.mark.parametrize("code", ["b1", "u1", "i4", "i8", "f4", "f8"])
def test_arrays_of_arrays_and_of_numbers(code):
    check(of_values, np.arange(5).astype(code), np.arange(6).astype(code).reshape(2, 3), 4)


def uniques(x, n):
    for i in range(n):
        a = np.unique(x[i::3])
        b = len(np.unique(x[:i]))


@pytest.mark.parametrize("code", ["b1", "i2", "u8", "i8"])
def test_unique(code):
    check(uniques, np.random.default_rng(4).integers(0, 50, 90).astype(code), 3)


def counts(x, w, m, n):
    for i in range(n):
        a = np.bincount(x)
        b = np.bincount(x[i::2], minlength=m)
        c = np.bincount(x, weights=w)
        d = np.bincount(x[:i], w[:i], m - i)
        e = np.bincount(x[:0]).size
        f = np.nonzero(x)[0]
        (_g,) = np.where(x > i)
        h = np.where(w[::-1] > 0.5)[0]
        j = np.flatnonzero(x[::2])
        k = x.nonzero()[0].size


@pytest.mark.parametrize(("code", "weights"), [("b1", "f4"), ("u1", "f8"), ("i4", "i4"), ("i8", "f8")])
def test_counts(code, weights):
    rng = np.random.default_rng(5)
    x, w = rng.integers(0, 6, 30).astype(code), (rng.random(30) * 3).astype(weights)
    check(counts, x, w, 9, 3)


def joins(x, y, A, B, n):
    for i in range(n):
        a = np.concatenate((x, y))
        b = np.concatenate([x[i:], y[::-1], x[:i]])
        c = np.append(x, i)
        d = np.append(y, 2.5)
        e = np.append(x, y[0])
        f = np.append(y, x, axis=0)
        g = np.hstack((x, y, x))
        h = np.concatenate((A, B), axis=1)
        j = np.concatenate((A[i:], A[:i]))
        k = np.hstack((A, B))
        m = np.concatenate((x[:0], x[:0])).shape
        o = np.concatenate((A, B), axis=-1)


@pytest.mark.parametrize(("one", "other"), [("f8", "f8"), ("i4", "f4"), ("u8", "i8"), ("b1", "i1")])
def test_joined_arrays(one, other):
    x, y = np.arange(5).astype(one), (np.arange(4) - 1).astype(other)
    check(joins, x, y, np.arange(12).reshape(4, 3).astype(one), np.ones((4, 2), other), 3)


def makes(n, x):
    for i in range(n):
        a = np.eye(i)
        b = np.eye(3, i, dtype=np.int64)
        c = np.eye(i, 4, i - 2)
        d = np.identity(i + 1)
        e = np.identity(2, dtype=bool)
        f = np.linspace(0, 1, i)
        g = np.linspace(x[i], x[i + 1])
        h = np.linspace(-1.5, x[i], 7, endpoint=False)
        j = np.linspace(2.0, 2.0, 3 + i)
        k = np.linspace(x[0], i, num=i + 2)


def test_new_arrays():
    check(makes, 5, np.random.default_rng(7).normal(size=9))


def lists(x, n):
    for i in range(n):
        stack = list(x[i:])
        stack.append(x[0])
        kept = list(np.nonzero(x)[0])
        total = 0
        while kept:
            total += kept.pop()


@pytest.mark.parametrize("code", ["f8", "i4", "b1"])
def test_lists_of_items(code):
    check(lists, np.arange(5).astype(code), 3)


def interpolates(x, y, at, n):
    for i in range(n):
        a = np.interp(at[i], x, y)
        b = np.interp(i / 3, x[i % 3 :], y[i % 3 :])
        c = np.interp(i, x[:4], y[:4])
        d = np.percentile(y[i:], at[i] * 10 if at[i] > 0 else 100)
        e = np.quantile(y[: i + 1], i / (n - 1))
        f = np.percentile(x[::2], i * 7)
        s = a + b + c + d + e + f


def test_interpolation_and_quantiles():
    rng = np.random.default_rng(11)
    x, at = np.sort(rng.random(30) * 5), rng.random(14) * 7 - 1
    at[3], at[4], at[5] = np.nan, x[0], x[-1]
    run = run_natively(interpolates, x, rng.normal(size=30), np.nan_to_num(at, nan=2.0), 14)
    assert run.is_done
    for n in range(2, 14):
        check(interpolates, x, rng.normal(size=30), np.nan_to_num(at, nan=2.0), n)


def interpolates_oddly(x, y, at, n):
    for i in range(n):
        a = np.interp(at[i], x, y)


@pytest.mark.parametrize("length", [2, 3, 5, 12])
def test_interpolation_between_odd_numbers(length):
    rng = np.random.default_rng(length)
    x, y = np.sort(rng.integers(0, 6, length) / 1.0), rng.random(length)
    y[0], y[-1] = np.inf, np.nan
    at = np.array([np.nan, np.inf, -1.0, *x, *(x + 0.25)])
    for n in range(1, len(at) + 1):
        check(interpolates_oddly, x, y, at, n)


def matrices(x, n):
    for i in range(n):
        a = np.array([[1, x[i]], [x[0], i]])
        b = np.array([[1, 2, 3], [i, 5, 6]])
        c = np.array(((x[i], 0), (0, x[i]), (1, 1)), dtype=np.float32)
        d = (a @ a)[0, 1] + float("inf")
        e, f, g = float("-inf"), float(" 1e3 "), -float("nan")
        h = [float("inf")] * i


def test_matrices_of_rows():
    check(matrices, np.random.default_rng(3).random(4), 3)


program = Programs()


@program(np.array([3, -1, 2]), 4)
@program(np.array([1, 2, 3]), -1)
def counted_wrongly(x, least):
    total = 0
    try:
        for i in range(3):
            total += i
            total += np.bincount(x[: i + 1], minlength=least)[0]
    except ValueError as error:
        return total, str(error)
    return total


@program(np.arange(3.0), np.ones((3, 2)), np.ones((2, 2)))
def joined_wrongly(x, A, B):
    total = 0.0
    try:
        for i in range(3):
            total += np.append(x, x[i])[-1]
            total += np.concatenate((A, B[:, :i]), axis=0)[0, 0]
    except ValueError as error:
        return total, str(error)
    return total


@program(np.asfortranarray(np.arange(6.0).reshape(3, 2)), native=None)
def joined_by_columns(A):
    total = 0.0
    for i in range(3):
        B = np.concatenate((A, A))
        total += B[i, 0]
    return B.strides, B, total


@program(3, native=None)
def of_no_length(n):
    total = 0.0
    try:
        for i in range(4):
            total += np.linspace(0, 1, n - i)[0]
    except (ValueError, IndexError) as error:
        return total, str(error)
    return total


def test_what_numpy_refuses_is_pythons():
    for name, (jitted, outcomes) in program.called().items():
        program.check(name, jitted, outcomes)


def test_other_kinds_of_sorts_leave():
    def heap(x):
        for _ in range(2):
            a = np.argsort(x, kind="heapsort")

    assert not run_natively(heap, np.arange(3)).is_done
