"""Loops: right at any number of trips, and how many there are does not enter what is compiled.

`loops.LOOPS` has one function per kind. To add a kind, add a function there.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same
from tests.programs import loops

LENGTH = 8
# Loops that make a list or dict of as many things as there are trips: what takes that as a whole is compiled
# for a few of its lengths, and left to Python then.
BY_LENGTH = (loops.over_items, loops.gathered, loops.caught_in_a_loop)


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    yield


def made(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(1, 9, LENGTH) / 4


@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
@pytest.mark.parametrize("fn", loops.LOOPS, ids=lambda fn: fn.__name__)
def test_right_at_any_number_of_trips(fn: Callable[..., Any]) -> None:
    jitted = npcompile.jit(fn)
    for seed, trips in enumerate((3, 3, 5, 1, 12, 3, 40, 2)):
        x = made(seed)
        want_x, got_x = copy.deepcopy(x), copy.deepcopy(x)
        want, got = fn(want_x, trips), jitted(got_x, trips)
        same(got, want, where=f"{trips} trips")
        same(got_x, want_x, where=f"{trips} trips: the argument")


@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
@pytest.mark.parametrize("fn", [loops.time_steps, loops.over_a_list], ids=lambda fn: fn.__name__)
def test_no_trip_at_all(fn: Callable[..., Any]) -> None:
    jitted = npcompile.jit(fn)
    for trips in (3, 0, 2, 0):
        outcomes = []
        for run in (fn, jitted):
            try:
                outcomes.append(run(made(1), trips))
            except UnboundLocalError as error:
                outcomes.append(str(error))
        same(outcomes[1], outcomes[0], where=f"{trips} trips")


@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
@pytest.mark.parametrize("fn", BY_LENGTH, ids=lambda fn: fn.__name__)
def test_few_lengths_are_compiled(fn: Callable[..., Any]) -> None:
    """At most as many as a function keeps signatures, and ways through one.

    A list that lies where the list of the call before lay, with its first item where that one's was, is taken
    for that list, grown: its length is no part of the signature from then on.
    """
    jitted = npcompile.jit(fn)
    for trips in range(3, 23):
        jitted(made(trips), trips)
    before = jitted.stats
    for trips in range(23, 33):
        jitted(made(trips), trips)
    after = jitted.stats
    assert (after.segments, after.recordings) == (before.segments, before.recordings)
    assert after.segments <= 16


EACH = [fn for fn in loops.LOOPS if fn not in BY_LENGTH]


@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
@pytest.mark.parametrize("fn", EACH, ids=lambda fn: fn.__name__)
def test_trips_do_not_enter_the_number_of_compilations(fn: Callable[..., Any]) -> None:
    jitted = npcompile.jit(fn)
    for trips in (4, 6, 5):
        jitted(made(trips), trips)
    before = jitted.stats
    for trips in (7, 9, 30, 60, 100):
        jitted(made(trips), trips)
    after = jitted.stats
    assert after.segments == before.segments, (before, after)
    assert after.recordings <= before.recordings + 5, (before, after)


def test_a_loop_is_one_small_program() -> None:
    """Two hundred trips are recorded as few, and each after is a replay."""
    jitted = npcompile.jit(loops.time_steps)
    jitted(made(1), 200)
    assert jitted.stats.recordings <= 3
    assert jitted.npcompile_root().block_stats.replays >= 197
    assert not jitted.stats.reasons


def test_a_method_in_the_users_own_loop() -> None:
    jitted = npcompile.jit(loops.Simulation.step)
    plain, ours = loops.Simulation(made(1)), loops.Simulation(made(1))
    for _ in range(50):
        plain.step(0.125)
        jitted(ours, 0.125)
        same(vars(ours), vars(plain))
    assert jitted.stats.recordings <= 6
    assert not jitted.stats.reasons


class Jitted(loops.Simulation):
    """A class with its method decorated, as users write it."""

    step = npcompile.jit(loops.Simulation.step)


def test_a_decorated_method() -> None:
    plain, ours = loops.Simulation(made(2)), Jitted(made(2))
    for _ in range(20):
        plain.step(0.25)
        ours.step(0.25)
    same(vars(ours), vars(plain))
