"""Nested functions that bind variables of the function around them: counters, random numbers, states."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npcompile
from tests.frontend.loops.jitted import Programs

program = Programs()
X = np.random.default_rng(5).standard_normal(300)


@program(200)
def calls_counted(n: Any) -> Any:
    calls = 0

    def squared(x: Any) -> Any:
        nonlocal calls
        calls += 1
        return x * x - 2.0

    low, high = 0.0, 2.0
    for _ in range(n):
        middle = 0.5 * (low + high)
        if squared(middle) > 0:
            high = middle
        else:
            low = middle
    return low, calls


@program(X)
def a_variable_of_two_functions(x: Any) -> Any:
    total, seen = 0.0, 0

    def add(value: Any) -> None:
        nonlocal total, seen
        total += value
        seen += 1

    def mean() -> Any:
        return total / seen

    s = 0.0
    for value in x:
        add(value)
        s += mean() + total
    return s, total, seen


@program(b"12+(3+40)+5" * 30)
@program(b"12+(3+" * 30)
@program("12+(3+40)+5" * 30)
def a_text_that_functions_read(text: Any) -> Any:
    place = 0

    def at() -> Any:
        if place == len(text):
            return 0
        return text[place] if isinstance(text, bytes) else ord(text[place])

    def number() -> Any:
        nonlocal place
        value = 0
        while 48 <= at() <= 57:
            value = value * 10 + at() - 48
            place += 1
        return value

    def term() -> Any:
        nonlocal place
        if at() != 40:
            return number()
        place += 1
        value = added()
        if at() != 41:
            raise ValueError(f"no end at {place}")
        place += 1
        return value

    def added() -> Any:
        nonlocal place
        value = term()
        while at() == 43:
            place += 1
            value += term()
        return value

    return added()


@program(300)
def a_generator_of_numbers(n: Any) -> Any:
    state = 88172645463325252

    def drawn() -> Any:
        nonlocal state
        state ^= (state << 13) & 0xFFFFFFFFFFFFFFFF
        state ^= state >> 7
        state ^= (state << 17) & 0xFFFFFFFFFFFFFFFF
        return state

    s = 0
    for _ in range(n):
        before = drawn() % 100
        s += before - drawn() % 7
    return s, state


@program({i: [(i * 3 + 1) % 30, (i * 7 + 2) % 30] for i in range(30)})
def components(graph: Any) -> Any:
    number, found = 0, 0
    numbers, low, waits, stack = [-1] * 30, [0] * 30, [False] * 30, []

    def visit(node: Any) -> None:
        nonlocal number, found
        numbers[node] = low[node] = number
        number += 1
        stack.append(node)
        waits[node] = True
        for other in graph[node]:
            if numbers[other] < 0:
                visit(other)
                low[node] = min(low[node], low[other])
            elif waits[other]:
                low[node] = min(low[node], numbers[other])
        if low[node] == numbers[node]:
            found += 1
            while True:
                other = stack.pop()
                waits[other] = False
                if other == node:
                    break

    for node in range(30):
        if numbers[node] < 0:
            visit(node)
    return found, number, low


@program(7)
def bound_in_a_recursion_outside_of_loops(n: Any) -> Any:
    board = np.zeros(n, dtype=np.int64)
    count, last = 0, None

    def place(row: Any) -> None:
        nonlocal count
        if row == n:
            count += 1
            return
        for column in range(n):
            for other in range(row):
                if board[other] == column or abs(board[other] - column) == row - other:
                    break
            else:
                board[row] = column
                place(row + 1)

    place(0)
    return count, last, board


@program(X[:50])
def left_half_way(x: Any) -> Any:
    count, kept = 0, 0.0

    def item(place: Any) -> Any:
        nonlocal count, kept
        count += 1
        kept += x[place]
        count += 1
        return kept

    s = 0.0
    try:
        for place in range(60):
            s += item(place)
    except IndexError as error:
        return s, count, kept, str(error)
    return s


@program(X)
def python_reads_it_between(x: Any) -> Any:
    count, texts = 0, []

    def counted(value: Any) -> Any:
        nonlocal count
        count += 1
        return value + count

    def text() -> Any:
        return f"{count}"

    s = 0.0
    for place in range(len(x)):
        s += counted(x[place])
        if place == 250:
            texts.append(text())
            count_then = text()
    return s, count, texts, count_then


@program(100)
def of_several_types(n: Any) -> Any:
    total, best, parts = 0, None, []

    def add(i: Any) -> Any:
        nonlocal total, best, parts
        total = total + 0.5 if i > 50 else total + 1
        if best is None or total > best:
            best = total
        if i == 70:
            parts = [total]
        parts.append(i)
        return total

    s = 0
    for i in range(n):
        s += add(i)
    return s, total, best, parts


@program(X, native=None)
def the_loop_reads_it(x: Any) -> Any:
    hits = 0

    def squared(value: Any) -> Any:
        nonlocal hits
        if value > 0:
            hits += 1
        return value * value

    s = 0.0
    for value in x:
        s += squared(value) + hits
        if hits > 100:
            break
    return s, hits


def counter() -> tuple[Any, Any]:
    count = 0

    def up() -> None:
        nonlocal count
        count += 1

    def known() -> Any:
        return count

    return up, known


UP, KNOWN = counter()


@program(300, native=None)
def a_variable_that_a_global_function_reads(n: Any) -> Any:
    begun = KNOWN()
    raised, s = UP, 0
    for _ in range(n):
        raised()
        s += KNOWN() - begun
    return s


@program(X)
def names_that_nested_functions_bind_for_themselves(x: Any) -> Any:
    most = 0.5

    def first(begin: Any) -> Any:
        for i in range(begin, len(x)):
            v = x[i]
            if v > most:
                return i
        return -1

    def bind() -> Any:
        nonlocal most
        (i := 1)
        most += i / 1000
        return [v * 2 for v in range(i)]

    i, s = 0, 0.0
    while i >= 0:
        v = x[i]
        s += v + len(bind())
        i = first(i + 1)
    return s, i, v, most


@pytest.mark.parametrize("name", program.cases)
def test_programs(name: str, jitted: Any) -> None:
    program.check(name, *jitted[name])


def test_functions_that_share_variables_and_such_that_do_not() -> None:
    def summed(up: Any, known: Any, n: Any) -> Any:
        s = 0
        for _ in range(n):
            up()
            s += known()
        return s

    jitted = npcompile.jit(summed, wait=True)
    for _ in range(3):
        up, known = counter()
        other, _ = counter()
        assert jitted(up, known, 100) == 5050 and known() == 100
        assert jitted(other, known, 100) == 10000 and known() == 100
    assert jitted.stats.native_loops == 2 and jitted.stats.loop_leaves == 0, jitted.stats
