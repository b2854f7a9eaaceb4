"""Native loops are typed in the time that a call has for it; until that is paid for, they are Python's."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

import npcompile
from npcompile.tiering import deferred_calls, overhead, typing_budget
from npcompile.tiering.overhead import Allowance, check_time
from npcompile.tiering.typing_budget import A_STEP, AT_FIRST, AT_LEAST, TypingBudget
from tests.frontend.loops.native import begin

STEPS = 10
NEEDS = AT_LEAST + A_STEP * STEPS


class Clock:
    """A clock that is set by hand."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.asked: list[tuple[float, Callable[[], None]]] = []
        for name in ("clock", "cpu"):
            patch.setattr(overhead, name, lambda: self.now)
        patch.setattr(
            deferred_calls, "later", lambda seconds, function: self.asked.append((seconds, function))
        )
        for name, seconds in {"FIRST": 0.1, "EACH": 0.001, "KEPT": 2.0, "SHARE": 0.0, "PAID": 0.0}.items():
            patch.setattr(overhead, name, seconds)

    def takes(self, seconds: float) -> str:
        self.now += seconds
        check_time()
        return "typed"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.fixture
def call(clock: Clock) -> Iterator[overhead.Call]:
    """Return a later call of a function, which is under way."""
    allowance = Allowance()
    allowance.first, allowance.saved = False, 0.0
    call, _ = overhead.enter(allowance)
    call.switch(False)
    yield call
    overhead.leave(call, None)


def test_a_first_call_types_loops_at_once(clock: Clock, call: overhead.Call) -> None:
    call.allowance.first = True
    budget = TypingBudget(STEPS, call.allowance)
    assert budget.do(lambda: clock.takes(0.05), waits=False) == "typed"
    assert budget.do(lambda: clock.takes(0.05), waits=False) == "typed"
    assert budget.do(lambda: clock.takes(0.05), waits=False) is None and budget.postponed


def later_budget(clock: Clock, call: overhead.Call) -> TypingBudget:
    """Return the budget of a loop that has been typed once, in no time."""
    budget = TypingBudget(STEPS, call.allowance)
    assert budget.do(lambda: clock.takes(0.0), waits=False) == "typed"
    return budget


def test_the_first_time_a_loop_is_typed_in_what_its_size_needs(clock: Clock, call: overhead.Call) -> None:
    budget = TypingBudget(STEPS, call.allowance)
    assert budget.do(lambda: clock.takes(NEEDS), waits=False) == "typed"
    short = TypingBudget(STEPS, call.allowance)
    assert short.do(lambda: clock.takes(3 * NEEDS), waits=False) is None and short.postponed
    large = TypingBudget(int(2 * AT_FIRST / A_STEP), call.allowance)
    assert large.do(lambda: clock.takes(0.0), waits=False) is None and large.postponed


def test_a_later_call_types_a_loop_once_calls_have_paid_for_it(clock: Clock, call: overhead.Call) -> None:
    budget = later_budget(clock, call)
    assert budget.do(lambda: clock.takes(NEEDS), waits=False) is None and budget.postponed
    assert budget.is_pythons
    clock.now += NEEDS / overhead.TYPING
    assert not budget.is_pythons
    assert budget.do(lambda: clock.takes(0.9 * NEEDS), waits=False) == "typed"
    assert not budget.postponed
    assert budget.do(lambda: clock.takes(NEEDS), waits=False) is None, "it was paid for once"


def test_typing_that_takes_too_long_is_given_up(clock: Clock, call: overhead.Call) -> None:
    budget = later_budget(clock, call)
    clock.now += NEEDS / overhead.TYPING
    assert budget.do(lambda: clock.takes(3600.0), waits=False) is None and budget.postponed
    clock.now += 3600.0 / overhead.TYPING
    assert budget.is_pythons, "what was given up is paid for, too"
    assert overhead.this_thread.until == float("inf")


def test_a_call_that_waits_types_loops_whatever_that_takes(clock: Clock, call: overhead.Call) -> None:
    assert TypingBudget(STEPS, call.allowance).do(lambda: clock.takes(3600.0), waits=True) == "typed"


def test_a_long_call_is_told_when_it_has_paid(clock: Clock, call: overhead.Call) -> None:
    budget, told = later_budget(clock, call), []
    budget.do(lambda: clock.takes(NEEDS), waits=False)
    for _ in range(3):
        assert budget.tell_if_postponed(lambda: told.append(1))
    ((seconds, function),) = clock.asked
    clock.now += seconds
    function()
    assert told == [1] and not budget.is_pythons


def total(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * i
    return s


def test_loops_are_pythons_until_typing_is_paid_for(monkeypatch: pytest.MonkeyPatch) -> None:
    jitted, x = npcompile.jit(total), np.arange(50.0)
    with monkeypatch.context() as patch:
        patch.setattr(overhead.Call, "for_typing", 0.0)
        patch.setattr(typing_budget, "AT_FIRST", 0.0)
        for _ in range(4):
            assert jitted(x) == total(x)
        assert jitted.stats.native_loops == 0
    for _ in range(4):
        assert jitted(x) == total(x)
        jitted.wait()
    assert jitted.stats.native_loops == 1 and jitted.stats.loop_entries >= 1, jitted.stats


def test_typing_asks_if_it_is_to_be_given_up() -> None:
    with overhead.ending(0.0), pytest.raises(overhead.TooLong):
        begin(total, np.arange(50.0))
    begin(total, np.arange(50.0))
