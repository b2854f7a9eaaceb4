"""The checker sees each kind of difference, and nothing else: a checker that is lax makes every lane lax."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.checker import aliasing, same, same_exception

ONE = np.array([1.0, np.nan, -0.0])
NEXT = np.nextafter(np.float32(1), np.float32(2))

EQUAL: list[tuple[Any, Any, float]] = [
    (ONE, ONE.copy(), 0),
    (np.float32(1), np.float32(1), 0),
    (NEXT, np.float32(1), 1),
    (np.array([np.inf, -np.inf]), np.array([np.inf, -np.inf]), 4),
    ((1, [ONE, {"a": 2}]), (1, [ONE, {"a": 2}]), 0),
    (np.array([1 + 1e-16j]), np.array([1 + 0j]), 1),
    (np.float64(-0.0), np.float64(0.0), 1),
]
DIFFERENT: list[tuple[Any, Any, float]] = [
    (np.float64(1), 1.0, 0),
    (1.0, np.float64(1), 0),
    (np.array(1.0), np.float64(1), 0),
    (np.ones(1, "f4"), np.ones(1), 9),
    (np.ones(1, ">f8"), np.ones(1), 9),
    (np.ones((1, 1)), np.ones(1), 9),
    (np.float64(-0.0), np.float64(0.0), 0),
    (np.array([0j]), np.array([complex(0, -0.0)]), 0),
    (NEXT, np.float32(1), 0),
    (np.float64(np.nan), np.float64(1), 9),
    (np.float64(np.inf), np.float64(np.finfo("f8").max), 9),
    (np.array([1, 2]), np.array([1, 3]), 9),
    ((1, 2), [1, 2], 0),
    ((1, 2), (1, 2, 3), 0),
    ({"a": 1}, {"b": 1}, 0),
    (True, 1, 0),
    ([np.float32(1)], [np.float64(1)], 0),
]


@pytest.mark.parametrize(("got", "want", "ulp"), EQUAL, ids=str)
def test_equal(got: Any, want: Any, ulp: float) -> None:
    same(got, want, ulp)


@pytest.mark.parametrize(("got", "want", "ulp"), DIFFERENT, ids=str)
def test_different(got: Any, want: Any, ulp: float) -> None:
    with pytest.raises(AssertionError):
        same(got, want, ulp)


def test_rounding_errors_are_measured_against_what_was_added() -> None:
    with pytest.raises(AssertionError):
        same(np.float32(1e-7), np.float32(0), ulp=1)
    same(np.float32(1e-7), np.float32(0), ulp=1, scale=1.0)


def test_exceptions() -> None:
    same_exception(None, None)
    same_exception(ValueError("a"), ValueError("b"))
    for got, want in ((None, ValueError()), (ValueError(), None), (IndexError(), LookupError())):
        with pytest.raises(AssertionError):
            same_exception(got, want)


def test_aliasing() -> None:
    base = np.arange(6)
    other = base.copy()
    assert aliasing([base[1:], base[:1], 3], [base, other]) == {("input", 0, 0), ("input", 1, 0)}
    assert aliasing([other, other[::2]], [base]) == {("output", 1, 0)}
