"""Work that NumPy does in less time is left to it: by an estimate, by measurement, and without a trace."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.runtime.tiers import TOO_SMALL
from npcompile.tiering.contest import CHANGING_WORK, MOST, WINS, Contest
from npcompile.tiering.numpy_cost import is_small
from tests.checker import same


@pytest.fixture(autouse=True)
def compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    yield


def measured(replays: list[float], numpys: list[float], clear: float = 0.0) -> bool | None:
    trial = Contest(clear=clear)
    for seconds in replays:
        trial.note(True, seconds)
    for seconds in numpys:
        trial.note(False, seconds)
    return trial.is_ours_slower()


@pytest.mark.parametrize(
    ("replays", "numpys", "clear", "slower"),
    [
        ([1.0], [], 0.0, None),
        ([1.0] * 3, [], 0.0, None),
        ([1.0] * 3, [], 2.0, False),  # too little to be measured
        ([9.0, 1.0, 9.0], [2.0] * 3, 0.0, False),
        ([2.0] * 3, [9.0, 1.0, 9.0], 0.0, True),
        ([1.0] * 3, [1.0] * 3, 0.0, None),  # about the same: more is measured
        ([1.0] * MOST, [1.0] * MOST, 0.0, False),
        ([1.1] * MOST, [1.0] * MOST, 0.0, True),
    ],
)
def test_the_least_of_several_times_counts(
    replays: list[float], numpys: list[float], clear: float, slower: bool | None
) -> None:
    assert measured(replays, numpys, clear) is slower


def test_both_are_measured_by_turns() -> None:
    trial = Contest()
    turns = []
    while trial.is_ours_slower() is None:
        turns.append(trial.is_our_turn)
        trial.note(trial.is_our_turn, 1.0)
    assert turns[:4] == [True, True, True, False]
    assert turns.count(True) - turns.count(False) in (0, 1)


def chain(x: Any) -> Any:
    return np.sqrt(np.sin(x) ** 2 + np.cos(x) * x + 1.5)


def product(x: Any) -> Any:
    return (x[None, :] @ x[:, None])[0, 0]


@pytest.mark.parametrize(
    ("fn", "count", "small"), [(chain, 100_000, False), (product, 100_000, True), (np.negative, 3, True)]
)
def test_what_is_too_little_for_a_kernel(fn: Callable[..., Any], count: int, small: bool) -> None:
    def called(x: Any) -> Any:
        return fn(x)

    jitted = npcompile.jit(called, wait=True)
    jitted(np.linspace(0.0, 1.0, count))
    ((entry,),) = [state.entries for state in jitted.npcompile_root().by_signature.values()]
    assert is_small(entry.plan) is small


@pytest.mark.parametrize("slower", [False, True])
def test_a_measured_replay_is_kept_or_left_to_numpy(slower: bool) -> None:
    x = np.linspace(0.0, 1.0, 50_000)
    jitted = npcompile.jit(chain, wait=True)
    jitted(x)
    (state,) = jitted.npcompile_root().by_signature.values()
    state.trial = Contest()
    for _ in range(MOST):
        state.trial.note(True, 1.0)
        state.trial.note(False, 1e-12 if slower else 1e9)
    for _ in range(2):
        same(jitted(x), chain(x), ulp=2)
    assert state.trial is None and (state.tier in TOO_SMALL) is slower
    assert (jitted.stats.calls, jitted.stats.recordings) == (3, 1)
    assert ("NumPy is faster here" in "".join(jitted.stats.reasons)) is slower


def test_a_call_that_is_measured_may_raise() -> None:
    def checked(x: Any, stop: bool) -> Any:
        if x.sum() < 0:
            raise ValueError("negative")
        return chain(x)

    x = np.linspace(0.0, 1.0, 50_000)
    jitted = npcompile.jit(checked, wait=True)
    jitted(x, True)
    (state,) = jitted.npcompile_root().by_signature.values()
    state.trial = trial = Contest(numpys=[math.inf])
    with pytest.raises(ValueError, match="negative"):
        jitted(-x, True)
    assert state.trial is trial and trial.ours == []
    same(jitted(x, True), chain(x), ulp=2)
    assert state.trial is trial and len(trial.ours) == 1


WEIGHTS = {("last", 1): 0.5}


def cumulated(a: Any) -> Any:
    for i in range(1, len(a)):
        a[i] += WEIGHTS["last", 1] * np.tanh(a[i - 1])
    return a


def helper(a: Any, i: int) -> Any:
    return a[i] * WEIGHTS["last", 1]


def with_helper(a: Any) -> Any:
    for i in range(len(a)):
        a[i] = helper(a, i)
    return a


@pytest.mark.parametrize("fn", [cumulated, with_helper])
def test_a_loop_over_elements_becomes_the_function_itself(fn: Any) -> None:
    jitted = npcompile.jit(fn, wait=True)
    for _ in range(5):
        same(jitted(np.arange(9.0)), fn(np.arange(9.0)))
    (state,) = jitted.npcompile_root().by_signature.values()
    assert state.partitioned.made.function is fn
    assert jitted.stats.compilations == 0


def sums(a: Any) -> Any:
    total = np.zeros_like(a)
    for row in range(3, 40):
        total += chain(np.cos(a / row)) * np.cos(a)
    return total


def summed(a: Any) -> Any:
    total = 0.0
    for _ in range(3):
        total = total + float(sums(a)[0])
    return total


def test_waiting_includes_the_functions_that_are_called_between_blocks() -> None:
    a = np.linspace(0.0, 1.0, 20_000)
    jitted = npcompile.jit(summed)
    for _ in range(3):
        jitted(a)
        jitted.wait()
    recorded = [
        callee for callee in jitted.npcompile_root().callees.values() if hasattr(callee, "by_signature")
    ]
    blocks = [
        block
        for callee in recorded
        for state in callee.by_signature.values()
        for block in (state.partitioned.blocks.values() if state.partitioned else ())
    ]
    states = [state for one in (*recorded, *blocks) for state in one.by_signature.values()]
    assert blocks and not any(state.pending for state in states)


def test_sums_of_both_are_compared() -> None:
    for kernels, slower in ((3.0, True), (1.0, False)):
        contest = Contest(CHANGING_WORK)
        for call in range(2 * 24):
            assert contest.is_ours_slower() is None
            ours = contest.is_our_turn
            assert ours == (call % 4 in (0, 3))
            contest.note(ours, kernels if ours else 2.0)
        assert contest.is_ours_slower() is slower


def shrinking(z, c):
    trips = 0
    while len(z) > 3:
        z = z * 0.5 + c
        keep = z < 1.75 - 0.1 * trips
        z, c = z[keep], c[keep]
        trips += 1
    return z, trips


def decided(slower: bool) -> Callable[[Contest], bool | None]:
    """Decide contests at changing sizes: kernels are slower when all is measured, or at once they are not."""
    measured = Contest.is_ours_slower

    def answer(contest: Contest) -> bool | None:
        found = measured(contest)
        if contest.rules is not CHANGING_WORK:
            return found
        return False if not slower else None if found is None else True

    return answer


@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
def test_sizes_that_change_at_each_trip_are_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lengths that a block meets come again, each with kernels that are there."""
    monkeypatch.setattr(Contest, "is_ours_slower", decided(False))
    jitted = npcompile.jit(shrinking)
    for seed in range(60):
        z, c = np.random.default_rng(seed).random(60), np.linspace(0.1, 1.2, 60)
        same(jitted(z.copy(), c.copy()), shrinking(z.copy(), c.copy()))
        jitted.wait()
    assert not any("other sizes at each trip" in reason for reason in jitted.stats.reasons)
    before = jitted.npcompile_root().block_stats.replays
    _, trips = jitted(z.copy(), c.copy())
    assert jitted.npcompile_root().block_stats.replays - before >= trips > 2
    assert jitted.stats.programs <= 6, jitted.stats


