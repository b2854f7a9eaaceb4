"""Graphs: shortest paths, searches with lists as queues and stacks, union-find and rankings."""

from __future__ import annotations

import numpy as np

from tests.loops.programs.program import loop


def weights(n, rng, dtype=np.float64):
    found = (rng.random((n, n)) * 90 + 1).astype(dtype)
    found[rng.random((n, n)) > 0.4] = 1000
    return found


def adjacency(n, rng, degree=4, dtype=np.int64):
    """Return a random graph's rows in compressed form: where each vertex's neighbours begin, and they."""
    counts = rng.integers(0, degree + 1, n)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(dtype)
    return starts, rng.integers(0, max(n, 1), starts[-1]).astype(dtype)


@loop(
    lambda n, rng: (weights(n, rng),),
    sizes=(0, 1, 5),
    realistic=60,
    int32=lambda rng: (weights(4, rng, np.int32),),
    fortran=lambda rng: (np.asfortranarray(weights(4, rng)),),
    float32=lambda rng: (weights(4, rng, np.float32),),
    int8_wraps_around=lambda rng: (np.full((3, 3), 100, np.int8),),
)
def floyd_warshall(path):
    n = path.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if path[i, k] + path[k, j] < path[i, j]:
                    path[i, j] = path[i, k] + path[k, j]
    return path


@loop(lambda n, rng: (weights(n, rng),), sizes=(1, 5), realistic=120)
def floyd_warshall_by_rows(path):
    n = path.shape[0]
    for k in range(n):
        for i in range(n):
            path[i] = np.minimum(path[i], path[i, k] + path[k])
    return path


@loop(
    lambda n, rng: (weights(n, rng), 0),
    sizes=(1, 6),
    realistic=250,
    source_past_the_end=lambda rng: (weights(3, rng), 3),
    last_source=lambda rng: (weights(4, rng), -1),
    integers=lambda rng: (weights(4, rng, np.int64), 1),
)
def dijkstra(graph, source):
    n = len(graph)
    distance = np.full(n, np.inf)
    done = np.zeros(n, dtype=bool)
    previous = np.full(n, -1, dtype=np.int32)
    distance[source] = 0.0
    for _ in range(n):
        nearest = -1
        for v in range(n):
            if not done[v] and (nearest == -1 or distance[v] < distance[nearest]):
                nearest = v
        if distance[nearest] == np.inf:
            break
        done[nearest] = True
        for v in range(n):
            through = distance[nearest] + graph[nearest, v]
            if graph[nearest, v] < 1000 and through < distance[v]:
                distance[v] = through
                previous[v] = nearest
    return distance, previous


@loop(
    lambda n, rng: (*adjacency(n, rng), 0),
    sizes=(1, 8),
    realistic=30_000,
    int32=lambda rng: (*adjacency(6, rng, dtype=np.int32), 2),
    neighbour_past_the_end=lambda rng: (np.array([0, 2, 3]), np.array([1, 5, 0]), 0),
)
def breadth_first_levels(starts, neighbours, source):
    level = -np.ones(len(starts) - 1, dtype=np.int64)
    level[source] = 0
    queue = [source]
    head = 0
    while head < len(queue):
        v = queue[head]
        head += 1
        for at in range(starts[v], starts[v + 1]):
            w = neighbours[at]
            if level[w] < 0:
                level[w] = level[v] + 1
                queue.append(w)
    return level


@loop(lambda n, rng: (*adjacency(n, rng), 0), sizes=(1, 8), realistic=25_000)
def breadth_first_popping(starts, neighbours, source):
    seen = np.zeros(len(starts) - 1, dtype=bool)
    seen[source] = True
    queue = [source]
    order = []
    while queue:
        v = queue.pop(0)
        order.append(v)
        for w in neighbours[starts[v] : starts[v + 1]]:
            if not seen[w]:
                seen[w] = True
                queue.append(w)
    return np.array(order), len(queue)


@loop(
    lambda n, rng: adjacency(n, rng),
    sizes=(0, 8),
    realistic=15_000,
    uint16=lambda rng: adjacency(6, rng, dtype=np.uint16),
)
def depth_first_components(starts, neighbours):
    n = len(starts) - 1
    component = np.zeros(n, dtype=np.int64)
    found = 0
    for root in range(n):
        if component[root]:
            continue
        found += 1
        stack = [root]
        while stack:
            v = stack.pop()
            if component[v]:
                continue
            component[v] = found
            for w in neighbours[starts[v] : starts[v + 1]]:
                if not component[w]:
                    stack.append(w)
    return found, component


