"""Chains of hundreds of `elif` are compiled; those of thousands stay Python's, and the reason is told."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile


def chain(folder: Path, branches: int) -> Any:
    """Return a function with a loop over as many `elif`."""
    lines = [
        "def chain(x):",
        "    s = 0",
        "    for i in range(len(x)):",
        "        v = x[i]",
        "        if v == -1:",
        "            s += 1",
    ]
    for number in range(branches):
        lines += [f"        elif v == {number}:", f"            s += {number % 7}"]
    file = folder / "chained.py"
    file.write_text("\n".join([*lines, "    return s", ""]))
    spec = importlib.util.spec_from_file_location("chained", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.chain


def test_hundreds_are_compiled(tmp_path: Path) -> None:
    fn, x = chain(tmp_path, 350), np.arange(-1, 350)
    jitted = npcompile.jit(fn, wait=True)
    for _ in range(3):
        assert jitted(x) == fn(x)
    assert not jitted.stats.reasons
    assert npcompile.explain(jitted, x).report.native_loops


# More than Python's own limit of recursion allows for, and than that to which torch raises it.
@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
@pytest.mark.parametrize("branches", [1200, 2500])
def test_thousands_are_pythons_and_the_reason_is_told(tmp_path: Path, branches: int) -> None:
    fn, x = chain(tmp_path, branches), np.arange(-1, branches)
    jitted = npcompile.jit(fn, wait=True)
    for _ in range(3):
        assert jitted(x) == fn(x)
    assert any("nested too deeply" in reason for reason in jitted.stats.reasons), jitted.stats.reasons
    held_back = npcompile.explain(jitted, x).report.bottleneck
    assert held_back is not None and "nested too deeply" in held_back.reason
    assert held_back.number == fn.__code__.co_firstlineno  # it stands for the whole function
    assert npcompile.verify(jitted, x)
