"""Loops that bind numbers which are compared by `is` stay Python's, whose numbers are objects."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.frontend.loops.source.identity import Comparisons
from tests.frontend.loops.jitted import check


@pytest.fixture(autouse=True)
def _loops_become_native(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")


XS = [(k * 7919 % 211) / 8 for k in range(210)] + [1e3]


def after_the_loop(xs: Any) -> Any:
    best = xs[0]
    for x in xs:
        if x > best:
            best = x
    return best is x, best is xs[0]


def by_way_of_other_names(xs: Any) -> Any:
    best = 0.0
    for x in xs:
        if x > best:
            best = x
    kept, last = best, xs[-1]
    return kept is not last


def in_the_loop(xs: Any) -> Any:
    best, n = 0.0, 0
    for x in xs:
        if x > best:
            best = x
        if best is x:
            n += 1
    return n


def ints_in_a_list(xs: Any) -> Any:
    found, total = [], 1000
    for x in xs:
        total += int(x)
        found.append(total)
    return [found[k] is found[k] for k in range(3)], found[-1] is total, id(found[-1]) == id(total)


class Kept:
    def __init__(self) -> None:
        self.best = 0.0

    def fill(self, xs: Any) -> Any:
        last = 0.0
        for x in xs:
            if x > self.best:
                self.best = x
            last = x
        return self.best is last


def in_an_attribute(xs: Any) -> Any:
    return Kept().fill(xs)


def is_one(one: Any, other: Any) -> bool:
    return one is other


def in_a_called_function(xs: Any) -> Any:
    best, n = 0.0, 0
    for x in xs:
        if x > best:
            best = x
        if is_one(best, x):
            n += 1
    return n


def in_a_called_function_with_effects(xs: Any) -> Any:
    best, out = 0.0, []

    def note(one: Any, other: Any) -> None:
        out.append(one)
        if one is other:
            out.append(-1.0)

    for x in xs:
        if x > best:
            best = x
        note(best, x)
    return out


@pytest.mark.parametrize(
    "function",
    [
        after_the_loop,
        by_way_of_other_names,
        in_the_loop,
        ints_in_a_list,
        in_an_attribute,
        in_a_called_function,
        in_a_called_function_with_effects,
    ],
)
def test_numbers_are_the_objects_that_python_has(function: Any) -> None:
    jitted = npcompile.jit(function)
    want = function(XS)
    for _ in range(4):
        assert jitted(XS) == want
        jitted.wait()


def of_bools(xs: Any) -> Any:
    above, n = False, 0
    for k in range(len(xs)):
        if (xs[k] > 10) is above:
            n += 1
        above = xs[k] > 5 if above is False else above is not True
    return n, above


def test_bools_are_compared_natively() -> None:
    check(of_bools, XS)


def beside_others(items: Any, other: Any) -> Any:
    if items is other:
        return 0.0
    total = 0.0
    for k in range(len(items)):
        total += items[k] * other[k]
    return total


def test_what_no_loop_binds_may_be_compared() -> None:
    check(beside_others, XS, XS[::-1])


def arrays_beside_numbers(a: Any, n: Any) -> Any:
    total, last = 0.0, a
    for i in range(n):
        row = a[i]
        last = row if i % 2 else a
        total += row[0]
    return total, last is a, last is row


def test_arrays_are_compared() -> None:
    check(arrays_beside_numbers, np.arange(200.0).reshape(100, 2), 99)


def of_numbers_of_two_types(x: Any) -> Any:
    n = 0
    for k in range(len(x)):
        n += is_one(x[k], k) + is_one(k, 1.0)
    return n


def test_numbers_of_two_types_are_two_objects() -> None:
    check(of_numbers_of_two_types, np.array(XS))


def bound(source: str) -> bool:
    function = ast.parse(source)
    loop = next(node for node in ast.walk(function) if isinstance(node, ast.For))
    return Comparisons(loop, function).tell_numbers_apart(lambda place: True)


@pytest.mark.parametrize(
    ("after", "want"),
    [
        ("a is None", False),
        ("type(a) is float", False),
        ("a is float", False),
        ("b is c", False),
        ("a is b", True),
        ("id(a)", True),
        ("d = a\nd is b", True),
        ("d = [(e := a)]\nd[0] is b", True),
        ("d.append(a)\nd[0] is b", True),
        ("for d in f: d is a", True),
        ("s is b", False),
        ("s.items is b", False),
        ("(a > b) is c", False),
        ("s.least is b", True),
        ("s.most is b", False),
    ],
)
def test_names_that_a_loop_binds(after: str, want: bool) -> None:
    assert bound(f"for x in s.items:\n    a = x\n    s.least = x\n{after}") == want
