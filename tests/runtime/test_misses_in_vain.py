"""Replays that are asked in vain, where nothing is recorded of it, are measured, and rest if that costs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from npcompile.runtime import specialization
from npcompile.runtime.specialization import UNJUDGED, Specialization
from npcompile.runtime.tiers import Tier


class Function:
    """A function whose replays all diverge, or all answer; its calls take seconds of a clock of their own."""

    tries_again = True

    def __init__(self, asking: float, plain: float, diverges: bool = True, affords: bool = False) -> None:
        self.asking, self.plain, self.diverges, self.affords = asking, plain, diverges, affords
        self.own_stats = SimpleNamespace(calls=0)
        self.now, self.asked = 0.0, 0
        self.balance: Any = SimpleNamespace(missed=lambda: None, useless=False)
        self.state = Specialization()
        self.state.ready = [(print, 0)]

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        self.asked += 1
        self.now += self.asking
        if self.diverges:
            self.state.missed(self.balance, self.affords, self.tries_again)
            self.now += self.plain
        else:
            self.state.misses = 0

    def beside(self, args: Any, kwargs: Any) -> Any:
        return self._plain

    def _plain(self, *args: Any, **kwargs: Any) -> None:
        self.now += self.plain

    def gave_up(self) -> None:
        pass

    def call(self) -> None:
        """Call it as its users do."""
        if self.state.trial is not None and self.state.ready:
            self.state.measured(self, (), {})  # type: ignore[arg-type]
        elif self.state.ready:
            self()
        elif not self.state.tries_again():
            self._plain()


def called(function: Function, calls: int, monkeypatch: pytest.MonkeyPatch) -> Function:
    monkeypatch.setattr(specialization, "are_held", lambda: True)
    monkeypatch.setattr(specialization, "seconds_taken", lambda: 0.0)
    monkeypatch.setattr(specialization.time, "thread_time", lambda: function.now)
    for _ in range(calls):
        function.call()
    return function


def test_asking_that_costs_is_given_up_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    function = called(Function(asking=1e-4, plain=1e-6), 1000, monkeypatch)
    assert function.asked < 100
    assert function.state.tier is Tier.RESTING


def test_a_contest_at_hand_is_decided_by_calls_that_diverge(monkeypatch: pytest.MonkeyPatch) -> None:
    function = Function(asking=1e-4, plain=1e-6)
    function.state.trial = specialization.Contest()
    assert called(function, 1000, monkeypatch).asked < 100


def test_calls_that_are_recorded_are_no_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    function = Function(asking=1e-4, plain=1e-6, affords=True)
    function.state.trial = specialization.Contest()
    assert called(function, 100, monkeypatch).asked == 100


def test_asking_that_costs_next_to_nothing_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    function = called(Function(asking=1e-6, plain=1e-3), 1000, monkeypatch)
    assert function.state.ready and function.asked > 800


def test_replays_that_answer_again_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    function = called(Function(asking=1e-4, plain=1e-3), UNJUDGED * 4, monkeypatch)
    function.diverges, function.asking = False, 1e-5
    called(function, 1000, monkeypatch)
    assert function.state.ready and not function.state.judges_misses


def test_parts_of_a_function_are_not_given_up_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    function = Function(asking=1e-4, plain=1e-6)
    function.tries_again = False
    assert called(function, 100, monkeypatch).state.trial is None
