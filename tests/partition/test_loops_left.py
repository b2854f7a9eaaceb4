"""Loops that are left to Python: the statistics say what in them native code does not have."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same


def over_pairs(x: np.ndarray) -> Any:
    total = 0.0
    for one, other in itertools.pairwise(x):
        total += one * other
    return total


def over_a_counted_chain(x: np.ndarray) -> Any:
    total = 0.0
    for place, item in enumerate(itertools.chain(x, x)):
        total += item * place
    return total


def over_a_held_iterator(x: np.ndarray) -> Any:
    total, numbers = 0.0, itertools.count(2, 3)
    for item, number in zip(x, numbers):  # noqa: B905
        total += item * number
    return total


def calling_items(x: np.ndarray) -> Any:
    functions, total = [lambda v: v, lambda v: v + 1], 0.0
    for place in range(len(x)):
        total += functions[place % 2](x[place])
    return total


@pytest.mark.parametrize(
    ("function", "line", "why"),
    [
        (over_pairs, 2, "it goes over a pairwise"),
        (over_a_counted_chain, 2, "it goes over a chain"),
        (over_a_held_iterator, 2, "it goes over a count"),
        (calling_items, 3, "`functions`, a list of function"),
    ],
)
@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_statistics_say_why_a_loop_is_left(function: Callable[..., Any], line: int, why: str) -> None:
    jitted, x = npcompile.jit(function), np.arange(300.0)
    for _ in range(4):
        same(jitted(x), function(x))
    assert jitted.stats.loop_entries == 0
    place = f"{__file__}:{function.__code__.co_firstlineno + line}"
    begins = f"{place}: the loop is left to Python: {why} (line "
    assert any(reason.startswith(begins) for reason in jitted.stats.reasons), jitted.stats.reasons
