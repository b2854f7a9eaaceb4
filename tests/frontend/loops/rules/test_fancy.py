# ruff: noqa: B007, F841 - the names that loops bind are compared
"""Items of arrays in native loops that index arrays and masks choose."""

from __future__ import annotations

import numpy as np
import pytest

from tests.frontend.loops.native import check, run_in_python, run_natively

DTYPES = ["b1", "i1", "u4", "i8", "f2", "f4", "f8", "c8", "c16"]
INDEX_DTYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
SIZES = [0, 1, 3, 17]


def sample(code: str, *shape: int) -> np.ndarray:
    return (np.random.default_rng(len(shape)).random(shape) * 4).astype(code)


def places(code: str, size: int, length: int) -> np.ndarray:
    """Return indices of an axis, of which some are negative if the dtype has such, and some are repeated."""
    least = 0 if np.dtype(code).kind == "u" else -length
    return np.random.default_rng(size).integers(least, length, size).astype(code)


def layouts(array: np.ndarray) -> list[np.ndarray]:
    """Return arrays of the same items: contiguous, with a stride, and from the end to the start."""
    wide = np.zeros(array.size * 3, array.dtype)
    wide[::3] = array
    return [array, wide[::3], array[::-1].copy()[::-1]]


def chosen(x, idx, n):
    for i in range(n):
        a = x[idx]
        b = x[idx] * 2
        c = np.sum(x[idx])
        d = x[idx].any()
        e = np.prod(x[idx])
        f = x[idx] + x[idx[::-1]]
        g = x[idx[i:]]
        h = len(x[idx])
        j = x[idx][i:]
        k = x[idx].copy()
        m = x[idx[idx * 0 + i]]
        o = np.where(x[idx] > 1, x[idx], 3)
        p = x[idx][:, None] + x[idx]


@pytest.mark.parametrize("code", DTYPES)
@pytest.mark.parametrize("size", [3, 17])
def test_items_at_indices(code, size):
    for x, idx in zip(layouts(sample(code, 9)), layouts(places("i8", size, 9)), strict=True):
        check(chosen, x, idx, 2)


def test_items_of_strided_arrays_at_contiguous_indices():
    for x in layouts(sample("f8", 9)):
        for idx in layouts(places("i8", 17, 9)):
            check(plain, x, idx, 2)


def plain(x, idx, n):
    for i in range(n):
        a = x[idx]
        b = np.sum(x[idx])
        c = x[idx[i:]] + 1


@pytest.mark.parametrize("code", INDEX_DTYPES)
@pytest.mark.parametrize("size", SIZES)
def test_indices_of_every_dtype(code, size):
    for length in (1, 5, 100):
        for idx in layouts(places(code, size, length)):
            check(plain, sample("f8", length), idx, 2)


def test_an_empty_array_has_items_at_no_indices():
    check(plain, np.ones(0), np.zeros(0, "i8"), 2)
    assert not run_natively(plain, np.ones(0), np.zeros(1, "i8"), 2).is_done


def extremes(x, idx, n):
    for i in range(n):
        a = x[idx].max()
        b = np.min(x[idx])
        c = np.argmax(x[idx])
        d = np.mean(x[idx])
        e = np.all(x[idx] > 0)
        f = np.sum(x[idx])


@pytest.mark.parametrize("size", [1, 7, 8, 9, 129, 1000])
def test_reductions_are_numpy_s_in_every_bit(size):
    x = np.random.default_rng(size).normal(size=64)
    check(extremes, x, places("i4", size, 64), 1)
    x[:3] = np.nan, -0.0, 0.0
    check(extremes, x, places("i4", size, 64), 1)


def products(vals, x, cols, n):
    for i in range(n):
        a = vals @ x[cols]
        b = x[cols] @ vals
        c = x[cols] @ x[cols[::-1]]
        d = np.dot(x[cols] * 2, vals)
        e = np.vdot(x[cols], vals)
        f = vals[i:] @ x[cols[i:]]


@pytest.mark.parametrize("code", ["b1", "u1", "i4", "i8"])
@pytest.mark.parametrize("size", [3, 17, 300])
def test_products_of_integers(code, size):
    check(products, sample(code, size), sample(code, 9), places("i4", size, 9), 2)


