"""Items that loops keep in local variables: the memory is Python's at every exit, whatever shares it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.frontend.loops.native import begin, check, run_in_python
from tests.interrupts import interrupt_main

CODES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]


def product(c: Any, a: Any, b: Any, n: int) -> None:
    for i in range(n):
        for j in range(n):
            for k in range(n):
                c[i, j] += a[i, k] * b[k, j]


def parentheses(t: Any, n: int) -> None:
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            for k in range(i, j):
                t[i, j] = max(t[i, j], t[i, k] + t[k + 1, j])


def rising(best: Any, x: Any, n: int) -> None:
    for i in range(n):
        for j in range(i):
            if x[j] < x[i] and best[j] + 1 > best[i]:
                best[i] = best[j] + 1


def cheapest(t: Any, n: int) -> None:
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            for k in range(i, j):
                q = t[i, k] + t[k + 1, j]
                if q < t[i, j]:
                    t[i, j] = q


def factors(a: Any, n: int) -> None:
    for i in range(n):
        for j in range(i):
            for k in range(j):
                a[i, j] = a[i, j] - a[i, k] * a[k, j]


def eliminated(a: Any, n: int) -> None:
    for k in range(n):
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                a[i, j] = a[i, j] - a[i, k] * a[k, j]


def distances(d: Any, n: int) -> None:
    for k in range(n):
        for i in range(n):
            for j in range(n):
                d[i, j] = min(d[i, j], d[i, k] + d[k, j])


def summed(s: Any, x: Any, n: int) -> None:
    for i in range(n):
        s[0] = s[0] + x[i]


def copied(s: Any, x: Any, n: int) -> None:
    for i in range(n):
        s[1] = x[i]
        x[i] = s[0]


def scaled(y: Any, x: Any, factor: Any, n: int) -> None:
    for i in range(n):
        y[i] = factor[0] * x[i]


def rows_of(y: Any, start: Any, column: Any, value: Any, x: Any, n: int) -> None:
    for r in range(n):
        for p in range(start[r], start[r + 1]):
            y[r] += value[p] * x[column[p]]


def histogram(h: Any, x: Any, n: int) -> None:
    for i in range(n):
        h[x[i]] += 1
        h[0] = h[0] + 1


def greatest(s: Any, x: Any, n: int) -> Any:
    for i in range(n):
        if x[i] > s[0]:
            s[0] = x[i]
            s[1] = i
        if x[i] == 99:
            break


def counted(s: Any, x: Any, n: int) -> None:
    for i in range(n):
        s[-1] += 1
        s[1] = s[-1] // int(x[i])


def grown(s: Any, x: Any, n: int) -> Any:
    total = 1
    for i in range(n):
        s[0] = x[i]
        total = total * 7**9 + int(s[0])


def tallied(s: Any, n: int) -> None:
    for _ in range(n):
        s[0] += 1


def running(y: Any, x: Any, n: int) -> None:
    for i in range(1, n):
        y[i] = y[i - 1] + x[i]


def backwards(y: Any, x: Any, n: int) -> None:
    for i in range(n - 2, -1, -1):
        y[i] = x[i] - y[1 + i]


def by_twos(y: Any, x: Any, n: int) -> None:
    for i in range(2, n, 2):
        y[i + 1] = y[i - 1] + x[i]
        y[i] = y[i - 2] + y[i - 1]


def of_places(y: Any, x: Any, n: int) -> None:
    for i in range(n // 2 - 1):
        y[2 * i + 2] = x[i] - y[2 * i]


def smoothed(t: Any, n: int) -> None:
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            t[i, j] = (t[i - 1, j] + t[i + 1, j] + t[i, j - 1] + t[i, j + 1] + t[i, j]) * t[i, j - 1]


def columns_of(t: Any, n: int) -> None:
    for i in range(n):
        for j in range(1, n):
            t[j, i] = max(t[j - 1, i], t[j, i])


def stored_twice(y: Any, x: Any, n: int) -> None:
    for i in range(1, n):
        y[i] = x[i]
        x[i] = y[i - 1]
        if x[i] > 2:
            y[i] = y[i] + y[i - 1]


def rarely(y: Any, x: Any, n: int) -> None:
    for i in range(1, n):
        if x[i] > 2:
            y[i] = y[i - 1] + x[i]


def until(y: Any, x: Any, n: int) -> None:
    for i in range(1, n):
        y[i] = y[i - 1] + x[i]
        if y[i] > 9:
            break


def divided(y: Any, x: Any, n: int) -> Any:
    for i in range(1, n):
        y[i] = y[i - 1] + x[i]
        last = 7 // int(x[i])
    return last


def item(code: str, n: int, *shape: int) -> Any:
    made = np.random.default_rng(n).integers(0, 5, shape or (n,)).astype(code)
    if np.dtype(code).kind in "fc":
        made.flat[1] = np.nan
    return made


def _of_types() -> list[tuple[Callable[..., Any], tuple[Any, ...]]]:
    cases: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
    for code in CODES:
        cases.append((copied, (item(code, 3), item(code, 7), 7)))
        cases.append((summed, (item(code, 3), item(code, 8), 8)))
        cases.append((running, (item(code, 9), item(code, 8), 8)))
        cases.append((rising, (item(code, 9), item(code, 8), 8)))
    return cases


def _shared() -> list[tuple[Callable[..., Any], tuple[Any, ...]]]:
    """Return cases in which arrays are views of one buffer, or of items more than once."""
    cases: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
    for at in range(-2, 6):
        x = np.arange(20.0)
        cases.append((summed, (x[6 + at : 9 + at], x[6:11], 5)))
        cases.append((summed, (x[6 + at : 9 + at], x[10:5:-1], 5)))
        cases.append((summed, (x[6 + at : 9 + at], x[6:16:2], 5)))
        cases.append((copied, (x[6 + at : 9 + at], x[6:11], 5)))
        cases.append((scaled, (x[6:11], x[6:11], x[6 + at :], 5)))
        bits = x.view("i4")
        cases.append((rising, (bits[12 + at :], bits[12:20], 8)))
        cases.append((rising, (bits[12 + at : 20 + at], bits[19:11:-1], 8)))
        cases.append((copied, (bits[12 + at : 15 + at], bits[12:17], 5)))
        cases.append((summed, (x.view("i8")[6 + at :], x[6:11].view("i8"), 5)))
        for f in (running, backwards, by_twos, of_places, stored_twice, rarely, until, divided):
            if not -1 <= at <= 1:
                continue
            x = np.arange(1.0, 21.0) % 5
            cases.append((f, (x[6:12], x[6 + at :], 6)))
            cases.append((f, (x[6 + at :: -1], x[5:], 4)))
    one = np.arange(6.0)
    strided = np.lib.stride_tricks.as_strided
    cases.append((summed, (one, strided(one[3:], (4,), (0,)), 4)))
    cases.append((summed, (strided(one, (2,), (0,)), one[1:], 4)))
    cases.append((copied, (strided(one, (2,), (0,)), one[1:], 4)))
    twice = np.arange(20.0)
    pairs = strided(twice.view("c16"), (9,), (8,))
    for f in (running, backwards, by_twos, of_places, stored_twice):
        cases.append((f, (pairs, np.arange(20.0).view("c16")[:9], 9)))
        cases.append((f, (strided(np.ones(9), (9,), (0,)), np.arange(9.0), 9)))
        cases.append((f, (strided(np.ones(9), (9,), (0,)), twice, 9)))
        cases.append((f, (strided(np.arange(9.0), (9,), (0,)), item("i2", 9), 9)))
    same = strided(np.arange(9.0), (4, 4), (8, 8))
    cases.append((product, (same, same, same, 4)))
    a = item("f8", 5, 5, 5)
    cases += [(product, (a, a, a, 5)), (product, (a, a.T, item("f8", 2, 5, 5), 5))]
    cases += [(product, (a[::-1], item("f8", 2, 5, 5)[:, ::-1], a, 5))]
    return cases


def _whole() -> list[tuple[Callable[..., Any], tuple[Any, ...]]]:
    def square(code: str, seed: int = 1) -> Any:
        return item(code, seed, 9, 9)

    at = np.array([0, 2, 2, 5, 9])
    columns = np.array([0, 3, 1, 2, 3, 0, 1, 2, 3])
    x = np.linspace(1, 2, 4)
    return [
        (product, (square("f8"), square("f8", 2), square("f8", 3), 9)),
        (product, (square("i4"), square("i4", 2)[::-1], square("i4", 3).T, 9)),
        (parentheses, (np.triu(square("i4")), 9)),
        (parentheses, (np.asfortranarray(square("f4")), 9)),
        (cheapest, (np.triu(square("i8")), 9)),
        (cheapest, (square("i2").T, 9)),
        (factors, (square("f4"), 9)),
        (eliminated, (square("f4"), 9)),
        (eliminated, (square("i8"), 9)),
        (distances, (square("i8"), 9)),
        (rows_of, (np.zeros(4), at, columns, np.arange(9.0), x, 4)),
        (rows_of, (x, at, columns, np.arange(9.0), x, 4)),
        (rows_of, (np.zeros(4), at, np.where(columns == 2, 4, columns), np.arange(9.0), x, 4)),
        (histogram, (np.zeros(5, int), np.array([1, 0, 3, 0, 4, -1]), 6)),
        (histogram, (np.zeros(5, int), np.array([1, 0, 3, 7, 4, -1]), 6)),
        (greatest, (np.array([-5, -1]), np.array([3, 1, 4, 1, 5, 9, 2]), 7)),
        (greatest, (np.array([-5, -1]), np.array([3, 1, 4, 99, 5, 9, 2]), 7)),
        (greatest, (np.array([50, -1]), np.array([3, 1, 4, 9, 5, 9, 2]), 7)),
        (counted, (np.zeros(3, int), np.array([2, 1, 3, 1]), 4)),
        (counted, (np.zeros(3, int), np.array([2, 1, 0, 1]), 4)),
        (summed, (np.zeros(2), np.ones(3), 5)),
        (smoothed, (square("f4"), 9)),
        (smoothed, (square("i8")[:, ::-1], 9)),
        (smoothed, (square("f8").T, 9)),
        (columns_of, (square("i4"), 9)),
        (columns_of, (square("f2").T, 9)),
        (running, (np.arange(5.0), np.arange(9.0), 9)),
        (divided, (np.arange(5.0), np.array([1.0, 2.0, 0.0, 1.0]), 4)),
        (grown, (np.zeros(2), np.arange(9.0), 9)),
        (scaled, (np.zeros(6), np.arange(6.0), np.array([2.5]), 6)),
    ]


def test_loops_of_many_trips_poll(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")
    native = begin(tallied, np.zeros(2, int), 2**40)
    assert native.loop.job is not None and native.loop.job.wait()
    with pytest.raises(KeyboardInterrupt):
        interrupt_main(0.2)
        native.run()
    assert native.given["s"][0] > 2**20


def cases() -> list[tuple[Callable[..., Any], tuple[Any, ...]]]:
    """Return functions with arguments of their own: equal ones, sharing memory alike, at each call."""
    return [*_whole(), *_of_types(), *_shared()]


def test_the_memory_is_as_python_leaves_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")
    natives = [(begin(function, *given), given) for function, given in cases()]  # compiled together
    for (native, mine), (function, plain) in zip(natives, cases(), strict=True):
        name = f"{function.__name__} {[getattr(one, 'strides', one) for one in plain]}"
        run = native.run()
        is_done = True
        try:
            run_in_python(function, *plain)
        except (IndexError, ZeroDivisionError):
            is_done = False
        assert run.is_done == (is_done and function is not grown), name
        if function is not grown:
            for one, other in zip(mine, plain, strict=True):
                assert np.asarray(one).tobytes() == np.asarray(other).tobytes(), name
        else:
            assert mine[0][0] == run.names["i"] == 2


def test_ints_that_few_trips_store_are_kept() -> None:
    """Each trip of `parentheses` stores its int: vectors of such items would wait for the store."""
    square = np.triu(item("i8", 1, 40, 40))
    for function, args, kept in (
        (rising, (np.ones(60, int), item("i8", 60), 60), True),
        (cheapest, (square, 40), True),
        (parentheses, (square, 40), False),
    ):
        native = begin(function, *args)
        assert any(loop.kept is not None for loop in native.loop.region.fast_loops.values()) == kept
        check(function, *args)
