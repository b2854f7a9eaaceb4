"""Lists of numbers: stacks, queues, tables of lists, and lists that are built while others are read."""

from __future__ import annotations

import numpy as np

from tests.loops.programs.program import loop


@loop(
    lambda n, rng: ((rng.random((n, n)) < 0.35).astype(np.int64),),
    sizes=(1, 2, 6),
    realistic=150,
    float32=lambda rng: ((rng.random((4, 4)) < 0.4).astype(np.float32),),
    no_cells=lambda rng: (np.zeros((0, 3), np.int64),),
)
def sizes_of_islands(grid):
    sizes = []
    for i in range(grid.shape[0]):
        for j in range(grid.shape[1]):
            if grid[i, j] != 1:
                continue
            grid[i, j] = 2
            stack, count = [(i, j)], 0
            while stack:
                r, c = stack.pop()
                count += 1
                for d in range(4):
                    y, x = r + (d == 0) - (d == 1), c + (d == 2) - (d == 3)
                    if 0 <= y < grid.shape[0] and 0 <= x < grid.shape[1] and grid[y, x] == 1:
                        grid[y, x] = 2
                        stack.append((y, x))
            sizes.append(count)
    return sizes


@loop(
    lambda n, rng: ([rng.integers(0, n, 4).tolist() for _ in range(n)], 0),
    sizes=(1, 2, 7),
    realistic=20000,
    from_another=lambda rng: ([[1], [2], [0], []], 1),
    out_of_range=lambda rng: ([[1], [7]], 0),
    empty=lambda rng: ([[], []], 1),
)
def distances_by_a_queue(adjacent, start):
    distance = [-1] * len(adjacent)
    distance[start] = 0
    queue, head = [start], 0
    while head < len(queue):
        vertex = queue[head]
        head += 1
        for other in adjacent[vertex]:
            if distance[other] < 0:
                distance[other] = distance[vertex] + 1
                queue.append(other)
    return distance, queue


@loop(
    lambda n, rng: (rng.random(n),),
    sizes=(0, 1, 8),
    realistic=30000,
    int8=lambda rng: (rng.integers(-5, 5, 9).astype(np.int8),),
    ints=lambda rng: (rng.integers(0, 9, 9).tolist(),),
    nan=lambda rng: (np.array([1.0, np.nan, 0.5, 2.0]),),
)
def next_greater(values):
    found, stack = [-1] * len(values), []
    for i in range(len(values)):
        while stack and values[stack[-1]] < values[i]:
            found[stack.pop()] = i
        stack.append(i)
    return found, stack


@loop(
    lambda n, rng: (rng.integers(0, 50, n),),
    sizes=(0, 1, 9),
    realistic=30000,
    uint8=lambda rng: (rng.integers(0, 255, 9).astype(np.uint8),),
    floats=lambda rng: (rng.random(7),),
)
def largest_rectangle(heights):
    best, stack = 0, []
    for i in range(len(heights) + 1):
        height = heights[i] if i < len(heights) else -1
        while stack and heights[stack[-1]] >= height:
            top = heights[stack.pop()]
            left = stack[-1] if stack else -1
            best = max(best, int(top) * (i - left - 1))
        stack.append(i)
    return best


@loop(
    lambda n, rng: ([1, 2] + [[3, -1][k % 2] if k % 5 else 2 - k % 3 for k in range(n)] + [-1], 2.5),
    sizes=(2, 4),
    realistic=40000,
    too_few=lambda rng: ([1, -1, -1], 0.5),
    by_zero=lambda rng: ([1, 0, -4], 0.5),
    ints=lambda rng: ([5, 7, -1, 2, -2, 3, -3], 1),
)
def postfix_arithmetic(tokens, unit):
    stack = []
    for token in tokens:
        if token >= 0:
            stack.append(token * unit)
            continue
        right = stack.pop()
        left = stack.pop() if stack else right
        if token == -1:
            stack.append(left + right)
        elif token == -2:
            stack.append(left - right)
        elif token == -3:
            stack.append(left * right)
        else:
            stack.append(left / right)
    return stack


