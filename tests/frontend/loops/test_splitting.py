# ruff: noqa: F841 - the names that loops bind are compared
"""Values of one type or another within statements of native loops: the statement is split there."""

from __future__ import annotations

import numpy as np
import pytest

from npcompile.frontend.loops import inference
from tests.frontend.loops.native import check, run_natively


def extremes(x, n):
    worst, low = 0.0, 10
    for i in range(n):
        worst = max(worst, abs(x[i]))
        low = min(low, x[i], i)
        y = max(x[i] - 0.5, 0) * 2
        z = min(x[i], x[i - 1], 0.25) + max(0.0, x[i], 1)
        w = min((i, x[i])) + max([x[i], 0.5])


@pytest.mark.parametrize("code", ["f4", "f8", "i8", "u1"])
def test_extremes_of_numbers_of_several_types(code):
    check(extremes, (np.linspace(-3, 3, 9) ** 2).astype(code), 9)


def test_extremes_of_nan():
    check(extremes, np.array([1.0, np.nan, 2.0, np.nan, -0.0, 0.0]), 6)


def choices(x, n):
    total = 0.0
    for i in range(n):
        a = 2 * (x[i] if x[i] > 0 else 0)
        b = (x[i] or 1.5) + (i and x[i])
        c = (i < x[i] < 2) + 1
        d = x[i - 1 if i % 2 else i // 2]


@pytest.mark.parametrize("code", ["f4", "f8", "i4"])
def test_choices_of_values_of_two_types(code):
    check(choices, (np.linspace(-3, 3, 9) ** 2).astype(code), 9)


def choice_tests(x, n):
    total = 0.0
    for i in range(n):
        e = (x[i] / i if i else 0.0) + 1
        total += max(x[i], 1.5) if i > 2 else i
        if (x[i] if i else i) > (0.5 if i > 1 else 1):
            total -= 1


@pytest.mark.parametrize("code", ["f4", "f8", "i4"])
def test_tests_of_choices(code):
    check(choice_tests, (np.linspace(-3, 3, 9) ** 2).astype(code), 9)


def while_test(x, n):
    i, s = 0, 0
    while (x[i] if i < n else 0) > -1 and i < n:
        s = max(s, x[i])
        i += 1


def test_a_test_that_is_split():
    check(while_test, np.arange(5.0), 4)


def one_way(x, n):
    hits = 0
    for i in range(n):
        hits += 1 if x[i] < 5 else str(x[i])


def test_one_way_alone_leaves():
    run = run_natively(one_way, np.arange(9.0), 9)
    assert not run.is_done and run.names["i"] == 5 and run.names["hits"] == 5


def out_of_bounds(x, n):
    s = 0
    for i in range(n):
        s = s + max(x[i], 0.5 * i)


def test_python_does_the_whole_statement_again():
    run = run_natively(out_of_bounds, np.ones(3), 5)
    assert not run.is_done and run.names["i"] == 3 and run.names["s"] == 3.0


def many_versions(x, n):
    a = b = c = d = 0
    for i in range(n):
        if i % 2:
            a = x[i]
        if i % 3:
            b = x[i]
        if i % 5:
            c = x[i]
        if i % 7:
            d = x[i]
        x[i] = a + b + c + d


def test_names_of_many_combinations_of_types_have_either_type():
    run = run_natively(many_versions, np.arange(9.0), 9)
    assert run.is_done and any(str(kind) == "int | np.float64" for kind in run.loop.region.stored["a"])


def exchanged(x, n):
    a, b, c = 0.0, 1.5, 2.5
    fa, fb, fc = -1.0, 1.0, 2.0
    for i in range(n):
        v = x[i % len(x)]
        if fa * v > 0:
            a, fa = v, fb - v
        elif i % 3:
            a, b, c = b, c, a
            fa, fb, fc = fb, fc, fa
        else:
            b = 0.5 * (a + c)
            fb = fc * 0.5
        fc = v if abs(fb) < abs(fa) else 1.0 / (1 + i)
    return a, b, c, fa, fb, fc


@pytest.mark.parametrize("n", [0, 1, 4, 11])
def test_names_of_either_type_have_python_types(n):
    x = np.array([0.5, -1.0, 3.0, -0.25])
    run = run_natively(exchanged, x, n)
    assert run.is_done
    want = exchanged(x, n)
    got = tuple(run.names[name] for name in ("a", "b", "c", "fa", "fb", "fc"))
    assert got == want and [*map(type, got)] == [*map(type, want)]


def test_a_block_of_too_many_versions_leaves(monkeypatch):
    monkeypatch.setattr(inference, "MAX_VERSIONS", 1)
    run = run_natively(many_versions, np.arange(9.0), 9)
    assert not run.is_done and run.exit.why == "names of more than 1 combinations of types"
