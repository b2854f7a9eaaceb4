# ruff: noqa: B007, F841 - the names that loops bind are compared
"""New arrays of native loops lie in memory by rows or by columns, as NumPy's do."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from npcompile.lower.loops import ir
from tests.frontend.loops.native import begin, check, copies, run_in_python

LENGTHS = [(5, 3), (1, 4), (4, 1)]


def laid_out(layout: str, shape: tuple[int, int], seed: int = 0) -> np.ndarray:
    """Return an array of a shape that lies in memory in one of several ways."""
    rng = np.random.default_rng(seed)
    rows, columns = shape
    match layout:
        case "rows":
            return rng.normal(size=shape)
        case "columns":
            return np.asfortranarray(rng.normal(size=shape))
        case "transposed":
            return rng.normal(size=(columns, rows)).T
        case "part":
            return np.asfortranarray(rng.normal(size=(2 * rows + 1, columns + 2)))[1 : 2 * rows : 2, 1:-1]
        case "backwards":
            return np.asfortranarray(rng.normal(size=shape))[::-1, ::-1]
    return rng.normal(size=(rows, 2 * columns))[:, ::2]


def steps(x, y, n):
    for i in range(n):
        a = x + 1
        b = a * y - x
        c = np.where(x > 0, x, 2.5)
        d = np.sqrt(x * x) > 1
        f = x.astype(np.float32)
        g = x.copy()
        h = np.copy(x)
        k = -b
        u = g * y
        v = a.T * 2
        w = (x.T + y.T).copy()
        x[0] = a[0] + k[i % len(k)]
        x = x * 0.5
        p = h[0, 0]


@pytest.mark.parametrize("shape", LENGTHS)
def test_maps_lie_as_numpy_lays_them_out(shape):
    layouts = ["rows", "columns", "transposed", "part", "backwards", "spaced"]
    for one, other in itertools.product(layouts, layouts[:2]):
        check(steps, laid_out(one, shape), laid_out(other, shape, 1), 3)


def broadcasts(x, y, n):
    for i in range(n):
        a = x + y
        b = x * 2 + y
        c = y - x


@pytest.mark.parametrize("layout", ["columns", "transposed", "part"])
def test_vectors_beside_matrices_by_columns(layout):
    for y in (np.arange(3.0), np.arange(4.0)[:, None], np.arange(3.0)[None], 2.5):
        check(broadcasts, laid_out(layout, (4, 3)), y, 2)


def joins(x, y, z, n):
    for i in range(n):
        a = (y + z) * x


def test_a_column_and_a_row_make_a_matrix_by_rows():
    args = np.asfortranarray(np.ones((4, 3))), np.arange(4.0)[:, None], np.arange(3.0), 1
    run = begin(joins, *copies(args)).run()
    assert run_in_python(joins, *copies(args))["a"].flags.c_contiguous
    assert not run.is_done  # it is Python's


def test_types_tell_matrices_by_columns():
    region = begin(steps, *copies((laid_out("columns", (4, 4)), laid_out("columns", (4, 4)), 2))).loop.region
    assert isinstance(region, ir.Region)
    assert not any(isinstance(block.end, ir.Leave) and block.end.why for block in region.blocks)
