"""Lists to which loops append keep values in native code, and Python finds the list wherever it may look.

Values, types, aliases, exceptions and changes are compared.
"""

from __future__ import annotations

import heapq
import sys
from typing import Any

import numpy as np
import pytest

from npcompile.lower.loops.codegen.open_container_code import open_types
from tests.frontend.loops.jitted import Programs
from tests.frontend.loops.native import begin, check, run_natively

program = Programs()
NAN = float("nan")


@program([3, 4], 40)
@program([], 40)
@program([True, 5], 40)
def stack(given, n):
    total = 0
    for k in range(n):
        given.append(k * 7 % 11)
        if k % 3 == 0:
            total += given.pop()
        if k % 7 == 0 and len(given) > 1:
            given[-2] = k
            given[0] = -k
    return total, given


@program([1, 2], 30)
@program([], 30)
def two_names(given, n):
    other = given
    for k in range(n):
        given.append(k)
        other.append(-k)
        if other[-1] != -k or given[-1] != -k or len(given) != len(other):
            return "apart"
    return given is other, given


@program([1, 2], [0.5], 30)
@program([], [], 30)
def two_kinds(ints, floats, n):
    for k in range(n):
        ints.append(k)
        floats.append(k / 2)
    return ints, floats


@program(12, native=None)
def ints_and_floats_of_one_list(n):
    one = []
    return two_kinds(one, one, n)


@program(25)
def queue_with_a_head(n):
    queue = [(0, 1)]
    head = 0
    total = 0
    while head < len(queue):
        a, b = queue[head]
        head += 1
        total += a * b
        if len(queue) < n:
            queue.append((a + 1, b))
            queue.append((a, b + 2))
    return total


@program(25)
def queue_that_is_returned(n):
    queue = [(0, 1)]
    for place in range(n):
        a, b = queue[place]
        queue.append((a + 1, b))
    other = queue
    other.append((7, 7))
    return other


@program([1.0, 2.0, NAN, 4.0], native=None)
def tuples_with_a_nan(values):
    found = []
    for x in values:
        found.append((x, 1))
    return len(found), found[0], found[-1][1]


