"""Values stay the objects that they are: `is`, `in`, `index`, `id` and what holds them are plain Python's,
for all types of values, at each of six calls."""

from __future__ import annotations

import numpy as np
import pytest

import npcompile
from tests.jit.identities import Watched
from tests.jit.identity_plays import PROGRAMS, VALUES

CASES = [(fn, play, kind) for fn, play, kinds in PROGRAMS for kind in sorted(kinds)]


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("waits", (True, False), ids=("replayed", "recorded"))
@pytest.mark.parametrize(
    ("fn", "play", "kind"), CASES, ids=[f"{fn.__name__}-{kind}" for fn, _, kind in CASES]
)
def test_values_are_the_objects_that_they_are(fn, play, kind, waits, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn, wait=waits)
    assert play(jitted, VALUES[kind]) == play(fn, VALUES[kind])


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_verifying_runs_methods_of_the_users_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """An operation on NumPy's number and an object of the user's is not done a second time."""

    def asked(v, x):
        seen = Watched([])
        return seen == v, x * 2, *seen.seen

    monkeypatch.setenv("NPCOMPILE_VERIFY", "1")
    jitted = npcompile.jit(asked)
    for at in range(3):
        v = np.float64(at)
        same, _, *seen = jitted(v, np.arange(3.0))
        assert not same and len(seen) == 1 and seen[0] is v
