"""Texts and short containers that are others at each call lead to the native loops of earlier calls."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.frontend.loops.jitted import assert_same, outcome

CALLS, LEARNT = 30, 14


@pytest.fixture(autouse=True)
def _loops_become_native(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")


def hashed(data: bytes) -> int:
    h = 0xCBF29CE484222325
    for x in data:
        h ^= x
        h = (h * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return h


def aligned(a: str, b: str) -> Any:
    scores = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int64)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            diagonal = scores[i - 1, j - 1] + (2 if a[i - 1] == b[j - 1] else -1)
            scores[i, j] = max(diagonal, scores[i - 1, j] - 1, scores[i, j - 1] - 1, 0)
    return scores.max()


def by_mode(text: str, mode: str) -> Any:
    total = 0
    for c in text:
        total += ord(c) if mode == "sum" else 1
    return total, mode


def summed(rows: list[Any]) -> Any:
    total = 0.0
    for i in range(len(rows)):
        for x in rows[i]:
            total += x
    return total


def text(length: int) -> str:
    return "".join(random.choices("ACGT", k=length))


MAKE: dict[Callable[..., Any], Callable[[int], Any]] = {
    hashed: lambda call: (text(200 + call).encode(),),
    aligned: lambda call: (text(20 + call % 5), text(25)),
    by_mode: lambda call: (text(100), ("sum", "count", "both", "none", "more")[call % 5]),
    summed: lambda call: ([[float(call)] * (1 + call * k % 5) for k in range(5 + call % 7)],),
}


@pytest.mark.parametrize("function", MAKE)
def test_no_further_native_loops_are_needed(function: Any) -> None:
    random.seed(3)
    jitted = npcompile.jit(function)
    for call in range(CALLS):
        args = MAKE[function](call)
        assert_same(outcome(jitted, args), outcome(function, args), f"call {call}")
        jitted.wait()
        if call == LEARNT:
            known = jitted.stats.native_loops
    assert jitted.stats.loop_entries
    assert jitted.stats.native_loops == known, jitted.stats
