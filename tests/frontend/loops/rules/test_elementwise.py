# ruff: noqa: B007, F841 - the names that loops bind are compared
"""Elementwise expressions on arrays in native loops: dtypes, broadcasting, stores and overlaps."""

from __future__ import annotations

import numpy as np
import pytest

from npcompile.lower.loops.types import C_TYPES
from tests.frontend.loops.native import check, run_natively

SIZES = [0, 1, 2, 3, 17]
REAL = [code for code in C_TYPES if code[0] in "iuf"]


def sample(code: str, size: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    numbers = rng.integers(-5 if code[0] not in "ub" else 0, 9 if code[0] != "b" else 2, size)
    with np.errstate(all="ignore"):
        if code[0] in "fc":
            numbers = numbers * rng.choice([0.5, 1.3, -0.0, np.inf], size, p=[0.4, 0.4, 0.15, 0.05])
        return numbers.astype(code)


def arithmetic(x, y, n):
    for i in range(n):
        a = x + y
        b = x * y
        c = x + 1
        d = 3 * y
        f = a * b + x
        g = +x
        k = x == y
        m = x != 2
        x[: i + 1] = y[: i + 1]
        x[:i] += y[:i]
        x[i:] *= 2


@pytest.mark.parametrize("code", [code for code in C_TYPES if code != "b1"])
def test_arithmetic(code):
    for size in SIZES:
        check(arithmetic, sample(code, size), sample(code, size, 1), 2)


def divisions(x, y, n):
    for i in range(n):
        a = x / y
        b = x // y
        c = x % y
        d = x // 2
        e = 3 % y
        f = x < y
        g = x >= 3
        h = 2 > y
        k = x - y
        m = x / 3


@pytest.mark.parametrize("code", REAL)
def test_divisions_and_order(code):
    for size in SIZES:
        check(divisions, sample(code, size), sample(code, size, 1), 1)


def bits(x, y, n):
    for i in range(n):
        a = x & y
        b = x | 5
        c = x ^ y
        d = ~x
        e = x << 2
        f = y >> 1
        g = -x


@pytest.mark.parametrize("code", [code for code in C_TYPES if code[0] in "iu"])
def test_bits(code):
    check(bits, sample(code, 17), sample(code, 17, 1), 1)


def masks(x, y, n):
    for i in range(n):
        a = (x > y) & (x < 5)
        b = ~(x > y) | (y == 2)
        c = np.where(x > y, x, y)
        d = np.where(x > y, x, 0)
        e = np.where(a, 1.5, x)
        f = a + 1
        g = a * x


@pytest.mark.parametrize("code", REAL)
def test_masks(code):
    check(masks, sample(code, 17), sample(code, 17, 1), 1)


def mixed(x, y, s, n):
    for i in range(n):
        a = x + y
        b = x * s
        c = s - y
        d = x * 1.5
        e = y + True
        f = a / s
        g = x < s


MIXED = [
    *[("i1", "b1", 3), ("u8", "i8", 2.5), ("f2", "u1", 3), ("f4", "f8", np.float32(1.5))],
    *[("f4", "i8", 2.5), ("c8", "f8", 3), ("f8", "f4", np.int16(4)), ("f2", "f4", 2.5)],
]


@pytest.mark.parametrize(("one", "other", "s"), MIXED)
def test_mixed_dtypes(one, other, s):
    check(mixed, sample(one, 17), sample(other, 17, 1), s, 1)


def powers(x, n):
    for i in range(n):
        a = x**2
        b = x**1
        c = x**0
        d = x**3
        e = x**2.0
        f = x**0.5


@pytest.mark.parametrize("code", ["b1", "i4", "u8", "f2", "f4", "f8"])
def test_powers(code):
    x = np.abs(sample(code, 17))
    run = run_natively(powers, x, 1)
    assert run.is_done
    for name, want in {"a": x**2, "b": x**1, "c": x**0, "d": x**3, "e": x**2.0, "f": x**0.5}.items():
        assert run.names[name].dtype == want.dtype
        np.testing.assert_allclose(
            run.names[name], want, rtol=4 * np.finfo(want.dtype).eps if want.dtype.kind == "f" else 0
        )


def power(x, k, n):
    for i in range(n):
        a = x**k


def test_powers_of_bools_whose_dtype_the_exponent_decides():
    assert not run_natively(power, sample("b1", 5), 2, 1).is_done
    assert not run_natively(power, sample("b1", 5), 3, 1).is_done


def broadcast(x, A, n):
    for i in range(n):
        a = x[:, None] * x
        b = A + x
        c = A * x[:1]
        d = A * A[i, 0]
        e = A[:, i : i + 1] + A[i]
        f = x[None, :, None] + A[:, None, :]
        A[i:] = x
        A[:, i] = 2
        A += x
        A *= A[:, :1]
        A[..., 0] = 1
        A[None, :, 1] = 4


@pytest.mark.parametrize("size", [2, 5])
def test_broadcasting(size):
    x = np.random.default_rng(0).random(size)
    check(broadcast, x, np.random.default_rng(1).random((size, size)), 1)


def stores(A, B, n):
    for i in range(n):
        A[1:] = A[:-1] + B[1:]
        A[:-1] = A[1:]
        A[:, 1:] -= A[:, :-1]
        A[::-1] = A
        A[:, i] += A[:, i + 1]
        A[i] = A[:, i]
        A[:] = A.T
        A.T[i, :2] *= B[:2, i]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("code", ["f8", "i2"])
def test_overlapping_stores(order, code):
    A = np.random.default_rng(0).integers(0, 9, (5, 5)).astype(code, order)
    check(stores, A, A * 2, 3)


def test_arguments_that_overlap():
    def shifted(x, y, n):
        for i in range(n):
            x[:] = y * 2 + x

    memory = np.arange(20.0)
    want = memory.copy()
    want[3:12] = want[1:10] * 2 + want[3:12]
    run = run_natively(shifted, memory[3:12], memory[1:10], 1)
    assert run.is_done
    np.testing.assert_array_equal(memory, want)


def cast_stores(x, y, n):
    for i in range(n):
        x[:] = y
        x[i:] = y[i:] * 2
        x[:1] = True
        z = y.astype("f4")
        w = x.copy()


CASTS = [("i1", "f8"), ("i8", "u1"), ("f2", "f8"), ("f4", "i4"), ("f8", "f4")]


@pytest.mark.parametrize(("one", "other"), CASTS)
def test_stores_cast(one, other):
    y = np.abs(sample(other, 17))
    check(cast_stores, sample(one, 17), np.where(y < 100, y, 1).astype(other), 2)


def scalars(x, s, t, u, v, w, n):
    for i in range(n):
        x[i:] = s
        x[i + 1 :] = t
        x[i + 2 :] = u
        x[i + 3 :] = v
        x[i + 4 :] = w


@pytest.mark.parametrize("code", list(C_TYPES))
def test_scalars_are_stored_to_slices(code):
    check(scalars, sample(code, 8), 1, True, np.int8(2), 1.0, np.float32(2.5), 3)
    if code == "i1":
        assert not run_natively(scalars, np.zeros(3, "i1"), 300, True, np.int8(2), 1.0, 2.0, 1).is_done


def zero_axes(x, z, n):
    for i in range(n):
        a = x * z
        b = z + 1
        x[i] = z
        c = z < 3


def test_arrays_without_axes_count_as_scalars():
    check(zero_axes, np.arange(3.0), np.array(2.0), 2)


def misfit(x, y, n):
    for i in range(n):
        x[0] = i
        x[:] = x + y


def test_shapes_that_do_not_fit_leave_before_the_statement():
    x = np.arange(4.0)
    run = run_natively(misfit, x, np.arange(3.0), 2)
    assert not run.is_done and list(x) == [0, 1, 2, 3]


def refused(x, y, n):
    for i in range(n):
        x[0] = 1
        x += y


def test_casts_that_numpy_refuses_leave():
    run = run_natively(refused, np.arange(3), np.arange(3.0), 2)
    assert not run.is_done and "augmented" in str(run.exit.why)


def in_order(A, n):
    for i in range(n):
        x = A * 2
        x[0] = 1


def test_new_arrays_have_the_layout_of_numpy():
    for shape in [(3, 4), (3, 1), (3, 4, 2)]:
        check(in_order, np.ones(shape), 1)
    for shape in [(3, 4), (3, 1)]:
        check(in_order, np.asfortranarray(np.ones(shape)), 1)
    assert not run_natively(in_order, np.asfortranarray(np.ones((3, 4, 2))), 1).is_done


def tuples(x, p, q, n):
    for i in range(n):
        x[i] = p, q, i
        x[i, 1:] = x[i, 2], x[i, 1]
        p = q
    x[:1] = q, p, 3


@pytest.mark.parametrize("code", ["i4", "f4", "f8", "c16", "b1"])
def test_stores_of_tuples(code):
    for a, b in ((3, 5), (0.5, 3), (np.float64(-0.5), np.int16(7)), (np.float32(2.75), True)):
        check(tuples, np.zeros((4, 3), code), a, b, 4)


def test_tuples_that_do_not_fit_are_pythons():
    assert not run_natively(tuples, np.zeros((4, 3), "i1"), 1, 200, 4).is_done
    assert not run_natively(tuples, np.zeros((4, 4)), 1, 2, 4).is_done
    check(tuples, np.zeros((0, 3)), 1, 2, 0)


def complex_items(x, y, sizes, n):
    for i in range(n):
        a = x[i:] * y[i:]
        b = np.square(x[:i]) - y[:i] ** 2
        c = np.abs(x[i:]) + abs(y[i:])
        d = np.multiply(x[i], y[i])
        e = np.square(x[i]) + x[i] * y[i]
        sizes[i, 0] = np.abs(x[i])
        sizes[i, 1] = abs(x[i])
        f = np.absolute(complex(x[i]))
        x[i:] *= y[i:]


@pytest.mark.parametrize("code", ["c8", "c16"])
def test_complex_items_are_multiplied_and_measured_as_in_arrays(code):
    parts = np.random.default_rng(3).standard_normal((2, 2, 23))
    parts[..., :3] = [0.0, np.inf, np.nan]
    with np.errstate(all="ignore"):
        x, y = (parts[0] + 1j * parts[1]).astype(code)
        check(complex_items, x, y, np.zeros((23, 2), x.real.dtype), 23)
