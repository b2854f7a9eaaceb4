"""Functions that call themselves become native as a whole, whatever call of theirs is met first."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.frontend.rewrite.partition import calls_itself
from npcompile.tiering import block_contest

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")


@pytest.fixture(autouse=True)
def contests(native_runtime: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("npcompile.partition.call.are_held", lambda: True)


def fib(n: int) -> int:
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def checked_fib(n: Any) -> int:
    if not isinstance(n, int):
        raise TypeError("an int is needed")
    return n if n < 2 else checked_fib(n - 1) + checked_fib(n - 2)


def binomial(n: int, k: int) -> int:
    return 1 if k in (0, n) else binomial(n - 1, k - 1) + binomial(n - 1, k)


def is_even(n: int) -> bool:
    return True if n == 0 else is_odd(n - 1)


def is_odd(n: int) -> bool:
    return False if n == 0 else is_even(n - 1)


def bisected(a: Any, x: Any, low: int, high: int) -> int:
    if low >= high:
        return low
    middle = (low + high) // 2
    if a[middle] < x:
        return bisected(a, x, middle + 1, high)
    return bisected(a, x, low, middle)


def factorial(n: int) -> int:
    if n < 0:
        raise ValueError("negative")
    return 1 if n < 2 else n * factorial(n - 1)


def halves(x: Any) -> Any:
    if x.size == 1:
        return x
    even, odd = halves(x[::2]), halves(x[1::2])
    return np.concatenate([even + odd, even - odd])


def quicksort(items: Any, low: int, high: int) -> None:
    if low >= high:
        return
    pivot, i, j = items[(low + high) // 2], low, high
    while i <= j:
        while items[i] < pivot:
            i += 1
        while items[j] > pivot:
            j -= 1
        if i <= j:
            items[i], items[j] = items[j], items[i]
            i, j = i + 1, j - 1
    quicksort(items, low, j)
    quicksort(items, i, high)


def cumsum(x: Any) -> Any:
    return np.cumsum(x)


def jitted_with_callees(name: str) -> tuple[Any, Callable[..., Any]]:
    """Return a function of this module, with all that it calls jitted, and the plain one."""
    made: list[dict[str, Any]] = []
    for _ in range(2):
        names: dict[str, Any] = dict(globals())
        for key, value in globals().items():
            if isinstance(value, types.FunctionType) and value.__code__.co_filename == __file__:
                names[key] = types.FunctionType(value.__code__, names, key)
        made.append(names)
    plain, mine = made
    for key, value in [*mine.items()]:
        if isinstance(value, types.FunctionType) and value.__globals__ is mine:
            mine[key] = npcompile.jit(value)
    return mine[name], plain[name]


A = np.arange(0, 3000, 3)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("fib", [(16,), (0,), (17,)]),
        ("checked_fib", [(16,), (1,), (17,)]),
        ("binomial", [(12, 6), (3, 0), (13, 6)]),
        ("is_even", [(300,), (7,), (200,)]),
        ("bisected", [(A, 1234, 0, len(A)), (A, 1, 0, 0), (A, -5, 0, len(A))]),
        ("factorial", [(20,), (1,), (12,)]),
    ],
)
def test_native_after_a_few_calls(name: str, args: list[tuple[Any, ...]]) -> None:
    jitted, plain = jitted_with_callees(name)
    for _ in range(12):
        for given in args:
            answer, expected = jitted(*given), plain(*given)
            assert type(answer) is type(expected) and answer == expected
        jitted.wait()
    assert jitted.stats.loop_entries > 0


def test_a_short_call_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Native code is not given up because it saves nothing at the end of the recursion."""
    monkeypatch.setattr("npcompile.partition.native_body.TIMED", 1)
    jitted, plain = jitted_with_callees("fib")
    for n in (1, 0, 1, 0, 1):
        assert jitted(n) == plain(n)
        jitted.wait()
    for _ in range(5):
        assert jitted(15) == plain(15)
        jitted.wait()
    assert jitted.stats.loop_entries > 0


def test_long_calls_become_native(monkeypatch: pytest.MonkeyPatch) -> None:
    """They hold calls of any length."""
    monkeypatch.setattr("npcompile.partition.call.BODY_WITHIN", 0.0)
    monkeypatch.setattr("npcompile.partition.call.FILLING_WITHIN", 0.0)
    jitted, _ = jitted_with_callees("quicksort")
    random = np.random.default_rng(5)
    for _ in range(6):
        items = random.integers(0, 1000, 300).tolist()
        want = sorted(items)
        jitted(items, 0, 299)
        assert items == want
        jitted.wait()
    (state,) = jitted.npcompile_root().by_signature.values()
    assert state.partitioned.is_native


@pytest.mark.parametrize("name", ["checked_fib", "factorial"])
def test_raising_in_between(name: str) -> None:
    jitted, plain = jitted_with_callees(name)
    for _ in range(8):
        assert jitted(14) == plain(14)
        with pytest.raises((TypeError, ValueError)):
            jitted(-1.5)
        jitted.wait()
    assert jitted.stats.loop_entries > 0


def test_beyond_64_bits() -> None:
    jitted, plain = jitted_with_callees("factorial")
    for n in (20, 30, 5, 21, 60, 20):
        for _ in range(4):
            assert jitted(n) == plain(n)
            jitted.wait()


def test_recursion_over_slices_is_recorded_whole() -> None:
    jitted, plain = jitted_with_callees("halves")
    x = np.arange(8.0)
    for _ in range(3):
        np.testing.assert_array_equal(jitted(x), plain(x))
        jitted.wait()
    assert jitted.stats.programs == 1
    assert jitted.stats.replays > 0


def test_the_plain_turn_of_a_contest_is_plain_throughout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_contest, "LONG", float("inf"))
    jitted, plain = jitted_with_callees("fib")
    for _ in range(4):
        jitted(12)
        jitted.wait()
    turns: list[int] = []
    within = type(next(iter(jitted.npcompile_root().by_signature.values())).partitioned)
    run = within.plain

    def counted(self: Any, args: Any, kwargs: Any) -> Any:
        before = jitted.stats.calls
        result = run(self, args, kwargs)
        turns.append(jitted.stats.calls - before)
        return result

    monkeypatch.setattr(within, "plain", counted)
    for _ in range(60):
        assert jitted(12) == plain(12)
    assert turns and max(turns) == 0  # none of the 464 calls within it is the jitted function's


def test_names_that_stand_for_the_function() -> None:
    assert calls_itself(fib)
    assert not calls_itself(is_even)
    assert not calls_itself(cumsum)
    assert not calls_itself(jitted_with_callees)