@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
def test_sizes_that_never_come_again_are_numpys_where_it_is_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Contest, "is_ours_slower", decided(True))
    jitted = npcompile.jit(shrinking)
    for seed in range(40):
        z, c = np.random.default_rng(seed).random(3000 + seed), np.linspace(0.1, 1.2, 3000 + seed)
        same(jitted(z.copy(), c.copy()), shrinking(z.copy(), c.copy()))
        jitted.wait()
    assert any("other sizes at each trip" in reason for reason in jitted.stats.reasons)
    before = jitted.npcompile_root().block_stats.replays
    jitted(z.copy(), c.copy())
    assert jitted.npcompile_root().block_stats.replays - before <= 2


@pytest.mark.parametrize(
    ("replay", "numpy", "slower"),
    [
        (1.4e-6, 1.4e-6, True),  # NumPy is called without a look
        (1.34e-6, 1.4e-6, False),  # of half a microsecond, that is more than a tenth
        (3.1e-6, 3.1e-6, False),
        (3.1e-6, 3.0e-6, True),  # of two microseconds, that is more than four hundredths
    ],
)
def test_the_time_that_measuring_takes_does_not_count(replay: float, numpy: float, slower: bool) -> None:
    trial = Contest(taken=0.9e-6)
    for _ in range(MOST):
        trial.note(True, replay)
        trial.note(False, numpy)
    assert trial.is_ours_slower() is slower


def test_replays_of_short_calls_are_to_win_more_than_once() -> None:
    for seconds, contests in ((0.3e-6, WINS), (9e-6, 1)):
        trial: Contest | None = Contest(taken=0.9e-6)
        count = 0
        while trial is not None:
            for _ in range(MOST):
                trial.note(True, 0.9e-6 + seconds / 2)
                trial.note(False, 0.9e-6 + seconds)
            assert trial.is_ours_slower() is False
            trial, count = trial.again(), count + 1
        assert count == contests
