"""Tests that follow each other, made at once for sums of choices: of the rest each is made as Python does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npcompile.lower.loops import ir
from tests.frontend.loops.jitted import check as check_calls
from tests.frontend.loops.native import begin, check


def classes(x: Any, y: Any) -> Any:
    digits = upper = lower = 0
    for i in range(len(x)):
        c = x[i]
        if 48 <= c <= 57:
            digits += 1
        elif 65 <= c <= 90:
            upper += 1
        elif 97 <= c <= 122:
            lower += 1
    return digits, upper, lower


def either(x: Any, y: Any) -> Any:
    a = b = 0
    for v in x:
        if v < 9 or v > 100 or v == 50:
            a += 1
        elif not (v == 10 or v == 20):
            b -= 2
    return a, b


def mixed(x: Any, y: Any) -> Any:
    a = b = 0
    for i in range(len(x)):
        v = int(x[i])
        if (v > 10 and v < 60) or v == 100:
            a += 1
        elif not (v > 5 and v - 90 < 20):
            b += 1
    return a, b


JOINED = [classes, either, mixed]


def divided(x: Any, y: Any) -> Any:
    a = b = 0
    for i in range(len(x)):
        v = int(x[i])
        if v > 0 and 100 // v > 3:
            a += 1
        elif v > 120:
            b += 1
    return a, b


def other_item(x: Any, y: Any) -> Any:
    a = b = 0
    for i in range(len(x)):
        if x[i] > 2 and y[x[i]] > 3:
            a += 1
        elif x[i] == 2:
            b += 1
    return a, b


def branches(function: Callable[..., Any], *args: Any) -> int:
    """Return how many branches a function's first loop has."""
    return sum(isinstance(block.end, ir.Branch) for block in begin(function, *args).loop.region.blocks)


@pytest.mark.parametrize("function", JOINED[:2])
def test_counts_by_joined_tests_have_no_branches(function: Callable[..., Any]) -> None:
    x = np.arange(128, dtype=np.uint8)
    assert branches(function, x, x) == 0


@pytest.mark.parametrize("function", [divided, other_item])
def test_what_the_first_test_guards_stays_behind_it(function: Callable[..., Any]) -> None:
    x = np.arange(128, dtype=np.uint8)
    assert branches(function, x, x) > 0


@pytest.mark.parametrize("function", [*JOINED, divided, other_item])
def test_values(function: Callable[..., Any]) -> None:
    for kind in ("u1", "i1", "u2", "i4", "i8", "u8", "f4", "f8"):
        x = np.random.default_rng(5).integers(0, 128, 3000).astype(kind)
        if function is not other_item or kind[0] != "f":
            check(function, x, np.arange(128).astype(kind))
    check_calls(function, np.arange(256, dtype=np.uint8), np.arange(256))
    check_calls(function, np.array([3, 1, 2]), np.array([1, 2]))
    if function is not other_item:
        check_calls(function, np.array([np.nan, 50.0, np.inf]), np.zeros(3))


def constants_beyond(x: Any, y: Any) -> Any:
    a = b = c = d = 0
    for i in range(len(x)):
        if x[i] < 300:
            a += 1
        if x[i] > -1:
            b += 1
        if int(x[i]) == int(y[i]):
            c += 1
        if x[i] >= 127:
            d += 1
    return a, b, c, d


def test_comparisons_of_few_bits() -> None:
    for kind in ("i1", "u2", "i2", "u4", "i4", "i8"):
        x = np.array([0, 1, 127, -1 if kind[0] == "i" else 99, 126, 5], kind)
        check_calls(constants_beyond, x, x[::-1])
    assert "npl::less<uint8_t>" in begin(classes, np.ones(3, "u1"), 0).loop.source.text.replace("_equal", "")