@loop(
    lambda n, rng: (rng.permutation(np.column_stack([np.arange(n - 1), np.arange(1, n)])), n),
    sizes=(2, 8),
    realistic=10000,
    with_a_cycle=lambda rng: (np.array([[0, 1], [1, 2], [2, 1]]), 3),
    no_edges=lambda rng: (np.zeros((0, 2), np.int32), 3),
)
def topological_order_in_lists(edges, count):
    outgoing, incoming = [[] for _ in range(count)], [0] * count
    for k in range(len(edges)):
        outgoing[edges[k, 0]].append(int(edges[k, 1]))
        incoming[edges[k, 1]] += 1
    ready = [v for v in range(count) if incoming[v] == 0]
    order = []
    while ready:
        vertex = ready.pop(0)
        order.append(vertex)
        for other in outgoing[vertex]:
            incoming[other] -= 1
            if incoming[other] == 0:
                ready.append(other)
    return order


@loop(
    lambda n, rng: (n,),
    sizes=(0, 1, 2, 30),
    realistic=200000,
)
def primes_in_a_list(n):
    primes, composite = [], [False] * (n + 1)
    for i in range(2, n + 1):
        if composite[i]:
            continue
        primes.append(i)
        for j in range(i * i, n + 1, i):
            composite[j] = True
    return primes


@loop(
    lambda n, rng: (n,),
    sizes=(2, 3, 20),
    realistic=60000,
)
def lengths_of_collatz_paths(n):
    lengths = [0] * n
    lengths[1] = 1
    for i in range(2, n):
        at, steps = i, 0
        while at >= n or lengths[at] == 0:
            at = at // 2 if at % 2 == 0 else 3 * at + 1
            steps += 1
        lengths[i] = lengths[at] + steps
    return lengths


@loop(
    lambda n, rng: (rng.random(n).tolist(),),
    sizes=(0, 1, 9),
    realistic=20000,
    ints=lambda rng: (rng.integers(0, 9, 12).tolist(),),
    mixed=lambda rng: ([3, 1.5, 2, 0.25, 1],),
    array=lambda rng: (rng.random(7),),
)
def quicksort_of_a_list(values):
    stack = [(0, len(values) - 1)]
    while stack:
        low, high = stack.pop()
        if low >= high:
            continue
        pivot, i, j = values[(low + high) // 2], low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        stack.append((low, j))
        stack.append((i, high))
    return values


@loop(
    lambda n, rng: (
        list(zip(rng.integers(0, n, n).tolist(), rng.integers(0, n, n).tolist(), strict=True)),
        n,
    ),
    sizes=(1, 2, 8),
    realistic=30000,
    no_pairs=lambda rng: ([], 3),
    out_of_range=lambda rng: ([(0, 1), (1, 5)], 3),
)
def union_find_in_lists(pairs, count):
    parent, size, parts = list(range(count)), [1] * count, count
    for a, b in pairs:
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        if a == b:
            continue
        if size[a] < size[b]:
            a, b = b, a
        parent[b] = a
        size[a] += size[b]
        parts -= 1
    return parts, parent, size


@loop(
    lambda n, rng: (rng.integers(0, 4, n).tolist(), rng.integers(0, 4, n).tolist()),
    sizes=(0, 1, 6),
    realistic=400,
    floats=lambda rng: ([0.5, 1.5, 2.5], [1.5, 0.5]),
)
def common_subsequence(one, other):
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one)):
        for j in range(len(other)):
            if one[i] == other[j]:
                table[i + 1][j + 1] = table[i][j] + 1
            else:
                table[i + 1][j + 1] = max(table[i][j + 1], table[i + 1][j])
    return table


@loop(
    lambda n, rng: (rng.integers(-20, 20, n).tolist(), 7),
    sizes=(0, 1, 5, 12),
    realistic=30000,
    wide=lambda rng: ([1, 5, 2], 10),
)
def largest_in_each_window(values, width):
    queue, found, head = [], [], 0
    for i, value in enumerate(values):
        while len(queue) > head and values[queue[-1]] <= value:
            queue.pop()
        queue.append(i)
        if queue[head] <= i - width:
            head += 1
        if i >= width - 1:
            found.append(values[queue[head]])
    return found
