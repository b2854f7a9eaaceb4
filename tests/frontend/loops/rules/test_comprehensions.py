"""Loops call functions whose comprehensions read the functions' own variables, and those around them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.frontend.loops.jitted import Programs

program = Programs()
POINTS = np.random.default_rng(1).random((12, 2))


def near(points, i, most):
    here = points[i, 0]
    return [j for j in range(len(points)) if abs(points[j, 0] - here) <= most]


def smallest(points, i):
    scale = 2.0 if i % 2 else 3.0
    points[i, 1] += scale
    found = min(abs(points[j, 0] - points[i, 0]) * scale for j in range(len(points)) if j != i)
    points[i, 1] -= 1 / (i - 4)
    return found


@program(POINTS, 0.2)
def helpers(points, most):
    out = []
    for i in range(len(points)):
        out.extend(near(points, i, most))
    return out


@program(POINTS)
def with_an_effect_that_raises(points):
    total = 0.0
    try:
        for i in range(len(points)):
            total += smallest(points, i)
    except ZeroDivisionError as error:
        return total, str(error)
    return total


@program(POINTS, 0.2)
def nested(points, most):
    n = len(points)

    def around(i):
        return [j for j in range(n) if (points[i, 0] - points[j, 0]) ** 2 <= most**2]

    count, seeds = 0, [0]
    for i in range(n):
        seeds.extend(around(i))
        count += len(around(i)) + any(points[k, 1] > most for k in range(i))
    return count, seeds


@program(POINTS)
def sets_and_dicts(points):
    total, names = 0.0, set()
    for i in range(len(points)):
        firsts = {int(v * 7) for v in points[i:, 0]}
        places = {int(points[j, 1] * 5): j for j in range(i, len(points))}
        pairs = {(k, j % 2) for k, j in places.items() if j != i}
        halves = {j: (0.5 if j % 2 else j) for j in range(3)}
        rows = {j: [] for j in range(i % 3)}
        if rows:
            rows[0].append(i)
        names = {k % 4 for k in names | firsts} if i % 2 else {k % 4 for k in firsts}
        total += len(firsts) + len(pairs) * halves[i % 3] + sum([k * j for k, j in places.items()])
        total += len(rows) + len([k for k in firsts if k in places])
    return total, sorted(names), list(places.items()), sorted(pairs), rows, halves


@program([4, 2, 0], 3, native=None)
def sets_that_raise(divisors, n):
    total = 0
    for i in range(n):
        total += len({i // (d - i) for d in divisors})
    return total


def made(points, i):
    scale = points[i, 0]
    return [(lambda j: points[j, 0] * scale)(k) for k in range(3)]


@program(POINTS, native=None)
def with_a_lambda(points):
    total = 0.0
    for i in range(len(points)):
        total += made(points, i)[1]
    return total


@pytest.mark.parametrize("name", program.cases)
def test_callees_with_comprehensions(name: str, jitted: dict[str, tuple[Any, list[Any]]]) -> None:
    program.check(name, *jitted[name])
