"""A fault of npcompile's own while a loop is typed never reaches the caller: the loop is Python's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.frontend.loops import inference

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
X = np.random.default_rng(0).random(900)


def fault(*_: Any) -> Any:
    raise KeyError("ours")


def above(x: Any, most: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        if x[i] > most:
            total += x[i]
    return total


def test_a_fault_while_a_loop_is_typed_leaves_it_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inference.Inference, "truth", fault)
    monkeypatch.delenv("NPCOMPILE_INTERNAL_ERRORS", raising=False)
    jitted = npcompile.jit(above)
    for _ in range(4):
        assert jitted(X, 0.5) == above(X, 0.5)
        jitted.wait()
    assert jitted.stats.loop_entries == 0
    told = str(npcompile.explain(jitted, X, 0.5, detail="source"))
    assert "internal error: KeyError: 'ours' at npcompile/" in told, told
