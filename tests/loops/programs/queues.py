"""Heaps, deques, sorted lists and comprehensions: shortest paths, scheduling, sliding windows."""

from __future__ import annotations

import heapq
from collections import deque
from heapq import heappop, heappush

import numpy as np

from tests.loops.programs.program import loop


def _graph(n, rng, whole=True):
    """Return lists of (neighbour, weight) for each vertex."""
    rows = []
    for _ in range(n):
        weights = rng.integers(1, 20, 4).tolist() if whole else rng.random(4).tolist()
        rows.append(list(zip(rng.integers(0, n, 4).tolist(), weights, strict=True)))
    return rows


@loop(
    lambda n, rng: ((rng.random((n, n)) < 0.3).astype(np.int64),),
    sizes=(1, 2, 8),
    realistic=200,
    bools=lambda rng: (rng.random((5, 5)) < 0.3,),
)
def grid_distances(grid):
    rows, columns = grid.shape
    dist = np.full(grid.shape, -1)
    dist[0, 0] = 0
    queue = deque([(0, 0)])
    while queue:
        i, j = queue.popleft()
        for d in range(4):
            y, x = i + (d == 0) - (d == 1), j + (d == 2) - (d == 3)
            if 0 <= y < rows and 0 <= x < columns and not grid[y, x] and dist[y, x] < 0:
                dist[y, x] = dist[i, j] + 1
                queue.append((y, x))
    return dist


@loop(
    lambda n, rng: (_graph(n, rng), 0),
    sizes=(1, 2, 9),
    realistic=5000,
    floats=lambda rng: (_graph(8, rng, whole=False), 3),
    out_of_range=lambda rng: ([[(1, 1)], [(5, 2)]], 0),
    none=lambda rng: ([[], []], 1),
)
def shortest_paths(adjacent, start):
    dist = [float("inf")] * len(adjacent)
    dist[start] = 0
    heap = [(0, start)]
    while heap:
        d, u = heappop(heap)
        if d > dist[u]:
            continue
        for v, w in adjacent[u]:
            nd = d + w
            if nd < dist[v]:
                dist[v] = nd
                heappush(heap, (nd, v))
    return dist, heap


@loop(
    lambda n, rng: (rng.random((n, n)),),
    sizes=(1, 2, 7),
    realistic=120,
    int8=lambda rng: (rng.integers(0, 9, (5, 5)).astype(np.int8),),
)
def cheapest_path(cost):
    n = len(cost)
    best = np.full(cost.shape, np.inf)
    best[0, 0] = cost[0, 0]
    heap = [(float(cost[0, 0]), 0, 0)]
    steps = 0
    while heap:
        c, i, j = heapq.heappop(heap)
        steps += 1
        if i == n - 1 and j == n - 1:
            break
        for di, dj in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            y, x = i + di, j + dj
            if 0 <= y < n and 0 <= x < n and c + cost[y, x] < best[y, x]:
                best[y, x] = c + cost[y, x]
                heapq.heappush(heap, (float(best[y, x]), y, x))
    return best, steps


@loop(
    lambda n, rng: (rng.integers(0, 100, n).tolist(), 5),
    sizes=(1, 6, 20),
    realistic=20000,
    floats=lambda rng: ([0.5, float("nan"), 2.0, 1.0, -0.0], 2),
    array=lambda rng: (rng.random(12), 3),
)
def window_maxima(values, k):
    queue, out = deque(), []
    for i in range(len(values)):
        while queue and values[queue[-1]] <= values[i]:
            queue.pop()
        queue.append(i)
        if queue[0] <= i - k:
            queue.popleft()
        if i >= k - 1:
            out.append(values[queue[0]])
    return out, list(queue)


@loop(
    lambda n, rng: (rng.random(n).tolist(), 4),
    sizes=(0, 3, 20),
    realistic=20000,
    ints=lambda rng: (rng.integers(0, 9, 15).tolist(), 6),
    mixed=lambda rng: ([1, 2.5, True, 0, 7.0], 2),
)
def largest_of_many(values, k):
    heap = []
    for v in values:
        if len(heap) < k:
            heapq.heappush(heap, v)
        elif v > heap[0]:
            heapq.heapreplace(heap, v)
    left = list(heap)
    heap.sort(reverse=True)
    return heap, left


