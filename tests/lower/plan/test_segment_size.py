"""Segments of any length are cut into such as compile in some seconds, where the least is handed on."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.lower.plan import plan
from tests.programs.jit_lane import judge


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


def narrow(x):
    """Wide, a number, and wide again."""
    y = x * 2 + 1
    y = np.abs(y) * y - x
    s = np.sqrt((y * y).sum())
    z = (x[:3] - s) * 0.5
    z = z * z + s
    return z * 2 - 1, z + s


def views(x):
    y = (x * 2 + 1)[1:]
    z = y[::2] + 1
    w = z.reshape(-1, 1) * y[:2]
    w = w * 2 + y[0]
    v = w.T - z[:1]
    return v * w.T + 1, y


def writes(x):
    y = x * 2
    y[1:] += x[:-1]
    x[0] = y.sum()
    y[::2] = np.where(y[::2] > 3, y[::2] * 2, 0)
    z = x - y
    z *= 0.5
    return z + 1, y


def renewed(x):
    y = x + 1
    y += x
    y *= 2
    y -= 3
    y[...] = y * y
    return y / 2 + 1


def several(x):
    a, b = np.divmod(x, 2)
    c, d = np.modf(a + b)
    e = c * 2 + d
    return e - a, e * b, np.frexp(e + 1)


def many_outputs(x):
    return [x + 1.5, x * 2, x - 3, x / 4, x**2, np.sin(x), np.cos(x), np.abs(x), -x]


FUNCTIONS = [narrow, views, writes, renewed, several, many_outputs]


@pytest.mark.parametrize("most", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_answers_of_what_was_cut(
    function: Callable[..., Any], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "MAX_OPS", most)
    jitted = npcompile.jit(function)
    for size in (8, 8, 8):
        judge(jitted, function, (np.arange(float(size)) + 0.25,))
    assert jitted.stats.replays == 2
    (state,) = jitted.npcompile_root().by_signature.values()
    lengths = [len(segment.ops) for segment in state.entries[0].segments]
    assert max(lengths) <= most + 3, lengths  # results stay with what gives them, and so do their writes
    assert len(lengths) > 1 or most == 8


def test_it_is_cut_where_the_least_is_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "MAX_OPS", 12)
    jitted = npcompile.jit(narrow)
    jitted(np.arange(1000.0))
    (state,) = jitted.npcompile_root().by_signature.values()
    first, second = state.entries[0].segments
    assert [node.name for node in first.outputs] == ["sqrt"]
    assert len(second.ops) >= 3


def test_operations_on_complex_numbers_are_several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "MAX_OPS", 12)
    for dtype, segments in (("f8", 1), ("c16", 3)):
        jitted = npcompile.jit(lambda x: np.sin(x * x + x) * x - np.cos(x + x) * x)
        for _ in range(2):
            judge(jitted, jitted.__wrapped__, (np.arange(6).astype(dtype),))
        assert jitted.stats.segments == segments, jitted.stats


def test_hundreds_of_operations_are_some_segments() -> None:
    def long(x):
        for _ in (1, 2, 3, 4):
            for _ in (1, 2, 3, 4):
                for _ in (1, 2, 3, 4):
                    x = np.sin(x) * 0.5 + np.abs(x) - 1
                    x = np.where(x > 0, x, -x) / 2 + 0.25
        return x

    jitted = npcompile.jit(long)
    for _ in range(3):
        judge(jitted, long, (np.arange(5.0),))
    assert (jitted.stats.programs, jitted.stats.replays, jitted.stats.reasons) == (1, 2, [])
    assert 3 <= jitted.stats.segments <= 6


def straight(path: Path, statements: int) -> Any:
    """A function of so many statements, one after the other, of four operations each."""
    lines = [f"    x = x * 0.5 + np.abs(y - {number % 7})" for number in range(statements)]
    path.write_text("\n".join(["import numpy as np", "def f(x, y):", *lines, "    return x", ""]))
    return runpy.run_path(str(path))["f"]


def test_thousands_of_statements_are_some_blocks(tmp_path: Path) -> None:
    """None of which is recorded in vain: a recording of too many steps had been given up at each call."""
    long = straight(tmp_path / "long.py", 700)
    jitted = npcompile.jit(long)
    for _ in range(3):
        judge(jitted, long, (np.arange(5.0), np.ones(5)))
    stats = jitted.stats
    assert (stats.recordings, stats.programs, stats.replays, stats.reasons) == (5, 5, 2, [])


@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
def test_source_that_is_too_long_runs_plain_and_is_told(tmp_path: Path) -> None:
    longest = straight(tmp_path / "longest.py", 1300)
    jitted = npcompile.jit(longest)
    for _ in range(2):
        judge(jitted, longest, (np.arange(5.0), np.ones(5)))
    assert (jitted.stats.recordings, jitted.stats.plain_calls) == (0, 2)
    (reason,) = jitted.stats.reasons
    assert reason.startswith(f"{tmp_path / 'longest.py'}:2: its source has 5200 operations"), reason
    with pytest.raises(npcompile.NotCompiledError, match="a loop in place of repeated lines"):
        npcompile.jit(longest, strict=True)(np.arange(5.0), np.ones(5))
