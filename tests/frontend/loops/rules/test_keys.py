"""`min`, `max`, `sorted` and `sort` with keys give what Python gives, natively, ties and NaNs included."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.frontend.loops.jitted import Programs
from tests.loops.random_check import compile_loops_alone

POSITIVE = np.arange(20) * 7 % 10 - 4
NANS = np.where(POSITIVE > 3, np.nan, POSITIVE)
program = Programs()


@program(POSITIVE, 6)
@program(NANS, 6)
@program(POSITIVE.astype(np.float32), 5)
def extremes(x, m):
    found = []
    for i in range(len(x) - m):
        found.append(max(range(i, i + m), key=lambda k: x[k]))
        found.append(min(range(i, i + m), key=lambda k: (x[k] > 0, -k)))
        found.append(min((k for k in range(i, i + m) if k % 2), key=lambda at: abs(x[at])))
    return found


@program(POSITIVE, 6)
@program(NANS, 6)
def values(x, m):
    total = 0.0
    for i in range(len(x) - m):
        total += max(x[i : i + m], key=abs) - min([x[i], x[i + 1]], key=lambda v: -v)
        one, other = min([(j, x[i + j]) for j in range(m)], key=lambda pair: pair[1])
        total += one * other
    return total


@program(7)
def nearest(n):
    dist = [math.inf] * n
    dist[2] = 0
    left, order = set(range(n)), []
    while left:
        u = min(left, key=lambda v: dist[v])
        left.remove(u)
        order.append(u)
        for v in range(n):
            if dist[u] + (u * v) % 5 + 1 < dist[v]:
                dist[v] = dist[u] + (u * v) % 5 + 1
    return order, dist


@program(POSITIVE)
def most_frequent(x):
    found = []
    for i in range(len(x) - 5):
        counts = {}
        for j in range(5):
            counts[int(x[i + j]) % 3] = counts.get(int(x[i + j]) % 3, 0) + 1
        found.append(max(counts, key=counts.get))
    return found


@program(POSITIVE, 4, native=None)
@program(POSITIVE, 0, native=None)
def of_nothing(x, m):
    total = 0
    for i in range(3):
        total += min(range(i, m), key=lambda k: x[k])
    return total


@program(POSITIVE, 6)
@program(NANS, 6)
def orders(x, m):
    found, pairs, again = [], [], []
    for i in range(len(x) - m):
        found += sorted(range(i, i + m), key=lambda k: x[k])
        pairs = [(j, x[i + j]) for j in range(m)]
        pairs.sort(key=lambda pair: pair[1], reverse=True)
        again = sorted(pairs, key=lambda pair: (pair[0] % 2, -pair[0]), reverse=i % 2 == 0)
        found.append(again[1][0] - pairs[1][0])
        items = [pair[0] - 2 for pair in pairs]
        items.sort(key=abs)
        found += sorted(items, key=None)
    return found, pairs, again


@program([[3, 1, 0], [1], [2, 0, 1, 3], [3, 2]])
def rows_by_their_lengths(rows):
    total = 0
    for i in range(len(rows)):
        rows[i].sort(key=lambda v: len(rows[v]))  # the row itself is empty then
        total += rows[i][0] * i
    return total, rows


@program([3, 1, 2], native=None)
def empty_while_it_is_sorted(items):
    total = 0
    for i in range(3):
        total += items[i]
        if total > 4:
            items.sort(key=lambda v: items[0])
    return total


@program([3, 1, 2], 2, native=None)
def captured(items, k):
    made = []
    for i in range(k):
        made.append(lambda v, i=i: v * i)
    for i in range(len(items)):
        items[i] = max(items, key=lambda v: v % (i + k))
    return items, made[1](5)


def nearest_of(dist, left, offset):
    at = min(left, key=lambda v: dist[v] + offset)
    left.remove(at)
    return at, sorted(left, key=lambda v: -dist[v])


@program(POSITIVE)
def in_functions(x):
    left, found = list(range(len(x))), []
    while len(left) > 2:
        at, rest = nearest_of(x, left, len(found))
        found.append(at * 100 + rest[0])
    return found, left


@program([3, 1, 2], native=None)
def effects_within_a_key(items):
    seen = []
    for _ in range(3):
        items.sort(key=lambda v: seen.append(v) or -v)
    return items, seen


@pytest.fixture(scope="module")
def called():
    with pytest.MonkeyPatch.context() as patch:
        compile_loops_alone(patch)
        return program.called()


@pytest.mark.parametrize("name", list(program.cases))
def test_keys(name, called):
    jitted, outcomes = called[name]
    program.check(name, jitted, outcomes)
