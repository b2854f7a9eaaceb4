"""Programs with comprehensions, generator expressions and functions that Python's library calls back, for
what a call does when it goes on plainly from some item on.

Each takes an array of `n` numbers and a log that it writes to, and answers something.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
ITEMS: list[Callable[[Array, list[Any]], Any]] = []


def program(fn: Any) -> Any:
    ITEMS.append(fn)
    return fn


@program
def listed(x: Array, log: list[Any]) -> Any:
    k = len(x) * 0.5
    return [value * k + 1 for value in x], {i: x[i] - k for i in range(len(x))}, {v > 0 for v in x}


@program
def chosen(x: Array, log: list[Any]) -> Any:
    return [a - b for a, b in zip(x[1:], x, strict=False) if a > b if a < 1], [v for v in x if v is not None]


@program
def within_one_another(x: Array, log: list[Any]) -> Any:
    few = x[:3]
    pairs = [a * b for a in x for b in few if b < a]
    return pairs, [[v * w for v in few] for w in x], [sum([v * w for v in few]) for w in x[:5]]


@program
def bound_within(x: Array, log: list[Any]) -> Any:
    value = x[0]
    made = [last for value in x if (last := value * 2) > -1]
    return made, last, value, [log.append(i) for i in range(len(x))]


@program
def generated(x: Array, log: list[Any]) -> Any:
    factor = 2.0
    squares = (value * value for value in x)
    first = next(squares)
    rest = sum(value * factor for value in squares)
    return first, rest, any(v > 100 for v in x), all(v < 100 for v in x), next(squares, None)


@program
def keys(x: Array, log: list[Any]) -> Any:
    largest = max(x, key=lambda v: -abs(v))
    ordered = sorted(x, key=lambda v: -v)
    items = list(x)
    items.sort(key=lambda v: abs(v))
    return largest, min(x, key=abs), ordered, items, sorted(x)[:3]


@program
def mapped(x: Array, log: list[Any]) -> Any:
    doubled = list(map(lambda v: v * 2, x))  # noqa: C417
    positive = list(filter(lambda v: v > 0, x))
    steps = list(itertools.accumulate(x, lambda a, b: a * 0.5 + b))
    powers = list(itertools.starmap(lambda a, b: a * b, zip(x, x, strict=True)))
    return doubled, positive, steps, powers, functools.reduce(lambda a, b: a * 0.5 + b, x)


@program
def taken(x: Array, log: list[Any]) -> Any:
    low = list(itertools.takewhile(lambda v: v < 1, x))
    high = list(itertools.dropwhile(lambda v: v < 1, x))
    kinds = [(k, len(list(g))) for k, g in itertools.groupby(range(len(x)), lambda i: i // 3)]
    return low, high, kinds, np.fromiter((v + 1 for v in x), float)


@program
def functions_of_items(x: Array, log: list[Any]) -> Any:
    factor = 2.0
    made = [lambda by=value: factor + by for value in x]
    return [function() for function in made[:4]], made[-1](2.0), len({id(one) for one in made})


@program
def raising_in_an_item(x: Array, log: list[Any]) -> Any:
    return [
        value
        / (1 if i < len(x) - 2 else log[5])
        for i, value in enumerate(x)
    ]  # fmt: skip


@program
def caught_in_items(x: Array, log: list[Any]) -> Any:
    class Limit(Exception):
        pass

    def limited(i: int) -> int:
        if i == len(x) - 1:
            raise Limit(i)
        return i

    try:
        return [limited(i) + 1 for i in range(len(x))]
    except Limit as error:
        return "over", error.args


@program
def themselves(x: Array, log: list[Any]) -> Any:
    size = len(x) * 1000
    kept = [size for _ in x]
    others = [value is size for value in (*kept, len(x) * 1000)]
    return others, [one for one in kept if one is not size], kept.index(size), [(i, size) for i in range(3)]


def scaled(n: int, by: float) -> Any:
    return n * by if n < 2 else scaled(n - 1, by) + scaled(n - 2, by)


@program
def recursion(x: Array, log: list[Any]) -> Any:
    return scaled(min(len(x), 9), 0.5), x.sum()


def without_first(items: list[Any]) -> list[Any]:
    return [] if len(items) < 2 else [items[0], *without_first(items[1:])]


@program
def recursion_over_lists(x: Array, log: list[Any]) -> Any:
    return without_first([v * 2 for v in x[:12]])


class Rows:
    def __init__(self, rows: Any) -> None:
        self.rows = rows

    def __iter__(self) -> Any:
        return (row * 2 for row in self.rows)

    def __getitem__(self, place: int) -> Any:
        return self.rows[place] + 1

    def __len__(self) -> int:
        return len(self.rows)


@program
def users_rows(x: Array, log: list[Any]) -> Any:
    rows = Rows(x)
    return [row for row in rows], [rows[i] for i in range(len(rows))], sum(rows)  # noqa: C416