@pytest.mark.parametrize("code", ["f2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("size", [3, 17, 300])
def test_products(code, size):
    args = sample(code, size), sample(code, 9), places("i4", size, 9), 2
    run, want = run_natively(products, *args), run_in_python(products, *args)
    assert run.is_done
    for name in "abcdef":
        got = run.names[name]
        assert type(got) is type(want[name])
        np.testing.assert_allclose(got, want[name], rtol=size * np.finfo(want[name].dtype).eps * 4)


@pytest.mark.parametrize("size", [1, 3])
def test_products_of_other_lengths_leave(size):
    args = np.ones(size), np.ones(9), np.zeros(2, "i8"), 1
    assert not run_natively(products, *args).is_done


def rows_and_columns(A, idx, n):
    for i in range(n):
        a = A[i, idx]
        b = A[idx, i]
        c = np.sum(A[-1 - i, idx])
        d = A[idx, -1] * A[i, idx]
        e = A.T[i, idx]


@pytest.mark.parametrize("order", ["C", "F", "strided"])
@pytest.mark.parametrize("size", SIZES)
def test_items_of_rows_and_columns(order, size):
    A = np.arange(36.0 * 4).reshape(12, 12)[::2, ::-2] if order == "strided" else sample("f8", 6, 6)
    A = A if order == "strided" else np.array(A, order=order)
    check(rows_and_columns, A, places("i4", size, 6), 3)


def stored_after(x, y, idx, n):
    for i in range(n):
        y[i] = i
        y[1:] = x[idx]


@pytest.mark.parametrize("wrong", [5, -6, 100, -100, 2**62, -(2**63)])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_an_index_out_of_bounds_leaves_before_any_effect(wrong, place):
    idx, y = np.zeros(3, "i8"), np.full(4, 9.0)
    idx[place] = wrong
    run = run_natively(stored_after, np.ones(5), y, idx, 2)
    assert not run.is_done and y.tolist() == [0, 9, 9, 9]


def test_large_unsigned_indices_leave():
    idx = np.array([0, 2**64 - 1, 0], "u8")
    assert not run_natively(stored_after, np.ones(5), np.ones(4), idx, 2).is_done


def onto_itself(x, idx, n):
    for i in range(n):
        x[:] = x[idx]
        x += x[idx]
        x[1:] = x[idx[1:]] * x[:-1]
        x[::-1] = x[idx] + x


def indices_onto_indices(idx, n):
    for i in range(n):
        idx[:] = idx[idx]
        idx[:] = idx[idx[::-1]]


def test_a_store_over_its_source():
    for code in ("f4", "i8", "c16"):
        for x in layouts(sample(code, 7)):
            check(onto_itself, x, places("i8", 7, 7), 3)
    check(indices_onto_indices, np.array([3, 0, 1, -1, 2]), 3)


def masked(x, mask, n):
    for i in range(n):
        a = x[mask]
        b = np.sum(x[mask])
        c = x[~mask] * 2
        d = x[x > 1]
        e = np.prod(x[mask])
        f = len(x[mask])
        g = x[i:][mask[i:]]
        h = x[mask].any()


@pytest.mark.parametrize("code", DTYPES)
@pytest.mark.parametrize("size", SIZES)
def test_items_where_a_mask_holds(code, size):
    masks = layouts(np.random.default_rng(size).random(size) > 0.5)
    for x, mask in zip(layouts(sample(code, size)), masks, strict=True):
        check(masked, x, mask, 2)


def test_sums_of_masked_items_are_numpy_s_in_every_bit():
    x = np.random.default_rng(0).normal(size=1000)
    check(masked, x, x > -0.5, 1)


def test_a_mask_of_another_length_leaves():
    assert not run_natively(masked, np.ones(3), np.ones(4, "b1"), 1).is_done
    assert not run_natively(masked, np.ones(4), np.ones(1, "b1"), 1).is_done


def spmv(indptr, cols, vals, x, y):
    for i in range(len(y)):
        low, high = indptr[i], indptr[i + 1]
        cs = cols[low:high]
        y[i] = vals[low:high] @ x[cs]


def test_a_sparse_product():
    rng = np.random.default_rng(1)
    indptr = np.cumsum(rng.integers(0, 5, 9)).astype("u4")
    size = int(indptr[-1])
    cols = rng.integers(0, 6, size).astype("u4")
    vals, x = rng.integers(0, 9, size) * 1.0, rng.integers(0, 9, 6) * 1.0
    check(spmv, indptr, cols, vals, x, np.zeros(8))


def stores(x, idx, v, n):
    for i in range(n):
        x[idx] = v
        x[idx] += v
        x[idx] = i
        x[idx] *= v
        x[idx[i:]] += v[i:] + x[idx[i:]]
        x[idx] = v[:1]
        x[idx] = x[idx[::-1]]


@pytest.mark.parametrize("code", DTYPES)
def test_stores_at_indices(code):
    for size in SIZES:
        idx, v = layouts(places("i8", size, 9)), layouts(sample(code, size))
        if size:
            for parts in zip(layouts(sample(code, 9)), idx, v, strict=True):
                check(stores, *parts, 2)


def stores_at_rest(x, idx, n):
    for i in range(n):
        x[idx[i:]] = i


@pytest.mark.parametrize("step", [1, 3, -1, -3])
def test_no_index_shares_memory_with_the_items(step):
    """Indices that are not there lie nowhere, also between items and the ends of other arrays."""
    for before in (True, False):
        memory = np.zeros(6, "i8")
        items, rest = (memory[:3], memory[3:]) if before else (memory[3:], memory[:3])
        x, idx = items.view("b1"), rest[::step][:1]
        run = run_natively(stores_at_rest, x, idx, 3)
        assert run.is_done and x.tolist() == [False] * 24


@pytest.mark.parametrize("code", INDEX_DTYPES)
@pytest.mark.parametrize("size", SIZES)
def test_stores_at_indices_of_every_dtype(code, size):
    check(scalars_stored, np.zeros(5), places(code, size, 5), 2)


def scalars_stored(x, idx, n):
    for i in range(n):
        x[idx] = 1.5
        x[idx] += i
        x[idx] -= x[idx] * x[idx]


def store_in_matrix(A, idx, v, n):
    for i in range(n):
        A[i, idx] = v
        A[idx, i] += v
        A[-1, idx] = A[idx, 0]


@pytest.mark.parametrize("order", ["C", "F"])
def test_stores_to_rows_and_columns(order):
    A = np.array(sample("f8", 6, 6), order=order)  # type: ignore[call-overload]
    for size in SIZES:
        check(store_in_matrix, A, places("i4", size, 6), sample("f8", size), 3)


def test_a_wrong_index_leaves_before_any_store():
    for wrong in (5, -6):
        x = np.zeros(5)
        run = run_natively(scalars_stored, x, np.array([0, 1, wrong]), 2)
        assert not run.is_done and not x.any()


def test_values_of_another_length_leave():
    for lengths in ((3, 2), (1, 3), (0, 3), (3, 0)):
        x = np.zeros(5)
        run = run_natively(stores, x, np.zeros(lengths[0], "i8"), np.ones(lengths[1]), 1)
        assert not run.is_done and not x.any()


def store_over_operands(x, idx, n):
    for i in range(n):
        x[idx] = x[: len(idx)]
        x[idx] = x[::-1][: len(idx)] + x[idx]
        x[idx] += x[1 : len(idx) + 1]


def test_stores_over_operands():
    for x in layouts(sample("f8", 9)):
        check(store_over_operands, x, np.array([3, 0, -1, 3, 2]), 3)


def indices_changed(idx, n):
    for i in range(n):
        idx[idx] = i


def test_stores_over_indices_leave():
    assert not run_natively(indices_changed, np.array([1, 0, 2]), 2).is_done


def masked_stores(x, mask, v, n):
    for i in range(n):
        x[mask] = v
        x[mask] += v
        x[mask] = i
        x[~mask] *= x[~mask]
        x[mask] = x[mask][::-1]
        x[x > 1] = 1
        x[mask] = v[:1]


@pytest.mark.parametrize("code", DTYPES)
def test_stores_where_a_mask_holds(code):
    for size in SIZES[1:]:
        mask = np.random.default_rng(size).random(size) > 0.5
        mask[0] = True
        values = sample(code, int(mask.sum()))
        for parts in zip(layouts(sample(code, size)), layouts(mask), layouts(values), strict=True):
            check(masked_stores, *parts, 2)


def test_masked_stores_of_another_length_leave():
    mask = np.array([True, False, True])
    for size, count in ((3, 3), (3, 0), (4, 2)):
        x = np.zeros(size)
        assert not run_natively(masked_stores, x, mask, np.ones(count), 1).is_done and not x.any()


def outers(x, y, n):
    for i in range(n):
        a = np.outer(x, y)
        b = np.add.outer(x, y)
        c = np.maximum.outer(y, x[i:])
        d = np.outer(x * 2, y) + 1
        e = np.sum(np.outer(x, y))
        f = np.less.outer(x, y)


@pytest.mark.parametrize("code", ["b1", "u1", "i4", "f4", "f8", "c16"])
def test_outers(code):
    for size in SIZES:
        for x, y in zip(layouts(sample(code, size)), layouts(sample(code, 5)), strict=True):
            check(outers, x, y, 2)
