"""Products of matrices and vectors are NumPy's natively; larger ones are made by NumPy's own loop over BLAS.

Items are whole numbers, so that no order of adding them up changes an answer, where nothing else is said.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.frontend.loops import jitted
from tests.frontend.loops.native import check

RANDOM = np.random.default_rng(8)


def products(a, b, x, y, n):
    for i in range(n):
        both = a[:, i:] @ b[i:, :]  # noqa: F841 - the names are compared
        dots = np.dot(a, b)  # noqa: F841
        left = x[i:] @ b[i:]  # noqa: F841
        right = a[i:] @ x  # noqa: F841
        turned = b.T @ a.T[:, i:]  # noqa: F841
        across = b[:, i] @ y  # noqa: F841
        down = y.T @ x  # noqa: F841


# Ways for an array to lie in memory.
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "backwards": lambda items: np.ascontiguousarray(items[..., ::-1])[..., ::-1],
    "every second": lambda items: (
        np.repeat(np.repeat(items, 2, -1), 2, 0)[::2, ..., ::2]
        if items.ndim == 2
        else np.repeat(items, 2)[::2]
    ),
    "part of a row": lambda items: np.pad(items, 3)[(slice(3, -3),) * items.ndim],
    "all one": lambda items: np.broadcast_to(items.reshape(-1)[0], items.shape),
}


def whole(shape: tuple[int, ...], code: str) -> Any:
    """Return an array of random whole numbers."""
    items = RANDOM.integers(-9, 9, shape).astype(code)
    return items + 1j * RANDOM.integers(-9, 9, shape) if np.iscomplexobj(items) else items


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("code", ["f8", "f4", "c16", "c8"])
@pytest.mark.parametrize("size", [3, 40])
def test_products_of_all_layouts(layout: str, code: str, size: int) -> None:
    lay = LAYOUTS[layout]
    a, b = (lay(whole((size, size), code)) for _ in range(2))
    check(products, a, b, lay(whole((size,), code)), lay(whole((size, size + 5), code)), 3)


def narrow(a, b, x, y, n):
    for _ in range(n):
        both = a @ b  # noqa: F841 - the names are compared
        left = x @ a  # noqa: F841
        right = a @ y  # noqa: F841
        turned = b.T @ y  # noqa: F841


@pytest.mark.parametrize("shape", [(1, 2000), (2000, 1), (1, 1), (200, 7), (0, 5), (5, 0)])
def test_products_of_narrow_matrices(shape: tuple[int, int]) -> None:
    rows, columns = shape
    x, y = whole((rows,), "f8"), whole((columns,), "f8")
    check(narrow, whole(shape, "f8"), whole((columns, 3), "f8"), x, y, 2)


def test_products_of_two_types() -> None:
    a, x = whole((50, 50), "f4"), whole((50,), "f8")
    check(products, a, whole((50, 50), "f8"), x, whole((50, 3), "f4"), 2)


def large(a, b, x, n):
    for i in range(n):
        both = a[i:] @ b  # noqa: F841
        left = x[i:] @ b[i:]  # noqa: F841
        right = b[i:] @ x  # noqa: F841


def test_large_products_are_numpys_to_the_last_digit() -> None:
    a, b = RANDOM.standard_normal((70, 60)), RANDOM.standard_normal((60, 60))
    check(large, a, b, RANDOM.standard_normal(60), 3)


def mismatched(a, x, out):
    for i in range(len(x)):
        out[i] = i
        if i == 30:
            a = a[:, 1:]
        out[: len(a)] += a @ x
    return out


@pytest.mark.parametrize("size", [4, 64])
def test_lengths_that_do_not_match_raise(size: int) -> None:
    a = whole((size, 40), "f8")
    jitted.check(mismatched, a, whole((40,), "f8"), np.zeros(max(size, 40)))
