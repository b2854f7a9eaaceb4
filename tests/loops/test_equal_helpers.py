"""Equal functions of two files raise at lines of their own file: code objects compare without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.loops.random_check import check, compile_loops_alone

SOURCE = """
import numpy as np


def put(array, at, value):
    array[at] = value
    return at


def program(a, n, *rest):
    total = 0
    for i in range(n):
        total += put(a, i, n - i)
    return total


def arguments(call):
    return np.zeros(5), 4 + call, 0, 0, 0, 0.0
"""


@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
def test_equal_helpers_of_two_files_have_tracebacks_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_loops_alone(monkeypatch)

    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        (jitted,) = check([SOURCE], folder)
        assert jitted.stats.loop_entries
