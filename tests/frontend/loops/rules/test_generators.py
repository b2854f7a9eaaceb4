"""Loops over the user's generators are native where nobody can tell that their items were made before."""

from __future__ import annotations

import heapq
from collections import deque
from typing import Any

import numpy as np
import pytest

from tests.frontend.loops.jitted import Programs

program = Programs()
GRID = (np.random.default_rng(0).random((14, 12)) < 0.25).astype(np.int64)
FLOATS = np.random.default_rng(1).random(40)


def neighbours(i, j, height, width):
    for down, right in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        a, b = i + down, j + right
        if 0 <= a < height and 0 <= b < width:
            yield a, b


@program(GRID, 3, 4, 7)
def flood_fill(grid, si, sj, new):
    height, width = grid.shape
    old, queue = grid[si, sj], deque([(si, sj)])
    grid[si, sj] = new
    while queue:
        i, j = queue.popleft()
        for a, b in neighbours(i, j, height, width):
            if grid[a, b] == old:
                grid[a, b] = new
                queue.append((a, b))
    return grid


def around(grid, i, j):
    for a in range(max(i - 1, 0), min(i + 2, grid.shape[0])):
        for b in range(max(j - 1, 0), min(j + 2, len(grid[0]))):
            if (a, b) != (i, j):
                yield a, b, grid[a, b]


@program(GRID, np.zeros_like(GRID))
@program(GRID.astype(np.float32), np.zeros((14, 12)))
def sums_of_neighbours(grid, out):
    for i in range(len(grid)):
        for j in range(len(grid[0])):
            total = 0
            for a, b, item in around(grid, i, j):
                total += grid[a, b] + item
            out[i, j] = total
    return out


def edges(ends, targets, weights, u):
    for k in range(ends[u], ends[u + 1]):
        yield targets[k], weights[k]


