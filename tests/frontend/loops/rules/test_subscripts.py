# ruff: noqa: B007, F841 - the names that loops bind are compared
"""Rows, columns and items of matrices in native loops that index arrays, lists and masks choose."""

from __future__ import annotations

import numpy as np
import pytest

from tests.frontend.loops.native import check, run_natively


@pytest.fixture(autouse=True)
def quick_compilation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")


INDEX = np.array([0, -1, 2, 2])
MASK = np.array([True, False, True, True])


def matrix(layout: str, code: str = "f8") -> np.ndarray:
    rng = np.random.default_rng(3)
    if layout == "strided":
        return (rng.random((8, 8)) * 9).astype(code)[::2, ::-2]
    return np.array((rng.random((4, 4)) * 9).astype(code), order=layout)  # type: ignore[call-overload]


def chosen(x, idx, mask, n):
    for i in range(n):
        a = x[idx]
        b = x[mask]
        c = x[[0, i]]
        d = x[:, [i, -1]]
        e = x[mask].sum(axis=0)
        f = x[idx, 1:]
        g = x[idx, idx[::-1]]
        h = x[mask, ...] if i > n else x[idx, i]
        j = x[idx][mask]
        k = len(x[mask])
        m = x[mask][:, i]
        o = x[idx[:1], idx]
        p = x[:, idx[1:]]


def stored(x, idx, mask, v, n):
    for i in range(n):
        x[[0, i]] = x[[i, 0]]
        x[:, [0, i]] = x[:, [i, 0]]
        x[idx] += 1
        x[mask] *= 2
        x[idx, idx] = 7
        x[idx[:1], idx] += v
        x[idx, 1] = i
        x[idx] = v
        x[idx, 1:] = v[1:]
        x[mask] = x[mask][::-1]
        x[mask] -= v
        x[:, idx] = v


@pytest.mark.parametrize("layout", ["C", "F", "strided"])
@pytest.mark.parametrize("code", ["i1", "f8"])
def test_parts_that_arrays_choose(layout: str, code: str) -> None:
    check(chosen, matrix(layout, code), INDEX, MASK, 3)


@pytest.mark.parametrize("layout", ["C", "F", "strided"])
@pytest.mark.parametrize("code", ["i1", "c16"])
def test_stores_to_parts_that_arrays_choose(layout: str, code: str) -> None:
    check(stored, matrix(layout, code), INDEX, MASK, np.arange(4).astype(code), 3)


def masks_of_all_axes(x, mask, n):
    for i in range(n):
        a = x[mask]
        b = x[mask].sum()
        x[mask] += i
        x[mask] = x[mask][::-1]
        x[x > 8] = 1


@pytest.mark.parametrize("layout", ["C", "strided"])
def test_masks_of_a_matrix(layout: str) -> None:
    x = matrix(layout)
    check(masks_of_all_axes, x, np.random.default_rng(1).random(x.shape) > 0.5, 2)


def of_three_axes(x, idx, mask, n):
    for i in range(n):
        a = x[idx]
        b = x[mask]
        c = x[i, idx]
        x[[0, 1]] = x[[1, 0]]
        x[mask] += 1
        x[i, idx, 0] = i


def test_parts_of_three_axes() -> None:
    check(of_three_axes, np.random.default_rng(2).random((4, 4, 3)), INDEX, MASK, 2)


def store_rows(x, idx, v, n):
    for i in range(n):
        x[idx] = v


def keep_rows(x, mask, n):
    for i in range(n):
        a = x[mask]


def test_what_numpy_refuses_leaves_before_any_store() -> None:
    for idx, v in ((np.array([0, 4]), np.ones(3)), (np.array([0, 1]), np.ones((3, 3)))):
        x = np.zeros((4, 3))
        assert not run_natively(store_rows, x, idx, v, 1).is_done and not x.any()
    assert not run_natively(keep_rows, np.ones((4, 3)), np.ones(3, bool), 1).is_done


def nothing_chosen(x, idx, mask, n):
    for i in range(n):
        a = x[idx]
        b = x[mask]
        c = x[:, idx]
        x[idx] = 1
        x[mask] = 2


def test_nothing_is_chosen() -> None:
    check(nothing_chosen, np.ones((3, 2)), np.zeros(0, "i8"), np.zeros(3, bool), 1)


def places(x, n):
    s = 0.0
    for k in range(n):
        for i, j in np.ndindex(x.shape):
            s += x[i, j] * i
        for at in np.ndindex(*x.shape):
            x[at] += 1
        for (i, j), item in np.ndenumerate(x):
            s += item * j
        for item in x.flat:
            s -= item
        for j in np.ndindex(3):
            s += j[0]


def first_places(x):
    s = 0.0
    for i, j in np.ndindex(x.shape):
        s += x[i, j] * i


def first_numbered(x):
    s = 0.0
    for (i, j), item in np.ndenumerate(x):
        s += item * j


def first_items(x):
    s = 0.0
    for item in x.flat:
        s += item


@pytest.mark.parametrize("layout", ["C", "F", "strided"])
def test_loops_over_all_items(layout: str) -> None:
    check(places, matrix(layout), 2)
    for function in (first_places, first_numbered, first_items):
        check(function, matrix(layout))


def test_loops_over_no_items() -> None:
    for shape in ((0, 3), (3, 0)):
        check(places, np.zeros(shape), 1)
        check(first_places, np.zeros(shape))
