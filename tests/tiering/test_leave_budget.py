"""Native code that leaves too often, or is entered for too little, costs a bounded time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.tiering.fewest_trips import LONG, MOST_ASKED, SAMPLES, FewestTrips
from npcompile.tiering.leave_budget import FIRST, LATER, LONGER, PAYS, LeaveBudget


def entries(budget: LeaveBudget, count: int, spent: float, python: float, earned: float = 0.0) -> float:
    """Make so many entries of a loop; return the seconds that were spent at those that Python did not do."""
    total = 0.0
    for _ in range(count):
        if budget.rests and budget.is_python():
            budget.note_python(python)
            continue
        budget.begin()
        budget.note(earned, spent)
        total += spent
    return total


@pytest.mark.parametrize("python", [1e-6, 2e-5, 1e-3, 0.1])
@pytest.mark.parametrize("spent", [1e-5, 5e-5, 3e-3])
def test_entries_cost_little_beside_python(spent: float, python: float) -> None:
    lost = entries(LeaveBudget(), 1000, spent, python)
    allowed = FIRST + spent + 2 * (1000 * python) / PAYS
    assert lost <= allowed + LATER + spent, (lost, allowed)


def test_rests_become_longer() -> None:
    budget = LeaveBudget()
    lost = entries(budget, 100_000, 1e-5, 1e-5)
    tries, whole = 0, FIRST * PAYS
    while whole < 100_000 * 1e-5:  # the rest after each try, by the bound
        tries += 1
        whole += LATER * PAYS * LONGER**tries
    assert lost <= FIRST + (tries + 1) * (LATER + 2e-5)


def test_loops_that_are_not_timed_rest_for_ever_more_entries() -> None:
    budget, natively = LeaveBudget(), []
    for entry in range(5000):
        if not (budget.rests and budget.is_python()):
            budget.note(0.0, 3e-3)
            natively.append(entry)
    assert natively == [0, 21, 102, 423, 1704]


def test_loops_that_native_code_works_for_never_rest() -> None:
    budget = LeaveBudget()
    assert entries(budget, 1000, 1e-3, 1.0, earned=1.1e-3) == pytest.approx(1.0) and not budget.rests


def test_loops_pay_again_after_a_rest() -> None:
    budget = LeaveBudget()
    entries(budget, 1 + PAYS * 3000, 3e-3, 1e-6)
    assert budget.rests
    while budget.is_python():
        pass
    assert entries(budget, 50, 1e-5, 1.0, earned=1e-3) == pytest.approx(50e-5) and not budget.rests
    assert entries(budget, 2, 3e-3, 1.0) == 3e-3 and budget.rests


class Clock:
    """A clock that goes on by as much whenever it is asked."""

    def __init__(self, step: float = 1e-4) -> None:
        self.step, self.now = step, 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def overflows(a: Any, n: Any) -> Any:
    total = 1
    for i in range(n):
        total = total * 1000 + i
        a[i % 4] = total % 97
    return total


def mixes(a: Any, n: Any) -> Any:
    items = [1, 2.5, np.float32(1.5), True] * 15
    total = 0.0
    for i in range(n):
        a[i % 4] = items[i]
        total += a[0]
    return total


def outcome(function: Callable[..., Any], n: int) -> Any:
    a = np.zeros(4)
    return function(a, n), a.tolist()


@pytest.mark.parametrize("function", [overflows, mixes])
def test_few_calls_leave_native_code(function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")
    monkeypatch.setenv("NPCOMPILE_CONTESTS", "0")
    monkeypatch.setenv("NPCOMPILE_OVERHEAD", "limited")
    monkeypatch.setattr("npcompile.partition.native_loop.thread_time", Clock())
    jitted = npcompile.jit(function)
    for _ in range(200):
        assert repr(outcome(jitted, 60)) == repr(outcome(function, 60))
        jitted.wait()
    stats = jitted.stats
    # Each leave takes 0.1 ms at least.
    assert 0 < stats.loop_leaves <= FIRST / 1e-4 + 10 and stats.loop_rests > 0, stats
    (loop,) = npcompile.explain(jitted, np.zeros(4), 60).loops
    assert sum(count for _, _, count in loop.left) == loop.leaves == stats.loop_leaves


def counts_in_python(rows: Any, log: list[str]) -> Any:
    for row in rows:
        total = 0.0
        for value in row:
            total += value
        log.append(f"{total:.2f}")
    return log


def test_short_loops_within_python_are_seldom_entered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")
    monkeypatch.setenv("NPCOMPILE_CONTESTS", "0")
    monkeypatch.setattr("npcompile.partition.native_loop.are_held", lambda: True)
    # Native code takes as long for any loop as Python does.
    monkeypatch.setattr("npcompile.partition.native_loop.clock", Clock(LONG / 10))
    monkeypatch.setattr("npcompile.tiering.fewest_trips.clock", Clock(LONG / 20))
    jitted, rows = npcompile.jit(counts_in_python), [[0.5, 1.25]] * 500
    for _ in range(6):
        assert jitted(rows, []) == counts_in_python(rows, [])
        jitted.wait()
    assert jitted.stats.loop_entries < 500


def test_a_first_entry_that_takes_long_decides_nothing() -> None:
    trips = FewestTrips()
    for seconds in [10 * LONG, *[LONG / 10] * (SAMPLES - 1)]:
        trips.note_native(seconds, seconds)
    assert not trips.settled and trips.asks_python(4)


def test_loops_that_take_long_natively_are_not_pythons() -> None:
    trips = FewestTrips()
    for _ in range(SAMPLES):
        assert not trips.asks_python(4)
        trips.note_native(2 * LONG, 2 * LONG)
    assert trips.settled and trips.fewest == 0


def test_loops_that_python_leaves_by_return_are_native() -> None:
    trips = FewestTrips()
    trips.note_native(LONG / 10, LONG / 10)
    asked = 0
    while not trips.settled:
        asked += trips.asks_python(4)
        trips.note_native(LONG / 10, LONG / 10)
    assert asked == MOST_ASKED and trips.fewest == 0


def test_a_long_way_to_short_native_code_does_not_pay() -> None:
    trips = FewestTrips()
    while not trips.settled:
        if trips.asks_python(5):
            trips.note_python()
        else:
            trips.note_native(4 * LONG, LONG / 100)
    assert trips.fewest > 5
