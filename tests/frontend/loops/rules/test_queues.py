"""Loops over heaps, deques and sorted lists, and comprehensions in loops, do natively what Python does.

Values, types, the layout of heaps, exceptions and changes are compared.
"""

from __future__ import annotations

import gc
import heapq
import math
import random
from collections import deque
from collections.abc import Iterator
from heapq import heapify, heappop, heappush, heappushpop, heapreplace
from typing import Any

import numpy as np
import pytest

from tests.frontend.loops.jitted import Programs, assert_same, outcome
from tests.frontend.loops.native import Begun, begin, check, copies, run_in_python
from tests.loops.random_check import compile_loops_alone

program = Programs()
DICE = random.Random(3)
INTS = [DICE.randrange(20) for _ in range(40)]
FLOATS = [DICE.choice([-0.0, 0.0, 1.5, 2.5, float("inf"), -1.0]) for _ in range(30)]
NAN = float("nan")
MIXED = [1, 2.5, True, 0, -1.0, 7, 2.5, False, 3]
PAIRS = [(DICE.randrange(4), DICE.random()) for _ in range(25)]
ONES = np.ones(64)


def cases() -> list[str]:
    return list(program.cases)


# -- heaps -----------------------------------------------------------------------------------------------


@program(INTS, native=None)
@program(FLOATS, native=None)
@program([NAN, 1.0, NAN, 0.5, 2.0, NAN], native=None)
@program(MIXED, native=None)
@program(PAIRS, native=None)
@program([(NAN, 1), (NAN, 0), (1.0, 2), (0.5, 3)], native=None)
@program([], native=None)
@program([np.float32(x) for x in FLOATS], native=None)
@program([np.int8(x) for x in INTS], native=None)
@program([(1, 2, 3), (1, 2, 2), (1, 2)], native=None)
@program([2j, 1j], native=None)
@program([3, "a", 1], native=None)
def every_heap_function(values):
    heap, out = [], []
    for k in range(len(values)):
        heappush(heap, values[k])
        if k % 3 == 2:
            out.append(heappop(heap))
        if k % 4 == 3:
            out.append(heappushpop(heap, values[k // 2]))
        if k % 5 == 4:
            out.append(heapreplace(heap, values[k // 3]))
    kept = values[:]
    for _ in range(2):
        heapify(kept)
        heappush(kept, kept[-1])
    return heap, out, kept


@program([5, 1, 4, 2, 3], 8)
@program([5.0, 1.0], 3)
def heap_that_is_emptied(heap, n):
    heapq.heapify(heap)
    out = []
    for _ in range(n):
        out.append(heapq.heappop(heap))
    return out


@program([3, 1, 2], 1 << 62)
@program([3, 1, 1 << 70, 2], 5)
def heap_of_big_ints(heap, big):
    out = []
    for k in range(6):
        heappush(heap, big * (k - 2))
        out.append(heappop(heap))
    return heap, out


@program(6)
def heap_of_ints_and_floats(n):
    heap = [(0, 0)]
    total = 0
    for k in range(1, n):
        heappush(heap, (k / 2 if k % 2 else k, k))
        d, at = heap[0]
        total = total + d * at
        heappush(heap, (total, -k))
    return heap, total


@program([9, 4, 7])
def heap_that_names_share(heap):
    other = heap
    for k in range(5):
        heappush(other, k)
        heap[0] -= 1
    return heap, other, heap is other


# -- deques ----------------------------------------------------------------------------------------------


@program(0)
@program(1)
@program(200)
def ends_of_a_deque(n):
    queue, out = deque(), []
    for k in range(n):
        queue.append(k)
        queue.appendleft(-k)
        if k % 3 == 0:
            out.append(queue.pop())
        if k % 5 == 0:
            out.append(queue.popleft())
    for k in range(len(queue)):
        out.append(queue[k] + queue[-1 - k])
        queue[k] = queue[k] * 2
    while queue:
        out.append(queue.popleft() if len(queue) % 7 else queue.pop())
    return out, queue, len(queue), type(queue)


@program(deque(maxlen=3), 150)
@program(deque([1, 2]), 150)
@program(deque([1, 2], maxlen=0), 10)
@program(deque([1.5]), 10)
@program(deque([(1, 2.5)]), 3)
def deque_that_is_given(queue, n):
    seen = 0
    for k in range(n):
        queue.append(k)
        seen += len(queue)
        if k % 10 == 9:
            queue.appendleft(k + 0.5)
            queue.rotate(k)
    return queue, seen, queue.maxlen


@program(4)
def pop_from_an_empty_deque(n):
    queue = deque([1.5])
    total = 0.0
    for _ in range(n):
        total += queue.popleft()
    return total


@program(4)
def index_of_a_deque(n):
    queue = deque([1, 2, 3])
    out = []
    for k in range(n):
        out.append(queue[k])
    return out


@program(np.array([[0, 0, 1, 0], [1, 0, 1, 0], [0, 0, 0, 0]]))
def breadth_first(grid):
    order = []
    for start in range(grid.shape[0]):
        queue = deque([(start, 0)])
        push = queue.append
        while queue:
            i, j = queue.popleft()
            if i < 0 or j < 0 or i >= grid.shape[0] or j >= grid.shape[1] or grid[i, j]:
                continue
            grid[i, j] = 2
            order.append((i, j))
            push((i + 1, j))
            push((i - 1, j))
            push((i, j + 1))
            push((i, j - 1))
        queue.clear()
        queue.extend(range(3))
    return order, queue


@program(5)
def deques_that_names_share(n):
    one = other = deque([0], 4)
    for k in range(n):
        other.append(k + one[0])
    return one, one is other, other.maxlen


# -- functions of whole lists ----------------------------------------------------------------------------


@program(INTS, ONES, native=None)
@program(FLOATS, ONES, native=None)
@program(MIXED, ONES, native=None)
@program(PAIRS, ONES, native=None)
@program([NAN, 2.0, NAN, 1.0], ONES, native=None)
@program([(NAN, 2.0), (NAN, 1.0)], ONES, native=None)
@program([], ONES, native=None)
def sorting(values, a):
    out = []
    for k in range(3):
        copied = sorted(values)
        if a[k] > 0:
            out.append(copied)
        copied = sorted(values, reverse=k % 2 == 0)
        values.reverse()
        values.sort(reverse=k % 2 == 1)
        out.append(copied[k:])
    return out, values


@program([3, 1, 2, 3], 3, ONES, native=None)
@program([3, 1, 2, 3], 4, ONES, native=None)
@program([3, 1.5, True], 1, ONES, native=None)
@program([1.5, NAN, 2.0], NAN, ONES, native=None)
@program([(1, 2), (3, 4)], (3, 4), ONES, native=None)
def finding(values, one, a):
    places = []
    for k in range(3):
        if a[k] > 0:
            places.append(values.count(one))
        places.append(values.index(one))
        values.remove(one)
        values.insert(k, one)
        values.append(one)
    return values, places


@program([1, 2, 3, 4, 5, 6, 7], 2, ONES, native=None)
@program([1.5, 2.5, 3.5], 1, ONES, native=None)
@program([1, 2, 3], -5, ONES, native=None)
def slices(values, k, a):
    out = []
    for i in range(3):
        if a[i] > 0:
            out.append(values[::-1])
        out.append(values[k::2])
        out.append(values[:-k:-1])
        values[1:2] = [i, values[0], i]
        values[:] = values[i:]
        del values[-1:]
        del values[0]
        values.extend((i, i + 1))
        values += [i] * i
    return out, values


@program([1, 2, 3, 4], ONES, native=None)
def slice_of_another_length(values, a):
    out = 0
    for i in range(3):
        if a[i] > 0:
            out += i
        values[::2] = [i] * (2 + i // 2)
    return out, values


@program([1, 2], ONES, native=None)
def deletion_of_what_is_not_there(values, a):
    done = 0
    for i in range(5):
        if a[i] > 0:
            done += 1
        del values[0]
    return done


# -- comprehensions --------------------------------------------------------------------------------------


@program(np.arange(7.0), 7, native=None)
@program(np.arange(7, dtype=np.int8) * 40, 7, native=None)
@program([1, 2, 3, 4, 5, 6, 7], 7, native=None)
@program([1, 2.5, 3, 4.5, 5, 6, 7], 7, native=None)
@program([1.5] * 3, 5, native=None)
def reductions(x, n):
    out = []
    for i in range(1, n):
        total = sum(x[j] for j in range(i))
        most = max(x[j] * 2 for j in range(i) if j != 1)
        least = min(abs(x[j] - 3) for j in range(i))
        out.append(total)
        out.append(most - least)
        if any(x[j] > 3 for j in range(i)) or all(x[j] < 1 for j in range(i)):
            out.append(-1)
        out.append(sum([x[j] for j in range(i)], 10))
    return out


@program([3, 1, 2], [0.5, 2.5], ONES, native=None)
@program([1 << 62, 1 << 62], [0.5], ONES, native=None)
@program([], [0.5], ONES, native=None)
@program([5], [], ONES, native=None)
def reductions_of_lists(xs, ys, a):
    out = []
    for i in range(3):
        if a[i] > 0:
            out.append(sum(ys))
        out.append(sum(xs))
        out.append(max(xs))
        out.append(min(ys))
        xs.append(len(out))
    return out


# Python 3.12 and later keep what rounding loses of floats, and of floats alone.
@program([1e16, 1.0, -1e16], 0.0)
@program([1.0, 1e100, 1.0, -1e100], 0)
@program([0.1] * 10, 1e16)
@program([3, 0.1, 5, 1e17, 2, -1e17, 1], 0)
@program([1e308, 1e308, -1e308], 0)
@program([float("inf"), 1.0, 0.1], 0)
@program([-0.0, -0.0], -0.0)
@program([0.1] * 10, True, native=None)
@program([1e16, 1.0, np.float64(1.0), 1.0], 0, native=None)
@program(np.array([0.1] * 10), 1e16, native=None)
def sums_of_floats(xs, start):
    out = []
    for i in range(1, 5):
        out.append(sum(xs, start))
        out.append(sum(x / i for x in xs) + sum([x * i for x in xs if x > 0], 0.1))
    return out


@program(5, 3, native=None)
def tables(n, m):
    kept = []
    for i in range(n):
        table = [[0] * m for _ in range(n)]
        shared = [table[0]] * 2
        shared[0][1] += i
        table[i][0] = sum(row[1] for row in table)
        pairs = [(j, k / 2) for j in range(m) for k in range(j)]
        mixed = [j if j % 2 else j / 4 for j in range(m)]
        kept.append(table)
        kept.append([[j for j in range(i) if j % 2 == 0], list(k + i for k in range(2))])  # noqa: C400
    return kept, table, shared, pairs, mixed, table[0] is shared[1]


@program([1, 2, 0, 4], ONES, native=None)
def comprehension_that_raises(xs, a):
    out = []
    for i in range(4):
        if a[i] > 0:
            out.append(i)
        out.append(sum(12 // xs[j] for j in range(i + 1)))
    return out


@program([1, 0, 2], ONES, native=None)
def lazily(xs, a):
    out = []
    for i in range(3):
        if a[i] > 0:
            out.append(i)
        out.append(any(1 // x > 0 for x in xs))
        out.append(all(x < 1 or 1 // x < 0 for x in xs))
    return out


@program([1, 0, 2], ONES, native=None)
def not_lazily(xs, a):
    out = []
    for i in range(3):
        if a[i] > 0:
            out.append(i)
        out.append(any([1 // x > 0 for x in xs]))  # noqa: C419
    return out


@program([4, 5, 6], native=None)
def names_of_comprehensions_are_their_own(xs):
    j, out = -1, []
    for i in range(3):
        out.append([j * 2 for j in range(i)])
        out.append([x + j for x in xs])
        j -= sum(j for j in xs)
    return out, j


@program([4, 5, 6], native=None)
def effects_beside_comprehensions(xs):
    out = []
    for i in range(3):
        out.append(xs.pop() + sum(x for x in xs) * i)
        xs.insert(0, max(x for x in out) + sum([out.pop() for _ in range(1)]))
    return out, xs


@program(6, native=None)
def lists_of_two_ways(n):
    out = []
    for i in range(n):
        out.append([i, i + 1] if i % 2 else [j * i for j in range(3)])
        out.append(sorted([i, 3, 1] if i > 2 else [5, i], reverse=True))
    return out


def _others_sum(values):
    return -1


@program([4, 5, 6], native=None)
def another_sum(xs):
    sum, out = _others_sum, []
    for i in range(3):
        out.append(sum(xs) + i)
        out.append(sum([x + i for x in xs]))
    return out


@program([3, 1, 2], [0.5, 2.5], ONES, native=None)
@program([1 << 62, 1 << 62], [0.5], ONES, native=None)
@program([True, False], [np.int8(100)], ONES, native=None)
@program([], [], ONES, native=None)
@program([1.5, "a"], [2], ONES, native=None)
def products(xs, ys, a):
    out = []
    for i in range(12):
        out.append(math.prod(xs))
        out.append(math.prod(ys, start=a[i]))
        out.append(math.prod(x + i for x in xs))
        out.append(math.prod([a[j] + i for j in range(i)]))
    return out


NATIVELY = (
    every_heap_function,
    sorting,
    finding,
    slices,
    reductions,
    reductions_of_lists,
    sums_of_floats,
    tables,
    lazily,
    lists_of_two_ways,
    breadth_first,
    ends_of_a_deque,
)


@pytest.fixture(scope="module")
def begun() -> Iterator[dict[str, Begun]]:
    """The loop of each program; their native code is compiled together."""
    with pytest.MonkeyPatch.context() as patch:
        compile_loops_alone(patch)
        made = {}
        for name, (function, args, _) in program.cases.items():
            if function in NATIVELY and name not in LEAVING:
                made[name] = begin(function, *copies(args))
        yield made


# Programs of items without an order, or of three types, of NaNs, of lists that begin empty, sums of floats
# from a bool on, and those that raise: Python does some trips.
LEAVING = frozenset(
    (
        "every_heap_function every_heap_function-1 every_heap_function-2 every_heap_function-6 "
        "every_heap_function-8 every_heap_function-9 sorting sorting-31 sorting-32 sorting-34 "
        "finding-38 finding-39 finding-40 reductions "
        "reductions_of_lists reductions_of_lists-53 reductions_of_lists-54 sums_of_floats-58 "
    ).split()
)


@pytest.mark.parametrize("name", [one for one in cases() if program.cases[one][0] in NATIVELY])
def test_no_trip_is_pythons(name: str, begun: dict[str, Begun]) -> None:
    if name in LEAVING:
        return
    run = begun[name].run()
    function, args, _ = program.cases[name]
    want = run_in_python(function, *copies(args))
    assert run.is_done, f"left at {run.exit}"
    assert run.loop.refusal is None
    for one, value in want.items():
        if not callable(value):
            assert_same(run.names[one], value, one)


# -- items of deques ---------------------------------------------------------------------------------------


@program(np.array(FLOATS), 5)
def moving_averages(x, most):
    window, out = deque(maxlen=most), np.zeros(len(x))
    for i in range(len(x)):
        window.append(x[i])
        out[i] = sum(window) / len(window)
    return out, window


@program([float(one) for one in INTS])
def all_that_reads_a_deque(xs):
    window, out = deque(maxlen=9), []
    for i in range(len(xs)):
        window.append(xs[i])
        made = max(window) - min(window) + sum(one * one for one in window if one > 3)
        made += sum(1 for one in window for other in window if one < other and i < 20)
        if any(one > 15 for one in window) and not all(window):
            made = -made
        more = [one + 1 for one in window]
        out.append(made + len(more) + more[-1] + len(list(window)) + sorted(window)[0] + math.prod(window))
    return out


@program([1, 2], 20)
def sums_of_a_deque_that_is_empty(xs, n):
    window, s = deque(), 0
    for i in range(n):
        s += sum(window, 5)
        if i % 3 == 0 and window:
            window.pop()
        else:
            window.extend(xs)
    return s, max(window)


class Window:
    def __init__(self) -> None:
        self.items = deque(maxlen=4)

    def push(self, value: Any) -> Any:
        self.items.append(value)
        return sum(self.items) / len(self.items)


@program(INTS)
def averages_of_an_attribute(xs):
    window, s = Window(), 0.0
    for value in xs:
        s += window.push(value)
    return s


def len_of_ten(xs):
    len = lambda value: 10  # noqa: E731
    s = 0
    for value in xs:
        s += sum(len(one) for one in xs) + value
    return s


@program(deque(INTS), native=None)
def another_len(xs):
    return len_of_ten(xs)


@pytest.mark.parametrize("name", cases())
def test_queues_are_as_in_python(name: str, jitted: dict[str, tuple[Any, list[Any]]]) -> None:
    program.check(name, *jitted[name])


def test_native_code_leaves_nothing_behind(jitted: dict[str, tuple[Any, list[Any]]]) -> None:
    names = (
        "breadth_first",
        "ends_of_a_deque",
        "heap_of_ints_and_floats",
        "lists_of_two_ways",
        "heap_of_big_ints",
    )
    for name in names:
        function, _ = jitted[name]
        args = program.cases[name][1]
        for _ in range(3):
            outcome(function, args)
        counts = []
        for _ in range(2):
            gc.collect()
            held = (list, tuple, deque)
            counts.append(len([one for one in gc.get_objects() if type(one) in held]))
            for _ in range(20):
                outcome(function, args)
        assert counts[1] - counts[0] < 20, name


def products_of_items(x, xs, n):
    for i in range(n):
        of_items = math.prod(x[:i])  # noqa: F841 - the names are compared
        of_list = math.prod(xs)  # noqa: F841
        made = math.prod(one + i for one in xs)  # noqa: F841
        begun = math.prod([x[j] for j in range(i)], start=2.5)  # noqa: F841


@pytest.mark.parametrize("code", ["b1", "i1", "u4", "i8", "f4", "f8", "c16"])
def test_products_are_native(code):
    check(products_of_items, (np.arange(1, 5) * 40).astype(code), [3, 1, 2], 4)
