"""NumPy's arrays on the memory of npcompile's own: what is written through one shows in the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same


def stored(x):
    shown = np.asarray(x)
    shown[0] = 5.0
    return x + 1


def scaled(x):
    shown = np.ascontiguousarray(x)
    shown *= 3
    return x + shown


def made_inside(x):
    own = x + 1
    shown = np.asarray(own)
    shown[1:] -= 2
    return own * 2


def written_through_ours(x):
    shown = np.asarray(x)
    x[1] = -1.0
    return shown.sum(), shown


@pytest.mark.parametrize("function", [stored, scaled, made_inside, written_through_ours])
def test_they_share_memory(function: Callable[..., Any]) -> None:
    jitted = npcompile.jit(function, wait=True)
    for _ in range(3):
        plain, given = (npcompile.asarray(np.arange(4.0)) for _ in range(2))
        want, got = function(plain), jitted(given)
        same(np.asarray(given), np.asarray(plain))
        for mine, theirs in zip(*[one if type(one) is tuple else (one,) for one in (got, want)], strict=True):
            same(np.asarray(mine), np.asarray(theirs))
    assert jitted.stats.replays == 2, jitted.stats.reasons
