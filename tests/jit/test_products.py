"""Products that kernels do: of matrices that a kernel makes, and two of one large matrix in one pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.lower.products import SHARED_FROM

RNG = np.random.default_rng(5)
SIDE = int((SHARED_FROM / 8) ** 0.5) + 7  # of a square matrix that two products share
LARGE = RNG.standard_normal((SIDE, SIDE))
WIDE = RNG.standard_normal((SIDE - 300, SIDE + 411))


def vector(length: int, dtype: Any = np.float64) -> Any:
    return RNG.standard_normal(length).astype(dtype)


def run(function: Callable[..., Any], *args: Any, close: float = 1e-11) -> Any:
    """The second call beside NumPy's, what it leaves in its arguments too; the jitted function."""
    jitted = npcompile.jit(function, wait=True)
    jitted(*[np.copy(arg) if isinstance(arg, np.ndarray) else arg for arg in args])
    ours = [np.copy(arg, order="K") if isinstance(arg, np.ndarray) else arg for arg in args]
    plain = [np.copy(arg, order="K") if isinstance(arg, np.ndarray) else arg for arg in args]
    got, expected = jitted(*ours), function(*plain)
    assert jitted.stats.replays == 1, jitted.stats
    for a, b in zip(np.atleast_1d(*flat(got), *ours), np.atleast_1d(*flat(expected), *plain), strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=close, atol=close * np.abs(b[np.isfinite(b)]).max(initial=1))
    for a, b in zip(flat(got), flat(expected), strict=True):
        assert type(a) is type(b)
    return jitted


def flat(result: Any) -> tuple[Any, ...]:
    return () if result is None else result if isinstance(result, tuple) else (result,)


# -- stacks of matrices


@pytest.mark.parametrize("function", [np.matmul, np.dot], ids=["matmul", "dot"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
@pytest.mark.parametrize("shape", [(7, 1, 5), (2, 3, 4, 5), (3, 0, 5), (0, 2, 5)], ids=str)
def test_a_stack_times_a_matrix(function: Any, dtype: Any, shape: tuple[int, ...]) -> None:
    stack = vector(int(np.prod(shape)), dtype).reshape(shape)
    matrix = vector(30, dtype).reshape(5, 6)
    close = 1e-4 if dtype == np.float32 else 1e-11
    run(lambda a, b: function(a, b), stack, matrix, close=close)
    run(lambda a, b: function(a[::2], b.T), np.concatenate([stack, stack]), matrix.T.copy(), close=close)


def test_a_stack_times_a_matrix_owns_its_memory() -> None:
    jitted = npcompile.jit(lambda a, b: a @ b, wait=True)
    for _ in range(2):
        result = jitted(np.ones((2, 3, 4)), np.ones((4, 5)))
        assert result.flags.owndata and result.base is None


def test_a_stack_times_a_matrix_of_another_dtype() -> None:
    run(lambda a, b: a @ b, np.ones((2, 3, 4), np.float32), np.ones((4, 5)))
    run(lambda a, b: a @ b, np.arange(24).reshape(2, 3, 4), np.ones((4, 5)))


# -- what a kernel makes


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_matrix_made_for_one_product_is_never_written(dtype: Any) -> None:
    def f(alpha, beta, A, B, x):
        return alpha * A @ x + beta * B @ x

    A, B = vector(300 * 200, dtype).reshape(300, 200), vector(300 * 200, dtype).reshape(300, 200)
    jitted = run(f, 1.5, 2.5, A, B, vector(200, dtype), close=2e-4 if dtype == np.float32 else 1e-11)
    assert jitted.stats.segments == 1
    assert jitted.stats.bytes_written == 2 * 300 * np.dtype(dtype).itemsize  # a product and the sum


def test_a_matrix_that_is_needed_besides_is_written_out() -> None:
    def f(A, x):
        B = 2 * A
        return B @ x, B

    assert run(f, vector(60).reshape(6, 10), vector(10)).stats.bytes_written == 60 * 8


def test_products_of_vectors_do_not_end_a_segment() -> None:
    def f(x, y):
        r = x - 2 * y
        rr = np.dot(r, r)
        return r * (rr + (r @ y))

    assert run(f, vector(50), vector(50)).stats.segments == 1


def test_infinities_stay() -> None:
    def f(alpha, A, x):
        return alpha * A @ x

    run(f, 2.0, np.array([[np.inf, 1.0], [1.0, -np.inf]]), np.array([3.0, 1.0]))


def test_integers_and_float16_stay_with_numpy() -> None:
    def f(A, x):
        return (A + A) @ x

    run(f, np.arange(12).reshape(3, 4), np.arange(4))
    run(f, np.arange(12, dtype=np.float16).reshape(3, 4), np.arange(4, dtype=np.float16), close=1e-2)


# -- two products of one matrix


def atax(A, x):
    return (A @ x) @ A


def normal(A, x):
    return A.T @ (A @ x)


def bicg(A, p, r):
    return r @ A, A @ p


def mvt(x1, x2, y1, y2, A):
    x1 += A @ y1
    x2 += y2 @ A


@pytest.mark.parametrize("function", [atax, normal])
@pytest.mark.parametrize("matrix", [LARGE, WIDE, WIDE[:, :-3]], ids=["square", "wide", "part"])
def test_a_product_of_a_product(function: Callable[..., Any], matrix: Any) -> None:
    jitted = run(function, matrix, vector(matrix.shape[1]))
    assert jitted.stats.kernels == 1


def test_both_sides() -> None:
    for matrix in (WIDE, np.asfortranarray(WIDE)):
        assert run(bicg, matrix, vector(matrix.shape[1]), vector(matrix.shape[0])).stats.kernels == 1


def test_written_results_between() -> None:
    jitted = run(mvt, *[vector(SIDE) for _ in range(4)], LARGE)
    assert jitted.stats.kernels == 2


def test_single_precision() -> None:
    side = int((SHARED_FROM / 4) ** 0.5) + 5
    matrix = vector(side * side, np.float32).reshape(side, side)
    assert (
        run(bicg, matrix, vector(side, np.float32), vector(side, np.float32), close=2e-3).stats.kernels == 1
    )


def test_a_matrix_that_changes_between_is_read_twice() -> None:
    def f(A, x, y):
        first = A @ x
        A[3] = 0
        return first, y @ A

    run(f, LARGE, vector(SIDE), vector(SIDE))


def test_a_vector_that_changes_between() -> None:
    def f(A, x, y):
        first = A @ x
        y += first
        return first, y @ A

    run(f, LARGE, vector(SIDE), vector(SIDE))


def test_a_product_that_changes_between() -> None:
    def f(A, x):
        t = A @ x
        t *= 2
        t[0] = 1
        return t @ A

    run(f, LARGE, vector(SIDE))


def test_a_vector_that_the_first_product_leads_to() -> None:
    def f(A, x):
        return np.tanh(A @ x) @ A

    run(f, LARGE, vector(SIDE))


def test_small_matrices_stay_with_the_library() -> None:
    assert run(bicg, vector(600).reshape(20, 30), vector(30), vector(20)).stats.kernels == 0
