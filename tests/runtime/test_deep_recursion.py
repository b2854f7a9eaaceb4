"""Functions that call themselves over and over: as jitted ones about half as deep as without, at least."""

from __future__ import annotations

import numpy as np
import pytest

import npcompile
from npcompile.runtime import fast_path
from tests.checker import same

LEVELS = (50, 80, 120, 300)  # Python's own limit is 1000


class Clusters:
    def __init__(self, points):
        self.points, self.seen, self.near = points, [], {}

    def neighbours(self, i):
        return np.array([j for j in range(len(self.points)) if abs(self.points[j] - self.points[i]) < 1.5])

    def expanded(self, i, near):
        cluster = [i]
        for j in near:
            if j not in self.seen:
                self.seen.append(j)
                self.near[j] = self.neighbours(j)
                if len(self.near[j]) > 1:
                    cluster = cluster + self.expanded(j, self.near[j])
                else:
                    cluster.append(j)
        return cluster


class Jitted(Clusters):
    expanded = npcompile.jit(Clusters.expanded)


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.usefixtures("native_runtime")
def test_a_method_in_a_loop_of_its_own() -> None:
    for levels in LEVELS:
        got, want = Jitted(np.arange(float(levels))), Clusters(np.arange(float(levels)))
        same(got.expanded(0, got.neighbours(0)), want.expanded(0, want.neighbours(0)))
        same(got.seen, want.seen)


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_where_no_call_is_answered_by_the_native_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    monkeypatch.setattr(fast_path, "note", lambda *about: None)
    expanded = npcompile.jit(Clusters.expanded)
    for levels in (50, 80, 120, 240):  # each takes three of Python's
        got = type("Jitted", (Clusters,), {"expanded": expanded})(np.arange(float(levels)))
        want = Clusters(np.arange(float(levels)))
        same(got.expanded(0, got.neighbours(0)), want.expanded(0, want.neighbours(0)))


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.usefixtures("native_runtime")
def test_work_around_the_call() -> None:
    def walked(x, n, k):
        a = np.sin(x) + 1
        found = [float(a[0])]
        for j in k:
            if j < n:
                found = found + walked(x, n - 1, k)
        return found

    x, k = np.ones(3), np.array([0])
    want = {levels: walked(x, levels, k) for levels in LEVELS}
    walked = npcompile.jit(walked)
    for levels in (*LEVELS, *LEVELS):
        same(walked(x, levels, k), want[levels])
