"""When programs are given to the compiler: what first calls recorded waits for another call of the kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import signal

import npcompile
from npcompile.runtime import recorded_program
from npcompile.runtime.recorded_program import RecordedProgram
from npcompile.tiering import compile_budget

X = np.arange(12.0).reshape(3, 4)


class UnderWay:
    """A job that never ends."""

    done = from_disk = counted = False
    error = None

    def wait(self, timeout: float | None = None) -> None:
        raise TimeoutError


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the programs that were given to the compiler."""
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.delenv("NPCOMPILE_WAIT", raising=False)
    monkeypatch.setenv("NPCOMPILE_SPENDING", "1")
    monkeypatch.setattr(compile_budget, "SHORT", float("inf"))  # or a busy machine decided
    found: list[str] = []

    def start(self: Any) -> None:
        self.parked = False
        found.append(self.program.name)
        self.jobs = [UnderWay()]

    monkeypatch.setattr(RecordedProgram, "start", start)
    return found


def doubled(x: np.ndarray) -> Any:
    return (x + x) * 0.5


def called(jitted: Any, x: np.ndarray) -> None:
    found = jitted(x)
    assert found.dtype == x.dtype and np.array_equal(found, doubled(x))


def test_what_one_short_call_recorded_is_not_compiled(started: list[str]) -> None:
    jitted = npcompile.jit(doubled)
    called(jitted, X)
    assert jitted.stats.recordings == jitted.stats.programs == 1 and not started
    called(jitted, X)
    assert started == ["doubled"]
    called(jitted, X)
    assert started == ["doubled"] and jitted.stats.recordings == 1


def test_those_who_wait_have_it_compiled(started: list[str]) -> None:
    jitted = npcompile.jit(doubled)
    called(jitted, X)
    with pytest.raises(TimeoutError):
        jitted.wait(0)
    assert started == ["doubled"]


def test_a_long_call_has_it_compiled_at_once(started: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_budget, "SHORT", 0.0)
    called(npcompile.jit(doubled), X)
    assert started == ["doubled"]


def test_another_signature_has_its_own_compiled_at_once(started: list[str]) -> None:
    jitted = npcompile.jit(doubled)
    called(jitted, X)
    called(jitted, X.astype(np.float32))
    assert started == ["doubled"] and jitted.stats.programs == 2
    called(jitted, X)
    assert started == ["doubled", "doubled"]


def test_blocks_that_a_first_call_recorded_wait_for_another_call_of_theirs(started: list[str]) -> None:
    @npcompile.jit
    def filtered(x: np.ndarray, trips: int) -> Any:
        y = signal.lfilter([1.0], [1.0, 0.5], np.sin(x) * 2.0 + np.cos(x))  # another library's
        for _ in range(trips):
            y = signal.lfilter([1.0], [1.0, 0.5], np.sin(y) * 2.0 + np.cos(y))
        return y

    x = np.linspace(0.0, 1.0, 100_000)
    assert np.array_equal(filtered(x, 1), filtered.__wrapped__(x, 1))
    assert filtered.stats.recordings == 2 and not started, filtered.stats
    assert np.array_equal(filtered(x, 2), filtered.__wrapped__(x, 2))
    assert len(started) == 2, filtered.stats


def test_a_replay_that_cannot_be_written_leaves_the_calls_to_numpy(
    started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*args: Any) -> None:
        raise ZeroDivisionError("of npcompile's own")

    monkeypatch.setattr(recorded_program, "write_replay", fails)
    monkeypatch.setenv("NPCOMPILE_INTERNAL_ERRORS", "report")
    jitted = npcompile.jit(doubled)
    called(jitted, X)
    with pytest.warns(npcompile.NotCompiledWarning, match="of npcompile's own"):
        called(jitted, X)
    called(jitted, X)
    assert not started and jitted.stats.plain_calls == 2
    assert any("of npcompile's own" in str(reason) for reason in jitted.stats.reasons), jitted.stats
