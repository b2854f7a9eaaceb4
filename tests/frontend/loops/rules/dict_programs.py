"""Programs that read and change Python's dicts, with arguments, for `test_dicts.py`."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from typing import Any

import numpy as np

from tests.frontend.loops.jitted import Programs

program = Programs()
MEMO: dict[Any, Any] = {}


# -- reading and storing ---------------------------------------------------------------------------------


@program([3, 9, 2, 7, 11, -1, -2], 8)
@program([3, 9, 2, 7, 11, -1, -2], 100)
@program([], 1)
def two_sum(nums, target):
    seen = {}
    for i in range(len(nums)):
        rest = target - nums[i]
        if rest in seen:
            return seen[rest], i, seen
        seen[nums[i]] = i
    return seen


@program([1, 5, 1, 300, 5, 1, -300, 1 << 40, 300])
@program([1.5, 2.5, 1.5, 0.0, -0.0])
@program([True, False, True])
@program([(1, 2), (2, 1), (1, 2), (-1, -2)])
@program([])
def counts_by_get(xs):
    counts = {}
    for i in range(len(xs)):
        counts[xs[i]] = counts.get(xs[i], 0) + 1
    return counts


@program(np.array([3, 1, 3, -1, -2, 300, 300]))
@program(np.array([3, 1, 3], np.uint8))
@program(np.array([3, 1, 3], np.uint64))
@program(np.array([3.5, 1.0, 3.5]))
@program(np.array([3.5, 1.0, 3.5], np.float32))
@program(np.array([True, False, True]))
def counts_of_numpy_scalars(a):
    counts = {}
    for i in range(len(a)):
        if a[i] in counts:
            counts[a[i]] += 1
        else:
            counts[a[i]] = 1
    return counts


@program(9)
def keys_of_numpy_and_python_are_equal(n):
    a = np.arange(n) % 4
    seen, order = {}, []
    for i in range(n):
        seen[a[i]] = i
        seen[i % 3] = -i
        order.append(seen[a[i]])
        if float(i) in seen:
            order.append(seen[float(i)] + seen[i < 2])
    return seen, order


@program({1: "a", 2.5: "b"}, 3)
def one_is_true_is_one_point_nought(unused, n):
    d = {}
    for i in range(n):
        d[1] = i
        d[1.0] = i + 10
        d[i == 0] = d[True] + 1
    return d


@program(20)
def memo_of_pairs(n):
    memo = {(0, 0): 1}
    for i in range(n):
        for j in range(n):
            if i == 0 and j == 0:
                continue
            ways = 0
            if (i - 1, j) in memo:
                ways += memo[(i - 1, j)]
            if (i, j - 1) in memo:
                ways += memo[i, j - 1]
            memo[(i, j)] = ways % 1009
    return memo


@program(30)
def memo_of_a_recurrence(n):
    memo = {0: 0, 1: 1}
    for i in range(2, n):
        memo[i] = memo[i - 1] + memo[i - 2]
    return memo


@program(90)
def values_grow_beyond_64_bits(n):
    memo = {0: 1}
    for i in range(1, n):
        memo[i] = memo[i - 1] * 3
    return memo


@program({5: 1, 6: 2, 7: 3}, 5)
def changed_in_place(d, n):
    for i in range(n):
        d[i] = len(d)
        d[5 + i % 3] += i
    return d, len(d)


@program({}, 4)
@program({1: 2.5}, 4)
def float_values(d, n):
    for i in range(n):
        d[i] = d.get(i, 0.25) * 2
        d[i] += 1
    return d


@program([4, 2, 4, 4, 2, 9], {4: 7})
def counts_in_a_given_dict(xs, d):
    for x in xs:
        d[x] = d.get(x, 0) + 1
        if d[x] > 8:
            d[x] = -1
    return d


@program(50)
def function_of_a_global(n):
    MEMO.clear()
    total = 0
    for i in range(n):
        if i % 7 in MEMO:
            total += MEMO[i % 7]
        MEMO[i % 7] = i
    return total


# -- get, pop, del, setdefault -----------------------------------------------------------------------------


@program([1, 2, 1, 3, 2, 1])
def last_places(xs):
    last, gaps = {}, []
    for i in range(len(xs)):
        before = last.get(xs[i])
        if before is not None:
            gaps.append(i - before)
        last[xs[i]] = i
    return last, gaps


@program([1, 2, 1, 3, 2, 1])
def get_with_another_type(xs):
    last, total = {7: 2}, 0.0
    for i in range(len(xs)):
        total += last.get(xs[i], 0.5)
        last[xs[i]] = i
    return last, total


@program({1: 10, 2: 20, 3: 30}, [1, 3, 1, 9])
def pops(d, xs):
    out = []
    for i in range(len(xs)):
        out.append(d.pop(xs[i], -1))
        d.pop(xs[i] + 1, None)
    return out, d


@program({1: 10, 2: 20, 3: 30}, [1, 3])
@program({1: 10, 2: 20, 3: 30}, [1, 3, 1, 2])
def deletes(d, xs):
    for i in range(len(xs)):
        d[100 + i] = i
        del d[xs[i]]
        del d[100 + i]
    return d


@program([(1, 2), (2, 3), (1, 3), (4, 4)])
@program([])
def graph_by_setdefault(edges):
    adj = {}
    for a, b in edges:
        adj.setdefault(a, []).append(b)
        adj.setdefault(b, []).append(a)
    return adj


@program([(1, 2), (2, 3), (1, 3), (4, 4)], 1)
def graph_and_queue(edges, start):
    adj = {}
    for a, b in edges:
        if a not in adj:
            adj[a] = []
        if b not in adj:
            adj[b] = []
        adj[a].append(b)
        adj[b].append(a)
    seen, queue = {start}, [start]
    while queue:
        u = queue.pop(0)
        for v in adj[u]:
            if v not in seen:
                seen.add(v)
                queue.append(v)
    return adj, seen


@program(12)
def setdefault_of_a_length(n):
    d = {0: 5}
    for i in range(n):
        d.setdefault(len(d), i)
        d.setdefault(i % 4, -1)
    return d


@program({1: 2}, 3)
def clears_and_truth(d, n):
    seen = 0
    for i in range(n):
        if d:
            seen += 1
            d.clear()
        else:
            d[i] = i
    return d, seen


# -- defaultdict and Counter -------------------------------------------------------------------------------


@program([3, 1, 3, 300, 300])
def counts_in_a_defaultdict(xs):
    counts = defaultdict(int)
    for i in range(len(xs)):
        counts[xs[i]] += 1
        if counts[xs[i] + 1000]:
            counts[5] = 9
    return counts


@program([3, 1, 3])
def sums_in_a_defaultdict(xs):
    sums = defaultdict(float)
    for i in range(len(xs)):
        sums[xs[i]] += i * 0.5
    return sums


@program([(i % 20, i * 7 % 23) for i in range(200)])
def graph_in_a_defaultdict(edges):
    adj = defaultdict(list)
    for a, b in edges:
        adj[a].append(b)
        adj[b].append(a)
    return adj


@program(300, native=None)
def augmented_key_is_evaluated_once(n):
    d = defaultdict(int)
    for i in range(n):
        d[len(d)] += i
    return d


@program(defaultdict(int, {1: 2}), 5)
def keys_that_are_asked_for_are_made(d, n):
    a = np.arange(3)
    total = 0
    for i in range(n):
        total += d[i] + a[i]
    return total


@program([3, 1, 3, 300, 300])
def counter(xs):
    counts = Counter()
    odd = 0
    for i in range(len(xs)):
        counts[xs[i]] += 1
        odd += counts[xs[i] + 7]
    return counts, odd


@program(Counter({1: 2, 5: 1}), [1, 1, 5, 9])
def counter_that_is_used_up(counts, xs):
    out = []
    for i in range(len(xs)):
        if counts[xs[i]] > 0:
            counts[xs[i]] -= 1
            out.append(xs[i])
    return counts, out


@program(4)
def defaultdicts_made_in_each_trip(n):
    kept = defaultdict(int)
    for i in range(n):
        kept = defaultdict(int)
        kept[i] += 2
        rows = defaultdict(list)
        rows[i % 2].append(i)
    return kept, rows


# -- values of two types -----------------------------------------------------------------------------------


@program({0: [(1, 4), (2, 1)], 1: [(3, 1)], 2: [(1, 2.5), (3, 7)], 3: [], 4: []})
def shortest_paths(graph):
    far = {node: float("inf") for node in graph}
    far[0] = 0
    heap = [(0, 0)]
    while heap:
        length, node = heapq.heappop(heap)
        if length > far[node]:
            continue
        for other, step in graph[node]:
            if length + step < far[other]:
                far[other] = length + step
                heapq.heappush(heap, (length + step, other))
    return far


@program([1, 5, 1, 2, 5, 5], np.array([0.5, 1.5, -0.0, 4.0, 2.5, 1e300]))
def sums_that_begin_as_ints(keys, x):
    sums, made, begun = {}, defaultdict(int), defaultdict(float)
    for i in range(len(keys)):
        key = keys[i]
        if key in sums:
            sums[key] += x[i]
        else:
            sums[key] = 0
        made[key] += x[i]
        begun[key] += x[i]
    return sums, made, begun


@program({0: 1, 1: 2.5, 2: 3}, {}, 9)
@program({0: 1.0, 1: np.float64(2.5), 2: 3}, {}, 4, native=None)
def ints_and_floats_taken_out(given, made, n):
    seen = []
    for i in range(n):
        made[i] = given.pop(i % 3)
        given[i % 3] = i if i % 5 else made[i] * 2
        given.setdefault(i + 3, 0.5)
        seen.append(given.get(i, 0))
        for value in given.values():
            seen.append(value)
    return given, made, seen
