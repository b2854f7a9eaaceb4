"""Lengths of small work and of large, and lengths of 1: one program, and a kernel for each scale."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import npcompile
from tests.programs.jit_lane import judge

SCALES = [10, 100, 1000, 40_000, 100_000, 150_000, 60_000, 200_000, 30, 5_000_000, 7_000_000, 123]


def chain(x):
    return np.exp(-x * x) * 0.5 + 1.0


def width(x):
    h = 1.0 / (len(x) + 1)
    return (x * h).sum(), x - x.mean()


def masked(x):
    return np.where(x > 0, x, -x).max() * x


def alone(x):
    return np.abs(x) * 0.75 - x  # no other test may have had it compiled


FUNCTIONS = [chain, width, masked]


@pytest.fixture(scope="module")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One for all tests, each of functions of its own: one worker compiles them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NPCOMPILE_CACHE_DIR", str(tmp_path_factory.mktemp("kernels")))
        yield


# For each scale, and first for the one length; where this is in a constant, for the next length, too.
@pytest.mark.parametrize("fn, compilations", [(chain, 4), (width, 5), (masked, 4)])
def test_work_of_another_scale_has_a_kernel_of_its_own(fn, compilations: int, own_cache) -> None:
    jitted = npcompile.jit(fn, wait=True)
    for n in SCALES:
        for _ in range(2):
            judge(jitted, fn, (np.random.default_rng(n).standard_normal(n),))
    stats = jitted.stats
    assert (stats.programs, stats.recordings) == (3, 3)
    assert stats.replays == 2 * len(SCALES) - 3
    assert stats.compilations <= compilations


def test_numpy_answers_until_the_kernel_of_a_scale_is_there(own_cache) -> None:
    jitted = npcompile.jit(alone)

    def call(n: int) -> tuple[int, int]:
        before = jitted.stats
        plain, replays = before.plain_calls, before.replays
        judge(jitted, alone, (np.random.default_rng(n).standard_normal(n),))
        after = jitted.stats
        return after.plain_calls - plain, after.replays - replays

    for n in (10, 20, 30):
        call(n)
        jitted.wait()
    assert call(40) == (0, 1)
    assert call(200_000) == (1, 0)  # its kernel is being compiled
    assert call(50) == (0, 1)
    jitted.wait()
    assert call(200_000) == call(300_000) == (0, 1)
    assert jitted.stats.programs == 3
    assert jitted.stats.compilations == 3


@pytest.mark.parametrize("fn", FUNCTIONS)
@pytest.mark.parametrize("first", [1, 2])
def test_fifty_lengths_from_one_on(fn, first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn)
    for n in range(first, first + 50):
        judge(jitted, fn, (np.random.default_rng(n).standard_normal(n),))
    assert jitted.stats.programs == 3
