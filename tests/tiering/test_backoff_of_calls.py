"""Calls of which nothing is kept are looked at ever more seldom, whatever is new about each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.runtime import fast_path


class Base:
    def __init__(self, scale: float) -> None:
        self.scale = scale


def of_class(model, x):
    return x * model.scale + 1


def of_text(model, x):
    return {model: x * 2 + 1}


def new_class(k: int) -> Any:
    return type("Model", (Base,), {})(2.0 + k)


def new_text(k: int) -> Any:
    return f"run {k}"


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize(("fn", "new"), [(of_class, new_class), (of_text, new_text)])
def test_looks_become_rare(fn: Any, new: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The native runtime has the calls between two looks done by the function itself."""
    monkeypatch.setattr(fast_path, "passes_over", lambda recorded: True)
    jitted = npcompile.jit(fn)
    x = np.ones(4)
    looks = []
    for k in range(20_000):
        if jitted.npcompile_root().unlooked > 0:  # as the native runtime counts them
            jitted.npcompile_root().unlooked -= 1
            continue
        looks.append(k)
        jitted(new(k), x)
    assert len([k for k in looks if k >= 4_000]) < 60
