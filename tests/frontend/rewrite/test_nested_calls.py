"""Statements outside of loops that call nested functions: backtracking, memoised and recursive functions."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.frontend.rewrite.nested_calls import calls_for_work, working_functions
from tests.frontend.loops.jitted import Programs

program = Programs()


@program(8)
def queens_by_bits(n: Any) -> Any:
    def place(row: Any, columns: Any, one: Any, other: Any) -> Any:
        if row == n:
            return 1
        count = 0
        for column in range(n):
            bit, down, up = 1 << column, 1 << (row + column), 1 << (row - column + n)
            if columns & bit or one & down or other & up:
                continue
            count += place(row + 1, columns | bit, one | down, other | up)
        return count

    return place(0, 0, 0, 0)


@program(6)
def queens_on_a_board(n: Any) -> Any:
    board = np.full(n, -1)
    found = []

    def fits(row: Any, column: Any) -> Any:
        for other in range(row):
            if board[other] == column or abs(board[other] - column) == row - other:
                return False
        return True

    def place(row: Any) -> Any:
        if row == n:
            found.append(int(board[0]))
            return
        for column in range(n):
            if fits(row, column):
                board[row] = column
                place(row + 1)

    place(0)
    return found, board


@program([1, 5, 10, 25], 63)
def fewest_coins(coins: Any, total: Any) -> Any:
    known: dict[int, int] = {}

    def fewest(rest: Any) -> Any:
        if rest == 0:
            return 0
        if rest in known:
            return known[rest]
        best = 10**9
        for coin in coins:
            if coin <= rest:
                best = min(best, 1 + fewest(rest - coin))
        known[rest] = best
        return best

    answer = fewest(total)
    return answer, len(known)


@program(np.arange(40.0)[::-1].copy(), 3)
def several_statements(x: Any, k: Any) -> Any:
    def sink(first: Any, last: Any) -> None:
        if first >= last:
            return
        at = first
        for place in range(first, last):
            if x[place] < x[last]:
                x[place], x[at] = x[at], x[place]
                at += 1
        x[at], x[last] = x[last], x[at]
        sink(first, at - 1)
        sink(at + 1, last)

    def ends(start: Any) -> Any:
        low = high = x[start]
        for value in x:
            if value < low:
                low = value
            if value > high:
                high = value
        return low, high

    total = 0.5
    if k > 2:
        low, high = ends(k)
        total += ends(0)[0]
    try:
        sink(0, len(x) - 1)
    finally:
        total += high - low
    return total


@program(np.arange(60.0), 30, native=None)
def raises_within(x: Any, n: Any) -> Any:
    def walk(place: Any, count: Any) -> Any:
        total = 0.0
        for step in range(count):
            x[place + step] += 1
            total += x[place + step]
        return total + walk(place + count, count + 1)

    x[0] = 5.0
    return walk(0, n)


@program(np.arange(60.0), None, native=None)
def one_loop_within(x: Any, n: Any) -> Any:
    def total(y: Any) -> Any:
        made = 0.0
        for value in y:
            made += value
        return made

    answer = total(x) if n is None else total(n)
    return answer, x


@pytest.fixture(scope="module")
def called() -> Any:
    return program.called()


@pytest.mark.parametrize("name", program.cases)
def test_programs(name: str, called: Any) -> None:
    program.check(name, *called[name])


def test_what_works() -> None:
    tree = ast.parse("""
def f(a):
    return a + 1
def g(a):
    return 0 if a == 0 else g(a - 1)
def h(a):
    return [f(b) for b in a]
x = f(1)
y = g(2) + 1
h(x)
if y:
    z = g(y)
""")
    assert working_functions(tree.body) == {"g", "h"}
    called = [calls_for_work(node, frozenset("gh")) for node in tree.body]
    assert called == [False, False, False, False, True, True, False]


def test_an_explanation_tells_of_the_statement() -> None:
    jitted = npcompile.jit(queens_by_bits)
    for _ in range(3):
        jitted(8)
        jitted.wait()
    text = str(npcompile.explain(jitted, 8, detail="source"))
    assert "return place(0, 0, 0, 0)" in text and "native, entered" in text
