"""Linear equations, inverses, determinants and products in space have NumPy's own answers natively."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npcompile
from tests.frontend.loops import jitted
from tests.frontend.loops.native import check, run_natively

RANDOM = np.random.default_rng(5)


def systems(x, y, z, n):
    for i in range(n):
        one = np.linalg.solve(x[i], y[i])  # noqa: F841 - the names are compared
        many = np.linalg.solve(x[i], z[i])  # noqa: F841
        inverse = np.linalg.inv(x[i])  # noqa: F841
        size = np.linalg.det(x[i])  # noqa: F841
        turned = np.linalg.solve(x[i].T, z[i, :, ::-1])  # noqa: F841
        lower = np.linalg.inv(x[i, ::-1, ::-1])  # noqa: F841
        last = np.linalg.det(z[i, :, : x.shape[1]])  # noqa: F841


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 7, 40])
def test_systems_are_numpys(rows: int) -> None:
    x = RANDOM.standard_normal((3, rows, rows))
    check(systems, x, RANDOM.random((3, rows)), RANDOM.random((3, rows, rows + 2)), 3)


def test_numbers_that_are_not_finite() -> None:
    x = np.array([[[1.0, 2.0], [3.0, 4.0]], [[np.nan, 1.0], [1.0, 2.0]], [[1e300, 1e-300], [-1e300, 1e300]]])
    jitted.check(systems, x, np.ones((3, 2)), np.ones((3, 2, 4)), 3)


def inverses(x, out):
    for i in range(len(x)):
        out[i] = np.linalg.inv(x[i]) @ np.linalg.solve(x[i], out[i])
    return out


@pytest.mark.parametrize("matrix", [np.zeros((2, 2)), np.ones((2, 2)), np.full((2, 2), np.nan)])
def test_singular_matrices_raise(matrix: Any) -> None:
    x = np.stack([np.eye(2)] * 20)
    jitted.check(inverses, x, np.ones((20, 2)))
    x[7] = matrix
    with np.errstate(all="ignore"):
        got, want = (jitted.outcome(one, (x, np.ones((20, 2)))) for one in (_jitted(), inverses))
    jitted.assert_same(got, want, "a singular matrix")


def _jitted() -> Any:
    function = npcompile.jit(inverses)
    for _ in range(3):
        function(np.stack([np.eye(2)] * 20), np.ones((20, 2)))
        function.wait()
    return function


def determinants(x):
    total = 0.0
    for i in range(len(x)):
        total += np.linalg.det(x[i])
    return total


def test_determinants_of_singular_matrices() -> None:
    jitted.check(determinants, np.array([np.zeros((3, 3)), np.ones((3, 3)), np.eye(3)]))


def shapes(x, y):
    for i in range(2):
        made = np.linalg.solve(x, y[i])  # noqa: F841


@pytest.mark.parametrize("shape", [(2, 3), (3, 2), (0, 0)])
def test_other_shapes_are_pythons(shape: tuple[int, int]) -> None:
    assert not run_natively(shapes, np.ones(shape), np.ones((2, 2))).is_done


def moments(x, y, n):
    for i in range(n):
        moment = np.cross(x[i], y[i])  # noqa: F841
        other = np.cross(y[i, ::-1], x[i])  # noqa: F841


@pytest.mark.parametrize("code", ["f8", "f4", "i8", "i4", "u1"])
def test_products_in_space(code: str) -> None:
    x, y = ((RANDOM.random((2, 5, 3)) - 0.2) * 300).astype(code)
    check(moments, x, y, 5)


def test_products_of_other_lengths_are_pythons() -> None:
    assert not run_natively(moments, np.ones((2, 4)), np.ones((2, 4)), 2).is_done
