"""In a first call, a loop's first trips are Python's though native code is there: NumPy's warnings come."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.tiering import first_trips
from npcompile.tiering.overhead import Allowance
from tests.checker import same


def divided(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    z = np.zeros_like(x)
    for i in range(len(x)):
        z[i] = x[i] / y[i]
    return z


@pytest.mark.usefixtures("native_runtime")
@pytest.mark.parametrize("within", [0.0, 60.0])
def test_a_first_call_is_pythons_within_some_time(within: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.setenv("NPCOMPILE_CONTESTS", "0")
    x, y = np.arange(3000.0), np.arange(1.0, 3001.0)
    before = npcompile.jit(divided)
    for _ in range(2):
        before(x, y)
        before.wait()
    monkeypatch.setattr(first_trips, "is_unlimited", lambda: False)
    monkeypatch.setattr(first_trips, "WITHIN", within)
    jitted = npcompile.jit(divided)
    same(jitted(x, y), divided(x, y))
    assert (jitted.stats.loop_entries == 0) == (within > 0)
    same(jitted(x, y), divided(x, y))
    assert jitted.stats.loop_entries == 1 + (within == 0)


def test_trips_are_left_to_python_where_numpy_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_trips, "is_unlimited", lambda: False)
    allowance = Allowance()
    with np.errstate(all="ignore"):
        assert first_trips.FirstTrips(allowance).left == 0.0
    trips = first_trips.FirstTrips(allowance)
    assert 0.0 < trips.left <= first_trips.WITHIN
    allowance.first = False
    assert trips.left == 0.0


@pytest.mark.usefixtures("native_runtime")
def test_a_first_call_that_native_code_ends_tells_what_python_takes_at_least(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its first trips alone were so long: no other call has to be Python's for that to be known."""
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.setattr(first_trips, "is_unlimited", lambda: False)
    x, y = np.arange(300_000.0), np.arange(1.0, 300_001.0)
    for _ in range(2):  # the second time native code is there when the call begins
        jitted: Any = npcompile.jit(divided)
        jitted(x, y)
        jitted.wait()
    [state] = jitted.npcompile_root().by_signature.values()
    assert jitted.stats.loop_entries == 1
    assert state.partitioned.as_written >= first_trips.WITHIN
