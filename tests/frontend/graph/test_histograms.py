"""Histograms whose range is worked out: from arguments, and from data."""

from __future__ import annotations

import numpy as np
import pytest

from npcompile import jit
from tests.checker import same

DATA = np.random.default_rng(0).normal(2, 1.5, 500)


def over(x, end, bins=7):
    counts, edges = np.histogram(x, bins=bins, range=(0, end / 2))
    return counts, edges, counts / np.diff(edges)


def between(x, low, high):
    return np.histogram(x, 5, (low - 1, high + 2), density=True)


def of_data(x):
    return np.histogram(x, 6, range=(x.min(), np.abs(x).max()))


def of_both(x, low):
    return np.histogram(x, 4, range=(low * 2, x.max()), weights=x * x)


CALLS = {
    "a number": (over, [(DATA, 7.0), (DATA, 5.5), (DATA, 4.25), (DATA, np.float64(3.0))]),
    "of float32": (over, [(DATA.astype("f4"), 7.0), (DATA.astype("f4"), 5.5), (DATA.astype("f4"), 4.25)]),
    "of integers": (between, [((DATA * 9).astype(int), 3, 8), ((DATA * 9).astype(int), 1, 12)]),
    "two numbers": (between, [(DATA, 0.0, 11), (DATA, 1.0, 12), (DATA, 1.5, 13)]),
    "of data": (of_data, [(DATA,), (DATA * 2,), (DATA + 1,)]),
    "of int8": (of_data, [((DATA * 9).astype("i1"),), ((DATA * 5).astype("i1"),)]),
    "data and a number": (of_both, [(DATA, 0.25), (DATA, 0.5), (DATA * 3, 0.125)]),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("lane", ["interpreter", "compiled"])
def test_ranges(name, lane, monkeypatch):
    if lane == "interpreter":
        monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    plain, calls = CALLS[name]
    f = jit(plain, wait=True)
    for _ in range(2):
        for args in calls:
            same(f(*args), plain(*args), ulp=8)
    assert f.stats.replays >= len(calls) and not f.stats.reasons, f.stats


def test_no_range(monkeypatch):
    """Ends that are one place, the wrong way round or not finite are NumPy's affair."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    f = jit(between)
    for _ in range(2):
        same(f(DATA, 0.5, 1.5), between(DATA, 0.5, 1.5), ulp=8)
    same(f(DATA, 2.0, -1.0), between(DATA, 2.0, -1.0), ulp=8)
    for low, high in ((3.0, -4.0), (np.nan, 2.0), (0.0, np.inf)):
        with pytest.raises(ValueError) as wanted:
            between(DATA, low, high)
        with pytest.raises(ValueError) as got:
            f(DATA, low, high)
        assert str(got.value) == str(wanted.value)
