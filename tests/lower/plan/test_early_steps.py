"""Python numbers that are made of arrays: before anything is computed, but not before writes to the array."""

from __future__ import annotations

import numpy as np
import pytest

import npcompile
from tests.checker import same


def added(a, x):
    a += 5
    return float(a), x * float(a), x[int(a) - 6]


def stored(a, x):
    before = float(a)
    a[...] = 2
    return before, float(a), complex(a), int(a), x + float(a)


def sized(a, x):
    x += 1
    return x * len(x), float(a) * len(x)


@pytest.mark.parametrize("function", [added, stored, sized])
def test_numbers_of_arrays_that_were_written_to(function):
    jitted = npcompile.jit(wait=True)(function)
    for number in (1.5, 2.5, 3.0, 4.0):
        ours, theirs = ((np.array(number), np.arange(9.0)) for _ in range(2))
        same(jitted(*ours), function(*theirs))
        same(ours, theirs)
    assert jitted.stats.replays >= 2


def test_decisions_by_arrays_that_were_written_to():
    def function(a, x):
        a -= 1
        return x + 1 if a else x - 1

    jitted = npcompile.jit(wait=True)(function)
    for number in (2.0, 1.0, 3.0, 0.0, 1.0, 1.0):
        same(jitted(np.array(number), np.arange(9.0)), function(np.array(number), np.arange(9.0)))
