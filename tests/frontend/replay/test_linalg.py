"""Decompositions and views by einsum at replay: exceptions, dtypes that values decide, named results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import aliasing, same

REGULAR = np.array([[2.0, 1.0], [1.0, 3.0]])
SINGULAR = np.ones((2, 2))
ROTATION = np.array([[0.0, -1.0], [1.0, 0.0]])


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    yield


def both(function: Any, *calls: tuple[Any, ...]) -> Any:
    """The function jitted, after these calls, each of which answers as NumPy does."""
    jitted = npcompile.jit(function)
    for args in calls:
        mine, theirs = [[item.copy() for item in args] for _ in range(2)]
        same(jitted(*mine), function(*theirs), 16)
        same(mine, theirs)
    return jitted


@pytest.mark.parametrize("function", [np.linalg.inv, np.linalg.cholesky])
def test_a_replay_raises_as_numpy_does(function: Any) -> None:
    def f(a: Any) -> Any:
        return function(a) + 1

    jitted = both(f, (REGULAR,), (REGULAR * 2,))
    assert jitted.stats.replays == 1
    with pytest.raises(np.linalg.LinAlgError) as raised:
        jitted(-SINGULAR)
    with pytest.raises(np.linalg.LinAlgError) as expected:
        function(-SINGULAR)
    assert str(raised.value) == str(expected.value)


def test_an_answer_that_nobody_uses_is_asked_for_all_the_same() -> None:
    def f(a: Any) -> Any:
        np.linalg.inv(a)
        return a + 1

    jitted = both(f, (REGULAR,), (REGULAR * 2,))
    with pytest.raises(np.linalg.LinAlgError):
        jitted(SINGULAR)


def test_what_was_written_before_stays_written() -> None:
    def f(a: Any, out: Any) -> Any:
        out[:] = a
        return np.linalg.inv(a)

    jitted = both(f, (REGULAR, np.zeros((2, 2))), (REGULAR, np.zeros((2, 2))))
    out = np.zeros((2, 2))
    with pytest.raises(np.linalg.LinAlgError):
        jitted(SINGULAR, out)
    same(out, SINGULAR)


def test_a_dtype_that_the_values_decide() -> None:
    def f(a: Any) -> Any:
        return np.linalg.eigvals(a) * 2

    jitted = both(f, (REGULAR,), (REGULAR,), (ROTATION,), (ROTATION,), (REGULAR,))
    assert jitted.stats.replays >= 1


def test_a_shape_that_the_values_decide() -> None:
    def f(a: Any, b: Any) -> Any:
        x, left, rank, s = np.linalg.lstsq(a, b)
        return x * 2, left, rank, s

    tall, flat = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.ones((3, 2))
    right = np.arange(3.0)
    both(f, (tall, right), (tall, right), (flat, right), (flat, right), (tall, right))


def test_named_results() -> None:
    def whole(a: Any) -> Any:
        return np.linalg.eigh(a)

    def parts(a: Any) -> Any:
        values, vectors = np.linalg.eigh(a)
        return (vectors * values) @ vectors.T, np.linalg.qr(a).R, np.linalg.slogdet(a).sign

    for function in (whole, parts):
        assert both(function, (REGULAR,), (REGULAR,)).stats.replays == 1


def test_a_view_by_einsum_is_one_at_replay() -> None:
    def f(a: Any) -> Any:
        diagonal = np.einsum("ii->i", a)
        diagonal[:] = 7.0
        return diagonal

    jitted = both(f, (REGULAR,), (REGULAR,))
    a = REGULAR.copy()
    assert aliasing([jitted(a)], [a]) == {("input", 0, 0)}
    same(a, np.array([[7.0, 1.0], [1.0, 7.0]]))
