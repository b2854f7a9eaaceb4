"""Rows of matrices that masks, lists of ints and index arrays choose; loops over all places of an array."""

from __future__ import annotations

import numpy as np

from tests.loops.programs.program import loop


def points(n, rng):
    return rng.normal(size=(4 * n, 3)), 3, 4


@loop(points, sizes=(2, 5), realistic=200, exact=False)
def k_means_by_masks(points, k, trips):
    centres = points[:k].copy()
    labels = np.zeros(len(points), dtype=np.int64)
    for _ in range(trips):
        for i in range(points.shape[0]):
            best = np.inf
            for j in range(k):
                distance = 0.0
                for axis in range(points.shape[1]):
                    away = points[i, axis] - centres[j, axis]
                    distance += away * away
                if distance < best:
                    best = distance
                    labels[i] = j
        for j in range(k):
            members = points[labels == j]
            if len(members) > 0:
                centres[j] = members.mean(axis=0)
    return centres, labels


@loop(
    lambda n, rng: (rng.normal(size=(n, n)), rng.normal(size=n)),
    sizes=(1, 5),
    realistic=60,
    singular=lambda rng: (np.zeros((3, 3)), np.ones(3)),
    columns_first=lambda rng: (np.asfortranarray(rng.normal(size=(4, 4))), rng.normal(size=4)),
)
def solved_with_swaps_of_rows(a, b):
    a, b = a.copy(), b.copy()
    n = len(b)
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[p, k]):
                p = i
        if a[p, k] == 0.0:
            raise ZeroDivisionError(f"singular at {k}")
        if p != k:
            a[[k, p]] = a[[p, k]]
            b[[k, p]] = b[[p, k]]
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            for j in range(k, n):
                a[i, j] -= factor * a[k, j]
            b[i] -= factor * b[k]
    return a, b


@loop(
    lambda n, rng: (rng.normal(size=(n, 4)), rng.integers(-n, n, n), rng.normal(size=(3, 4))),
    sizes=(4, 7),
    realistic=300,
    out_of_bounds_half_way=lambda rng: (np.zeros((3, 4)), np.array([0, 1, 2, 0, 5, 1]), np.ones((3, 4))),
)
def rows_scattered(x, index, rows):
    for start in range(0, len(index) - 2, 3):
        x[index[start : start + 3]] = rows
        x[index[start : start + 3], 1] += start
        rows[0] = x[index[start]]
    return x


@loop(
    lambda n, rng: (rng.normal(size=(n, n)),),
    sizes=(1, 4),
    realistic=60,
    columns_first=lambda rng: (np.asfortranarray(rng.normal(size=(3, 3))),),
)
def places_and_items(x):
    out = np.zeros(x.shape)
    for i, j in np.ndindex(x.shape):
        out[i, j] = x[i, j] + x[j, i] if i > j else 2 * x[i, j]
    best, place = -np.inf, (0, 0)
    for (i, j), item in np.ndenumerate(out):
        if item > best:
            best, place = item, (i, j)
    total = 0.0
    for item in out.flat:
        total += item * best
    return out, place, total
