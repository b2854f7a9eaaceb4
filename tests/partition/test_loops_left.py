"""Loops that are left to Python: the statistics say why, and name no loop that something compiled answers."""

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


def over_objects_backwards(x: np.ndarray) -> Any:
    total = 0.0
    for item in reversed(x.astype(object)):
        total += item
    return total


def writing_texts(x: np.ndarray) -> Any:
    y, count = np.sqrt(x * x + 1), 0
    for item in x:
        count += len(str(item))
    return y * count


def unbinding(x: np.ndarray) -> Any:
    total = 0.0
    for item in x:
        del total
        total = item + 1
    return total


@pytest.mark.parametrize(
    ("function", "line", "why"),
    [
        (over_pairs, 2, "it goes over a pairwise (line "),
        (over_a_counted_chain, 2, "it goes over a chain (line "),
        (over_a_held_iterator, 2, "it goes over a count (line "),
        (calling_items, 3, "`functions`, a list of function (line "),
        (over_objects_backwards, 2, "it goes over an array of object"),
        (writing_texts, 3, "calls of `str` (line "),
        (unbinding, 3, "`del` of a name (line "),
    ],
)
@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_statistics_say_why_a_loop_is_left(function: Callable[..., Any], line: int, why: str) -> None:
    jitted, x = npcompile.jit(function, wait=True), np.arange(300.0)
    for _ in range(4):
        same(jitted(x), function(x))
    assert jitted.stats.loop_entries == 0
    place = f"{__file__}:{function.__code__.co_firstlineno + line}"
    begins = f"{place}: the loop is left to Python: {why}"
    assert any(reason.startswith(begins) for reason in jitted.stats.reasons), jitted.stats.reasons
    assert jitted.stats.reasons.count(jitted.stats.reasons[-1]) == 1
    assert (
        jitted.npcompile_root().own_stats.reasons == []
        or "the loop is" not in jitted.npcompile_root().own_stats.reasons[-1]
    )


def whole_arrays(x: np.ndarray) -> Any:
    for _ in range(10):
        x = np.sqrt(x * x + 1)
    return x


def items(x: np.ndarray) -> Any:
    total = 0.0
    for item in reversed(x):
        total += item
    return total


def products(x: np.ndarray, weights: list[int]) -> Any:
    for item, weight in zip(x, weights):  # noqa: B905
        yield item * weight


def over_a_generator(x: np.ndarray) -> Any:
    total = 0.0
    for product in products(x, list(range(len(x)))):
        total += product
    return total


@pytest.mark.parametrize("function", [whole_arrays, items, over_a_generator])
def test_no_loop_is_named_that_something_compiled_answers(function: Callable[..., Any]) -> None:
    jitted, x = npcompile.jit(function, wait=True), np.arange(300.0)
    for _ in range(6):
        same(jitted(x), function(x))
        assert not any("the loop is" in reason for reason in jitted.stats.reasons), jitted.stats.reasons
    assert jitted.stats.replays
