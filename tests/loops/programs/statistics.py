"""Statistics and random access: running moments, histograms, and elements found through index arrays."""

from __future__ import annotations

import numpy as np

from tests.loops.programs.program import loop


@loop(
    lambda n, rng: (rng.standard_normal(n),),
    sizes=(0, 1, 7),
    realistic=60_000,
    float32=lambda rng: (rng.standard_normal(6).astype(np.float32),),
    float16=lambda rng: (rng.standard_normal(6).astype(np.float16),),
    integers=lambda rng: (rng.integers(0, 9, 6),),
    complex=lambda rng: (rng.standard_normal(4) + 1j,),
    bools=lambda rng: (rng.random(5) > 0.5,),
    python_list=lambda rng: ([1, 2.5, 3],),
)
def welford(x):
    count, mean, m2 = 0, 0.0, 0.0
    for value in x:
        count += 1
        delta = value - mean
        mean += delta / count
        m2 += delta * (value - mean)
    return mean, m2 / (count - 1) if count > 1 else None, count


@loop(
    lambda n, rng: (rng.standard_normal(n),),
    sizes=(0, 1, 7),
    realistic=120_000,
    with_nan=lambda rng: (np.array([1.0, np.nan, 3.0, 2.0, 4.0]),),
    nan_first=lambda rng: (np.array([np.nan, 1.0, 3.0]),),
    signed_zeros=lambda rng: (np.array([-0.0, 0.0, -0.0, 0.0]),),
    int8=lambda rng: (rng.integers(-128, 127, 6).astype(np.int8),),
    uint64=lambda rng: (rng.integers(0, 1 << 64, 6, dtype=np.uint64),),
)
def running_maximum(x):
    out = np.empty_like(x)
    best = None
    for i, value in enumerate(x):
        best = value if best is None else max(best, value)
        out[i] = best
    return out, best


@loop(
    lambda n, rng: (rng.random(n) * 1.2 - 0.1, 10),
    sizes=(0, 1, 9),
    realistic=60_000,
    float32=lambda rng: (rng.random(8).astype(np.float32), 4),
    with_nan=lambda rng: (np.array([0.5, np.nan]), 4),
    with_infinity=lambda rng: (np.array([0.5, np.inf]), 4),
)
def histogram(x, bins):
    counts = np.zeros(bins + 2, dtype=np.int32)
    for value in x:
        if value < 0:
            counts[0] += 1
        elif value >= 1:
            counts[-1] += 1
        else:
            counts[int(value * bins) + 1] += 1
    return counts


@loop(
    lambda n, rng: (rng.integers(0, 99, n),),
    sizes=(0, 1, 9),
    realistic=120_000,
    int8_sum_wraps=lambda rng: (np.full(5, 100, np.int8),),
    floats_as_keys=lambda rng: (np.array([0.5, 0.5, 1.0, -0.0, 0.0]),),
)
def counts_in_a_dict(x):
    counts = {}
    for value in x:
        key = int(value) % 10
        counts[key] = counts.get(key, 0) + 1
    most = -1
    for key, count in counts.items():
        if most < 0 or count > counts[most]:
            most = key
    return counts, most


@loop(
    lambda n, rng: (rng.random(n), rng.integers(-n, n, n), np.zeros(n)),
    sizes=(1, 7),
    realistic=60_000,
    index_past_the_end=lambda rng: (np.arange(4.0), np.array([0, 1, 4, 2]), np.zeros(4)),
    index_before_the_start=lambda rng: (np.arange(4.0), np.array([0, -4, -5, 2]), np.zeros(4)),
    uint8_indices=lambda rng: (np.arange(4.0), np.array([3, 0, 1], np.uint8), np.zeros(4)),
    bool_indices=lambda rng: (np.arange(2.0), np.array([True, False]), np.zeros(2)),
    matrix_rows=lambda rng: (np.arange(4.0).reshape(2, 2), np.array([1, -1]), np.zeros(2)),
)
def gather(x, indices, out):
    total = 0.0
    for i in range(len(indices)):
        out[i] = x[indices[i]] * 2
        total += out[i]
    return total


