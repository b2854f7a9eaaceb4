"""Lists and dicts have None beside numbers, characters or tuples of numbers, as in Python."""

from __future__ import annotations

import heapq
from collections import deque
from typing import Any

import numpy as np
import pytest

from tests.frontend.loops.jitted import Programs

program = Programs()
RANDOM = np.random.default_rng(8)
EDGES = [[(int(v), float(w)) for v, w in RANDOM.random((3, 2)) * (40, 1)] for _ in range(40)]
WHOLE = [[(v, round(9 * w)) for v, w in edges] for edges in EDGES]
SEEN = RANDOM.integers(0, 12, 60).tolist()
SPARSE = [None if x < 0.4 else x for x in RANDOM.random(50).tolist()]


@program(EDGES)  # distances are None, the int 0 and floats
@program(WHOLE)
def shortest(adjacent):
    distance, previous = [None] * len(adjacent), [None] * len(adjacent)
    distance[0], heap = 0, [(0, 0)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > distance[u]:
            continue
        for v, w in adjacent[u]:
            if distance[v] is None or d + w < distance[v]:
                distance[v], previous[v] = d + w, u
                heapq.heappush(heap, (d + w, v))
    return distance, previous


@program(WHOLE)
def ways(adjacent):
    previous, queue = {0: None}, deque([0])
    while queue:
        u = queue.popleft()
        for v, w in adjacent[u]:
            if v not in previous:
                previous[v] = (u, w)
                queue.append(v)
    path, at = [], max(previous)
    while previous[at] is not None:
        at, w = previous[at]
        path.append(w)
    return previous, path


@program(30)
def remembered(n):
    memo, total = [None] * (n + 1), 0

    def value(i):
        if i < 2:
            return i
        if memo[i] is None:
            memo[i] = value(i - 1) + value(i - 2)
        return memo[i]

    for i in range(n):
        total += value(i) % 7
    return total, memo


@program(9, 7)
def of_lists(n, m):
    memo, total = [[None] * m for _ in range(n)], 0
    for i in range(n):
        for j in range(m):
            if memo[i][j] is None:
                memo[i][j] = 1 if i == 0 or j == 0 else memo[i - 1][j] + memo[i][j - 1]
            total += memo[i][j]
    return total, memo


@program(SEEN)
def gaps(xs):
    last, out = {}, []
    for i in range(len(xs)):
        j = last.get(xs[i])
        out.append(None if j is None else i - j)
        last[xs[i]] = None if i % 7 == 6 else i
    return out, last


@program(SPARSE)
@program([*SPARSE[1:], None])
@program([(1, 2.0), None, (3, 4.0)] * 5, native=None)
@program([None] * 30, native=None)
@program([None] * 30 + [1] * 5, native=None)  # more than is expected of the first items
def filled(xs):
    out, last, missing = [None] * len(xs), None, 0
    for i in range(len(xs)):
        if xs[i] is not None:
            last = xs[i]
        else:
            missing += 1
        out[i] = last
        xs[i] = None
    for x in out:
        missing += x is None
    return out, missing


@program(dict.fromkeys(range(20)), native=None)
@program(dict.fromkeys(range(20)) | {30: 7}, native=None)
@program({0: 1.5} | dict.fromkeys(range(1, 20)), native=None)
def of_dict(table):
    out = []
    for key in range(25):
        if key in table:
            out.append(table[key] is None)
        out.append(table.get(key))
        out.append(table.setdefault(key, None))
        out.append(table.pop(key, None))
        table[key] = None
    for key, value in table.items():
        out.append(key if value is None else value)
    return out


@program("abcadbcbadacbbda")
def characters(text):
    last, changes = [None] * 4, 0
    for c in text:
        place = ord(c) - 97
        if last[place] is None:
            changes += 1
        elif last[place] == c:
            changes += 10
        last[place] = c
        if changes % 7 == 0:
            last[(place + 1) % 4] = None
    return last, changes


@program(SEEN)
def taken_and_put(xs):
    kept, total = [None] * 9, 0
    for x in xs:
        kept[x % 9] = (kept[x % 9] or 0) + x
        y = kept.pop()
        kept.append(None if y is None else y + 1)
        kept.insert(0, None)
        del kept[0]
        first, second = kept[1], kept[2]
        total += first is None and second is None
    return kept, total


@program(np.array([3.0, np.nan, -1.0, 2.5, -0.0, 7.0]))
def of_numpys_numbers(x):
    best = [None] * 2
    for i in range(len(x)):
        if best[i % 2] is None or x[i] > best[i % 2]:
            best[i % 2] = x[i]
    return best


@program(list(range(12)) + [None])
def python_raises(xs):
    total = 0
    for i in range(len(xs)):
        total += xs[i]
        xs[i] = None
    return total


@pytest.mark.parametrize("name", program.cases)
def test_none_beside_other_items(name: str, jitted: dict[str, tuple[Any, list[Any]]]) -> None:
    program.check(name, *jitted[name])