@program(np.arange(0, 161, 4), np.arange(160) * 7 % 40, np.linspace(1.0, 9.0, 160))
def shortest_paths(ends, targets, weights):
    least = np.full(len(ends) - 1, np.inf)
    least[0] = 0.0
    heap = [(0.0, 0)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > least[u]:
            continue
        for v, weight in edges(ends, targets, weights, u):
            if d + weight < least[v]:
                least[v] = d + weight
                heapq.heappush(heap, (least[v], v))
    return least


def fibonacci(limit):
    a, b = 0, 1
    while a < limit:
        yield a
        a, b = b, a + b


@program(60)
def branches_of_the_loop(n):
    out, place, value = [], -1, -1
    for k in range(n):
        for value in fibonacci(k):
            if value % 2:
                continue
            out.append(value)
        else:
            out.append(-k)
        for place, value in enumerate(fibonacci(k), k):
            out.append(place * value)
    return out, place, value


@program(1 << 40)
@program(1 << 70, native=None)
def ints_of_any_size(limit):
    out = []
    for _ in range(3):
        for value in fibonacci(limit):
            out.append(value * value)
    return out


def pairs(n):
    for i in range(n):
        for j in range(i + 1, n):
            yield i, j


@program(FLOATS)
def the_outermost_loop(x):
    best, found = np.inf, None
    for i, j in pairs(len(x)):
        if abs(x[i] - x[j]) < best:
            best, found = abs(x[i] - x[j]), (i, j)
    return best, found, i, j


@program(FLOATS, 30)
@program(FLOATS, 3000, native=None)
def the_outermost_loop_ends_early(x, most):
    count = 0
    for i, j in pairs(len(x)):
        count += 1
        if count > most:
            break
        if x[i] + x[j] > 1.99:
            return i, j
    else:
        count = -1
    return count, i, j


def several(n, step=2, *, start=1):
    yield from range(n)
    yield from fibonacci(n)
    while start < n:
        yield start * step
        start += step
        if start > 30:
            return 5
    yield -1


@program(50)
def parameters(n):
    total = 0
    for k in range(n):
        for value in several(k):
            total = total * 3 % 100003 + value
        for value in several(k, 3, start=2):
            total = total * 5 % 100003 + value
    return total


@program(GRID)
def nested_generators(grid):
    height, width = grid.shape
    least = 0

    def near(i, j):
        for a, b in neighbours(i, j, height, width):
            if grid[a, b] >= least:
                yield a, b

    total = 0
    for i in range(height):
        for j in range(width):
            for a, b in near(i, j):
                total += grid[a, b] * (a + b)
    return total


@program(FLOATS)
def nested_outermost(x):
    def runs(least):
        start = 0
        for i in range(1, len(x)):
            if (x[i] > least) != (x[i - 1] > least):
                yield start, i
                start = i
        yield start, len(x)

    longest, total = 0, 0
    for k, (low, high) in enumerate(runs(0.5), 1):
        longest = max(longest, high - low)
        total += k * high
    for low, high in runs(0.2):
        if low > 20:
            break
        total -= high
    return longest, total


# -- where it could be told: Python's ----------------------------------------------------------------------


def first_items(x, n):
    for k in range(n):
        yield x[k]


@program(FLOATS, 30)
def it_reads_what_the_loop_changes(x, n):
    total = 0.0
    for _ in range(n):
        for value in first_items(x, 8):
            x[7] = x[7] / 2 + value
            total += value
    return total, x


@program(FLOATS, 30)
def it_reads_what_another_name_changes(x, n):
    other, total = x[::-1], 0.0
    for _ in range(n):
        for value in first_items(x, 8):
            other[-8] = other[-8] / 2 + value
            other += 1
            total += value
    return total, x


@program(FLOATS, np.ones(9), 30)
def it_reads_what_lies_apart(x, y, n):
    total = 0.0
    for k in range(n):
        for value in first_items(x, 8):
            y[k % 5] += value
            total += value
    return total, x, y


@program([5, 6, 7, 8], 20, native=None)
def it_reads_a_list_that_changes(items, n):
    total = 0
    for k in range(n):
        for value in first_items(items, 4):
            items[3] = value + k
            total += value
            if total % 5 == 0:
                items.append(total)
    return total, items


def naturals():
    k = 0
    while True:
        yield k
        k += 1


@program(np.append(FLOATS, 2.0), 20, native=None)
def it_has_no_end(x, n):
    out = []
    for t in range(n):
        for k in naturals():
            if x[k] > t / n:
                break
        out.append(k)
    return out


def once(n):
    k = 0
    while True:
        k += 1
        if k == n:
            yield k


@program(20, native=None)
def it_never_yields_again(n):
    total = 0
    for _ in range(n):
        for k in once(5):
            total += k
            if k == 5:
                break
    return total


@program([*range(40)], native=None)
def an_exception_ends_it(items):
    total = 0
    for _ in range(6):
        try:
            for k in naturals():
                total += items[k]
        except IndexError:
            total += 1
    return total


def quotients(items, n):
    for k in range(n):
        yield items[k] // (3 - k)


@program([5, 6, 7, 8], 20, native=None)
def it_raises(items, n):
    out = []
    try:
        for t in range(n):
            for value in quotients(items, 4 if t == n - 2 else 3):
                out.append(value)
    except ZeroDivisionError as error:
        return out, str(error)
    return out


def noting(n, seen):
    for i in range(n):
        seen.append(i)
        yield i


@program([], 20, native=None)
def it_has_effects(seen, n):
    total = 0
    for _ in range(n):
        for value in noting(3, seen):
            total += value + len(seen)
    return total, seen


def rows(n):
    for i in range(n):
        yield np.arange(3) + i


@program(30, native=None)
def items_are_arrays(n):
    made = np.zeros(3)
    for row in rows(n):
        made = made * 0.5 + row
    return made


@program(FLOATS, 30, native=None)
def nested_and_reading_what_changes(x, n):
    def items():
        for k in range(n):
            yield x[k]

    total = 0.0
    for place, value in enumerate(items()):
        x[(place + 1) % n] += value
        total += value
    return total


@program(FLOATS, 31, native=None)
@program(FLOATS, 30, native=None)
def nested_or_a_list(x, n):
    def items(a):
        for k in range(n):
            yield a[k]

    if n % 2:
        items = np.copy
    total = 0.0
    for value in items(x):
        total += value
    return total


@program(500, native=None)
def a_name_holds_it(n):
    total, found = 0, fibonacci(n)
    for value in found:
        total += value
        if value > 5:
            break
    for value in found:
        total += 1000 * value
    return total


@pytest.mark.parametrize("name", list(program.cases))
def test_loops_over_generators_are_as_in_python(name: str, jitted: dict[str, tuple[Any, list[Any]]]) -> None:
    program.check(name, *jitted[name])


def test_generators_are_native(jitted: dict[str, tuple[Any, list[Any]]]) -> None:
    """Python does no trip of those that cannot be told from lists."""
    native = [flood_fill, sums_of_neighbours, branches_of_the_loop, the_outermost_loop, parameters]
    for program_ in [*native, nested_generators, nested_outermost, it_reads_what_lies_apart]:
        function, _ = jitted[program_.__name__]
        assert not function.stats.leave_reasons, function.stats
