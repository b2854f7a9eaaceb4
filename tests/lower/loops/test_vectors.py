"""Loops as the C++ compiler vectorizes them for users."""

from __future__ import annotations

import numpy as np
import pytest

from npcompile.lower.loops.types import FLOAT, Scalar
from tests.frontend.loops.jitted import check as check_calls
from tests.frontend.loops.native import copies, run_in_python, run_natively


def rotated_columns(q, at, rows):
    c, s = 0.6, 0.8
    for k in range(rows):
        left = q[k, at - 1]
        right = q[k, at]
        q[k, at - 1] = c * left - s * right
        q[k, at] = s * left + c * right


@pytest.mark.parametrize("code", ["f4", "f8"])
def test_neighbours_that_each_row_changes(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "1")
    for rows in (2, 3, 4, 7, 8, 16, 36):
        given = (np.arange(rows * 4).reshape(rows, 4).astype(code), 1, rows)
        mine, plain = copies(given), copies(given)
        assert run_natively(rotated_columns, *mine).is_done
        run_in_python(rotated_columns, *plain)
        np.testing.assert_array_equal(mine[0], plain[0])


def clipped(x, low, high):
    out = np.empty(len(x))
    for i in range(len(x)):
        v = x[i]
        if v < low:
            v = low
        elif v > high:
            v = high
        out[i] = v
    return out, v


def test_a_float_and_a_numpy_float_have_one_variable() -> None:
    """Blocks for either type do the same, and Python finds the type that the last trip gave."""
    x = np.array([0.1, 0.9, np.nan, -0.0, 0.5])
    loop = run_natively(clipped, x, 0.2, 0.8).loop
    assert loop.source.text.count("double v_") == 1
    assert [*loop.region.stored["v"]] == [Scalar("f8"), FLOAT]
    for last in range(1, 6):
        check_calls(clipped, x[:last], 0.2, 0.8)
        check_calls(clipped, x[:last], 0.0, -0.0)


def in_turn(x, out, flag):
    v = 0.5
    for i in range(len(out)):
        if flag[i]:
            v = 2.0
        elif x[i] > 0:
            v = x[i]
        out[i] = v
    return v


def test_a_loop_leaves_with_the_type_of_its_last_trip() -> None:
    x, flag = np.array([1.5, -1.0, 3.5, 0.0, 2.5]), np.array([False, True, False, True, True])
    for size in range(7):  # from six on an index is out of bounds
        check_calls(in_turn, x, np.zeros(size), flag)
        check_calls(in_turn, x, np.zeros(size), ~flag)
