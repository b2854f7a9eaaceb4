"""Objects with generators of their own: one program serves them all, each with its own stream."""

from __future__ import annotations

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
