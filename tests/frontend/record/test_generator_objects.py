"""Objects with generators of their own: one program serves them all, each with its own stream."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")  # NumPy draws


class Walk:
    def __init__(self, rng: Any) -> None:
        self.rng, self.x, self.other = rng, np.zeros(5), {"rng": rng}

    def step(self) -> Any:
        self.x = self.x + self.rng.normal(size=5) * 0.5
        return self.rng.random() < self.other["rng"].uniform(0.0, 1.0, 3), self.x * 2

    def split(self) -> Any:
        return self.rng.permutation(5)[:2] + self.x[0]


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
@pytest.mark.parametrize("fn", [Walk.step, Walk.split])
@pytest.mark.parametrize("backend", ["interpreter", None])
def test_each_has_its_own(
    make: Callable[[int], Any],
    fn: Callable[..., Any],
    backend: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    if backend is not None:
        monkeypatch.setenv("NPCOMPILE_BACKEND", backend)
    jitted = npcompile.jit(fn)
    for seed in range(6):
        mine, theirs = Walk(make(seed)), Walk(make(seed))
        for _ in range(2):
            same(jitted(mine), fn(theirs))
            same(mine.x, theirs.x)
            jitted.wait()
        mine.rng, theirs.rng = make(seed + 50), make(seed + 50)  # two, where it was one
        same(jitted(mine), fn(theirs))
        assert mine.rng.random() == theirs.rng.random()
    assert jitted.stats.recordings <= 3


@pytest.mark.parametrize("given", [True, False])
def test_a_generator_or_the_default(given: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams have no truth of their own: they are true, which ends no recording."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")

    def fn(x, rng=None):
        rng = rng or np.random.default_rng(3)
        return x + rng.random(3)

    jitted = npcompile.jit(fn)
    ours, plain = (np.random.default_rng(5) if given else None for _ in range(2))
    for _ in range(5):
        assert np.array_equal(jitted(np.ones(3), ours), fn(np.ones(3), plain))
    assert jitted.stats.replays == 4


class Seeded:
    """Begins its stream anew at each call."""

    def __init__(self) -> None:
        self.rng, self.options, self.last = np.random.RandomState(1), {"scale": 0.5}, np.zeros(3)

    def of_all(self, x: Any, seed: Any) -> Any:
        first = np.random.rand(2).sum() if x[0] else 1.0
        np.random.seed(seed)
        mask = np.random.rand(*x.shape) < self.options.get("scale", 1.0)
        self.last = x * mask / self.options["scale"]
        return self.last.astype(x.dtype, copy=False).sum() + first

    def of_its_own(self, x: Any, seed: Any) -> Any:
        self.last = x + self.rng.normal(size=3)
        self.options["calls"] = self.options.get("calls", 0) + 1
        self.rng.seed(seed)
        return self.rng.normal(size=3) * self.options["scale"]

    def state(self) -> Any:
        return self.last, self.options, self.rng.get_state()[1:3], np.random.get_state()[1:3]


# The last but one is no seed.
SEEDS = (3, 3, 4, 5, np.int64(6), [7, 8], np.array([7, 8]), 9, -1, 9)


@pytest.mark.parametrize("fn", [Seeded.of_all, Seeded.of_its_own])
def test_streams_that_begin_anew(fn: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    x, found = np.arange(1.0, 4.0), []
    jitted = npcompile.jit(fn)
    for run in (fn, jitted):
        np.random.seed(0)
        made, answers = Seeded(), []
        for seed in SEEDS:
            try:
                answers.append(run(made, x, seed))
            except ValueError as error:
                answers.append(str(error))
            answers.append(copy.deepcopy(made.state()))
        found.append(answers)
    same(found[1], found[0])
    # The count in the dict is the literal 1 at its second call: CPython has one object for both.
    assert jitted.stats.recordings <= 6 and jitted.stats.replays >= 3, jitted.stats
