"""A call that is asked to be compiled code's is done by it, at NumPy's turn, and counts in no contest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.explain.text import summary
from npcompile.tiering import loop_contest
from npcompile.tiering.contest import Contest
from npcompile.tiering.loop_contest import LoopContest
from npcompile.tiering.turns import are_ours, ours


@pytest.fixture(autouse=True)
def compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    yield


def at_numpys_turn() -> Contest:
    contest = Contest()
    for _ in range(contest.rules.fewest):
        contest.note(True, 1.0)
    assert not contest.is_our_turn
    return contest


def test_a_contest_goes_on_where_it_was() -> None:
    contest = at_numpys_turn()
    with ours():
        assert contest.is_our_turn
        contest.note(True, 9.0)
    assert contest.ours == [1.0] * 3 and not contest.is_our_turn and not are_ours()


def turns(contest: LoopContest) -> list[bool]:
    found = []
    for _ in range(6):
        found.append(contest.begin([8]))
        contest.end()
    return found


def test_a_loop_contest_times_no_such_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_contest, "clock", lambda: 0.0)
    contest = LoopContest(steady=True)
    with ours():
        assert all(turns(contest))
    assert turns(contest) == turns(LoopContest(steady=True)) and not contest.verdicts


def kept(x: Any, to: Any) -> Any:
    to[0] = np.sqrt(np.sin(x) ** 2 + x * x + 1.5).sum()
    return to


def test_explain_tells_of_compiled_code_at_numpys_turn() -> None:
    """The function has an effect, so that only the one call can be looked at."""
    x, to = np.linspace(0.0, 1.0, 500_000), np.zeros(1)
    jitted = npcompile.jit(kept, wait=True)
    jitted(x, to)
    (state,) = jitted.npcompile_root().by_signature.values()
    state.trial = contest = at_numpys_turn()
    before = jitted.stats.replays
    explanation = npcompile.explain(jitted, x, to)
    assert jitted.stats.replays == before + 1 and state.trial is contest and not contest.numpys
    assert explanation.seconds.why == "it has effects"
    jitted(x, to)
    assert jitted.stats.replays == before + 1 and len(contest.numpys) == 1


class Log:
    """Functions append to it: an effect."""

    def __init__(self) -> None:
        self.values: list[float] = []

    def append(self, value: float) -> None:
        self.values.append(value)


def looped(x: Any, log: Log) -> Any:
    for _ in range(6):
        x = np.sqrt(x * x + 1) * 0.5 + np.sin(x)
    log.append(float(x.sum()))
    return x


def test_functions_that_are_cut_are_told_of_as_well() -> None:
    """Their contest gives calls to the plain function by turns."""
    x, log = np.linspace(0.0, 1.0, 50_000), Log()
    jitted = npcompile.jit(looped)
    for _ in range(2):
        jitted(x, log)
        jitted.wait()
    for _ in range(6):
        before = jitted.stats.replays
        explanation = npcompile.explain(jitted, x, log)
        assert jitted.stats.replays == before + 1
        assert explanation.seconds.why.startswith("it has effects") and explanation.report.calls == 1
    assert len(log.values) == 8 and len(set(log.values)) <= 2


def test_compiled_code_that_did_not_run_is_told() -> None:
    x, to = np.linspace(0.0, 1.0, 50_000), np.zeros(1)
    report = npcompile.explain(kept, x, to).report
    times: Any = {"compiled": 0.0, "native loop": 0.0, "library": 0.75, "Python": 0.25}
    plains = replace(report, times=times, recorded=False, calls=1, kernel_seconds=0.0)
    told = "0% of the time ran compiled, 75% in libraries, 25% in Python; it is compiled, but"
    assert told in summary(plains)[0]
    for other in (replace(plains, kernel_seconds=1.0), replace(plains, kernels=0)):
        assert "it is compiled, but" not in summary(other)[0]
