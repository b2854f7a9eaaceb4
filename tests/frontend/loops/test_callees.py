"""Native loops call users' functions that change arrays; Python ends the calls that are left half-way."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.interrupts import interrupt_main


def outcome(function: Callable[..., Any], make: Callable[[], tuple[Any, ...]]) -> Any:
    """Return what a call gives, or raises at which lines of this file, and its arguments after it."""
    arguments = make()
    try:
        ended: Any = described(function(*arguments))
    except Exception as error:
        entries = traceback.extract_tb(error.__traceback__)[1:]
        file = function.__code__.co_filename
        lines = [(entry.lineno, entry.name) for entry in entries if entry.filename == file]
        ended = type(error), str(error), lines
    return ended, list(map(described, arguments))


def described(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, tuple):
        return tuple(map(described, value))
    if callable(value):
        return value.__qualname__
    return type(value), repr(value)


def check(function: Callable[..., Any], *makes: Callable[[], tuple[Any, ...]], native: int = 1) -> Any:
    """Compare four calls with Python's, natively; return the counts."""
    jitted = npcompile.jit(function, wait=True)
    for make in makes:
        for _ in range(4):
            assert outcome(jitted, make) == outcome(function, make)
    assert jitted.stats.native_loops == native, jitted.stats.reasons
    return jitted.stats


def swap(a: Any, i: Any, j: Any) -> None:
    a[i], a[j] = a[j], a[i]


