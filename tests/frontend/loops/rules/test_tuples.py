"""Loops compare tuples, unpack them to `*rest`, spread them over arguments, and `match`, as Python does."""

from __future__ import annotations

import heapq
import math
from typing import Any

import numpy as np
import pytest

from tests.frontend.loops.jitted import Programs

program = Programs()
NAN = float("nan")
GRID = np.random.default_rng(2).integers(0, 3, (40, 3))
FLOATS = GRID / 2


# -- comparisons -----------------------------------------------------------------------------------------


@program(GRID)
@program(FLOATS, native=None)  # an order of NumPy's scalars is NumPy's bool, one of lengths Python's
@program(GRID.astype(np.uint8), native=None)
def compared(a):
    out = []
    for i in range(1, len(a)):
        one, other = (a[i, 0], a[i, 1]), (a[i - 1, 0], a[i - 1, 1])
        out.append((one == other, one != other, one == (1, 1), (i, 2) != one, one == (1, 1, 1)))
    return out


@program(GRID)
@program(FLOATS)
def ordered(a):
    best, at, out = (9.0, 0), -1, []
    for i in range(len(a)):
        this = float(a[i, 0]), int(a[i, 1])
        if this < best:
            best, at = this, i
        out.append((this <= best, this > (1.0, 1), this >= best, this < (1.0,), this < (1, 1, 1), at))
    return out


@program(np.arange(4), np.arange(4, dtype=np.uint8), native=None)  # `q` is an int or an item of `c`
def of_either_type(a, c):
    p, rest, last = 3, [], 0
    for i in a[::-1]:
        for j in range(len(a)):
            try:
                q, p = (p, max(1 if 3 == a[i] else c[i - 1], abs(a.shape[0])))
            except IndexError:
                pass
            trips = 0
            while True:
                if trips > j:
                    break
                trips += 1
                *rest, last = (min(p, 7), pow(p % 5, 0), q)
        q = q + len(rest)
    return p, q, last, rest


@program([1.0, NAN, NAN, 2.0], native=None)
def of_nans(xs):
    equal, less = [], []
    for i in range(len(xs)):
        for j in range(len(xs)):
            equal.append((xs[i], j) == (xs[j], j))
            less.append((xs[i], 1) < (xs[j], 2))
    return equal, less


@program(5)
def neighbours(n):
    total = 0
    for i in range(n):
        for di in (-1, 0, 1):
            for dj in (-1, 0, 1):
                if (di, dj) != (0, 0):
                    total += i * di + dj
    return total


# -- unpacking and spreading -----------------------------------------------------------------------------


@program(GRID)
@program(FLOATS)
def rests(a):
    out = []
    for i in range(len(a)):
        first, *others = a[i, 0], a[i, 1], a[i, 2]
        *most, last = i, i + 1
        one, *none, two = i, 2.5
        out.append((first, sum(others), len(most), last, one, len(none), two))
        others.append(first)
        if others[-1] > 1:
            out.append((0, 0, 0, others[0], 0, 0, 0))
    return out


@program([[1, 2, 3], [4, 5, 6]] * 5, native=None)
def rest_of_a_list(rows):
    total = 0
    for row in rows:
        first, *others = row
        total += first * len(others)
    return total


def weighted(x, y, z=2, *, power=1):
    return (x + 2 * y - z) ** power


@program(GRID)
@program(FLOATS)
def spread(a):
    total = 0
    for i in range(len(a)):
        p = (a[i, 0], a[i, 1])
        q = p[1], i, 3
        total += weighted(*p) + weighted(*q, power=2) + weighted(1, *p) + max(*p, 0)
        total += math.hypot(*p) + min(*q)
    return total


@program(GRID.tolist(), [0.1 * k for k in range(40)])
@program([[3, 1 << 60, -7]] * 9, [float("inf"), NAN, 0.0, -0.0, 1e200, 1e-200, 3.3, 1.1, 2.2])
def distances(rows, x):
    found = []
    for i in range(len(rows)):
        p = (rows[i][0], x[i])
        found.append(math.dist(p, (x[i - 1], rows[i][1])))
        found.append(math.dist((*p, i), (np.float32(1.1), True, x[i] * 3)))
    return found


@program([(1, 2.5), (3, 4.5), (0, 0.0)] * 4, [7, 8])
def joined_tuples(pairs, xs):
    rows, total = [], 0
    for i in range(len(pairs)):
        row = (*pairs[i], i, *pairs[i - 1])
        total += row[1] * row[-1] + len((*row, *(), *row))
        rows.append(row)
        if i > 9:
            total += (*xs, i)[1]
    return rows, total


@program([(1.0, 2.0)] * 5 + [(1.0,)], native=None)
def distances_of_other_lengths(points):
    total = 0.0
    for i in range(len(points)):
        total += math.dist(points[i], points[0])
    return total


@program([[1, 2], [3, 4]] * 4, native=None)
@program([[1, 2], [3, 4, 5, 6]], native=None)
def spread_lists(rows):
    total = 0
    for k in range(len(rows)):
        total += weighted(*rows[k])
    return total


# -- zip that is strict, heaps ---------------------------------------------------------------------------


@program([1, 2, 3], [4, 5, 6])
@program([1, 2, 3], [4, 5, 6, 7])
@program([1, 2, 3, 4], [4, 5, 6])
@program([], [1], native=None)
def strictly(xs, ys):
    total = 0
    try:
        for k, (x, y) in enumerate(zip(xs, ys, strict=True)):
            total += x * y + k
            xs[0] = total
    except ValueError as error:
        return total, str(error)
    for x, (y, z) in zip(xs, zip(ys, range(len(ys)), strict=True), strict=False):
        total += x * y - z
    return total


@program([1, 2, 3], [4, 5, 6])
def strictly_while_it_grows(xs, ys):
    total = 0
    try:
        for x, y in zip(xs, ys, strict=True):
            total += x * y
            if x == 2:
                ys.append(9)
    except ValueError as error:
        return total, str(error)
    return total


@program(FLOATS, GRID)
def heap_of_mixed_pairs(weights, keys):
    heap = [(0.0, 0)]
    out = []
    for i in range(len(keys)):
        heapq.heappush(heap, (weights[i, 0] + heap[0][0], keys[i, 1]))
        if i % 2:
            out.append(heapq.heappop(heap))
    return heap, out


# -- match -----------------------------------------------------------------------------------------------


@program(GRID[:, 0])
@program([0, 1, 2, 3, 7, -1, True, 2.0, None], native=None)
def matched(codes):
    stack, total = [1, 2], 0
    for code in codes:
        match code:
            case 0:
                stack.append(total & 7)
            case 1 if len(stack) > 2:
                total += stack.pop()
                continue
            case 1 | 2 as found:
                total += 2 * found
            case -1:
                break
            case None:
                total -= 100
            case other if other > 5:
                total += other
            case _:
                total -= 1
    return total, stack


@pytest.mark.parametrize("name", program.cases)
def test_tuples_are_as_in_python(name: str, jitted: dict[str, tuple[Any, list[Any]]]) -> None:
    program.check(name, *jitted[name])