def find_root(parent, v):
    while parent[v] != v:
        parent[v] = parent[parent[v]]
        v = parent[v]
    return v


@loop(
    lambda n, rng: (n, rng.integers(0, max(n, 1), (n, 2))),
    sizes=(0, 1, 9),
    realistic=12_000,
    int16=lambda rng: (6, rng.integers(0, 6, (5, 2)).astype(np.int16)),
    columns_first=lambda rng: (6, rng.integers(0, 6, (2, 5)).T),
    vertex_past_the_end=lambda rng: (3, np.array([[0, 1], [1, 3], [2, 0]])),
)
def union_find(n, edges):
    parent = np.arange(n)
    size = np.ones(n, dtype=int)
    sets = n
    for a, b in edges:
        a, b = find_root(parent, a), find_root(parent, b)
        if a != b:
            if size[a] < size[b]:
                a, b = b, a
            parent[b] = a
            size[a] += size[b]
            sets -= 1
    return sets, parent


@loop(
    lambda n, rng: (*adjacency(n, rng), 5),
    sizes=(0, 1, 8),
    realistic=4000,
    no_iteration=lambda rng: (*adjacency(3, rng), 0),
)
def pagerank(starts, neighbours, iterations):
    n = len(starts) - 1
    rank = np.full(n, 1.0 / n) if n else np.empty(0)
    for _ in range(iterations):
        following = np.full(n, 0.15 / n) if n else np.empty(0)
        for v in range(n):
            degree = starts[v + 1] - starts[v]
            if degree == 0:
                continue
            share = 0.85 * rank[v] / degree
            for at in range(starts[v], starts[v + 1]):
                following[neighbours[at]] += share
        rank = following
    return rank


@loop(
    lambda n, rng: (
        n,
        rng.integers(0, n, 4 * n),
        rng.integers(0, n, 4 * n),
        rng.standard_normal(4 * n) + 1.5,
    ),
    sizes=(1, 5),
    realistic=200,
    negative_cycle=lambda rng: (2, np.array([0, 1]), np.array([1, 0]), np.array([-1.0, -1.0])),
    lists=lambda rng: (3, [0, 1], [1, 2], [2, 3]),
)
def bellman_ford(n, sources, targets, costs):
    distance = np.full(n, np.inf)
    distance[0] = 0.0
    for _ in range(n - 1):
        changed = False
        for s, t, c in zip(sources, targets, costs):  # noqa: B905
            if distance[s] + c < distance[t]:
                distance[t] = distance[s] + c
                changed = True
        if not changed:
            break
    else:
        for s, t, c in zip(sources, targets, costs):  # noqa: B905
            if distance[s] + c < distance[t]:
                return None
    return distance


@loop(lambda n, rng: (weights(n, rng),), sizes=(1, 6), realistic=400)
def minimum_spanning_tree(graph):
    n = len(graph)
    inside = [False] * n
    nearest = [np.inf] * n
    nearest[0] = 0
    total = 0
    for _ in range(n):
        v = -1
        for w in range(n):
            if not inside[w] and (v < 0 or nearest[w] < nearest[v]):
                v = w
        inside[v] = True
        total += nearest[v]
        for w in range(n):
            if graph[v, w] < nearest[w]:
                nearest[w] = graph[v, w]
    return total, inside


@loop(
    lambda n, rng: (n, np.sort(rng.integers(0, n, (3 * n, 2)), axis=1)),
    sizes=(1, 6),
    realistic=4000,
    cycle=lambda rng: (3, np.array([[0, 1], [1, 2], [2, 0]])),
)
def topological_order(n, edges):
    incoming = [0] * n
    for a, b in edges:
        if a != b:
            incoming[b] += 1
    outgoing = [[] for _ in range(n)]
    for a, b in edges:
        if a != b:
            outgoing[a].append(b)
    ready = [v for v in range(n) if incoming[v] == 0]
    order = []
    while ready:
        v = ready.pop()
        order.append(v)
        for w in outgoing[v]:
            incoming[w] -= 1
            if not incoming[w]:
                ready.append(w)
    if len(order) < n:
        raise ValueError(f"a cycle among {n - len(order)} vertices")
    return order


@loop(lambda n, rng: (rng.random((n, n)) < 0.3,), sizes=(0, 1, 6), realistic=120)
def triangles(connected):
    count = 0
    n = len(connected)
    for i in range(n):
        for j in range(i):
            if not (connected[i, j] or connected[j, i]):
                continue
            for k in range(j):
                count += (connected[i, k] or connected[k, i]) and (connected[j, k] or connected[k, j])
    return count