@loop(
    lambda n, rng: ([sorted(rng.integers(0, 99, n).tolist()) for _ in range(4)],),
    sizes=(0, 1, 6),
    realistic=3000,
    floats=lambda rng: ([[0.5, 1.5], [0.5], [], [-1.0, 2.0]],),
)
def merged(lists):
    heap, out = [], []
    for i in range(len(lists)):
        if lists[i]:
            heap.append((lists[i][0], i, 0))
    heapq.heapify(heap)
    while heap:
        value, which, place = heap[0]
        out.append(value)
        if place + 1 < len(lists[which]):
            heapq.heapreplace(heap, (lists[which][place + 1], which, place + 1))
        else:
            heapq.heappop(heap)
    return out


@loop(
    lambda n, rng: (rng.integers(1, 9, n).tolist(), rng.integers(0, 4 * n + 1, n).tolist()),
    sizes=(0, 1, 8),
    realistic=5000,
)
def scheduled(lengths, arrivals):
    order = sorted(range(len(lengths)), key=lambda i: (arrivals[i], i))
    waiting, done, now, k = [], [], 0, 0
    while k < len(order) or waiting:
        if not waiting:
            now = max(now, arrivals[order[k]])
        while k < len(order) and arrivals[order[k]] <= now:
            heappush(waiting, (lengths[order[k]], order[k]))
            k += 1
        length, job = heappop(waiting)
        now += length
        done.append((now, job))
    return done


@loop(
    lambda n, rng: (rng.integers(0, 30, n).tolist(),),
    sizes=(0, 1, 9),
    realistic=20000,
    floats=lambda rng: ([0.5, 2.5, 1.0],),
)
def largest_rectangle_by_stack(heights):
    stack, best = [], 0
    for i in range(len(heights) + 1):
        h = heights[i] if i < len(heights) else 0
        while stack and heights[stack[-1]] >= h:
            top = heights[stack.pop()]
            left = stack[-1] if stack else -1
            best = max(best, top * (i - left - 1))
        stack.append(i)
    return best


@loop(
    lambda n, rng: ([(a, b) for a, b in rng.integers(0, n, (n, 2)).tolist() if a < b], n),
    sizes=(1, 3, 9),
    realistic=5000,
)
def topological(edges, n):
    after = [[] for _ in range(n)]
    waits = [0] * n
    for a, b in edges:
        after[a].append(b)
        waits[b] += 1
    ready = deque()
    for v in range(n):
        if waits[v] == 0:
            ready.append(v)
    order = []
    while ready:
        v = ready.popleft()
        order.append(v)
        for w in after[v]:
            waits[w] -= 1
            if waits[w] == 0:
                ready.append(w)
    return order, waits


@loop(
    lambda n, rng: (rng.integers(0, 50, n).tolist(), 3),
    sizes=(1, 4, 10),
    realistic=2000,
    floats=lambda rng: (rng.random(7).tolist(), 2),
)
def windows_by_comprehension(values, k):
    out = []
    for i in range(len(values)):
        near = [values[j] * 2 for j in range(max(0, i - k), i + 1) if j != i]
        total = sum(near)
        most = max(values[j] for j in range(max(0, i - k), i + 1))
        if any(v > most for v in near) and all(v >= 0 for v in near):
            total -= 1
        out.append((total, most))
    return out


@loop(
    lambda n, rng: (rng.integers(0, 50, (n, n)),),
    sizes=(1, 2, 6),
    realistic=60,
    floats=lambda rng: (rng.random((4, 4)),),
)
def tables_in_a_loop(a):
    n, kept = len(a), []
    for i in range(n):
        table = [[0] * n for _ in range(2)]
        for j in range(n):
            table[0][j] = j * i
            table[1][j] = sum(a[i, k] for k in range(j))
        row = sorted(table[0], reverse=True)
        row[:1] = [i, i]
        del row[-1]
        kept.append(row[::-1])
        kept[-1].extend(range(i))
    return kept, table
