"""While kernels are being compiled, a call costs what the plain function does: it asks no Python of ours."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.tiering.overhead import MOST_CALLS
from tests.runtime.test_fast_path import frames

pytestmark = pytest.mark.usefixtures("native_runtime")


JOBS: list[Any] = []  # the compiler's own, of the last recording


class Held:
    """A job of the compiler's that is not done before it is let go."""

    def __init__(self, job: Any, let_go: threading.Event) -> None:
        self._job, self._let_go = job, let_go

    def __getattr__(self, name: str) -> Any:
        return getattr(self._job, name)

    @property
    def done(self) -> bool:
        return self._let_go.is_set() and bool(self._job.done)

    def wait(self, timeout: float | None = None) -> None:
        self._let_go.set()
        self._job.wait(timeout)


@pytest.fixture
def let_go(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Lets go of what is being compiled. However long NumPy takes, as many calls are not looked at."""
    monkeypatch.setattr("npcompile.tiering.overhead.MOST_SECONDS", 60.0)
    event = threading.Event()
    start = npcompile.runtime.recorded_program.RecordedProgram.start

    def held(self: Any) -> None:
        start(self)
        JOBS[:] = self.jobs
        self.jobs = [Held(job, event) for job in self.jobs]

    monkeypatch.setattr("npcompile.runtime.recorded_program.RecordedProgram.start", held)
    return event


def scaled(x: Any, y: Any) -> Any:
    return x * 2.5 + y


def summed(x: Any, y: Any) -> Any:
    found = []
    for k in range(40):
        x = np.sqrt(np.abs(x * 0.5 + y)) * 0.25 - y / 3
        found.append(k)
    return x, found


def test_calls_that_wait_for_the_compiler_ask_no_python(let_go: threading.Event) -> None:
    jitted = npcompile.jit(scaled)
    x = np.arange(5.0)
    for _ in range(20):
        np.testing.assert_array_equal(jitted(x, x), scaled(x, x))
    quick = sum(frames(lambda: jitted(x, x)) == ["scaled"] for _ in range(2 * MOST_CALLS))
    assert quick >= MOST_CALLS and jitted.stats.replays == 0, (quick, jitted.stats)
    assert jitted.stats.calls == jitted.stats.plain_calls + 1 == 20 + 2 * MOST_CALLS
    let_go.set()
    for job in JOBS:
        job.wait()
    for _ in range(MOST_CALLS + 2):  # nobody waits: they are looked at now and then
        np.testing.assert_allclose(jitted(x, x), scaled(x, x))
    assert jitted.stats.replays > 0, jitted.stats


class Model:
    def __init__(self, scale: float) -> None:
        self.scale = scale


def of_model(model: Model, x: Any) -> Any:
    return x * model.scale + 1


def test_another_object_at_each_call_takes_no_rest_away(let_go: threading.Event) -> None:
    """Calls are passed on for their arguments, of which another object is none: they rest all the same."""
    jitted = npcompile.jit(of_model)
    x = np.arange(5.0)
    for _ in range(20):
        np.testing.assert_array_equal(jitted(Model(2.0), x), x * 2.0 + 1)
    models = [Model(2.0) for _ in range(2 * MOST_CALLS)]
    quick = sum(frames(lambda model=model: jitted(model, x)) == ["of_model"] for model in models)
    assert quick >= 1.9 * MOST_CALLS, (quick, jitted.stats)
    assert jitted.stats.calls == jitted.stats.plain_calls + 1 == 20 + 2 * MOST_CALLS


def test_what_is_waited_for_answers_at_once(let_go: threading.Event) -> None:
    jitted = npcompile.jit(scaled)
    x = np.arange(5.0)
    for _ in range(20):
        jitted(x, x)
    jitted.wait()
    jitted(x, x)
    assert jitted.stats.replays == 1, jitted.stats


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_blocks_that_wait_are_called_as_they_are(let_go: threading.Event) -> None:
    jitted = npcompile.jit(summed)
    x = np.arange(50.0)
    for _ in range(20):
        np.testing.assert_allclose(jitted(x, x)[0], summed(x, x)[0])
    seen = [name for _ in range(16) for name in frames(lambda: jitted(x, x))]
    assert seen.count("summed") >= 16 * 40 and seen.count("RecordedFunction._answer") <= 16 * 40 // MOST_CALLS
    jitted.wait()
    for _ in range(8):
        np.testing.assert_allclose(jitted(x, x)[0], summed(x, x)[0])


def test_strict_and_options_are_seen_to_while_it_waits(let_go: threading.Event) -> None:
    def made(x: Any) -> Any:
        return np.ones(3) * x

    jitted = npcompile.jit(made, default_float="float32")
    for _ in range(3 * MOST_CALLS):
        assert jitted(np.ones(3, "f4")).dtype == np.float32
