"""Loops as the C++ compiler vectorizes them for users."""

from __future__ import annotations

import numpy as np
import pytest

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
