"""`next(iter(x))` is native for lists, deques, dicts and sets; Python raises where there is no item."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pytest

from tests.frontend.loops.jitted import Programs

program = Programs()
KEYS = np.random.default_rng(0).integers(0, 60, 900).tolist()


@program(KEYS, 20)
@program([float(one) for one in KEYS], 20)
@program([(one, 1) for one in KEYS], 20)
def least_recently_used(keys, most):
    cache, hits = {}, 0
    for key in keys:
        if key in cache:
            hits += 1
            value = cache.pop(key)
            cache[key] = value
        else:
            if len(cache) >= most:
                oldest = next(iter(cache))
                del cache[oldest]
            cache[key] = hits
    return hits, cache, next(iter(cache.items()), None)


@program(60)
def first_items_or_others(n):
    table, numbers, items, queue, out = {}, set(), [], deque(), []
    for i in range(n):
        out.append(next(iter(items), -1) + next(iter(queue), -2))
        out.append(next(iter(table), -3) + next(iter(numbers), -4))
        if i > 3:
            key, value = next(iter(table.items()))
            out.append(key + value * next(iter(table.values())) + next(iter(table.keys())))
            out.append(next(iter(items)) + next(iter(queue)) + next(iter(numbers)))
        if i > 2:
            table[i] = i * 2
            numbers.add(i)
            items.insert(0, i)
            queue.appendleft(i)
    return out


@program(0)
@program(1)
@program(2)
@program(3)
@program(4)
def first_item_of_nothing(emptied):
    table, numbers, items, queue, total = {}, set(), [], deque(), 0
    for i in range(9):
        if i < 5:
            table[i] = i
            numbers.add(i)
            items.append(i)
            queue.append(i)
        elif emptied == 0:
            table.clear()
        elif emptied == 1:
            numbers.clear()
        elif emptied == 2:
            items.clear()
        elif emptied == 3:
            queue.clear()
        total += next(iter(table)) + next(iter(numbers)) + next(iter(items)) + next(iter(queue))
    return total


def _second(values):
    return values[1]


@program([3, 1, 2])
def another_next(items):
    next, total = _second, 0
    for i in range(20):
        total += next(items) + i
    return total


@program([5, 6, 7], native=None)
def a_generator_is_pythons(items):
    total = 0
    for _ in range(4):
        ones = (one for one in items)
        total += next(iter(ones)) * 2 - next(iter(ones))
    return total


@program(40)
def truth_of_views(n):
    table, out = {}, []
    for i in range(n):
        if table.values():
            out.append(1)
        if table.keys() and not table.items():
            out.append(2)
        out.append(3 if table.items() else 4)
        if i % 2:
            table[i] = i
        else:
            table.clear()
    return out


@pytest.mark.parametrize("name", list(program.cases))
def test_first_items_are_as_in_python(name: str, jitted: dict[str, tuple[Any, list[Any]]]) -> None:
    program.check(name, *jitted[name])
