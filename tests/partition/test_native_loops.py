"""Native code of loops that Python goes on with, and that goes on after Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npcompile


def left_in_last_trip(a: Any, big: Any) -> Any:
    first = last = -1
    for i in range(len(a)):
        if i == 0:
            first = i
        last = i
        a[i] = big * i > 1
    return first, last, i


def test_names_bound_before_native_code_leaves_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    jitted = npcompile.jit(left_in_last_trip)
    for _ in range(3):
        assert jitted(np.zeros(3), 1 << 62) == left_in_last_trip(np.zeros(3), 1 << 62)
        jitted.wait(60)
    assert jitted.stats.loop_leaves > 0


def left_at_its_test(a: Any, big: Any) -> Any:
    i = 0
    while big * (i + 1) > 1 and i < len(a):
        a[i] = i
        i += 1
    return i


def test_python_does_a_test_at_which_native_code_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    jitted = npcompile.jit(left_at_its_test)
    for _ in range(3):
        assert jitted(np.zeros(3), 1 << 62) == left_at_its_test(np.zeros(3), 1 << 62)
        jitted.wait(60)
    assert jitted.stats.loop_leaves > 0
