"""Trips of loops on a device that only work element by element, several of which are one kernel.

The device is one that copies; programs of several trips are interpreted (tests/programs/copying_device.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import fx

import npcompile
from npcompile.diagnostics.reason import Cause
from npcompile.frontend.replay import fused_trips
from npcompile.lower.device.job import LocalJob
from npcompile.partition import call
from npcompile.partition.partitioned import PartitionedFunction
from tests.programs import copying_device
from tests.runtime.test_loops_at_once import counted, warmed

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch) -> None:
    copying_device.use(monkeypatch)
    monkeypatch.setattr(
        call, "are_held", lambda: False
    )  # no contest with NumPy: counts are the same each time


@pytest.fixture
def composed(monkeypatch: pytest.MonkeyPatch) -> list[fx.Graph]:
    """Return the list of the programs of several trips that are compiled."""
    found: list[fx.Graph] = []

    def submitted(graph: fx.Graph) -> LocalJob:
        found.append(graph)
        return copying_device.at_once(graph)

    monkeypatch.setattr(fused_trips, "submit", submitted)
    return found


def in_turns(x, y, n):
    for _ in range(n):
        x, y = y * 0.5 + 1.0, x
    return x, y


def in_place(x, y, n):
    for _ in range(n):
        x *= 0.5
        y[:] = np.maximum(x, y) - 0.25
    return x


def escape(x, y, n):
    c = x - 1 + 1j * y
    z, count = np.zeros_like(c), np.zeros(c.shape, np.int64)
    for _ in range(n):
        inside = np.abs(z) <= 2.0
        z = np.where(inside, z * z + c, z)
        count += inside
    return count


def of_rows(x, y, n):
    a = np.outer(x, y)
    for _ in range(n):
        a = a * 0.5 + y
        y = y * 0.75
    return a, y


def two_kernels(x, y, n):
    for _ in range(n):
        x = x * 0.5 + y
        print(end="") if n < 0 else None
        y = np.where(x > y, x, -y)
    return x, y


def neighbours(x, y, n):
    for _ in range(n):
        x = np.roll(x, 1) * 0.5 + y
    return x


def slices(x, y, n):
    for _ in range(n):
        x[1:] = x[:-1] * 0.5 + y[1:]
    return x


def turned(x, y, n):
    a = np.outer(x, y)
    for _ in range(n):
        a = a * 0.5 + a.T
    return a


def totals(x, y, n):
    for _ in range(n):
        x = x * 0.5 + y.sum()
    return x


def long(x, y, n):
    for _ in range(n):
        x = np.where(x > y, x * 0.5 + y, x - y * 0.25)
        x = np.where(x > y, x * 0.5 + y, x - y * 0.25)
        x = np.where(x > y, x * 0.5 + y, x - y * 0.25)
        x = np.where(x > y, x * 0.5 + y, x - y * 0.25)
        x = np.where(x > y, x * 0.5 + y, x - y * 0.25)
        x = np.where(x > y, x * 0.5 + y, x - y * 0.25)
        x = np.where(x > y, x * 0.5 + y, x - y * 0.25)
        x = np.where(x > y, x * 0.5 + y, x - y * 0.25)
        x = np.where(x > y, x * 0.5 + y, x - y * 0.25)
        x = np.where(x > y, x * 0.5 + y, x - y * 0.25)
        x = np.where(x > y, x * 0.5 + y, x - y * 0.25)
        x = np.where(x > y, x * 0.5 + y, x - y * 0.25)
    return x


def of_a_counter(x, y, n):
    for k in range(n):
        x = x * 0.5 + y / (1 + k)
    return x


def arrays(size: int = 9, dtype: Any = np.float64) -> tuple[Any, Any]:
    return np.linspace(0.5, 1.5, size).astype(dtype), np.linspace(1.0, 0.25, size).astype(dtype)


def refusals(jitted: Any) -> list[str | None]:
    """Return why trips are not done by one kernel, for each kind of trips."""
    cuts = [state.partitioned for state in jitted.npcompile_root().by_signature.values()]
    made = [cut.loop_graphs for cut in cuts if isinstance(cut, PartitionedFunction)]
    loops = [loop for one in made if one is not None for loop in one._loops.values()]
    return [kept.graphs._fused.refusal for loop in loops for kept in loop.graphs if kept.graphs is not None]


@pytest.mark.parametrize("given", [np.asarray, npcompile.asarray], ids=["numpy", "device"])
@pytest.mark.parametrize("function", [in_place, escape, of_rows, two_kernels], ids=lambda f: f.__name__)
def test_several_trips_are_one_program(
    composed: list[fx.Graph], function: Callable[..., Any], given: Any
) -> None:
    jitted = warmed(function, *arrays(), 37, given=given)
    for _ in range(3):
        counted(jitted, *arrays(), 37, given=given)
    before = jitted.stats.fused_trips
    assert counted(jitted, *arrays(), 37, given=given) == (0, 36), refusals(jitted)
    assert jitted.stats.fused_trips - before == 32, refusals(jitted)
    assert len(composed) == 1
    for n in (0, 1, 2, 5, 17, 18, 38):
        counted(jitted, *arrays(), n, given=given)


def test_names_that_change_places_at_each_trip(composed: list[fx.Graph]) -> None:
    jitted = warmed(in_turns, *arrays(), 37)
    for n in (37, 38, 39, 0, 17):
        counted(jitted, *arrays(), n)
    assert jitted.stats.fused_trips > 0, refusals(jitted)


@pytest.mark.parametrize(
    "function", [neighbours, slices, turned, totals, long, of_a_counter], ids=lambda f: f.__name__
)
def test_other_trips_are_left_as_they_are(composed: list[fx.Graph], function: Callable[..., Any]) -> None:
    jitted = warmed(function, *arrays(), 37)
    for _ in range(3):
        counted(jitted, *arrays(), 37)
    assert jitted.stats.fused_trips == 0 and not composed


def test_few_trips_are_not_compiled(composed: list[fx.Graph]) -> None:
    jitted = warmed(in_place, *arrays(), 6)
    assert jitted.stats.graph_trips < fused_trips.BEFORE and not composed


def test_a_loop_that_is_done_once_or_twice_is_not_compiled(composed: list[fx.Graph]) -> None:
    jitted = npcompile.jit(in_place, wait=True)
    for _ in range(3):
        jitted(*arrays(), 2000)
    assert jitted.stats.graph_trips > fused_trips.BEFORE and not composed


def test_a_kernel_of_other_bytes_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def off(graph: fx.Graph) -> LocalJob:
        job = copying_device.at_once(graph)
        right = job.kernel

        def kernel(*tensors: torch.Tensor) -> list[torch.Tensor]:
            right(*tensors)
            tensors[0].view(-1)[3] += 1e-15
            return []

        job.kernel = kernel
        return job

    monkeypatch.setattr(fused_trips, "submit", off)
    jitted = warmed(in_place, *arrays(), 37)
    for _ in range(3):
        counted(jitted, *arrays(), 37)
    assert jitted.stats.fused_trips == 0
    assert "other bytes" in str(refusals(jitted))


def test_a_program_that_does_not_compile_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(graph: fx.Graph) -> LocalJob:
        job = LocalJob(graph, "")
        job.error = Cause.COMPILE_SECONDS("1")
        job.finish(1.0)
        return job

    monkeypatch.setattr(fused_trips, "submit", fails)
    jitted = warmed(in_place, *arrays(), 37)
    for _ in range(3):
        counted(jitted, *arrays(), 37)
    assert jitted.stats.fused_trips == 0


def test_a_program_of_many_kernels_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def many(graph: fx.Graph) -> LocalJob:
        job = copying_device.at_once(graph)
        job.kernels = 9
        return job

    monkeypatch.setattr(fused_trips, "submit", many)
    jitted = warmed(in_place, *arrays(), 37)
    for _ in range(3):
        counted(jitted, *arrays(), 37)
    assert jitted.stats.fused_trips == 0


def test_explain_tells_of_it() -> None:
    told = npcompile.explain(warmed(in_place, *arrays(), 37), *arrays(), 37)
    ((line, what),) = told.graphs
    assert line == in_place.__code__.co_firstlineno + 1
    assert what.endswith(" trips were done as CUDA graphs, several by one kernel")
