"""A profiler shows a jitted function as the user wrote it: by its file, its first line and its name."""

from __future__ import annotations

import cProfile
import pstats
import sys
from typing import Any

import numpy as np
import pytest

import npcompile


def profiled(x: Any) -> Any:
    """Some lines that compute nothing."""
    k = 2.0

    return np.sqrt(x) * k


def test_profiles_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(profiled)
    x = np.ones(3)
    for _ in range(3):
        jitted(x)
    found = []
    for fn in (profiled, jitted):
        profile = cProfile.Profile()
        profile.runcall(fn, x)
        stats: Any = pstats.Stats(profile)
        found.append([place for place in stats.stats if place[0] == __file__])
    assert found[0] == found[1] == [(__file__, profiled.__code__.co_firstlineno, "profiled")]


def told(x: Any) -> Any:
    """Nothing but what the signature decides, on no line of its own."""
    return x.flags["WRITEABLE"]


def test_what_has_no_line_is_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(told)
    assert [jitted(np.ones(3)) for _ in range(3)] == [True] * 3
    assert jitted.stats.replays == 2 and not jitted.stats.reasons


def tree(n: Any) -> Any: return np.sqrt(n) if n < 2 else tree(n - 1) + tree(n - 2)  # fmt: skip


def test_frames_that_stand_for_the_function_have_its_lines_from_their_beginning() -> None:
    """Profilers that look at the stack now and then most often meet a frame where it begins."""
    seen: set[int] = set()

    def look(frame: Any, *_: Any) -> None:
        if frame.f_code.co_filename == __file__ and frame.f_code.co_name == "tree":
            seen.add(frame.f_lineno)

    jitted = npcompile.jit(tree)
    sys.setprofile(look)
    try:
        for _ in range(3):
            jitted(6)
    finally:
        sys.setprofile(None)
    assert seen == {tree.__code__.co_firstlineno}
