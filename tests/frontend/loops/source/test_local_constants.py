"""Numbers stand in a loop for the names that one statement before it binds to them, and nothing else does."""

from __future__ import annotations

import ast
import textwrap

import numpy as np
import pytest

from npcompile.frontend.loops.source.local_constants import with_constants
from tests.frontend.loops import jitted

LOOP = "for i in range(n):\n    x = (x * a + b) % m"
KNOWN = [
    ("a = 3\nb = -1.5\nm = 2**31 - 1", "x = (x * 3 + -1.5) % (2 ** 31 - 1)"),
    ("a, b, m = 3, True, 1 << 20", "x = (x * 3 + True) % (1 << 20)"),
    ("a, b = n, 7\nif n:\n    m = 5", "x = (x * a + 7) % m"),
    ("a = 3\nb = n\nb = 7\nm = f()", "x = (x * 3 + b) % m"),
    ("a = 1 << 63\nb = 10**19\nm = -(2**62)", "x = (x * a + b) % m"),
    ("a = 'text'\nb = None\nm = 3j", "x = (x * a + b) % m"),
    ("a = 2\nb: int = 3\nm = 5\nm += 1", "x = (x * 2 + b) % m"),
    ("a = 2\n(b) = 3\n[m] = [5]", "x = (x * 2 + 3) % m"),
    ("a = b = 2\nm = 1 << 500", "x = (x * a + b) % m"),
]
ELSEWHERE = [
    "a = 4",
    "for a in range(3): pass",
    "with f() as a: pass",
    "def a(): pass",
    "try: pass\nexcept ValueError as a: pass",
    "import a",
    "del a",
    "(a := 5)",
    "[a for a in range(3)]",
    "match n:\n    case [a]: pass",
]


def loop_in(before: str, after: str = "pass", loop: str = LOOP) -> str:
    """Return the statement of a loop's body, with numbers for names."""
    text = "\n".join(["def function(n, x):", *(textwrap.indent(part, " ") for part in (before, loop, after))])
    function = ast.parse(text).body[0]
    assert isinstance(function, ast.FunctionDef)
    node = next(one for one in function.body if ast.unparse(one) == ast.unparse(ast.parse(loop)))
    assert isinstance(node, ast.For)
    made = with_constants(node, function, frozenset("abmnx"))
    assert ast.unparse(node) == ast.unparse(ast.parse(loop)), "the function's own loop has changed"
    return ast.unparse(made.body)


@pytest.mark.parametrize(("before", "want"), KNOWN)
def test_numbers_of_names(before: str, want: str) -> None:
    got = loop_in(before)
    assert ast.dump(ast.parse(got)) == ast.dump(ast.parse(want))


@pytest.mark.parametrize("other", ELSEWHERE)
def test_names_that_are_bound_elsewhere(other: str) -> None:
    before = "a = 3\nb = 4\nm = 5"
    for got in (loop_in(before, after=other), loop_in(f"{before}\n{other}")):
        assert got == "x = (x * a + 4) % 5"


def test_names_of_functions_in_the_loop() -> None:
    loop = "for i in range(n):\n    x = sorted(x, key=lambda a: a * b)"
    assert loop_in("a = 3\nb = 4", loop=loop) == "x = sorted(x, key=lambda a: a * 4)"


def random_numbers(n, out):
    a, c, m = 1664525, 1013904223, 2**32
    shift = -3
    scale = 0.5
    flag = True
    x = n
    for i in range(len(out)):
        x = (a * x + c) % m
        out[i] = (x >> -shift) * scale if flag else x**shift
    return x, a, m, flag, i


def two_loops(x):
    step = 2
    total = 0
    for i in range(0, len(x), step):
        total += x[i] * step
    step = 3
    for i in range(0, len(x), step):
        total += x[i] * step
    return total


def of_bytes(x, n):
    limit = 300
    k = 7
    for i in range(n):
        x[i] = x[i] * k % 250
        if i > 50:
            x[i] = x[i] + limit
    return x


def test_calls_are_pythons() -> None:
    jitted.check(random_numbers, 42, np.zeros(200))
    jitted.check(random_numbers, 2**70, np.zeros(200), native=False)
    jitted.check(two_loops, np.arange(100))
    jitted.check(of_bytes, np.arange(90, dtype=np.uint8), 90)
