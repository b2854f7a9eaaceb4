"""Loops over ranges of few constant numbers, written out: what the item decides is decided then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npcompile.lower.loops import ir
from tests.frontend.loops.jitted import check as check_calls
from tests.frontend.loops.native import check


def neighbours(g: Any, out: Any) -> None:
    h, w = g.shape
    for i in range(h):
        for j in range(w):
            c = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if di != 0 or dj != 0:
                        c += g[(i + di) % h, (j + dj) % w]
            out[i, j] = c


def cases(g: Any, out: Any) -> None:
    for i in range(g.shape[0]):
        for k in range(4):
            if k == 1:
                out[i, k] += g[i, 0]
                continue
            if k >= 3:
                break
            out[i, 4] -= k


def ended(g: Any, out: Any) -> None:
    for i in range(g.shape[0]):
        for k in range(4):
            if k > 2:
                break
        else:
            out[i, 0] += 1
        for k in range(3):
            if 5 == k:
                break
        else:
            out[i, 1] += k


@pytest.mark.parametrize(
    ("function", "loops", "name"), [(neighbours, 3, "dj"), (cases, 1, "k"), (ended, 1, "k")]
)
def test_tests_of_items_alone_are_decided(function: Callable[..., Any], loops: int, name: str) -> None:
    g = np.random.default_rng(0).integers(-5, 5, (6, 5))
    region = check(function, g, np.zeros((6, 5), int)).loop.region
    assert len({one.source for one in region.blocks if isinstance(one.end, ir.NextOfRange)}) == loops, region
    tests = [str(block.end.test) for block in region.blocks if isinstance(block.end, ir.Branch)]
    assert not [one for one in tests if f"({name}, " in one or f", {name})" in one or "(-1" in one], tests


def looked_at(g: Any, out: Any) -> None:
    for i in range(len(g)):
        for k in range(3):
            if g[i + k] > 0:
                pass
            out[i] += 1


def test_a_test_that_changes_nothing_may_raise() -> None:
    check_calls(looked_at, np.arange(9), np.zeros(9, int))
    check_calls(looked_at, np.arange(9), np.zeros(4, int))
