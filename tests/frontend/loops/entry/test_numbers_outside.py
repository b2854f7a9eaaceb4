"""Ints of modules and of functions around a function are numbers in its native loops, until one changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.frontend.loops import jitted

PRIME = 10**9 + 7
SIZE, POWER = 8, 3
STEPS = 5
CHANGING: Any = 3
COUNT = 0


def remainders(x):
    out = np.zeros(SIZE)
    rest = 1
    for i in range(len(x)):
        rest = (rest * 257 + i) % PRIME
        out[i % SIZE] += x[i] ** POWER + rest
    return out, rest


def rings(x):
    total = 0.0
    for i in range(0, len(x) - SIZE, STEPS):
        total += np.sum(x[i : i + SIZE]) * SIZE
    return total


def of_bytes(x):
    for i in range(len(x)):
        x[i] = x[i] * STEPS % 250 + (PRIME if i > 40 else 0)
    return x


def test_calls_are_pythons() -> None:
    jitted.check(remainders, np.arange(200.0))
    jitted.check(rings, np.arange(200.0))
    jitted.check(of_bytes, np.arange(90, dtype=np.uint8))


def scaled(x):
    total = 0
    for i in range(len(x)):
        total += int(x[i]) * CHANGING % 7
    return total


VALUES = [4, 5, 3, 2**40 + 1, 2**40 + 1 + 0, 2**70, 2.5, True, np.int64(4), np.float32(2.5), -3, 3]


def test_numbers_that_change(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.arange(300)
    function = npcompile.jit(scaled)
    for _ in range(4):
        assert function(x) == scaled(x)
        function.wait()
    assert function.stats.native_loops == 1
    for value in VALUES:
        monkeypatch.setitem(globals(), "CHANGING", value)
        for _ in range(3):
            jitted.assert_same(jitted.outcome(function, (x,)), jitted.outcome(scaled, (x,)), str(value))
            function.wait()
    monkeypatch.setitem(globals(), "CHANGING", 3)
    known = function.stats.native_loops
    for value in range(20, 40):
        monkeypatch.setitem(globals(), "CHANGING", value)
        assert function(x) == scaled(x)
    assert function.stats.native_loops == known


def counted(x):
    total = 0
    for i in range(len(x)):
        total += count(i) + COUNT
    return total


def count(i):
    global COUNT
    COUNT += i % 2
    return COUNT


def test_a_number_that_a_called_function_changes() -> None:
    global COUNT
    x = np.arange(100)
    function = npcompile.jit(counted)
    for _ in range(5):
        COUNT = 0
        want = counted(x), COUNT
        COUNT = 0
        assert (function(x), COUNT) == want
        function.wait()


def maker(modulus: int) -> tuple[Callable[..., Any], Callable[[int], None]]:
    def function(x):
        total = 0
        for i in range(len(x)):
            total = (total * 31 + int(x[i])) % modulus
        return total

    def change(value: int) -> None:
        nonlocal modulus
        modulus = value

    return function, change


def test_numbers_of_functions_around_it() -> None:
    x = np.arange(300)
    plain, change = maker(1009)
    function = npcompile.jit(plain)
    for modulus in (1009, 1009, 1009, 97, 97, 5, 3, 1 << 40, 0, 7):
        change(modulus)
        for _ in range(2):
            assert jitted.outcome(function, (x,))[0] == jitted.outcome(plain, (x,))[0]
            function.wait()
    assert function.stats.loop_entries > 10
