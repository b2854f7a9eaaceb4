"""Loops stay Python's whose statements are nested too deeply for functions that go through them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile

BRANCHES = 400


@pytest.fixture
def chain(tmp_path: Path) -> Any:
    """Return a function with a loop over hundreds of `elif`."""
    lines = [
        "def chain(x):",
        "    s = 0",
        "    for i in range(len(x)):",
        "        v = x[i]",
        "        if v == -1:",
        "            s += 1",
    ]
    for number in range(BRANCHES):
        lines += [f"        elif v == {number}:", f"            s += {number % 7}"]
    file = tmp_path / "chained.py"
    file.write_text("\n".join([*lines, "    return s", ""]))
    spec = importlib.util.spec_from_file_location("chained", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.chain


@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
def test_they_are_pythons_and_the_reason_is_told(chain: Any) -> None:
    jitted, x = npcompile.jit(chain, wait=True), np.arange(-1, BRANCHES)
    for _ in range(3):
        assert jitted(x) == chain(x)
    assert any("nested too deeply" in reason for reason in jitted.stats.reasons), jitted.stats.reasons
    assert "nested too deeply" in str(npcompile.explain(jitted, x))
    assert npcompile.verify(jitted, x)
