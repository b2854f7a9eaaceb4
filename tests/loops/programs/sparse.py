"""Sparse matrices: compressed rows and coordinates, read through index arrays."""

from __future__ import annotations

import numpy as np

from tests.loops.programs.program import loop


def compressed(rows, columns, rng, dtype=np.float64, index=np.int64):
    counts = rng.integers(0, 6, rows)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(index)
    return (
        starts,
        rng.integers(0, columns, starts[-1]).astype(index),
        rng.standard_normal(starts[-1]).astype(dtype),
    )


@loop(
    lambda n, rng: (*compressed(n, n, rng), rng.random(n)),
    sizes=(1, 6),
    realistic=20_000,
    exact=False,
    float32=lambda rng: (*compressed(5, 5, rng, np.float32, np.uint32), rng.random(5).astype(np.float32)),
    column_past_the_end=lambda rng: (np.array([0, 1, 2]), np.array([0, 9]), np.ones(2), np.ones(2)),
)
def spmv_by_slices(starts, columns, values, x):
    y = np.empty(starts.size - 1, values.dtype)
    for i in range(starts.size - 1):
        cols = columns[starts[i] : starts[i + 1]]
        vals = values[starts[i] : starts[i + 1]]
        y[i] = vals @ x[cols]
    return y


@loop(
    lambda n, rng: (*compressed(n, n, rng), rng.random(n)),
    sizes=(0, 1, 6),
    realistic=20_000,
    int32_indices=lambda rng: (*compressed(5, 5, rng, index=np.int32), rng.random(5)),
    uint64_indices=lambda rng: (*compressed(5, 5, rng, index=np.uint64), rng.random(5)),
    uint8_indices=lambda rng: (*compressed(5, 5, rng, np.float32, np.uint8), rng.random(5)),
    strided_vector=lambda rng: (*compressed(5, 4, rng), rng.random(8)[::-2]),
    column_past_the_end=lambda rng: (np.array([0, 1, 3]), np.array([0, 1, 9]), np.ones(3), np.ones(2)),
    negative_columns=lambda rng: (np.array([0, 1, 3]), np.array([-1, 0, -2]), np.ones(3), np.array([1.0, 2])),
    float_indices=lambda rng: (np.array([0, 1]), np.array([0.0]), np.ones(1), np.ones(1)),
)
def spmv_by_element(starts, columns, values, x):
    n = len(starts) - 1
    y = np.zeros(n)
    for i in range(n):
        total = 0.0
        for at in range(starts[i], starts[i + 1]):
            total += values[at] * x[columns[at]]
        y[i] = total
    return y


@loop(
    lambda n, rng: (rng.integers(0, n, 5 * n), rng.integers(0, n, 5 * n), rng.random(5 * n), rng.random(n)),
    sizes=(1, 4),
    realistic=10_000,
    negative_rows=lambda rng: (np.array([-1, 0]), np.array([0, -1]), np.ones(2), np.array([2.0, 3.0])),
    fewer_values=lambda rng: (np.array([0, 1, 1]), np.array([0, 0, 1]), np.ones(2), np.ones(2)),
    complex=lambda rng: (np.array([0, 1]), np.array([1, 0]), np.array([1j, 2]), np.ones(2)),
)
def coordinate_product(rows, columns, values, x):
    y = np.zeros_like(x)
    for r, c, v in zip(rows, columns, values):  # noqa: B905
        y[r] += v * x[c]
    return y


@loop(
    lambda n, rng: (*compressed(n, n + 2, rng), n + 2),
    sizes=(0, 1, 5),
    realistic=6000,
    int32=lambda rng: (*compressed(4, 3, rng, np.float32, np.int32), 3),
    too_few_columns=lambda rng: (np.array([0, 2, 3]), np.array([0, 1, 2]), np.ones(3), 2),
)
def transpose_compressed(starts, columns, values, width):
    height = len(starts) - 1
    counts = np.zeros(width + 1, dtype=starts.dtype)
    for c in columns:
        counts[c + 1] += 1
    for c in range(width):
        counts[c + 1] += counts[c]
    rows = np.empty_like(columns)
    moved = np.empty_like(values)
    places = counts.copy()
    for r in range(height):
        for at in range(starts[r], starts[r + 1]):
            c = columns[at]
            rows[places[c]] = r
            moved[places[c]] = values[at]
            places[c] += 1
    return counts, rows, moved


@loop(lambda n, rng: (*compressed(n, n, rng), n), sizes=(1, 5), realistic=2500)
def product_of_compressed(starts, columns, values, n):
    made_starts, made_columns, made_values = [0], [], []
    total = np.zeros(n)
    seen = np.full(n, -1)
    for i in range(n):
        touched = []
        for a in range(starts[i], starts[i + 1]):
            k = columns[a]
            for b in range(starts[k], starts[k + 1]):
                j = columns[b]
                if seen[j] != i:
                    seen[j] = i
                    total[j] = 0.0
                    touched.append(j)
                total[j] += values[a] * values[b]
        for j in touched:
            made_columns.append(int(j))
            made_values.append(total[j])
        made_starts.append(len(made_columns))
    return made_starts, made_columns, made_values


@loop(
    lambda n, rng: (*compressed(n, n, rng), rng.random(n) + 9, rng.random(n), 3),
    sizes=(1, 5),
    realistic=3000,
    zero_diagonal=lambda rng: (*compressed(3, 3, rng), np.zeros(3), np.ones(3), 1),
)
def sparse_gauss_seidel(starts, columns, values, diagonal, b, sweeps):
    x = np.zeros_like(b)
    for _ in range(sweeps):
        change = 0.0
        for i in range(len(b)):
            total = b[i]
            for at in range(starts[i], starts[i + 1]):
                if columns[at] != i:
                    total -= values[at] * x[columns[at]]
            before, x[i] = x[i], total / diagonal[i]
            change = max(change, abs(x[i] - before))
    return x, change
