"""Elements, slices, index arrays and masks in loops, and arrays that are made within them."""

from __future__ import annotations

import numpy as np

from tests.loops.programs.program import loop


@loop(
    lambda n, rng: (rng.standard_normal(n), 3),
    sizes=(3, 4, 9),
    realistic=150_000,
    offset_past_the_start=lambda rng: (rng.standard_normal(3), 5),
    offset_of_numpy=lambda rng: (rng.standard_normal(7), np.uint8(3)),
    offset_of_zero=lambda rng: (rng.standard_normal(3), 0),
)
def negative_indices(x, k):
    total = 0.0
    for i in range(1, len(x) + 1):
        total += x[-i] * i
        x[i - k] = total / 2
    x[-1] += x[-k]
    return total


@loop(
    lambda n, rng: (rng.standard_normal(n),),
    sizes=(0, 1, 5),
    realistic=2000,
    exact=False,
    float32=lambda rng: (rng.standard_normal(5).astype(np.float32),),
    int8_sums_widen=lambda rng: (np.full(5, 100, np.int8),),
    every_third=lambda rng: (rng.standard_normal(12)[::3],),
    bools=lambda rng: (rng.random(4) > 0.5,),
)
def reductions_of_growing_slices(x):
    out = np.zeros((len(x), 4))
    for i in range(1, len(x)):
        part = x[:i]
        out[i, 0] = part.sum() + x[i:].max()
        out[i, 1] = np.mean(part) - part.min()
        out[i, 2] = part.argmax() + np.argmin(x[i:])
        out[i, 3] = part.any() + np.all(part)
    return out


@loop(
    lambda n, rng: (rng.standard_normal(n), rng.standard_normal(n)),
    sizes=(1, 2, 6),
    realistic=5000,
    exact=False,
    float32=lambda rng: (
        rng.standard_normal(5).astype(np.float32),
        rng.standard_normal(5).astype(np.float32),
    ),
    sizes_that_differ=lambda rng: (rng.standard_normal(4), rng.standard_normal(3)),
)
def reversed_slices(r, y):
    out = []
    for k in range(1, len(r)):
        out.append(np.dot(r[k - 1 :: -1], y[:k]))
        y[:k] += 0.25 * y[k - 1 :: -1]
        y[k] = out[-1]
    return out


@loop(
    lambda n, rng: (rng.standard_normal((n, n)),),
    sizes=(0, 1, 2, 5),
    realistic=2500,
    wide=lambda rng: (rng.standard_normal((2, 5)),),
    fortran_float32=lambda rng: (np.asfortranarray(rng.standard_normal((4, 4)).astype(np.float32)),),
    integers=lambda rng: (rng.integers(0, 9, (3, 3)),),
)
def row_and_column_views(a):
    for i in range(1, min(a.shape)):
        row, column = a[i], a[:, i]
        row[:i] = column[:i] * 2
        column[i] += row[0]
        a[i, i:] -= a[i - 1, i:]
        a[:, -i][0] = 7
    return a[-1:]


@loop(
    lambda n, rng: (rng.standard_normal(n), 4),
    sizes=(0, 3, 4, 9),
    realistic=15_000,
    window_of_one=lambda rng: (rng.standard_normal(3), 1),
    int16=lambda rng: (rng.integers(0, 99, 7).astype(np.int16), 3),
)
def sliding_windows(x, width):
    out = np.empty(max(len(x) - width + 1, 0))
    for i in range(len(out)):
        window = x[i : i + width]
        low = high = window[0]
        for value in window[1:]:
            low = min(low, value)
            high = max(high, value)
        out[i] = high - low
    return out


@loop(
    lambda n, rng: (rng.standard_normal((n, 4)), rng.integers(0, 4, (n, 2)), rng.random((n, 4)) > 0.5),
    sizes=(0, 1, 4),
    realistic=4000,
    exact=False,
    index_past_the_end=lambda rng: (
        rng.standard_normal((2, 4)),
        np.array([[0, 1], [2, 4]]),
        np.ones((2, 4), bool),
    ),
    short_mask=lambda rng: (rng.standard_normal((2, 4)), np.array([[0, 1], [2, 3]]), np.ones((2, 3), bool)),
)
def fancy_and_mask_indices(x, picked, mask):
    total = 0.0
    for i in range(len(x)):
        row = x[i]
        total += row[picked[i]].sum()
        row[mask[i]] = 0.0
        row[picked[i]] += 1.0
        total -= row[~mask[i]].sum()
    return total


