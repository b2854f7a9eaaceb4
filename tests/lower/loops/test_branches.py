"""Branches that bind the place of an item which they compare stay branches, and give Python's places."""

from __future__ import annotations

import numpy as np
import pytest

from tests.frontend.loops.native import check


def place_of_largest(x):
    k = 0
    for i in range(1, len(x)):
        if x[i] > x[k]:
            k = i


def place_of_least_in_rows(x):
    r = c = 0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            if not x[i, j] >= x[r, c]:
                r, c = i, j


def largest(x):
    k = 0
    most = x[0]
    for i in range(1, len(x)):
        if x[i] > most:
            most = x[i]
            k = i
    return k


@pytest.mark.parametrize("function", [place_of_largest, place_of_least_in_rows, largest])
def test_places_of_extremes(function, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "1")
    random = np.random.default_rng(6)
    for x in (random.random(60), random.integers(0, 5, 60), np.array([np.nan, 1.0, np.nan, 2.0, -0.0, 0.0])):
        run = check(function, x.reshape(2, -1) if function is place_of_least_in_rows else x)
        assert ("NPL_STAYS_BRANCH" in run.loop.source.text) == (function is not largest)
