"""Loops over Python's lists become native, and do with them what Python does.

Values, types, identity, exceptions and changes are compared. All programs are called in rounds, so that the
loops of one round are compiled together.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.frontend.loops.jitted import Programs, outcome
from tests.frontend.loops.native import check
from tests.loops.random_check import compile_loops_alone

POSITIVE = np.ones(9)
program = Programs()


def cases() -> list[str]:
    return list(program.cases)


# -- making, reading and changing ------------------------------------------------------------------------


@program(30)
@program(0)
def primes(n):
    found, composite = [], [False] * (n + 1)
    for i in range(2, n + 1):
        if not composite[i]:
            found.append(i)
            for j in range(i * i, n + 1, i):
                composite[j] = True
    return found, composite


@program(20, 3)
def made_in_each_trip(n, k):
    kept = [0]
    for i in range(n):
        row = [i] * k
        row[i % k] += 5
        row.append(i * i)
        kept = row
    return kept, row


@program([3, 1, 2], 10)
@program([], 10)
def changed_in_place(xs, n):
    for i in range(n):
        xs.append(i)
        if len(xs) > 4:
            xs[-2] = xs[0] + xs[-1]
    return xs


@program([1.5, 2.5, -0.0, float("nan")], 4)
def floats(xs, n):
    total = 0.0
    for i in range(n):
        total += xs[i]
        xs[i] = xs[i] * 2
    return total, xs


@program(np.array([3.0, 1.0, 2.0]))
@program(np.array([3, 1, 2], np.int8))
@program(np.array([3, 1, 2], np.uint64))
@program(np.array([3, 1, 2], np.float16))
@program(np.array([3, 1, 2], np.complex64))
@program(np.array([True, False]))
def numpy_scalars(a):
    kept = []
    last = None
    for i in range(len(a)):
        kept.append(a[i])
        last = kept[-1]
    return kept, last


@program(6)
def bools_and_complex(n):
    flags, roots = [], [1j]
    for i in range(n):
        flags.append(i > 2)
        roots.append(roots[-1] * 1j)
    return flags, roots


@program(5)
def tuples(n):
    pairs = [(0, 1.5)]
    for i in range(n):
        a, b = pairs[i]
        pairs.append((a + 1, b * 2))
    return pairs


@program([[1, 2], [], [3]], 9)
@program([[], [], []], 9)
def lists_of_lists(rows, n):
    for i in range(n):
        rows[i % 3].append(i)
        if rows[0]:
            rows[1].append(rows[0][-1])
    return rows, len(rows[1])


@program(7)
def triangle(n):
    rows = [[1]]
    for i in range(n):
        row = [1]
        for j in range(i):
            row.append(rows[i][j] + rows[i][j + 1])
        row.append(1)
        rows.append(row)
    return rows


@program([1, 2], [[1, 2], [3, 4]], 6)
@program([1, 2.5], [[1, 2.5], [3, 4]], 6)
@program([1, 2], [[1, 2], [3, 4, 5]], 6)
@program([1, 2], [[1, 2], [3]], 6)
def unpacked(state, rows, n):
    total = 0
    for _ in range(n):
        a, b = state
        state[0], state[1] = b, (a + b) % 1000
        (p, q), row = rows
        row[-1], r = row
        total += p - q * r + sum([x * y for x, y in rows])
    return total, state, rows, a, b, row


# -- stacks and queues -----------------------------------------------------------------------------------


@program(np.array([[0, 0, 1], [1, 0, 1], [0, 0, 0]]))
def flood(grid):
    stack, order = [(0, 0)], []
    while stack:
        i, j = stack.pop()
        if i < 0 or j < 0 or i >= grid.shape[0] or j >= grid.shape[1] or grid[i, j]:
            continue
        grid[i, j] = 2
        order.append((i, j))
        stack.append((i + 1, j))
        stack.append((i - 1, j))
        stack.append((i, j + 1))
        stack.append((i, j - 1))
    return order, stack


@program([[1, 2], [3], [], [4, 0], [0]])
def queue_with_a_head(adjacent):
    dist = [-1] * len(adjacent)
    dist[0], queue, head = 0, [0], 0
    while head < len(queue):
        u = queue[head]
        head += 1
        for v in adjacent[u]:
            if dist[v] < 0:
                dist[v] = dist[u] + 1
                queue.append(v)
    return dist, queue


@program(12)
def queue_by_pop_0(n):
    queue, seen = [1], []
    while queue:
        x = queue.pop(0)
        seen.append(x)
        if x * 2 < n:
            queue.append(x * 2)
        if x * 2 + 1 < n:
            queue.insert(1, x * 2 + 1)
    return seen


@program([5, 3, 8, 1, 0, 4, 7], 9, POSITIVE, native=None)
@program([5, 3, 8, 1, 0, 4, 7], -1, POSITIVE, native=None)
@program([5, 3, 8, 1, 0, 4, 7], 2, POSITIVE, native=None)
def popped_anywhere(xs, place, a):
    out = []
    for i in range(3):
        if a[i] > 0:
            out.append(xs.pop(place - i))
        xs.pop()
    return out, xs


@program([3, 1, 2], 6)
def methods_that_names_hold(xs, n):
    out, rows = [], [[], []]
    push, take = out.append, xs.pop
    for i in range(n):
        push(xs[-1] * i)
        rows[i % 2].append(out.pop())
        out.append(take())
        xs.insert(0, out[-1] + i)
    return out, rows, xs, push.__self__ is out


# -- aliases ---------------------------------------------------------------------------------------------


@program([1], 4)
def two_names(xs, n):
    ys = xs
    for i in range(n):
        ys.append(xs[0] + i)
    return xs, ys, xs is ys


@program(4)
def two_names_of_a_new_list(n):
    a = b = []
    for i in range(n):
        a.append(i)
        b.append(a[0] + i)
    return a, b, a is b


@program(5)
def one_list_in_another(n):
    outer, inner = [], []
    for i in range(n):
        if i % 2:
            inner = []
        inner.append(i)
        outer.append(inner)
    return outer, [one is inner for one in outer]


@program([[1, 2], [3]], 3)
def a_name_of_a_row(rows, n):
    row = rows[0]
    for i in range(n):
        row = rows[i % 2]
        row.append(i)
    return rows, row is rows[0], row


def _shared() -> tuple[Any, ...]:
    one = [1, 2]
    return one, one, [one, one]


@program(*_shared())
def one_list_given_twice(xs, ys, rows):
    for i in range(3):
        xs.append(i)
        ys[0] += len(rows[1])
    return xs, ys, rows


# -- loops over lists ------------------------------------------------------------------------------------


@program([1.5], POSITIVE, native=None)
@program([], POSITIVE, native=None)
@program([4, 5, 6], POSITIVE, native=None)
def over_items(xs, a):
    total, last = 0, None
    for v in xs:
        if a[int(v)] > 0:
            total = total * 2 + v
        last = v
    return total, last


@program(np.arange(12.0).reshape(3, 4))
@program(np.arange(5.0).reshape(1, 5))
def over_constants(a):
    total = 0
    for i in range(len(a)):
        for di, dj in [(0, 1), (-1, 0), (1, 0)]:
            total += a[i + di, i + dj]
        for scale in [1, -0.5, True]:
            total -= scale * a[i, 0]
    return total, di, dj, scale


@program([1, 2, 3], native=None)
def over_a_list_that_grows(xs):
    seen = []
    for v in xs:
        seen.append(v)
        if v < 6 and len(xs) < 12:
            xs.append(v + 2)
    return seen, xs


@program([1, 2, 3, 4, 5], native=None)
def over_a_list_that_shrinks(xs):
    seen = []
    for v in xs:
        seen.append(v)
        xs.pop()
    return seen, xs


@program([3, 4, 5], [0.5, 1.5], POSITIVE, native=None)
def with_numbers_and_side_by_side(xs, ys, a):
    out = []
    for k in range(2):
        for i, v in enumerate(xs, 2):
            if a[i] > 0:
                out.append(i * v + k)
        for v, w in zip(xs, ys):  # noqa: B905
            out.append(v + int(w))
        for v in reversed(xs):
            out.append(v)
    return out


@program([(0, 1), (1, 2), (2, 0)], POSITIVE, native=None)
def over_tuples(edges, marks):
    degree = [0] * 3
    for a, b in edges:
        if marks[a] > 0:
            degree[a] += 1
        degree[b] += 2
    return degree


@program([[1, 2], [], [3]])
def over_lists(rows):
    total = 0
    for row in rows:
        for v in row:
            total += v
        row.append(total)
    return total, row is rows[-1]


# -- other operations ------------------------------------------------------------------------------------


@program([1, 2, 3, 4, 5, 6], 5, POSITIVE)
@program([1, 2, 3, 4, 5, 6], 4, POSITIVE)
def parts_and_joins(xs, n, a):
    out = []
    for i in range(n):
        if a[i] < 0:
            break
        ys = xs[1:] + xs[:1]
        ys.reverse()
        out += ys
        out.extend(xs[-2:-1])
        zs = list(ys)
        zs[0] = -1
        if i == 3:
            xs.clear()
    return out, ys, zs, xs, zs is ys


@program(4)
def truth_of_lists(n):
    xs, seen = [], 0
    for i in range(n):
        if not xs:
            seen += 1
            xs.append(i)
        else:
            xs.pop()
    return seen, xs


# -- Python answers where native code has no answer ------------------------------------------------------


@program([1, 2, 3], 4)
def index_error(xs, n):
    out = []
    for i in range(n):
        out.append(xs[i])
    return out


@program([1, 2, 3], 4, native=None)
def index_error_that_is_caught(xs, n):
    out = []
    i = -1
    try:
        for i in range(n):
            xs[i] = i * 10
            out.append(xs.pop() if i > 2 else 0)
    except IndexError as error:
        return error.args, i, out, xs
    return out


@program([2, 3], 3)
def pop_from_an_empty_list(xs, n):
    total = 0
    for _ in range(n):
        total += xs.pop()
    return total


@program([1, 2.5, 3, np.float64(4)], POSITIVE, native=None)
def items_of_several_types(xs, a):
    total = 0
    for v in xs:
        if a[int(v)] > 0:
            total += v
    return total


@program([1, 1 << 70, 3], 3)
def big_ints(xs, n):
    for i in range(n):
        xs[i] = xs[i] * 3
        xs.append(xs[i] + 1)
    return xs


@program([1 << 62], 3)
def overflow_into_big_ints(xs, n):
    for _ in range(n):
        xs.append(xs[-1] * 2)
    return xs


@program([1, "two", None, [3]], 4)
def other_items_are_moved_by_python(xs, n):
    ys = []
    for i in range(n):
        ys.append(xs[i])
        xs[i] = i
    return xs, ys


@program(np.arange(4.0), 4)
def array_is_put_into_a_list(a, n):
    xs = [0]
    for i in range(n):
        xs.append(i)
        if i == 2:
            xs.append(a)
        a[i] += 1
    return len(xs), xs[:3], xs[-2] is a


@pytest.mark.parametrize("name", cases())
def test_lists_are_as_in_python(name: str, jitted: dict[str, tuple[Any, list[Any]]]) -> None:
    program.check(name, *jitted[name])


@pytest.mark.parametrize(
    "function",
    [
        over_items,
        over_a_list_that_grows,
        over_a_list_that_shrinks,
        over_tuples,
        popped_anywhere,
        with_numbers_and_side_by_side,
    ],
)
def test_short_loops_natively(function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    compile_loops_alone(monkeypatch)
    run = check(function, *program.cases[function.__name__][1])
    assert run.loop.refusal is None


def test_native_code_gives_its_references_back(jitted: dict[str, tuple[Any, list[Any]]]) -> None:
    function, _ = jitted["lists_of_lists"]
    rows = [[1, 2], [], [3]]
    counts = [sys.getrefcount(one) for one in (rows, *rows)]
    entries = function.stats.loop_entries
    for _ in range(20):
        function(rows, 9)
    assert function.stats.loop_entries > entries
    assert [sys.getrefcount(one) for one in (rows, *rows)] == counts


def test_native_code_leaves_no_lists_behind(jitted: dict[str, tuple[Any, list[Any]]]) -> None:
    names = ("triangle", "made_in_each_trip", "parts_and_joins", "flood", "index_error")
    for name in names:
        function, _ = jitted[name]
        args = program.cases[name][1]
        for _ in range(3):
            outcome(function, args)
        gc.collect()
        before = len([one for one in gc.get_objects() if type(one) is list])
        for _ in range(20):
            outcome(function, args)
        gc.collect()
        after = len([one for one in gc.get_objects() if type(one) is list])
        assert after - before < 20, name