@loop(
    lambda n, rng: (np.zeros(n), rng.integers(0, n, 2 * n), rng.random(2 * n)),
    sizes=(1, 5),
    realistic=40_000,
    into_int32=lambda rng: (np.zeros(3, np.int32), np.array([0, 1, 1, 2]), np.array([1, 2, 3, 4])),
    floats_into_int32=lambda rng: (np.zeros(3, np.int32), np.array([0, 1, 1]), np.array([1.7, 2.9, -3.5])),
    nan_into_float32=lambda rng: (np.zeros(2, np.float32), np.array([0, 1]), np.array([np.nan, 1e300])),
    complex_into_float=lambda rng: (np.zeros(2), np.array([0, 1]), np.array([1j, 2])),
    python_integer_past_int8=lambda rng: (np.zeros(2, np.int8), [0, 1], [100, 300]),
)
def scatter_add(out, indices, values):
    for i, v in zip(indices, values):  # noqa: B905
        out[i] += v
    return out


@loop(
    lambda n, rng: (rng.permutation(n),),
    sizes=(0, 1, 8),
    realistic=60_000,
    int32=lambda rng: (rng.permutation(7).astype(np.int32),),
    no_permutation=lambda rng: (np.array([1, 2, 5]),),
)
def cycles_of_a_permutation(p):
    seen = np.zeros(len(p), dtype=bool)
    lengths = []
    for start in range(len(p)):
        if seen[start]:
            continue
        at, length = start, 0
        while not seen[at]:
            seen[at] = True
            at = p[at]
            length += 1
        lengths.append(length)
    return lengths


@loop(
    lambda n, rng: (rng.standard_normal((n, 2)), rng.standard_normal((3, 2)), 2),
    sizes=(1, 6),
    realistic=3000,
    float32=lambda rng: (
        rng.standard_normal((5, 2)).astype(np.float32),
        rng.standard_normal((2, 2)).astype(np.float32),
        2,
    ),
    empty_cluster=lambda rng: (np.zeros((3, 2)), np.array([[0.0, 0.0], [9.0, 9.0]]), 2),
)
def k_means(points, centers, rounds):
    n, dimensions = points.shape
    labels = np.zeros(n, dtype=np.int64)
    for _ in range(rounds):
        sums = np.zeros_like(centers)
        counts = np.zeros(len(centers), dtype=np.int64)
        for i in range(n):
            best, nearest = np.inf, 0
            for k in range(len(centers)):
                d = 0.0
                for m in range(dimensions):
                    d += (points[i, m] - centers[k, m]) ** 2
                if d < best:
                    best, nearest = d, k
            labels[i] = nearest
            counts[nearest] += 1
            for m in range(dimensions):
                sums[nearest, m] += points[i, m]
        for k in range(len(centers)):
            if counts[k] > 0:
                for m in range(dimensions):
                    centers[k, m] = sums[k, m] / counts[k]
    return labels, centers


@loop(
    lambda n, rng: (rng.standard_normal(n), rng.standard_normal(n)),
    sizes=(0, 2, 7),
    realistic=300,
    with_ties=lambda rng: (np.array([1, 1, 2, 3]), np.array([1, 2, 2, 0])),
    with_nan=lambda rng: (np.array([1.0, np.nan, 2.0]), np.array([1.0, 2.0, 3.0])),
)
def kendall_tau(x, y):
    concordant = discordant = 0
    for i in range(len(x)):
        for j in range(i):
            product = (x[i] - x[j]) * (y[i] - y[j])
            concordant += product > 0
            discordant += product < 0
    return concordant, discordant, (concordant - discordant) / max(concordant + discordant, 1)


@loop(
    lambda n, rng: (rng.integers(0, 2, n),),
    sizes=(0, 1, 12),
    realistic=250_000,
    bools=lambda rng: (rng.random(12) > 0.4,),
    nan_is_true=lambda rng: (np.array([np.nan, 0.0, -0.0, 1e-300]),),
)
def longest_run(flags):
    longest = run = start = best_start = 0
    for i, flag in enumerate(flags):
        if not flag:
            run = 0
            continue
        if run == 0:
            start = i
        run += 1
        if run > longest:
            longest, best_start = run, start
    return longest, best_start


@loop(
    lambda n, rng: (rng.standard_normal(n), 0.5),
    sizes=(2, 3, 9),
    realistic=120_000,
    plateau=lambda rng: (np.array([0.0, 2, 2, 0, 3, 0]), 0.5),
)
def peaks(x, height):
    found, best = [], None
    for i in range(1, len(x) - 1):
        if x[i - 1] < x[i] > x[i + 1] and x[i] > height:
            found.append(i)
            if best is None or x[i] > x[best]:
                best = i
    return np.array(found), best
