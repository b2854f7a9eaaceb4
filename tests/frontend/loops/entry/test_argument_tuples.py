"""Native loops call functions that take any number of arguments, which are a tuple in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.frontend.loops.jitted import check

N = 60


@pytest.fixture(autouse=True)
def _loops_become_native(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")


def total(*values: Any) -> Any:
    s = 0
    for value in values:
        s += value
    return s


def weighted(weight: Any, *values: Any, offset: Any = 2.0) -> Any:
    return weight * sum(values) + offset * len(values)


def by_count(*values: Any) -> Any:
    if len(values) == 2:
        return values[0] - values[1]
    return values[0] if values else 0.0


def pair(*values: Any) -> Any:
    one, other = values
    return one * other


def counting(x: Any, *places: Any) -> None:
    for place in places:
        x[place] += 1
    x[places[0]] = x[places[1]]


class Scale:
    def __init__(self, by: float) -> None:
        self.by = by

    def of(self, *values: Any) -> Any:
        return self.by * values[0] + len(values)

    def alone(*values: Any) -> Any:
        return values[0].by * values[1]


def sums(x: Any) -> Any:
    s = 0.0
    for i in range(len(x) - 2):
        s += total(x[i], x[i + 1], x[i + 2]) + weighted(0.5, x[i], x[i + 1]) + weighted(2, x[i], offset=1)
    return s


def counts(x: Any) -> Any:
    s = 0.0
    for i in range(len(x) - 1):
        s += by_count(x[i], x[i + 1]) * by_count(x[i]) + by_count() + pair(x[i], i)
    return s


def stores(x: Any) -> Any:
    for i in range(len(x) - 2):
        counting(x, i, i + 2)
    return x


def stores_beyond(x: Any) -> Any:
    for i in range(len(x)):
        counting(x, i, i + 2)
    return x


def methods(x: Any) -> Any:
    scale = Scale(2.0)
    s = 0.0
    for i in range(len(x)):
        s += scale.of(x[i], 3)
    return s


def nested(x: Any) -> Any:
    def ends(first: Any, *others: Any) -> Any:
        return first - others[-1]

    s = 0.0
    for i in range(len(x) - 1):
        s += ends(x[i], 1, x[i + 1])
    return s


@pytest.mark.parametrize("function", [sums, counts, stores, stores_beyond, methods, nested])
def test_further_arguments_are_a_tuple(function: Any) -> None:
    check(function, np.arange(float(N)))


def the_object_among_them(x: Any) -> Any:
    scale = Scale(2.0)
    s = 0.0
    for i in range(len(x)):
        s += scale.alone(x[i])
    return s


def too_few(x: Any) -> Any:
    s = 0.0
    for i in range(len(x)):
        s += weighted(offset=x[i])
    return s


def too_many_to_unpack(x: Any) -> Any:
    s = 0.0
    for i in range(len(x)):
        s += pair(x[i], 1, 2)
    return s


@pytest.mark.parametrize("function", [the_object_among_them, too_few, too_many_to_unpack])
def test_calls_that_do_not_fit_are_pythons(function: Any) -> None:
    check(function, np.arange(float(N)), native=False)