def reverses(a: Any, n: Any) -> Any:
    for i in range(n // 2):
        swap(a, i, n - 1 - i)
    return i


def test_a_function_without_a_result() -> None:
    stats = check(reverses, lambda: (np.arange(7.0), 7), lambda: (np.arange(8.0), 8))
    assert stats.loop_leaves == 0


def test_an_index_error_within_a_function() -> None:
    check(reverses, lambda: (np.arange(7.0), 7), lambda: (np.arange(7.0), 9))


def sift_down(heap: Any, i: Any, n: Any) -> None:
    while True:
        child = 2 * i + 1
        if child >= n:
            return
        if child + 1 < n and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= heap[i]:
            return
        swap(heap, i, child)
        i = child


def heap_sort(heap: Any, n: Any) -> Any:
    for start in range(2 * n - 1, -1, -1):
        if start < n:
            sift_down(heap, start // 2, n)
        else:
            sift_down(heap, (start - n) // 2, n)
    for end in range(n - 1, 0, -1):
        swap(heap, 0, end)
        sift_down(heap, 0, end)
    return heap


def shuffled(n: int) -> Any:
    return np.random.default_rng(n).permutation(n).astype(float)


def test_heap_sort() -> None:
    check(heap_sort, lambda: (shuffled(40), 40), lambda: (shuffled(40), 44), native=2)


def find(parent: Any, i: Any) -> Any:
    if parent[i] != i:
        parent[i] = find(parent, parent[i])
    return parent[i]


def joins(parent: Any, left: Any, right: Any) -> Any:
    count = 0
    for k in range(len(left)):
        one, other = find(parent, left[k]), find(parent, right[k])
        if one != other:
            parent[one] = other
            count += 1
    return count


def chain(n: int, last: int) -> Any:
    parent = np.arange(1, n + 1)
    parent[-1] = last
    return parent


@pytest.mark.parametrize("length", [1, 2, 3, 7, 30])
def test_a_recursion_that_leaves_at_some_depth(length: int) -> None:
    """The last item leads out of the array: that raises in the innermost call."""

    def make(last: int) -> Callable[[], Any]:
        return lambda: (chain(length, last), np.array([0, length // 2]), np.array([length - 1, 0]))

    check(joins, make(length - 1), make(length))


def partition(a: Any, low: Any, high: Any) -> Any:
    pivot, i = a[high], low
    for j in range(low, high):
        if a[j] < pivot:
            a[i], a[j] = a[j], a[i]
            i += 1
    a[i], a[high] = a[high], a[i]
    return i


def quicksort(a: Any, low: Any, high: Any) -> None:
    if low < high:
        middle = partition(a, low, high)
        quicksort(a, low, middle - 1)
        quicksort(a, middle + 1, high)


def sorts_parts(a: Any, length: Any, high: Any) -> Any:
    for k in range(0, len(a), length):
        quicksort(a, k, k + high)
    return k


def test_quicksort() -> None:
    def make(high: int) -> Callable[[], Any]:
        return lambda: (np.concatenate([shuffled(20), shuffled(20)[::-1], shuffled(20)]), 20, high)

    check(sorts_parts, make(19), make(20), make(11))


def test_more_calls_than_native_code_makes() -> None:
    check(sorts_parts, lambda: (np.arange(1800.0), 600, 599))


def descends(a: Any, i: Any) -> Any:
    a[0] += 1
    if i == 0:
        return 0
    return descends(a, i - 1) + 1


def descends_often(a: Any, n: Any) -> Any:
    total = 0
    for k in range(0, n, 20):
        total += descends(a, k)
    return total


def test_recursion_is_as_deep_as_python_allows() -> None:
    check(descends_often, lambda: (np.zeros(1), 800))
    jitted = npcompile.jit(descends_often, wait=True)
    for _ in range(4):
        with pytest.raises(RecursionError, match="maximum recursion depth exceeded"):
            jitted(np.zeros(1), sys.getrecursionlimit() + 200)
    assert jitted.stats.native_loops == 1


def multiply_all(a: Any, i: Any, product: Any) -> Any:
    if i == len(a):
        return product
    a[i] += 1
    total = multiply_all(a, i + 1, product * 1_000_000)
    a[i] += total % 7
    return total + i


def multiplies(a: Any, n: Any) -> Any:
    total = 0
    for k in range(n):
        total = multiply_all(a, k, 3)
    return total


@pytest.mark.parametrize("length", range(9))
def test_an_int_that_grows_beyond_64_bits_within_calls(length: int) -> None:
    check(multiplies, lambda: (np.zeros(length, np.int64), 3))


def marks(grid: Any, i: Any, j: Any, old: Any, new: Any) -> Any:
    if i < 0 or j < 0 or i >= grid.shape[0] or j >= grid.shape[1]:
        return 0
    if grid[i, j] != old:
        return 0
    grid[i, j] = new
    count = 1 + marks(grid, i + 1, j, old, new) + marks(grid, i - 1, j, old, new)
    return count + marks(grid, i, j + 1, old, new) + marks(grid, i, j - 1, old, new)


def fills(grid: Any, sizes: Any) -> Any:
    found = 2
    for i in range(grid.shape[0]):
        for j in range(grid.shape[1]):
            if grid[i, j] == 1:
                sizes[found - 2] = marks(grid, i, j, 1, found)
                found += 1
    return found


def test_flood_fill() -> None:
    def make(sizes: int) -> Callable[[], Any]:
        return lambda: ((np.random.default_rng(3).random((12, 15)) < 0.6).astype(np.int64), np.zeros(sizes))

    check(fills, make(100), make(2))


def halves(a: Any, i: Any) -> Any:
    a[i] += 1
    if a[i] > 5:
        return 0.5
    return 2


def adds_halves(a: Any, n: Any) -> Any:
    total = 0
    for k in range(n):
        total += halves(a, k % 3)
    return total


def test_results_of_two_types() -> None:
    check(adds_halves, lambda: (np.zeros(3), 6), lambda: (np.zeros(3), 40))


def requires(a: Any, i: Any) -> None:
    if a[i] < 0:
        raise ValueError("below zero")


def requires_all(a: Any, n: Any) -> Any:
    total = 0.0
    for k in range(n):
        requires(a, k)
        total += a[k]
    return total


def test_a_function_without_a_result_that_raises() -> None:
    check(requires_all, lambda: (np.arange(5.0), 5), lambda: (np.array([1.0, 2, -3, 4]), 4))


step = 2.0


def shifts(a: Any, i: Any, by: Any = 1.5, scale: Any = 2) -> None:
    a[i] += by * scale * step


def shifts_all(a: Any, n: Any) -> Any:
    for k in range(n):
        shifts(a, k)
        shifts(a, scale=k, i=k)
        shifts(a, k, 2.5, scale=1)
    return k


def test_keywords_defaults_and_globals(monkeypatch: pytest.MonkeyPatch) -> None:
    check(shifts_all, lambda: (np.arange(5.0), 5), lambda: (np.arange(5.0), 6))
    jitted = npcompile.jit(shifts_all, wait=True)
    for name, value in ((None, None), ("step", 3.0), ("step", 4)):
        if name is not None:
            monkeypatch.setattr(sys.modules[__name__], name, value)
        for _ in range(3):
            assert outcome(jitted, lambda: (np.arange(5.0), 5)) == outcome(
                shifts_all, lambda: (np.arange(5.0), 5)
            )
    monkeypatch.setattr(shifts, "__defaults__", (7.5, 3))
    for _ in range(3):
        assert outcome(jitted, lambda: (np.arange(5.0), 5)) == outcome(
            shifts_all, lambda: (np.arange(5.0), 5)
        )


def is_even(a: Any, n: Any) -> Any:
    a[n] += 1
    if n == 0:
        return True
    return is_odd(a, n - 1)


def is_odd(a: Any, n: Any) -> Any:
    if n == 0:
        return False
    return is_even(a, n - 1)


def counts_even(a: Any, n: Any) -> Any:
    count = 0
    for k in range(n):
        if is_even(a, k):
            count += 1
    return count


def test_functions_that_call_one_another() -> None:
    check(counts_even, lambda: (np.zeros(9), 9), lambda: (np.zeros(9), 12))


def doubles(a: Any, i: Any, x: Any) -> Any:
    return x + x + a[i]


def doubles_all(a: Any, x: Any, n: Any) -> Any:
    total = 0
    for k in range(n):
        total = doubles(a, k, x) + k
        x = x * 2
    return total


def test_a_function_is_given_large_ints() -> None:
    check(doubles_all, lambda: (np.zeros(70, int), 1, 70))
    check(doubles_all, lambda: (np.zeros(3, int), 2**61, 3))


def counts_down(a: Any, n: Any) -> Any:
    k = 0
    while k < n:
        k += 1
        a[0] = k
    return k


def collatz(n: Any) -> Any:
    steps = 0
    for i in range(n):
        k = i + 1
        while k != 1 and steps >= 0:
            k = k // 2 if k % 2 == 0 else 3 * k + 1
            steps += 1
    return steps


def paths(i: Any, j: Any) -> Any:
    if i == 0 or j == 0:
        return 1
    return paths(i - 1, j) + paths(i, j - 1)


def waits_for_effects(a: Any, n: Any) -> Any:
    total = 0
    for i in range(n):
        total += counts_down(a, 10**11 * (n - 1)) + i
    return total


def waits_for_a_loop(a: Any, n: Any) -> Any:
    total = 0
    for i in range(n):
        total += collatz(10**10 * (n - 1)) + i
        a[0] += 1
    return total


def waits_for_recursion(a: Any, n: Any) -> Any:
    total = 0
    for i in range(n):
        total += paths(24 * (n - 1), 24 * (n - 1)) + i
        a[0] += 1
    return total


@pytest.mark.parametrize("function", [waits_for_effects, waits_for_a_loop, waits_for_recursion])
def test_ctrl_c_ends_a_long_call(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")
    jitted = npcompile.jit(function, wait=True)
    for _ in range(3):
        jitted(np.zeros(1), 1)
    a = np.zeros(1)
    began = time.thread_time()  # a busy machine makes no difference
    with pytest.raises(KeyboardInterrupt) as caught:
        interrupting = interrupt_main(0.2)
        jitted(a, 2)
    assert time.thread_time() - began < 10
    interrupting.join()
    names = [entry.name for entry in traceback.extract_tb(caught.value.__traceback__)]
    assert function.__name__ in names
    assert ("counts_down" in names) == (function is waits_for_effects) == (a[0] > 0)
    assert jitted(np.zeros(1), 1) == function(np.zeros(1), 1)
