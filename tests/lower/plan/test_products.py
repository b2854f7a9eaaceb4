"""Products that kernels do: of matrices that a kernel makes, and two of one large matrix in one pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.lower.plan.products import SHARED_FROM

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


# -- small matrices, and stacks of them: in the kernel with what is around them

SMALL = [
    ((4, 4), (4, 4)), ((3, 5), (5, 2)), ((3, 5), (5,)), ((5,), (5, 2)), ((6,), (6,)), ((1, 1), (1, 1)),
    ((2, 0), (0, 3)), ((7, 3, 3), (7, 3, 3)), ((7, 3, 3), (3,)), ((3, 3), (7, 3, 3)), ((3,), (7, 3, 2)),
    ((5, 1, 2, 3), (4, 3, 2)),
]  # fmt: skip


@pytest.mark.parametrize("dtypes", ["dd", "ff", "fd", "ee", "ll", "Bb", "??", "ld"])
def test_small_products_are_in_the_kernel(dtypes: str) -> None:
    def products(*operands):
        return tuple((a @ b) * 2 for a, b in zip(operands[::2], operands[1::2], strict=True))

    operands = [
        abs(10 * vector(int(np.prod(shape)))).astype(code).reshape(shape)
        for shapes in SMALL
        for shape, code in zip(shapes, dtypes, strict=True)
    ]
    close = {"e": 2e-3, "f": 1e-5}.get(dtypes[1], 1e-12)
    jitted = run(products, *operands, close=close)
    assert jitted.stats.segments == 1
    assert " library " not in str(jitted.programs[0])


def test_small_products_follow_each_other_in_one_kernel() -> None:
    def predict(x, P, F, Q):
        return F @ x, F @ P @ F.T + Q

    F, P, Q = (vector(16).reshape(4, 4) for _ in range(3))
    jitted = run(predict, vector(4), P, F, Q)
    assert jitted.stats.segments == 1 and " library " not in str(jitted.programs[0])
    run(predict, vector(4), P[::-1], np.asfortranarray(F), Q.T)


def test_a_small_product_in_place_and_into_out() -> None:
    def f(a, b, c):
        a @= b
        np.matmul(a, b, out=c)
        return a.dot(c)

    run(f, *(vector(9).reshape(3, 3) for _ in range(3)))


def test_a_small_product_of_a_records_field() -> None:
    records = np.zeros(4, [("flag", "i1"), ("x", "f8")])
    records["x"] = vector(4)
    jitted = npcompile.jit(lambda r, w: (w * 2) @ r["x"] + 1, wait=True)
    weights = vector(4)
    for _ in range(2):
        assert jitted(records, weights) == pytest.approx((weights * 2) @ records["x"] + 1)


def test_a_product_that_is_small_at_some_lengths_is_right_at_all() -> None:
    jitted = npcompile.jit(lambda a, b: a @ b + 1, wait=True)
    for size in (3, 4, 5, 40, 6, 90, 2, 200, 7, 91):
        a, b = vector(size * size).reshape(size, size), vector(size * size).reshape(size, size)
        np.testing.assert_allclose(jitted(a, b), a @ b + 1, rtol=1e-11, atol=1e-11)


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

    assert run(f, vector(600).reshape(30, 20), vector(20)).stats.bytes_written == 600 * 8


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
