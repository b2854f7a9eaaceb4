"""Functions that bind names of their module, as counters do, called by native loops."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.frontend.loops.jitted import Programs

program = Programs()
COUNT, SEED, TOTAL, LIMIT, KIND = 0, 12345, 0.0, 3, 0


def reset() -> None:
    global COUNT, SEED, TOTAL, KIND
    COUNT, SEED, TOTAL, KIND = 0, 12345, 0.0, 0


def counted(value: Any) -> Any:
    global COUNT
    COUNT += 1
    return value * 2


def drawn() -> Any:
    global SEED
    SEED = (SEED * 1103515245 + 12345) % 2147483648
    return SEED / 2147483648


def known() -> Any:
    return COUNT * 10 + LIMIT


def text(value: Any) -> Any:
    global COUNT
    COUNT += 1
    return f"{value}"


def deep(depth: Any) -> Any:
    global TOTAL
    TOTAL += depth
    if depth > 0:
        deep(depth - 1)
    return TOTAL


def item(x: Any, place: Any) -> Any:
    global TOTAL, COUNT
    COUNT += 1
    value = x[place]
    TOTAL += value
    return value


def of_two_types(i: Any) -> Any:
    global KIND
    KIND = KIND + 0.5 if i > 50 else KIND + 1
    return i


@program(200)
def a_counter(n: Any) -> Any:
    reset()
    s = 0
    for i in range(n):
        s += counted(i)
    return s, COUNT


@program(200)
def a_counter_that_others_read(n: Any) -> Any:
    reset()
    s = 0
    for i in range(n):
        s += counted(i) + COUNT + known()
        s += sum(COUNT for _ in range(3))
    return s, COUNT


@program(200)
def random_numbers(n: Any) -> Any:
    reset()
    s = 0.0
    for i in range(n):
        if drawn() < 0.5:
            s += drawn()
        s += counted(i)
    return s, SEED, COUNT


@program(2000)
def bound_by_python_in_some_trips(n: Any) -> Any:
    reset()
    s = 0
    for i in range(n):
        s += counted(i)
        if i % 500 == 7:
            s += len(text(i)) + COUNT
        s += COUNT + known()
    return s, COUNT


@program(20)
def bound_in_a_recursion(n: Any) -> Any:
    reset()
    s = 0.0
    for i in range(n):
        s += deep(i)
    return s, TOTAL


@program(np.arange(50.0))
def left_half_way(x: Any) -> Any:
    reset()
    s = 0.0
    try:
        for place in range(60):
            s += counted(place) + item(x, place)
    except IndexError as error:
        return s, COUNT, TOTAL, str(error)
    return s


@program(100)
def of_a_nested_function(n: Any) -> Any:
    reset()

    def added(i: Any) -> Any:
        global COUNT
        COUNT += i
        return COUNT

    s = 0
    for i in range(n):
        s += added(i) - counted(i)
    return s, COUNT


@program(100, native=None)
def of_several_types(n: Any) -> Any:
    reset()
    s = 0
    for i in range(n):
        s += of_two_types(i) + sum(KIND for _ in range(2))
    return s, KIND


@pytest.mark.parametrize("name", program.cases)
def test_programs(name: str, jitted: Any) -> None:
    program.check(name, *jitted[name])


def summed(n: Any, function: Any) -> Any:
    s = 0
    for i in range(n):
        s += counted(i) + function(i)
    return s


def test_two_modules_of_one_name() -> None:
    others: dict[str, Any] = {"__name__": __name__, "COUNT": 0}
    other = FunctionType(counted.__code__, others, "counted")
    jitted = npcompile.jit(summed, wait=True)
    for call in range(1, 4):
        reset()
        assert jitted(50, other) == 4 * sum(range(50))
        assert (COUNT, others["COUNT"]) == (50, 50 * call)


def test_verify_compares_variables() -> None:
    checked = npcompile.verify(of_a_nested_function, 100)
    assert checked.ok and checked.loops, checked
