"""Back-offs wait for the calls for which their hand-written forerunners waited: sequences are pinned here."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from npcompile.lower.native import native
from npcompile.lower.service import compiler
from npcompile.partition import partitioned
from npcompile.runtime import fast_path, specialization
from npcompile.runtime.function import RecordedFunction
from npcompile.runtime.guarded_replays import Sliced
from npcompile.runtime.recording_families import Family
from npcompile.runtime.specialization import Specialization
from npcompile.tiering import deferred_calls, overhead
from npcompile.tiering.backoff import Backoff, Patience
from npcompile.tiering.block_contest import rests_of_losers
from npcompile.tiering.idle_calls import MAX_DEPTH, IdleCalls
from npcompile.tiering.recording_budget import WHOLE, RecordingBudget


@pytest.mark.parametrize(
    ("backoff", "waits"),
    [
        (Backoff(1), [1, 2, 4, 8, 16]),
        (Backoff(64, 8), [64, 512, 4096, 32768]),
        (Backoff(1, 4, 1024), [1, 4, 16, 64, 256, 1024, 1024]),
        (Backoff(1, factor=1, most=4, step=1), [1, 2, 3, 4, 4]),
        (rests_of_losers(), [32, 128, 512, 2048, 8192, 32768, 131072, 524288, 1048576, 1048576]),
    ],
)
def test_waits(backoff: Backoff, waits: list[int]) -> None:
    assert [backoff.wait() for _ in waits] == waits
    assert backoff.waits == len(waits)


def test_waits_that_are_to_be_long_enough() -> None:
    backoff = Backoff(0)
    assert [backoff.wait(least) for least in (3, 0, 20, 10, 90)] == [3, 6, 20, 40, 90]


def test_calls_that_have_spent_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    now, waits = 0.0, []

    def later(seconds: float, function: Callable[[], None]) -> Callable[[], None]:
        waits.append(round(seconds, 6))
        function()
        return lambda: None

    monkeypatch.setattr(overhead, "clock", lambda: now)
    monkeypatch.setattr(deferred_calls, "later", later)
    monkeypatch.setattr(overhead, "ALLOWANCE", 0.03)
    call = overhead.Call()
    for seconds in (0.06, 0.001, 0.001, 0.6):
        call.switch(True)
        now += seconds
        call.switch(False)
    # Twice the time before, or until what was spent is a share of the call: 0.662 / 0.15 - 0.662.
    assert waits == [0.34, 0.68, 1.36, 3.751333]


def test_rests() -> None:
    backoff = Backoff(1)
    assert not backoff.rests()
    rested = []
    for _ in range(3):
        backoff.rest()
        rested.append([backoff.rests() for _ in range(5)])
    assert [calls.count(True) for calls in rested] == [1, 2, 4]


def test_patience() -> None:
    patience = Patience(*(partitioned.MAX_RAISED, partitioned.LONGER))
    assert [call for call in range(1, 200) if patience.fails()] == [8, 8 + 32, 8 + 32 + 128]
    patience = Patience(2, most=8)
    assert [call for call in range(1, 40) if patience.fails()] == [2, 6, 14, 22, 30, 38]
    for _ in range(100):
        patience.succeeds()
        assert not patience.fails()


def test_idle_calls_are_looked_at_seldom() -> None:
    idle = IdleCalls()
    assert [idle.note(False) for _ in range(12)] == [0] * 8 + [17, 18, 19, 20] and idle.long
    assert idle.note(True) == 0 and not idle.long
    assert [idle.note(False) for _ in range(12)] == [0] * 8 + [21, 22, 23, 24]


def test_calls_of_another_thread_are_not_within_this_ones() -> None:
    idle = IdleCalls()
    idle.at_hand.calls = MAX_DEPTH
    with ThreadPoolExecutor(1) as pool:
        assert not pool.submit(lambda: idle.deep).result()
    assert idle.deep


def test_functions_of_a_family_that_shares_nothing() -> None:
    family = Family({})
    assert [family.rest() for _ in range(300)] == [0] * 8 + [*range(1, 257)] + [256] * 36


def test_recordings_that_raise() -> None:
    state = Specialization()
    found = [state.owed for _ in range(46) if state.raised_again()]
    assert found == [1, 4, 16, 64, 256, 1024, 1024] and state.has_raised


def test_recordings_of_numbers_that_are_confused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(specialization, "_confused", lambda program: program)
    state, lengths = Specialization(), []
    state.count = 2
    program: Any = ["confused"]
    while state.is_unsure(program):
        lengths.append(0)
        while state.rests():
            lengths[-1] += 1
    assert lengths == [1, 2, 4, 8, 16, 32, 64, 128, 256]


def test_a_place_that_gives_nothing_is_recorded_ever_more_seldom() -> None:
    budget = RecordingBudget(WHOLE)
    lengths = []
    for _ in range(3):
        while not budget.spent:
            budget.missed()
        lengths.append(0)
        while budget.rests():
            lengths[-1] += 1
    assert lengths == [64, 512, 4096]


def test_looks_at_signatures_for_which_there_is_no_room() -> None:
    function: Any = SimpleNamespace(_unkept=0, _waits=None)
    found = [RecordedFunction._seldom(function) for _ in range(40)]
    assert found == [*[16] * 3, *(16 << n for n in range(1, 9) for _ in range(4)), *[4096] * 5]
    function._unkept = 0  # a program for many lengths has answered
    assert RecordedFunction._seldom(function) == 16


def test_another_replay_for_slices_is_made_ever_more_seldom() -> None:
    made, called = [], []

    class ForLengths:
        host_calls = 0

        def answer(self, *args: Any) -> Any:
            made.append(len(called))
            return None, [lambda: None]

    general: Any = ForLengths()
    stats: Any = None
    replay = Sliced(general, (), stats, lambda: None)
    replay.state = Specialization()
    for call in range(40):
        called.append(call)
        replay()
    assert made == [1, 2, 4, 8, 16, 32]


def test_looks_for_the_native_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    # Another test of this process may have had it built.
    monkeypatch.setattr(native, "loaded", lambda: None)
    monkeypatch.setattr(fast_path, "_module", None)
    monkeypatch.setattr(fast_path, "_missed", 0)
    monkeypatch.setattr(fast_path, "_next_look", fast_path.LOOK)
    monkeypatch.setattr(fast_path, "_looks", Backoff(fast_path.LOOK, most=fast_path.OFTEN))
    looks: list[int] = []
    built: list[int] = []
    monkeypatch.setattr(fast_path, "use", lambda: looks.append(fast_path._missed))
    monkeypatch.setattr(compiler, "start", lambda: built.append(fast_path._missed))
    for _ in range(2100):
        fast_path._look()
    assert looks == [8, 16, 32, 64, 128, 256, 512, 1024, 1536, 2048]
    assert built == [fast_path.BUILD]