@loop(
    lambda n, rng: (n,),
    sizes=(0, 1, 5),
    realistic=3000,
    exact=False,
)
def local_arrays(n):
    total = 0.0
    for i in range(n):
        small = np.zeros(3)
        ones = np.ones((2, 2), dtype=np.float32)
        steps = np.arange(i % 3, 5)
        small[i % 3] = i
        ones[0, 1] = small[0] - 0.1
        filled = np.full(3, 0.5)
        filled[1:] = small[:2]
        total += small.sum() + ones[0, 1] + steps[-1] + filled.max()
    return total


@loop(
    lambda n, rng: (rng.standard_normal((n, 3)), rng.standard_normal((3, 3))),
    sizes=(0, 1, 4),
    realistic=4000,
    exact=False,
    float32=lambda rng: (rng.standard_normal((3, 3)).astype(np.float32), rng.standard_normal((3, 3))),
)
def rotated_points(points, rotation):
    out = np.empty_like(points)
    for i, p in enumerate(points):
        out[i] = rotation @ p
        out[i] /= np.linalg.norm(p)
    return out


@loop(
    lambda n, rng: (rng.standard_normal((n, 6)),),
    sizes=(0, 1, 3),
    realistic=8000,
    transposed=lambda rng: (rng.standard_normal((6, 3)).T,),
    columns_backwards=lambda rng: (rng.standard_normal((3, 6))[:, ::-1],),
)
def strided_stores(x):
    for row in x:
        row[::2] = row[1::2]
        row[::-2] *= 0.5
        row[1:4], row[-1] = row[2:5].copy(), row[0]
        row[4:1:-1] = (1, 2, 3)


@loop(
    lambda n, rng: (rng.standard_normal((n, 4)), rng.standard_normal(4), rng.standard_normal((n, 1))),
    sizes=(0, 1, 3),
    realistic=10_000,
    shapes_that_do_not_broadcast=lambda rng: (rng.standard_normal((2, 4)), np.ones(3), np.ones((2, 1))),
)
def broadcasting_rows(x, row, column):
    for i in range(len(x)):
        x[i] = x[i] * row + column[i]
        x[i, 1:] -= column[i, 0]
        x[i : i + 2] *= 0.5
    return x


@loop(
    lambda n, rng: (rng.standard_normal((2, n, n)), n),
    sizes=(1, 2, 4),
    realistic=250,
    exact=False,
)
def outer_products(a, n):
    first, second = a
    for i in range(n):
        first += np.outer(second[i], second[:, i]) / (i + 1)
        second[i] *= np.prod(first[i, :2]) > 0
    return np.trace(first)


@loop(
    lambda n, rng: (rng.standard_normal((n, 3)),),
    sizes=(1, 3),
    realistic=20_000,
    one_dimension=lambda rng: (rng.standard_normal(3),),
)
def elements_by_every_notation(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i][0] + x[i, -1] + x[(i, 1)] + x[i, ...][2] + x.item(i, 0)
        x[i][1] = total
        total += x[i, :1][0] + x[i, None, 2][0] + len(x[i]) + x.shape[1] + x.ndim + x[i].size
    return total


@loop(
    lambda n, rng: (rng.integers(0, n, n), rng.integers(0, n, n), rng.standard_normal(n)),
    sizes=(1, 5),
    realistic=30_000,
    int8_indices=lambda rng: (np.array([0, -1, 2], np.int8), np.array([1, -3, 0], np.int8), np.ones(3)),
)
def index_of_an_index(a, b, x):
    total = 0.0
    for i in range(len(x)):
        total += x[a[b[i]]] - x[b[a[i]] - 1]
        x[a[i]] = x[b[i]] + i
    return total
