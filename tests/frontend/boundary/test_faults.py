"""Faults of npcompile's own never reach a caller: what was done is not done twice, the rest is Python's."""

from __future__ import annotations

import subprocess
import sys
import threading
import types
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import npcompile
from npcompile.frontend import pipeline
from npcompile.frontend.boundary.faults import InternalError
from npcompile.frontend.record import context_managers, loops, operators, sorting
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.state import State
from npcompile.lower.plan import graph
from npcompile.partition.call import PartitionedCalls
from npcompile.runtime import function, recorded_program
from npcompile.tiering import backoff, block_contest
from npcompile.tiering.statement_profile import Watch
from tests.programs import fault_injection

ROOT = Path(npcompile.__file__).parent.parent
SAMPLED = 100  # functions; all of them by `python -m tests.programs.fault_injection --all`

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")


@pytest.fixture(autouse=True)
def hidden(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Faults are seen to as they are for users."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    monkeypatch.delenv("NPCOMPILE_INTERNAL_ERRORS", raising=False)
    yield


@pytest.mark.parametrize(
    "given", [["--sampled", str(SAMPLED)], ["--device", "lanes.", "counting", "residen"]], ids=" ".join
)
def test_each_sampled_function_may_raise(given: list[str]) -> None:
    """In a process of its own, whatever other tests have had loaded in this one."""
    command = [sys.executable, "-m", "tests.programs.fault_injection", *given]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("holder", "name"),
    [
        (operators, "note_operator"),  # while a note is taken
        (operators, "note_ufunc"),  # deeper in one
        (pipeline, "plan"),  # when the answer is there
        (function, "trace"),  # before the recording
        (recorded_program.RecordedProgram, "__init__"),  # after it
        (function.RecordedFunction, "signature"),  # before anything
    ],
)
def test_fault_is_a_reason_and_the_signature_is_numpys(
    holder: object, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    @npcompile.jit
    def f(x):
        calls.append(len(x))
        return x * 2 + 1

    monkeypatch.setattr(holder, name, fault)
    for call in range(1, 4):
        np.testing.assert_array_equal(f(np.ones(3)), np.full(3, 3.0))
        assert len(calls) == call
    assert any("internal error: KeyError: 'by_data' at npcompile/" in reason for reason in f.stats.reasons)


def test_fault_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operators, "note_operator", fault)
    f = npcompile.jit(_twice)
    with pytest.warns(npcompile.NotCompiledWarning, match="internal error.*INTERNAL_ERRORS=raise") as told:
        for _ in range(4):
            np.testing.assert_array_equal(f(np.ones(3)), np.full(3, 2.0))
    assert len(told) == 1
    (reason,) = f.stats.reasons
    assert "internal error: KeyError: 'by_data' at npcompile/" in reason
    assert f.stats.recordings == 1
    assert f.stats.plain_calls == 3


def test_fault_is_raised_where_it_is_not_to_be_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operators, "note_operator", fault)
    monkeypatch.setenv("NPCOMPILE_INTERNAL_ERRORS", "raise")
    with pytest.raises(InternalError, match="KeyError: 'by_data'"):
        npcompile.jit(_twice)(np.ones(3))


