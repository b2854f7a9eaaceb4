"""Parts of a function that NumPy does faster at some sizes and kernels at others: once that has shown, no
Python is in between."""

from __future__ import annotations

import numpy as np
import pytest

from npcompile import jit
from npcompile.partition.callees import CalleeSubstitution
from npcompile.partition.unit import MANY_TOO_SMALL
from npcompile.runtime.function import RecordedFunction
from npcompile.runtime.tiers import Event
from tests.checker import same


def march(a, b, steps):
    out = np.zeros((steps, len(b)), b.dtype)
    out[-1] = 1
    for t in range(steps - 2, -1, -1):
        out[t] = a @ (b * out[t + 1]) / (1 + b)
    return out


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_both_sizes(monkeypatch):
    f = jit(march, wait=True)
    rng = np.random.default_rng(0)
    large, small = ((rng.random((n, n)) / n, rng.random(n)) for n in (600, 3))
    for args in (large, small) * 4:
        same(f(*args, 40), march(*args, 40), ulp=2**10)
    partitioned = {
        id(state.partitioned): state.partitioned for state in f.npcompile_root().by_signature.values()
    }.values()
    blocks = [block for cut in partitioned for block in cut.blocks.values() if len(block.by_signature) > 1]
    assert blocks
    for block in blocks:  # as a trial leaves them
        states = [state for key, state in block.by_signature.items() if "(3," in str(key)]
        assert 0 < len(states) < len(block.by_signature)
        for state in states:
            state.ready, state.trial = [], None
            state.move(Event.TOO_SMALL)
    for _ in range(4):
        same(f(*small, 40), march(*small, 40), ulp=2**10)
    asked = []
    answer = RecordedFunction._answer

    def counting(self, *given):
        asked.append(self.name)
        return answer(self, *given)

    assert 4 * 40 > MANY_TOO_SMALL
    monkeypatch.setattr(RecordedFunction, "_answer", counting)
    for args in (small, large, small):
        same(f(*args, 40), march(*args, 40), ulp=2**10)
    assert len(asked) <= 3 * 3, asked  # of the calls of the function itself; next to none of a part's


def gathered(x, points):
    def near(p):
        found = []
        for q in points:
            if abs(q - p) < 1:
                found.append(q)
        return found

    spread = [np.median][0]
    for p in points:
        x = np.sqrt(np.abs(x)) + len(near(p)) + int(spread(points) > 1e9)
        x[::2] *= 0.5
    return x


def test_helpers_of_which_nothing_is_compiled_are_called_as_they_are(monkeypatch):
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    f, x, points = jit(gathered), np.arange(50.0), list(range(40))
    for _ in range(4):
        same(f(x, points), gathered(x, points), ulp=16)
    asked = []
    entered = CalleeSubstitution._entered
    monkeypatch.setattr(
        CalleeSubstitution, "_entered", lambda self, fn: asked.append(fn) or entered(self, fn)
    )
    same(f(x, points), gathered(x, points), ulp=16)
    assert not [fn for fn in asked if getattr(fn, "__name__", "") in ("near", "median")], asked
