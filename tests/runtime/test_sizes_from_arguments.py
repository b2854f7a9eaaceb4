"""Sizes that are whole numbers among the arguments: one program answers for many, and never wrongly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

NUMBERS = list(range(300, 350))
ODD = [5, 6, 0, 1, 2, -1, 1000, True, np.int64(7), 9, 400]


def zeros(x, n):
    return np.zeros(n) + 1


def line(x, n):
    return np.linspace(0, 1, n) * n


def ranges(x, n):
    return np.arange(n) * 3.0


def head(x, n):
    return x[:n] * 2


def tail(x, n):
    return x[n:] * 2


def lagged(x, n):
    return (x[:-n] * x[n:]).sum() / len(x)


def lagged_by_lengths(x, n):
    return np.mean((x[: len(x) - n] - x[n:]) ** 2)


def rolled(x, n):
    return (np.roll(x, n) * x).sum()


def of_its_own(x, n):
    return np.linspace(0, 1, n).sum() + x[0]


def eye(x, n):
    return np.eye(n) * 2


def size_and_value(x, n):
    a = np.zeros(n)
    a[1:] += 1
    return a * n, x[:n].sum()


def in_place(x, n):
    x[:n] += 1
    x[n:] *= 2
    return x.sum()


def two(x, n):
    return _two(n, 2 * n)


def _two(n, m):
    return np.ones((n, m)) * 3


def branching(x, n):
    return np.ones(n) * 2 if n > 10 else np.zeros(n) - 1


FUNCTIONS = [zeros, line, ranges, head, tail, eye, size_and_value, in_place, two, branching]
INSIDE = [lagged, lagged_by_lengths, rolled, of_its_own]  # no array of the length comes in or goes out
FUNCTIONS += INSIDE


def outcome(fn: Callable[..., Any], *args: Any) -> Any:
    try:
        return fn(*args)
    except Exception as error:
        return type(error).__name__


def ask(fn: Callable[..., Any], jitted: Any, size: int, *numbers: Any) -> None:
    mine, theirs = np.arange(float(size)), np.arange(float(size))
    answers = outcome(jitted, mine, *numbers), outcome(fn, theirs, *numbers)
    same(*answers, where=f"{numbers}", **({"ulp": 8} if fn in INSIDE else {}))  # sums in another order
    same(mine, theirs, where=f"the array at {numbers}")


@pytest.mark.filterwarnings("ignore:.*more than 8 ways:npcompile.NotCompiledWarning")  # the odd ones
@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_three_recordings_answer_for_all_numbers(fn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn, wait=True)
    for n in NUMBERS:
        ask(fn, jitted, 720, n)
    assert jitted.stats.recordings == jitted.stats.programs == 3
    assert jitted.stats.replays == len(NUMBERS) - 3 and jitted.stats.plain_calls == 0
    for n in [*ODD, *ODD]:
        ask(fn, jitted, 720, n)


@pytest.mark.parametrize("fn", [zeros, line, head, in_place, *INSIDE], ids=lambda fn: fn.__name__)
def test_compiled_they_share_their_kernels(fn) -> None:
    jitted = npcompile.jit(fn, wait=True)
    for n in NUMBERS:
        ask(fn, jitted, 720, n)
    assert jitted.stats.recordings == 3
    assert jitted.stats.compilations <= 3
    for n in ODD:
        ask(fn, jitted, 720, n)


def test_a_number_that_stays_may_change_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(_two, wait=True)
    for n, m in [(300, 4), (301, 4), (302, 4), (303, 4), (304, 5), (305, 305), (306, 2), (2, 2), (7, 7)]:
        same(jitted(n, m), _two(n, m))


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("fn", [head, in_place, size_and_value], ids=lambda fn: fn.__name__)
def test_numbers_and_lengths_change(fn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn, wait=True)
    for k in range(30):
        ask(fn, jitted, 720 + 3 * k, 300 + k)
    assert jitted.stats.recordings == 3
    for size in (720, 350, 20, 2, 1, 0):
        for n in ODD:
            ask(fn, jitted, size, n)


def shape_alone(x, n):
    return np.zeros((x[: n - 290] + np.ones(len(x) - 710)).shape)


def test_a_shape_that_broadcasting_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(shape_alone, wait=True)
    for size, n in [(720, 300), (721, 301), (722, 302), (723, 303), (730, 291), (740, 291), (711, 300)]:
        ask(shape_alone, jitted, size, n)


def with_list(items, n):
    items.append(1.0)
    return np.zeros(n) + items[0]


def test_a_list_that_the_call_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(with_list, wait=True)
    for n in range(300, 312):
        mine, theirs = [2.0], [2.0]
        same(jitted(mine, n), with_list(theirs, n))
        same(mine, theirs)


def heated(n, trips):
    h = 1.0 / (n - 1)
    u = np.zeros((n, n))
    x = np.linspace(0, 1, n)
    u[0] = x * h
    for _ in range(trips):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    v = np.ones(n) * h
    return u, v @ u


def test_blocks_before_and_after_a_loop_are_replayed_at_eight_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(heated)
    sizes = (5, 7, 9, 12, 6, 14, 10, 8)
    for n in sizes * 2:
        same(jitted(n, 3), heated(n, 3), ulp=4)
    before = jitted.stats.recordings
    for n in sizes:
        same(jitted(n, 5), heated(n, 5), ulp=4)
    assert jitted.stats.recordings == before, jitted.stats
    assert not jitted.stats.reasons, jitted.stats.reasons


def test_a_number_that_stayed_is_traced_once_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(_two)
    for n, m in [(300, 400), (301, 400), (302, 400), *[(n, 2 * n) for n in range(303, 330)]]:
        same(jitted(n, m), _two(n, m))
    assert jitted.stats.recordings <= 5 and jitted.stats.plain_calls == 0
