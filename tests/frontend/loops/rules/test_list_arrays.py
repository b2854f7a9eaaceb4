# ruff: noqa: F841 - the names that loops bind are compared
"""Arrays of lists that native code makes are those that NumPy makes: dtype, axes, errors."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.frontend.loops.jitted import Programs
from tests.frontend.loops.native import check, run_natively
from tests.loops.random_check import compile_loops_alone

program = Programs()


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_loops_alone(monkeypatch)


def of_numbers(x, n):
    for i in range(n):
        found = []
        for j in range(i):
            found.append(x[j])
        a = np.array(found)
        b = np.asarray(found)
        c = np.array(found, dtype=None)
        d = np.array([x[j] for j in range(i)])
        e = np.array(list(x[:i]))


@pytest.mark.parametrize("code", ["b1", "i1", "u8", "i8", "f2", "f4", "f8", "c8"])
def test_arrays_of_numpys_numbers(code):
    check(of_numbers, np.arange(5).astype(code), 4)


def of_pythons_numbers(n):
    for i in range(n):
        a = np.array([j * j for j in range(i)])
        b = np.array([j * 0.5 for j in range(i)])
        c = np.array([j % 2 == 0 for j in range(i)])
        d = np.array([j * 1j for j in range(i)])
        e = np.array([0] * i)
        f = np.array(list(range(i)))
        g = np.array(sorted([3, 1, i]))
        h = np.array((i, i * 0.5))
        p = i, 2
        k = np.asarray(p)


def test_arrays_of_pythons_numbers():
    check(of_pythons_numbers, 4)


def of_either(n, m):
    for i in range(n):
        dist = [math.inf] * 3
        for j in range(i):
            dist[j] = j
        a = np.array(dist)
        flags = [False] * 3
        for j in range(i):
            flags[j] = j + 2
        b = np.array(flags)
        pairs = []
        for j in range(i):
            pairs.append((j, 0 if j < m else 0.5))
        c = np.array(pairs)


def test_the_dtype_is_that_of_the_numbers_there():
    check(of_either, 4, 1)
    check(of_either, 4, 0)
    check(of_either, 4, 9)


def of_rows(n):
    for i in range(n):
        pairs, rows = [], []
        for j in range(i):
            pairs.append((j, j * 0.5))
            row = [0] * 4
            row[j] = i
            rows.append(row)
        a = np.array(pairs)
        b = np.array(rows)
        c = np.array(rows, dtype=np.float32)
        d = np.array(pairs, np.complex128)


def test_rows():
    check(of_rows, 4)


def of_deeper_rows(n):
    blocks = []
    for i in range(n):
        block = [[i, 1, 2], [3, 4, i]]
        blocks.append(block)
        a = np.array(block)
        b = np.array(blocks)


def test_rows_of_rows():
    check(of_deeper_rows, 3)


def of_dtype(found, x, n):
    for _ in range(n):
        a = np.array(found, np.int8)
        b = np.array(found, dtype=np.float32)
        c = np.array(found, bool)
        d = np.array(found, dtype=float)
        e = np.array(found, dtype=int)
        f = np.array(found, dtype=np.uint16)
        g = np.array([x[0], x[1]] * 2, dtype=np.uint8)


@pytest.mark.parametrize("found", [[1, 2, 100], [True, False], [1.5, 99.0]])
def test_arrays_of_a_given_dtype(found):
    check(of_dtype, found, np.array([3, 260]), 2)


@program([1, 300], 9)
@program([1, -1], 9)
@program([1, 2], 9)
@program([1, 1 << 70], 9)
def small_ints(found, n):
    total = 0.0
    made = None
    for i in range(n):
        total += i
        made = np.array(found, np.uint8)
    return total, made


@program([0.5, math.nan], 9)
@program([0.5, 1e30], 9)
@program([0.5, "2"], 9, native=None)
def ints_of_floats(found, n):
    total = 0.0
    made = None
    for i in range(n):
        total += i
        made = np.array(found, np.int64)
    return total, made


@program(5)
@program(0)
def ragged(n):
    rows = []
    for i in range(n):
        rows.append([1] * (1 + i // 4))
    return np.array(rows)


@program(4)
def without_items(n):
    rows = []
    for i in range(n):
        rows.append([0] * (i // 9))
    return np.array(rows)


@program(np.array([0.5, 2.5, 1.5]), 1.0)
@program(np.array([0.5, 2.5, 1.5]), 9.0)
def places(x, least):
    found = []
    for i in range(len(x)):
        if x[i] > least:
            found.append(i)
    return np.array(found)


@program(4)
def changed_after(n):
    values = [0]
    for i in range(n):
        values.append(i)
        kept = np.array(values)
        values[0] = 7
    return kept, values


def test_calls_answer_as_plain_python_does():
    for name, (jitted, outcomes) in program.called().items():
        program.check(name, jitted, outcomes)


def test_arrays_of_arrays_leave():
    def stacked(x):
        for _ in range(2):
            a = np.array([x, x])

    assert not run_natively(stacked, np.arange(3)).is_done
