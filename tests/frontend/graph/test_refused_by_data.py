"""Calls that NumPy refuses, or does in another way, for some data of the same types: replays as NumPy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

NAN, INF = np.nan, np.inf
POINTS = np.array([-1, 0, 0.5, 1, 2, 3, 5, NAN, 6.4])
BINS = [np.array(bins, float) for bins in itertools.product([0, 1, NAN, 4], repeat=4)]
ENDS = [(1, 5), (1e300, -1e300), (-1e300, 1e300), (0, NAN), (INF, 0), (0, -INF), (5, 1), (1e19, 0), (1e18, 0)]
ENDS += [(-1, 2.5), (0.0, -(2.0**63)), (0.0, -(2.0**64)), (5e-324, 0)]
NUMBERS: list[Any] = [np.array([3.0, 2]), np.float64(3), np.array(3.0), 2.5, 3, np.array([[3.0, 1], [1, 3]])]


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


CALLS: dict[str, tuple[Any, list[tuple[Any, ...]]]] = {
    "arange": (lambda e: np.arange(e[0], e[1]), [(np.array(ends, float),) for ends in ENDS]),
    "arange by numbers": (lambda a, b: np.arange(a, b), [(float(a), float(b)) for a, b in ENDS]),
    "arange by tiny steps": (
        lambda a, b, c: np.arange(a, b, c),
        [(0.0, 5e-324, c) for c in (1.0, 1e300, -1e300)] + [(5e-324, 0.0, c) for c in (-1.0, 1e300)],
    ),
    "digitize": (lambda b: np.digitize(POINTS, b), [(b,) for b in BINS]),
    "digitize to the right": (lambda b: np.digitize(POINTS[::-1], b, right=True), [(b,) for b in BINS]),
    "interp": (lambda b: np.interp(POINTS, b, np.arange(4.0)), [(b,) for b in BINS]),
    "interp by periods": (
        lambda b: np.interp(POINTS[::-1], b, np.arange(4.0), period=3),
        [(b,) for b in BINS],
    ),
    "poly": (lambda x: np.poly(x), [(x,) for x in NUMBERS]),
    "roots": (lambda x: np.roots(x), [(x,) for x in NUMBERS]),
    "poly1d": (lambda x: np.poly1d(x, True).coeffs, [(x,) for x in NUMBERS]),
    "select": (lambda x: np.select(x, [1, 2]), [(x > 1,) for x in map(np.array, NUMBERS)]),
    "multi_dot": (lambda x: np.linalg.multi_dot(x), [(x,) for x in NUMBERS]),
    "histogramdd": (lambda x: np.histogramdd(x, 2)[0], [(x,) for x in NUMBERS]),
}


def outcome(function: Any, args: tuple[Any, ...]) -> Any:
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore")
def test_some_data_are_refused(name: str) -> None:
    body, calls = CALLS[name]
    jitted = npcompile.jit(body)
    for args in [calls[0], calls[0], *calls, *calls[::-1]]:
        got, want = outcome(jitted, args), outcome(body, args)
        if isinstance(want, tuple):
            assert got == want, args
        else:
            same(got, want)
    assert jitted.stats.replays
