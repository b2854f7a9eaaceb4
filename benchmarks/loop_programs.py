"""Python programs that go through many elements, for `loop_calls.py`: comprehensions, generators, what
Python's own functions call, recursion, and users' classes."""

from __future__ import annotations

import functools
import heapq
import itertools
from collections import deque
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

import numpy as np

import object_programs as users
from long_programs import nested_helpers, unrolled, written_display, written_long

MANY = 250_000


def _normal(n: int) -> Any:
    return np.random.default_rng(0).standard_normal(n)


def _floats(n: int) -> list[float]:
    return list(_normal(n).tolist())


# Comprehensions


def listed(x):
    return np.array([value + 1 for value in x])


def listed_of_range(x):
    return np.array([x[i] * 2 for i in range(len(x))])


def listed_if(x):
    return np.array([value * 2 for value in x if value > 0 and value < 1])


def listed_pairs(x):
    return np.array([a - b for a, b in zip(x[1:], x[:-1], strict=True)])


def listed_twice(rows):
    return np.array([value * 2 for row in rows for value in row])


def listed_within(rows):
    return np.array([[value * 2 for value in row] for row in rows])


def set_made(x):
    return len({int(value * 1000) for value in x})


def dict_made(x):
    found = {i: value * 2 for i, value in enumerate(x)}
    return found[3] + x.sum()


def walrus(x):
    return np.array([y for value in x if (y := value * 2) > 0])


def closures(x):
    made = [lambda value=value: value + 1 for value in x]
    return made[-1]() + made[0]()


def comprehension_in_loop(rows):
    out = []
    for row in rows:
        out.append(sum([value * 2 for value in row]))
    return np.array(out)


def text_made(x):
    return len(",".join([str(value) for value in x])), x.sum()


def of_own_generator(x):
    def doubled():
        for value in x:
            if value > 0:
                yield value * 2

    return np.array([value + 1 for value in doubled()])


# Functions that Python's own functions call


def summed(x):
    return sum(value * value for value in x)


def any_above(x):
    return any(value > 100 for value in x), all(value < 100 for value in x)


def largest_by(x):
    return max(x, key=lambda value: -abs(value))


def sorted_by(x):
    return sorted(x, key=lambda value: -value)[0]


def mapped(x):
    return np.array(list(map(lambda value: value * 2 + 1, x)))  # noqa: C417


def filtered(x):
    return np.array(list(filter(lambda value: value > 0, x)))


def reduced(x):
    return functools.reduce(lambda a, b: a * 0.5 + b, x)


def accumulated(x):
    return np.array(list(itertools.accumulate(x, lambda a, b: a * 0.5 + b)))


def vectorized(x):
    return np.vectorize(lambda value: value * 2 if value > 0 else 0.0)(x)


def from_iterator(x):
    return np.fromiter((value * 2 for value in x), float)


def along_axis(rows):
    return np.apply_along_axis(lambda row: row.max() - row.min(), 1, rows)


def sorted_by_method(x):
    return sorted(map(Ordered, x))[0].value


class Ordered:
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        return self.value < other.value


# Generators


def countdown(n):
    while n > 0:
        yield n
        n -= 1


def driven(n):
    total = np.float64(0)
    for value in countdown(n):
        total += value * 0.5
    return total


def running_mean():
    total = mean = 0.0
    for count in itertools.count(1):
        total += yield mean
        mean = total / count


def sent_to(x):
    means = running_mean()
    next(means)
    out = []
    for value in x:
        out.append(means.send(value))
    return np.array(out)


def delegated(rows):
    def flat():
        for row in rows:
            yield from row

    return np.array(list(flat()))


# Recursion


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def queens(n):
    def place(row, columns, left, right):
        if row == n:
            return 1
        found = 0
        for column in range(n):
            if column not in columns and row - column not in left and row + column not in right:
                found += place(row + 1, columns | {column}, left | {row - column}, right | {row + column})
        return found

    return np.int64(place(0, frozenset(), frozenset(), frozenset()))


def permutations(items):
    if len(items) <= 1:
        return [items]
    return [
        [item, *rest] for i, item in enumerate(items) for rest in permutations(items[:i] + items[i + 1 :])
    ]