@program([5, 3, 0, 2], native=None)
@program([5, 3, 1, 2], native=None)
def exception_half_way(values):
    done = []
    for x in values:
        done.append(x)
        done.append(10 // x)
    return done


@program([5, 3, 0, 2], [], native=None)
@program([5, 3, 0, 2], [9, 9], native=None)
def exception_with_a_given_list(values, done):
    for x in values:
        done.append(x)
        done.append(10 // x)
    return done


@program([5, 3, 0, 2] * 5, [])
@program([5, 3, 0, 2] * 5, [9, 9])
def exception_that_is_handled(values, done):
    for x in values:
        try:
            done.append(x)
            done.append(10 // x)
        except ZeroDivisionError:
            done.append(len(done))
    return done


@program([2**62, 3], 4)
def ints_beyond_64_bits(values, n):
    for _ in range(n):
        values.append(values[-2] * 3)
        values.append(1)
    return values


@program(20)
def pop_in_front(n):
    queue = [0]
    out = 0
    for k in range(1, n):
        queue.append(k)
        queue.append(k + 1)
        out = out * 3 % 1001 + queue.pop(0)
    return out, queue


def pushed(stack, item):
    stack.append(item)
    if item % 5 == 4:
        stack.append(10 // (item - 9))
    return len(stack)


@program([1], 8)
@program([1], 14)
def given_to_a_function(stack, n):
    total = 0
    for k in range(n):
        total += pushed(stack, k)
    return total, stack


@program([1, 2, 3], 9)
def loop_over_a_list_that_grows(values, n):
    total = 0
    for x in values:
        total += x
        if len(values) < n:
            values.append(x + 1)
    for x in reversed(values):
        total = total * 2 + x
    for place, x in enumerate(values):
        total += place * x
    return total, values


@program([(1.0, 2), (1.0, 3), (4.0, 0)], 30)
@program([(1.0, 2)], 30)
@program([], 30)
def heap_of_given_items(heap, n):
    out = []
    seed = 3
    for _ in range(n):
        seed = seed * 1103515245 + 12345 & 0x7FFFFFFF
        heapq.heappush(heap, (seed % 13 / 2, seed % 5))
        if seed % 3 == 0:
            out.append(heapq.heappop(heap))
        if seed % 7 == 0:
            out.append(heapq.heappushpop(heap, (seed % 11 / 2, 1)))
        if seed % 9 == 0:
            out.append(heapq.heapreplace(heap, (seed % 11 / 4, 2)))
    return heap, out


@program([float(x * 37 % 101) for x in range(60)], 50)
def heap_of_floats(values, n):
    heap = []
    for x in values:
        heapq.heappush(heap, x)
    total = 0.0
    for _ in range(n):
        total = total * 0.5 + heapq.heappop(heap)
    return total, heap


@program([1.0, NAN, 0.5, NAN, 3.0, 2.0])
def heap_with_nans(values):
    heap = []
    for x in values:
        heapq.heappush(heap, x)
    out = []
    while heap:
        out.append(heapq.heappop(heap))
    return out


@program(np.arange(20) % 7)
def items_of_two_types(x):
    stack = [1]
    total = 0
    for k in range(len(x)):
        stack.append(x[k])
        if k % 4 == 3:
            total += stack.pop() + stack.pop()
    return total, stack


@program([0, 1, 2], 6)
def list_within_a_list(inner, n):
    rows = [inner]
    for k in range(n):
        inner.append(k)
        rows.append(inner)
        rows[0].append(-k)
    return rows


@program([0, 1, 2], 6)
def list_within_a_dict(inner, n):
    table = {0: inner}
    for k in range(n):
        inner.append(k)
        table[0].append(-k)
    return table, inner


@program(40)
@program(1)
@program(0)
def marked(n):
    flags = [True] * (n + 1)
    found = []
    for k in range(2, n + 1):
        if flags[k]:
            found.append(k)
            for other in range(k * k, n + 1, k):
                flags[other] = False
    return flags, found


@program(12, [(0, 5), (3, 7), (5, 3), (0, 3), (11, 10)])
@program(0, [], native=None)
@program(3, [(0, 3)], native=None)
def joined(n, pairs):
    parent = list(range(n))
    sizes = n * [1]
    for a, b in pairs:
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        if a != b:
            parent[a] = b
            sizes[b] += sizes[a]
    return parent, sizes


@program(5, 1000)
@program(-1, 1000)
@program(0, 2**70, native=None)
def repeated_in_a_loop(n, large):
    kept = []
    for k in range(n + 3):
        row = [k, large] * n
        twice = row * 2
        row.append(-k)
        if n > 0:
            row[0] = 7
            row[-1] += 1
        for x in reversed(row):
            kept.append(x)
        for place, x in enumerate(twice):
            kept.append(x * place)
    return kept, row, twice


@program([1, 2], 3)
@program([], 3)
def given_list_repeated(given, n):
    row = []
    for k in range(n):
        row = given * k
        given.append(k)
        row.append(1)
        row = row * 2
    return row, given


@program(4)
@program(0)
def ranges_of_all_strides(n):
    total = []
    for k in range(n):
        numbers = list(range(k, -k, -1))
        numbers[0:0] = []
        total.append(len(numbers))
    for k in range(1, n):
        numbers = list(range(-k, 3 * k, k))
        for x in numbers:
            total.append(x)
        numbers.pop()
        total.append(numbers[-1])
    return total


@program(6, -0.0)
@program(6, NAN)
def floats_repeated(n, x):
    row = [x] * n
    for k in range(n):
        row[k] = row[k - 1] - 0.0
        if k == 4:
            row[2] = 1.5
    return [str(one) for one in row]


def repeats(n, large):
    for _ in range(1):
        row = [large] * n
        pairs = [large, -large] * n
        row[1] = 5
    return row, pairs


@pytest.mark.parametrize("name", [*program.cases])
def test_lists_are_as_in_python(name: str, jitted: dict[str, tuple[Any, list[Any]]]) -> None:
    program.check(name, *jitted[name])


def pushes_and_pops(heap, n):
    for k in range(n):
        heapq.heappush(heap, (k * 7 % 5, k))
        if k % 2:
            heapq.heappop(heap)


def test_lists_of_loops_that_append_are_open() -> None:
    assert [str(kind) for kind in open_types(begin(pushes_and_pops, [(1, 2)], 3).loop.region)] == [
        "list[(int, int)]"
    ]
    assert not open_types(begin(list_within_a_dict, [1], 3).loop.region)


def test_items_that_others_know_stay_the_same_objects() -> None:
    one, other = (9, 100000), (8, 100000)
    heap = check(pushes_and_pops, [other, one], 4).names["heap"]
    assert sum(item is one or item is other for item in heap) == 2


def test_items_of_repeated_lists_are_one_object() -> None:
    names = run_natively(repeats, 5, 10**9).names
    assert names["row"] == [10**9, 5, 10**9, 10**9, 10**9]
    assert names["pairs"] == [10**9, -(10**9)] * 5
    assert len({id(item) for item in names["row"]}) == 3
    assert len({id(item) for item in names["pairs"]}) == 2


def counts_up(counts, values, n):
    for k in range(n):
        counts[k % 3] += 200
        values[k % 3] += 0.5


def test_numbers_that_others_know_stay_as_they_are() -> None:
    known, large, small = 1000, 2**40, 256
    value = 2.5
    names = check(counts_up, [known, large, small], [value, 1.5, -0.5], 30).names
    assert (known, large, small, value) == (1000, 2**40, 256, 2.5)
    assert names["counts"] == [known + 2000, large + 2000, small + 2000]


def test_no_reference_to_a_list_is_left() -> None:
    begun = begin(two_names, [1], 10)
    counts = []
    for _ in range(3):
        begun.run()
        counts.append(sys.getrefcount(begun.given["given"]))
    assert counts[0] == counts[1] == counts[2]
    assert begun.given["given"] == [1, *alternating(10) * 3]


def alternating(n: int) -> list[int]:
    return [sign * k for k in range(n) for sign in (1, -1)]
