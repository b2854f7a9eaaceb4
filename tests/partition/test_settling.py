"""How soon a function that is cut into blocks is replayed: what a call has recorded is not recorded again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

X = np.arange(1.0, 4.0)


class Manager:
    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass


def managed(x: np.ndarray, log: list[str]) -> Any:
    y = x + 1
    with Manager():
        y = y + 1 / x
    return y * 2


def under_errstate(x: np.ndarray, log: list[str]) -> Any:
    with np.errstate(divide="ignore"):
        return 1 / x


def told_late(x: np.ndarray, log: list[str]) -> Any:
    y = x + 1
    text = "%s" % y.sum()  # noqa: UP031
    z = y * 2
    return z * len(text)


# The calls that are recorded and those that are replayed, of four.
@pytest.mark.parametrize(
    ("fn", "recorded", "replayed"),
    [(managed, 1, 3), (under_errstate, 1, 3), (told_late, 3, 1)],
)
@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_calls_until_a_function_is_replayed(
    fn: Callable[..., Any], recorded: int, replayed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn)
    for call in range(4):
        mine: list[str] = []
        theirs: list[str] = []
        before = jitted.stats.recordings
        same(jitted(X, mine), fn(X, theirs))
        assert mine == theirs
        assert (jitted.stats.recordings > before) == (call < recorded), call
    assert jitted.stats.replays == replayed
