"""Effects are exact: after k calls they are those of k calls of plain Python, in the same order.

`effects.EFFECTS` has one function per kind of store or opaque call. To add a kind, add a function there.
"""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same
from tests.programs import effects

VALUES = (1, 2, 1, 3, 2, 5)


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    yield
    effects.reset()


class _Journal(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        effects.JOURNAL.append((record.levelname, record.getMessage(), record.lineno, record.funcName))


def history(
    fn: Callable[..., Any], run: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> list[dict[str, Any]]:
    """What each of some calls gives and leaves behind, beginning with everything as it was."""
    effects.reset()
    effects.LOGGER.handlers, effects.LOGGER.propagate = [_Journal()], False
    capsys.readouterr()
    seen = []
    for value in VALUES:
        x = np.random.default_rng(value).integers(0, 9, 4) / 4
        result = run(x)
        found = {"result": result, "x": x, "printed": capsys.readouterr().out, **effects.outside()}
        seen.append(copy.deepcopy(found))
    return seen


@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
@pytest.mark.parametrize("fn", effects.EFFECTS, ids=lambda fn: fn.__name__)
def test_effects_are_those_of_plain_calls(fn: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    want = history(fn, fn, capsys)
    got = history(fn, npcompile.jit(fn), capsys)
    for call, (one, other) in enumerate(zip(got, want, strict=True)):
        for part in other:
            same(one[part], other[part], where=f"call {call}: {part}")


@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
def test_array_work_around_effects_is_replayed(capsys: pytest.CaptureFixture[str]) -> None:
    """Effects are ordinary: they must not cost the compilation."""
    plain = []
    for fn in effects.EFFECTS:
        jitted = npcompile.jit(fn)
        history(fn, jitted, capsys)
        stats = jitted.stats
        if not stats.programs or stats.recordings > 3 * stats.programs + 6:
            plain.append((fn.__name__, stats.reasons))
    assert len(plain) <= len(effects.EFFECTS) // 5, plain