def test_what_was_drawn_is_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A generator of ours that fails between drawing an item and giving it gives it none the less."""
    monkeypatch.setattr(loops, "_is_own", fault)
    drawn = []

    def numbers():
        for number in range(4):
            drawn.append(number)
            yield number

    @npcompile.jit
    def f(x, items):
        return [x * item for item in items]

    for _ in range(3):
        drawn.clear()
        np.testing.assert_array_equal(f(np.ones(2), numbers()), np.arange(4).repeat(2).reshape(4, 2))
        assert drawn == [0, 1, 2, 3]


@pytest.mark.parametrize("name", ["_on_lock", "_acquire", "_release", "enter_or_leave", "forget", "note"])
def test_a_lock_is_acquired_once_and_released(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = threading.Lock()

    @npcompile.jit
    def f(x, lock):
        with lock:
            y = x * 2
        return y

    monkeypatch.setattr(Recording if hasattr(Recording, name) else context_managers, name, fault)
    for _ in range(4):
        assert lock.acquire(timeout=5)
        lock.release()
        np.testing.assert_array_equal(f(np.ones(3), lock), np.full(3, 2.0))


def test_a_replay_that_fails_within_a_lock_releases_it() -> None:
    lock = threading.Lock()

    @npcompile.jit
    def f(x, lock):
        with lock:
            x *= 2
        return x

    for _ in range(2):
        np.testing.assert_array_equal(f(np.ones(3), lock), np.full(3, 2.0))
    assert f.stats.replays == 1
    with (
        fault_injection.raising(graph.write, 0),
        pytest.raises(fault_injection.Injected),
    ):  # stands for the kernel
        f(np.ones(3), lock)
    assert not lock.locked()


def test_a_recording_that_cannot_be_made_leaves_the_call_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python wrote the method of the dataclass that calls ours: it has no file, and is ours all the same."""
    monkeypatch.setenv("NPCOMPILE_INTERNAL_ERRORS", "")

    @npcompile.jit
    def f(x):
        return x * 2 + 1

    with fault_injection.raising(State.__post_init__, 0) as entered:
        np.testing.assert_array_equal(f(np.ones(3)), np.full(3, 3.0))
    assert entered == [1] and "internal error" in f.stats.reasons[0]


@pytest.mark.parametrize(
    "failing",
    [
        PartitionedCalls.leave_if_plain,  # before anything
        Watch.tick.__wrapped__,  # called from the user's own lines
        Watch.tock.__wrapped__,
        Watch.__init__,
        block_contest.is_settled,  # when the answer is there
    ],
)
def test_effects_happen_once(failing: types.FunctionType) -> None:
    told = []

    @npcompile.jit
    def f(x):
        for trip in range(5):
            told.append(trip)
            x *= 2
        return x

    with fault_injection.raising(failing, 0):
        for _ in range(12):
            told.clear()
            x = np.ones(3)
            assert f(x) is x
            np.testing.assert_array_equal(x, np.full(3, 32.0))
            assert told == [0, 1, 2, 3, 4]


def test_users_exception_stays_the_answer_where_bookkeeping_fails_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = []

    @npcompile.jit
    def f(x, items):
        for item in items:
            told.append(item)
            x = x / item
        raise ValueError("the user's")

    monkeypatch.setattr(backoff.Patience, "fails", fault)
    for _ in range(4):
        told.clear()
        with pytest.raises(ValueError, match="the user's"):
            f(np.ones(3), [1, 2])
        assert told == [1, 2]


def test_what_is_half_done_is_not_done_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key of the first item was asked for, which told of it; the answer is not there."""
    told = []

    def place(item):
        told.append(item)
        return item

    @npcompile.jit
    def f(x, items):
        return x * sorted(items, key=place)[0]

    monkeypatch.setattr(sorting, "_is_compared", fault)
    with pytest.raises(InternalError, match=r"internal error: KeyError: 'by_data'.*stays"):
        f(np.ones(3), [2, 1])
    assert told == [2, 1]
    assert any("internal error: KeyError" in reason for reason in f.stats.reasons)
    told.clear()
    np.testing.assert_array_equal(f(np.ones(3), [2, 1]), np.ones(3))
    assert told == [2, 1]


def _gone_through(x, items):
    for item in items:
        x = x + item
    return x


@pytest.mark.parametrize("items", [5, slice(1), None, "ab", {"a": "b"}], ids=repr)
def test_what_cannot_be_gone_through_is_no_fault(items: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_INTERNAL_ERRORS", "raise")
    jitted = npcompile.jit(_gone_through)
    with pytest.raises(Exception) as expected:
        _gone_through(np.ones(3), items)
    for _ in range(3):
        with pytest.raises(type(expected.value)) as raised:
            jitted(np.ones(3), items)
        assert str(raised.value) == str(expected.value)
    assert not any("internal error" in reason for reason in jitted.stats.reasons)


def _twice(x):
    return x * 2


def _fault(*_: object, **__: object) -> None:
    raise KeyError("by_data")


_PLACE = str(
    Path(npcompile.__file__).parent / "frontend" / "graph" / "builder_values.py"
)  # whose fault it is
fault = types.FunctionType(_fault.__code__.replace(co_filename=_PLACE), globals())
