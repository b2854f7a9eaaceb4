"""Loops go on being recorded after a function of NumPy's, which was recorded in vain, has been taken back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npcompile


def each(found: list[Any]) -> list[Any]:
    for dtype in "bhilq":
        a = np.array([[-1], [0]], dtype)
        found.append(np.unique(a, axis=0).dtype)
    return found


def test_each_trip_is_in_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(each)
    for _ in range(4):
        assert jitted([]) == each([])
