# ruff: noqa: B007, F841 - the names that loops bind are compared
"""Views of arrays in native loops: indices, slices, transposed arrays, their bounds and their identity."""

from __future__ import annotations

import numpy as np
import pytest

from tests.frontend.loops.native import check, run_natively


def matrix(order: str, dtype: str = "f8") -> np.ndarray:
    made = np.arange(42).reshape(6, 7).astype(dtype)
    if order == "strided":
        return np.arange(42 * 6).reshape(12, 21).astype(dtype)[::2, ::-3]
    return np.array(made, order=order)  # type: ignore[call-overload]


def views(A, n):
    for i in range(n):
        row = A[i]
        row2 = A[i, :]
        column = A[:, i]
        part = A[i, :i]
        back = A[i, i::-1]
        last = A[-1]
        inner = A[1:-1, 2:5]
        wide = A[-100:100, 3:1]
        item = A[i][-1]
        dots = A[..., i]
        new = A[i, None, :, None]
        turned = A.T
        other = A.T[i, ::2]
        same = A[:]
        strided = A[::-1, ::-2]
        sizes = A.size
        count = len(A[i, 1:i])
        axes = A.T.ndim
        flipped = np.flip(A[i])
        A[i, i] = column[0] + part.shape[0]


@pytest.mark.parametrize("order", ["C", "F", "strided"])
def test_views(order):
    check(views, matrix(order), 5)


def runtime_slices(A, low, high, step, n):
    for i in range(n):
        a = A[low:high:step]
        b = A[i - low : high + i : step]
        A[0] = i


BOUNDS = [-20, -9, -8, -3, 0, 2, 8, 9, 30]


@pytest.mark.parametrize("low", BOUNDS)
@pytest.mark.parametrize("high", BOUNDS)
def test_slices_of_any_bounds(low, high):
    for step in (1, 2, 3, -1, -2, 50, -50):
        check(runtime_slices, np.arange(8.0), low, high, step, 2)


def test_step_of_zero_leaves():
    run = run_natively(runtime_slices, np.arange(8.0), 0, 4, 0, 2)
    assert not run.is_done and run.names["i"] == 0


def outside(A, n):
    for i in range(n):
        row = A[i]
        A[i] = 0.5


def test_index_outside_leaves_with_all_before_done():
    A = np.ones((3, 4))
    run = run_natively(outside, A, 5)
    assert not run.is_done and run.names["i"] == 3
    assert (A == 0.5).all() and run.names["row"].base is A


def names(A, n):
    for i in range(n):
        x = A * 2
        y = x
        z = x[1:]
        w = y
        x = A + 1


def test_names_of_one_array_stay_one():
    run = check(names, np.arange(4.0), 3)
    assert run.names["y"] is run.names["w"] is not run.names["x"]
    assert run.names["z"].base is run.names["y"]
    assert run.names["y"].flags.owndata


def swapped(a, b, n):
    for i in range(n):
        a, b = b, a
        a[i] = i


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_swapped_arrays(n):
    check(swapped, np.zeros(4), np.ones(4), n)


def moved(A, out):
    for i in range(7):
        for j in range(7):
            B = A.copy()
            B[i] = B[:, j]
            out[i, j, 0] = B
            B[:, j] = B[i]
            out[i, j, 1] = B
            B[1::2, j] = B[i, 2:5]
            B[i, ::-2] = B[::-2, j][:4]
            out[i, j, 2] = B
            B[i] = B[::-1, j]
            out[i, j, 3] = B


@pytest.mark.parametrize("dtype", ["f8", "i1", "c16"])
def test_items_of_views_with_memory_in_common_move_in_numpys_order(dtype):
    """NumPy copies none of the rows and columns: items may be read after they were stored."""
    A = np.arange(49).reshape(7, 7).astype(dtype)
    out = np.zeros((7, 7, 4, 7, 7), dtype)
    check(moved, A, out)


def types(x, y, n):
    for i in range(n):
        if i % 2:
            z = x + 1
        else:
            z = y * x[:, None]
        v = z


def test_a_name_of_two_types_lets_go_of_memory():
    check(types, np.arange(3.0), np.arange(3, dtype="i4"), 7)
