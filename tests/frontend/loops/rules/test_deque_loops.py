"""Loops over deques go on with Python's own iterators, and raise as these where a deque changes meanwhile."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pytest

from tests.frontend.loops.jitted import Programs

program = Programs()
FLOATS = np.random.default_rng(3).random(150)


@program(FLOATS, 7)
def windows(x, most):
    window, out = deque(maxlen=most), np.zeros(len(x))
    for i in range(len(x)):
        window.append(x[i])
        total = 0.0
        for value in window:
            total += value * value
        for place, value in enumerate(window):
            total += place * value
        for one, other in zip(window, reversed(window), strict=True):
            total += one - 2 * other
        out[i] = total
    return out


@program(deque(range(900)))
@program(deque(FLOATS.tolist() * 4))
@program(deque([1] * 300 + [1 << 70, 2.5, np.float32(3)] * 30))
@program(deque(), native=None)
def given_from_both_ends(queue):
    total, last = 0, None
    for value in queue:
        total += value if value % 2 else -3
    for last in reversed(queue):
        total = total * 3 % 1000003 + last
    return total, last


@program(deque(range(50)), 10)
@program(deque(range(50)), 50)
@program(deque(range(50)), 51)
def that_grows_meanwhile(queue, most):
    total = 0
    for k in range(40):
        count = 0
        for value in queue:
            total += value
            count += 1
            if count == most and k == 30:
                queue.append(value)
    return total


@program(deque(range(500)), 250, native=None)
@program(deque(range(500)), 499, native=None)
def that_shrinks_meanwhile(queue, least):
    total = 0
    try:
        for value in queue:
            total += value
            if value == least:
                queue.popleft()
    except RuntimeError as error:
        return total, str(error), queue
    return total, queue


@program(deque(range(60)))
def items_stored_meanwhile(queue):
    for _ in range(20):
        place = 0
        for value in queue:
            queue[place] = value + 1
            place += 1
    return queue


@program(80)
def pairs_and_two_types_of_numbers(n):
    pairs, numbers, out = deque([(0, 1.5)]), deque(), []
    for i in range(n):
        pairs.append((i, i / 2))
        numbers.append(i if i % 3 else i / 2)
        if len(pairs) > 5:
            pairs.popleft()
            numbers.popleft()
        for first, second in pairs:
            out.append(first + second)
        for value in numbers:
            if value == 7:
                break
            out.append(value)
        else:
            out.append(-1)
    return out


@program(12, native=None)
def lists_in_a_deque(n):
    rows, out = deque(), []
    for i in range(n):
        rows.append([i, i + 1])
        for row in rows:
            row[0] += 1
            out.append(row[0] - row[1])
    return rows, out


@pytest.mark.parametrize("name", list(program.cases))
def test_deque_loops_are_as_in_python(name: str, jitted: dict[str, tuple[Any, list[Any]]]) -> None:
    program.check(name, *jitted[name])