def quicksort(items):
    if len(items) <= 1:
        return items
    pivot = items[len(items) // 2]
    below = [item for item in items if item < pivot]
    above = [item for item in items if item > pivot]
    return quicksort(below) + [item for item in items if item == pivot] + quicksort(above)


def flood(grid):
    seen = np.zeros(grid.shape, bool)
    areas = []
    for start in np.ndindex(*grid.shape):
        if seen[start] or not grid[start]:
            continue
        pending, area = [start], 0
        while pending:
            i, j = pending.pop()
            if not (0 <= i < grid.shape[0] and 0 <= j < grid.shape[1]) or seen[i, j] or not grid[i, j]:
                continue
            seen[i, j] = True
            area += 1
            pending += [(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)]
        areas.append(area)
    return np.array(areas)


# Loops


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
        if steps % 1000 == 0 and n < 1 << 60:
            n = (n << 40) + 1
        if steps > 100_000:
            break
    return np.int64(steps)


def sieve(n):
    is_prime = np.ones(n, bool)
    is_prime[:2] = False
    for i in range(2, n):
        if is_prime[i]:
            for k in range(i * i, n, i):
                is_prime[k] = False
    return np.nonzero(is_prime)[0]


def counted_words(words):
    counts = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return max(counts.values()), np.array(list(counts.values())).mean()


def set_in_loop(x):
    seen = set()
    for value in x:
        seen.add(int(value * 100))
    return len(seen)


def text_in_loop(x):
    text = ""
    for value in x:
        text += "+" if value > 0 else "-"
    return len(text), x.sum()


def caught(x):
    failures, total = 0, np.float64(0)
    for i in range(len(x)):
        try:
            total += x[i] / (0 if i % 3 == 0 else 1.0) if i % 3 else 1 / 0
        except ZeroDivisionError:
            failures += 1
    return failures, total


@contextmanager
def noted(log):
    log.append("in")
    yield log
    log.append("out")


def managers(n):
    log = []
    for _ in range(n):
        with noted(log) as inside:
            inside.append("at")
    return np.int64(len(log))


def heap(x):
    queue, out = [], []
    for value in x:
        heapq.heappush(queue, value)
        if len(queue) > 50:
            out.append(heapq.heappop(queue))
    return np.array(out)


def queue(x):
    window, out = deque(), []
    for value in x:
        window.append(value)
        if len(window) > 5:
            window.popleft()
        out.append(window[0])
    return np.array(out)


WORDS = [f"word{i * i % 971}" for i in range(MANY)]
ROWS = 500

PROGRAMS: list[tuple[str, Callable[..., Any], Callable[[], tuple[Any, ...]]]] = [
    ("list of an array", listed, lambda: (_normal(MANY),)),
    ("list of floats", listed, lambda: (_floats(MANY),)),
    ("list by index", listed_of_range, lambda: (_normal(MANY),)),
    ("list with conditions", listed_if, lambda: (_normal(MANY),)),
    ("list of pairs", listed_pairs, lambda: (_normal(MANY),)),
    ("list of two loops", listed_twice, lambda: (_normal(MANY).reshape(ROWS, -1),)),
    ("lists within a list", listed_within, lambda: (_normal(MANY).reshape(ROWS, -1),)),
    ("set", set_made, lambda: (_normal(MANY),)),
    ("dict", dict_made, lambda: (_normal(MANY),)),
    ("walrus", walrus, lambda: (_normal(MANY),)),
    ("functions in a list", closures, lambda: (_normal(MANY),)),
    ("lists in a loop", comprehension_in_loop, lambda: (_normal(MANY).reshape(ROWS, -1),)),
    ("texts in a list", text_made, lambda: (_normal(MANY // 4),)),
    ("list of a generator", of_own_generator, lambda: (_normal(MANY),)),
    ("sum of a generator", summed, lambda: (_normal(MANY),)),
    ("any and all", any_above, lambda: (_normal(MANY),)),
    ("max by a key", largest_by, lambda: (_normal(MANY),)),
    ("sorted by a key", sorted_by, lambda: (_normal(MANY),)),
    ("map", mapped, lambda: (_normal(MANY),)),
    ("filter", filtered, lambda: (_normal(MANY),)),
    ("reduce", reduced, lambda: (_normal(MANY),)),
    ("accumulate", accumulated, lambda: (_normal(MANY),)),
    ("np.vectorize", vectorized, lambda: (_normal(MANY),)),
    ("np.fromiter", from_iterator, lambda: (_normal(MANY),)),
    ("np.apply_along_axis", along_axis, lambda: (_normal(MANY).reshape(-1, 10),)),
    ("sorted by __lt__", sorted_by_method, lambda: (_normal(MANY // 10),)),
    ("a generator's loop", driven, lambda: (MANY,)),
    ("send", sent_to, lambda: (_normal(MANY),)),
    ("yield from", delegated, lambda: (_normal(MANY).reshape(ROWS, -1),)),
    ("fib(22)", fibonacci, lambda: (22,)),
    ("7 queens", queens, lambda: (7,)),
    ("permutations of 7", permutations, lambda: (list(range(7)),)),
    ("quicksort", quicksort, lambda: (_floats(20_000),)),
    ("flood fill", flood, lambda: (_normal(22_500).reshape(150, 150) > 0,)),
    ("a number's while", collatz, lambda: (27,)),
    ("sieve", sieve, lambda: (MANY // 2,)),
    ("words in a dict", counted_words, lambda: (WORDS,)),
    ("set in a loop", set_in_loop, lambda: (_normal(MANY),)),
    ("text in a loop", text_in_loop, lambda: (_normal(MANY),)),
    ("caught in a loop", caught, lambda: (_normal(MANY),)),
    ("managers in a loop", managers, lambda: (MANY // 4,)),
    ("heap", heap, lambda: (_normal(MANY),)),
    ("deque", queue, lambda: (_normal(MANY),)),
    ("vectors of a class", users.vectors, lambda: (MANY // 4,)),
    ("__getitem__", users.items_of, lambda: (users.Table(_normal(MANY)),)),
    ("__iter__", users.gone_over, lambda: (users.Table(_normal(MANY)),)),
    ("__call__", users.called_object, lambda: (MANY,)),
    ("a helper", users.helper, lambda: (_normal(MANY),)),
    ("a closure", users.helper_with_closure, lambda: (_normal(MANY), 0.5)),
    ("a helper on arrays", users.helper_with_arrays, lambda: (MANY // 5,)),
    ("short sum", users.short, lambda: (_normal(5_000),)),
    ("short with arrays", users.short_with_arrays, lambda: (_normal(100),)),
    ("short search", users.short_search, lambda: (_normal(5_000),)),
    ("short, straight", users.straight, lambda: (_normal(1_000),)),
    ("1,500 statements", written_long(1_500), lambda: (_normal(10),)),
    ("4,500 statements", written_long(4_500), lambda: (_normal(10),)),
    ("a display of 2,000", written_display(2_000), lambda: (_normal(10),)),
    ("4,096 nested calls", nested_helpers, lambda: (_normal(10),)),
    ("unrolled", unrolled, lambda: (_normal(10),)),
]
