"""Dynamic programming: tables filled element by element, each from elements that were filled before."""

from __future__ import annotations

import numpy as np

from tests.loops.programs.program import loop


def two_texts(n, rng):
    return rng.integers(0, 4, n), rng.integers(0, 4, n + n // 3)


@loop(
    two_texts,
    sizes=(0, 1, 6),
    realistic=300,
    bytes=lambda rng: (rng.integers(97, 100, 5).astype(np.uint8), rng.integers(97, 100, 7).astype(np.uint8)),
    lists=lambda rng: (rng.integers(0, 3, 5).tolist(), rng.integers(0, 3, 4).tolist()),
)
def longest_common_subsequence(a, b):
    n, m = len(a), len(b)
    table = np.zeros((n + 1, m + 1), dtype=np.int64)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            if a[i - 1] == b[j - 1]:
                table[i, j] = table[i - 1, j - 1] + 1
            else:
                table[i, j] = max(table[i - 1, j], table[i, j - 1])
    return table[n, m]


@loop(
    two_texts,
    sizes=(0, 5),
    realistic=300,
    strided=lambda rng: (rng.integers(0, 3, 12)[::2], rng.integers(0, 3, 7)[::-1]),
    mixed_dtypes=lambda rng: (
        rng.integers(0, 3, 5).astype(np.int16),
        rng.integers(0, 3, 6).astype(np.float32),
    ),
)
def edit_distance_two_rows(a, b):
    previous = np.arange(len(b) + 1)
    current = np.empty_like(previous)
    for i in range(len(a)):
        current[0] = i + 1
        for j in range(len(b)):
            cost = 0 if a[i] == b[j] else 1
            current[j + 1] = min(previous[j + 1] + 1, current[j] + 1, previous[j] + cost)
        previous, current = current, previous
    return previous[-1]


@loop(
    lambda n, rng: (rng.integers(1, 12, n), rng.integers(1, 30, n), 5 * n),
    sizes=(0, 4),
    realistic=150,
    no_room=lambda rng: (np.array([3, 4]), np.array([1, 2]), 0),
    int8_wraps_around=lambda rng: (np.array([1, 1, 2], np.int8), np.array([100, 90, 80], np.int8), 4),
    too_few_values=lambda rng: (np.array([1, 2, 3]), np.array([5, 6]), 6),
)
def knapsack(weights, values, capacity):
    best = np.zeros(capacity + 1, dtype=values.dtype)
    for i in range(len(weights)):
        w, v = weights[i], values[i]
        for c in range(capacity, w - 1, -1):
            if best[c - w] + v > best[c]:
                best[c] = best[c - w] + v
    return best, best[capacity]


def can_pair(a, b):
    return 1 if a + b == 3 else 0


@loop(
    lambda n, rng: (rng.integers(0, 4, n), np.zeros((n, n), np.int64)),
    sizes=(1, 6),
    realistic=80,
    fortran=lambda rng: (rng.integers(0, 4, 5), np.zeros((5, 5), np.int32, order="F")),
    bytes=lambda rng: (rng.integers(0, 4, 5).astype(np.uint8), np.zeros((5, 5), np.int64)),
    read_only=lambda rng: (rng.integers(0, 4, 5), np.broadcast_to(np.int64(0), (5, 5))),
)
def nussinov(sequence, table):
    n = len(sequence)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            if j - 1 >= 0:
                table[i, j] = max(table[i, j], table[i, j - 1])
            if i + 1 < n:
                table[i, j] = max(table[i, j], table[i + 1, j])
            if j - 1 >= 0 and i + 1 < n:
                if i < j - 1:
                    table[i, j] = max(table[i, j], table[i + 1, j - 1] + can_pair(sequence[i], sequence[j]))
                else:
                    table[i, j] = max(table[i, j], table[i + 1, j - 1])
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
    return table


def hidden_markov(n, rng, dtype=np.float64):
    chances = [rng.random((5, 5)), rng.random((5, 3)), rng.random(5)]
    logs = [np.log(one / one.sum(-1, keepdims=True)).astype(dtype) for one in chances]
    return (rng.integers(0, 3, n), *logs)


@loop(
    hidden_markov,
    sizes=(1, 6),
    realistic=2500,
    float32=lambda rng: hidden_markov(4, rng, np.float32),
    unknown_observation=lambda rng: (np.array([0, 1, 3]), *hidden_markov(1, rng)[1:]),
    nothing_observed=lambda rng: hidden_markov(0, rng),
)
def viterbi(observed, moves, emissions, first):
    steps, states = len(observed), len(first)
    score = np.full((steps, states), -np.inf)
    origin = np.zeros((steps, states), dtype=np.intp)
    for s in range(states):
        score[0, s] = first[s] + emissions[s, observed[0]]
    for t in range(1, steps):
        for s in range(states):
            best, at = -np.inf, -1
            for p in range(states):
                candidate = score[t - 1, p] + moves[p, s]
                if candidate > best:
                    best, at = candidate, p
            score[t, s] = best + emissions[s, observed[t]]
            origin[t, s] = at
    path = np.empty(steps, dtype=np.intp)
    path[-1] = score[-1].argmax()
    for t in range(steps - 1, 0, -1):
        path[t - 1] = origin[t, path[t]]
    return path, score[-1, path[-1]]


@loop(
    lambda n, rng: (rng.random(n),),
    sizes=(1, 6),
    realistic=60,
    float32=lambda rng: (rng.random(4).astype(np.float32),),
    integers=lambda rng: (rng.integers(1, 9, 4),),
)
def optimal_search_tree(frequency):
    n = len(frequency)
    cost = np.zeros((n + 2, n + 1), dtype=frequency.dtype)
    weight = np.zeros((n + 2, n + 1), dtype=frequency.dtype)
    root = np.zeros((n + 2, n + 1), dtype=np.int32)
    for length in range(1, n + 1):
        for i in range(1, n - length + 2):
            j = i + length - 1
            weight[i, j] = weight[i, j - 1] + frequency[j - 1]
            best = None
            for r in range(i, j + 1):
                total = cost[i, r - 1] + cost[r + 1, j] + weight[i, j]
                if best is None or total < best:
                    best = total
                    root[i, j] = r
            cost[i, j] = best
    return cost[1, n], root


@loop(
    lambda n, rng: (rng.integers(1, 40, n + 1),),
    sizes=(0, 1, 6),
    realistic=60,
    list_of_sizes=lambda rng: ([10, 20, 30, 40, 30],),
    overflowing_int32=lambda rng: (np.array([2000, 3000, 2500, 4000], np.int32),),
)
def matrix_chain(p):
    n = len(p) - 1
    m = np.zeros((n, n), dtype=np.int64)
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            m[i, j] = np.iinfo(np.int64).max
            for k in range(i, j):
                q = m[i, k] + m[k + 1, j] + p[i] * p[k + 1] * p[j + 1]
                if q < m[i, j]:
                    m[i, j] = q
    return m[0, n - 1] if n else 0


@loop(
    lambda n, rng: (rng.integers(0, 100, n),),
    sizes=(0, 1, 9),
    realistic=500,
    floats_with_nan=lambda rng: (np.array([1.0, np.nan, 2.0, -0.0, 0.0, 3.0]),),
    unsigned=lambda rng: (rng.integers(0, 9, 8).astype(np.uint16),),
)
def longest_increasing_subsequence(x):
    n = len(x)
    length = np.ones(n, dtype=int)
    origin = -np.ones(n, dtype=int)
    for i in range(n):
        for j in range(i):
            if x[j] < x[i] and length[j] + 1 > length[i]:
                length[i] = length[j] + 1
                origin[i] = j
    at = -1
    for i in range(n):
        if at < 0 or length[i] > length[at]:
            at = i
    chain = []
    while at >= 0:
        chain.append(int(x[at]) if x[at] == x[at] else None)
        at = origin[at]
    return chain[::-1]


@loop(
    lambda n, rng: ([1, 5, 10, 25, 50], n),
    sizes=(0, 11),
    realistic=80_000,
    array_of_coins=lambda rng: (np.array([2, 3, 7]), 15),
    numbers_past_64_bits=lambda rng: ([1, 2, 3, 5], np.array([90])[0] * 30_000 // 90_000),
)
def ways_of_change(coins, amount):
    ways = [0] * (amount + 1)
    ways[0] = 1
    for coin in coins:
        for value in range(coin, amount + 1):
            ways[value] += ways[value - coin]
    return ways[amount]


@loop(
    lambda n, rng: (rng.standard_normal(n), rng.standard_normal(n + 2)),
    sizes=(1, 5),
    realistic=250,
    complex=lambda rng: (rng.standard_normal(3) + 1j, rng.standard_normal(4) * 1j),
    float16=lambda rng: (
        rng.standard_normal(4).astype(np.float16),
        rng.standard_normal(3).astype(np.float16),
    ),
)
def dynamic_time_warping(x, y):
    n, m = len(x), len(y)
    distance = np.full((n + 1, m + 1), np.inf)
    distance[0, 0] = 0
    for i in range(n):
        for j in range(m):
            cost = abs(x[i] - y[j])
            best = distance[i, j]
            if distance[i, j + 1] < best:
                best = distance[i, j + 1]
            if distance[i + 1, j] < best:
                best = distance[i + 1, j]
            distance[i + 1, j + 1] = cost + best
    return distance[n, m]
