"""Native loops over arrays and tuples, with numbers, side by side and backwards."""

from __future__ import annotations

import numpy as np
import pytest

from tests.frontend.loops.jitted import check
from tests.frontend.loops.native import run_natively

LONG = 3000


def items(a):
    s = 0.0
    for x in a:
        if x > 2:
            s += x
        else:
            s -= 1
    return s, x


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f4", "f8", "c16"])
def test_items_are_numpys_scalars(dtype):
    def last(a):
        n = 0
        for x in a:
            n += 1
            y = x
        return n, x, y

    check(last, np.arange(LONG).astype(dtype))


def test_items_of_an_array_with_strides():
    check(items, np.arange(4.0 * LONG)[::-3])


def rows(A):
    for row in A:
        for j in reversed(range(len(row))):
            row[j] = row[j] + j * (row[j] > 3)
    return row, A


@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_are_views(order):
    check(rows, np.array(np.arange(1200.0).reshape(300, 4), order=order))


def planes(A):
    s = 0.0
    for plane in A:
        for row in plane:
            for x in row:
                s += x
    return s, plane, row, x


def test_planes_of_three_axes():
    check(planes, np.arange(3000.0).reshape(100, 5, 6))


def numbered(a, b):
    s = 0
    for i, (x, y) in enumerate(zip(a, b, strict=False), 3):
        if i % 2:
            b[i - 3] = x * y
        s += i
    return s, i, x, y


def test_numbered_pairs():
    check(numbered, np.arange(float(LONG)), np.ones(LONG + 2))


def backwards(a):
    s = 0
    for i, x in enumerate(reversed(a)):
        if i == 2000:
            break
        s = (s * 3 + int(x)) % 1000
    else:
        s = -1
    return s, i, x


@pytest.mark.parametrize("length", [2000, LONG])
def test_reversed_array_with_break_and_else(length):
    check(backwards, np.arange(length))


def reversed_ranges(n):
    s = 0
    for i in reversed(range(3, n)):
        s = s * 7 % 1009 + i
        for j in reversed(range(i, i - 4, -1)):
            s += j
    return s, i, j


def test_reversed_ranges():
    check(reversed_ranges, LONG)


def neighbours(A):
    c, n = 0, len(A)
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            for di, dj in ((0, 1), (1, 0), (-1, 0), (0, -1)):
                if A[i + di, j + dj] > A[i, j]:
                    c += 1
    return c, di, dj


def test_tuples_of_tuples():
    check(neighbours, (np.arange(1600.0) % 7).reshape(40, 40))


MOVES = ((1, 2), (2, 1), (-1, 3))


def moved(a, steps):
    s = 0
    for i in range(len(a) - 3):
        for di, w in MOVES:
            s += a[i + di] * w
        for step in steps:
            s += step
        for step in reversed(steps):
            s -= step * i
    return s, step, w


def test_tuples_from_outside():
    check(moved, np.arange(float(LONG)), (0.5, 1.5, 2.0))


def test_items_of_several_types_are_pythons():
    check(moved, np.arange(float(LONG)), (0.5, 1, 2.0))


def looked_up(a, scales):
    s = 0
    for i in range(len(a)):
        di, w = MOVES[i % 3 - 3]
        s += di * a[i - 1] + MOVES[a[i] % 3][i % 2] - scales[-1 - i % 3]
        s += w * scales[a[i] % 2]
    return s, di, w


def test_items_of_tuples_at_places_of_the_trip():
    check(looked_up, np.arange(LONG), (0.5, 1.5, -2.0))
    check(looked_up, np.arange(LONG).astype(np.uint8), (np.float32(0.1), np.float32(3), np.float32(1)))


def out_of_a_tuple(a):
    s = 0
    for x in a:
        s += MOVES[x][0]
    return s


def test_places_outside_of_a_tuple_are_pythons():
    run = run_natively(out_of_a_tuple, np.array([0, -3, 2, 3, 1]))
    assert not run.is_done
    assert run.names["s"] == 2 * MOVES[0][0] + MOVES[2][0]


def best(a):
    found = (0, -1)
    n = 0
    for i, x in enumerate(a):
        if x % 7 == 3:
            found = (i, n)
        n += found[0] & 3 + i
    return found, n, a[i]


def test_tuple_as_a_value():
    check(best, np.arange(LONG))


def weighted(A, b):
    t = 0.0
    for row, w in zip(A, reversed(b), strict=False):
        for x in row:
            t += x * w
    return t, row, w, x


def test_zip_of_rows_and_items_backwards():
    check(weighted, np.arange(900.0).reshape(300, 3), np.arange(300, dtype="f4"))


def uneven(a, b):
    n = 0
    for x, y, i in zip(a, b, range(2, 10000, 3), strict=False):
        n += i
        if y > x:
            n -= 1
    return n, x, y, i


def test_zip_ends_with_its_shortest():
    check(uneven, np.arange(LONG), np.arange(LONG - 10) % 50)


def strict(a, b):
    n = 0
    for x, y in zip(a, b, strict=True):
        n += x < y
    return n


def test_strict_zip_raises():
    check(strict, np.arange(LONG), np.arange(LONG - 1))


def raising(a, b):
    n = 0
    try:
        for i, x in enumerate(a, start=1):
            b[i] = x
            n = i
    except IndexError as error:
        return n, i, x, str(error)
    return n


def test_exception_halfway():
    check(raising, np.arange(float(LONG)), np.zeros(LONG - 100))


def held(a):
    places = enumerate(a)
    n = 0
    for i, x in places:
        n += x * i
        if i == 1000:
            break
    return n, next(places)


def test_iterator_that_others_hold_moves_on():
    check(held, np.arange(LONG), native=False)


def none(a, b):
    x = -1
    for _ in range(LONG):
        for x in a:  # noqa: B007
            pass
        for i, y in enumerate(b):
            x += i * y
    return x


def test_no_trips():
    check(none, np.empty(0), np.arange(3))


def changed(a):
    n = 0
    for x in a:
        n = (n * 3 + int(x)) % 1000
        a[n] = n
    return n


def test_array_that_is_stored_to_while_iterated_over():
    check(changed, np.arange(LONG))


def scalar(a, b):
    for i in range(len(a)):
        for x in b:
            a[i] = x
    return a


def test_array_without_axes_raises():
    check(scalar, np.zeros(LONG), np.array(3.0), native=False)


def edges(pairs, weights):
    s, n = 0.0, 0
    for (u, v), w in zip(pairs, weights, strict=False):
        s += u * w - v
        n += 1
    first, second = pairs[n - 1]
    return s, n, u, v, w, first, second


def test_rows_are_unpacked():
    check(edges, np.arange(2 * LONG).reshape(LONG, 2), np.arange(float(LONG)))


def triples(A):
    s = 0.0
    for i in range(len(A)):
        x, y, z = A[i]
        A[i, 0], A[i, 1], A[i, 2] = y, z, x
        s += x * y
    return s, x, y, z


def test_unpacking_of_an_array():
    check(triples, np.arange(3.0 * LONG).reshape(LONG, 3))


def unequal(A):
    n = 0
    try:
        for i in range(len(A)):
            n = i
            x, y = A[i]
    except ValueError as error:
        return n, str(error)
    return n, x, y


@pytest.mark.parametrize("width", [1, 3])
def test_unpacking_of_too_few_or_too_many(width):
    check(unequal, np.zeros((LONG, width)))
