"""Where every call brings sizes or decisions of its own, recording stops: what else there is goes on."""

from __future__ import annotations

import re
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.diagnostics.reason import Cause
from npcompile.frontend.program.guards import Diverged
from npcompile.runtime.recorded_program import RecordedProgram
from npcompile.tiering.recording_budget import COST, REST, WHOLE, RecordingBudget
from tests.checker import same

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
OF_NO_USE = str(Cause.OF_NO_USE(""))


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


def numbers(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.standard_normal(int(rng.integers(4, 200)))


class Pair:
    """Sizes that are those of what an object holds."""

    def __init__(self, x: np.ndarray, y: np.ndarray) -> None:
        self.x, self.y = x, y

    def picked(self, mask: np.ndarray) -> Pair:
        return Pair(np.extract(mask, self.x), np.extract(mask, self.y))

    def put(self, mask: np.ndarray) -> Pair:
        made = Pair(np.zeros(mask.shape), np.zeros(mask.shape))
        np.place(made.x, mask, self.x)
        np.place(made.y, mask, self.y)
        return made


def shine(pair: Pair, depth: int, log: list[int]) -> Pair:
    bright = pair.x > 0.2 * depth
    log.append(depth)
    if depth < 2 and np.any(bright):
        inner = shine(pair.picked(bright), depth + 1, log).put(bright)
        return Pair(pair.x * 0.5 + inner.x, pair.y + inner.y * 2)
    return pair


def objects(x: np.ndarray, log: list[int]) -> Any:
    pair = shine(Pair(x, x * 2), 0, log)
    return pair.x, pair.y


def clusters(x: np.ndarray, log: list[int]) -> Any:
    n = len(x)
    label = np.full(n, -1)
    near = np.abs(x[:, None] - x) < 0.1
    core, found = near.sum(1) >= 3, 0
    for i in range(n):
        if label[i] != -1 or not core[i]:
            continue
        front = np.zeros(n, bool)
        front[i] = True
        seen = front.copy()
        while front.any():
            new = near[front & core].any(axis=0) & ~seen
            seen |= new
            front = new
        label[seen & (label == -1)] = found
        found += 1
        log.append(found)
    return label, found


def windows(x: np.ndarray, log: list[int]) -> Any:
    wide = 1 + int(x[0] * 100) % 7
    log.append(wide)
    if len(x) < wide:
        return None
    seen = np.lib.stride_tricks.sliding_window_view(x, wide)
    return seen.mean(axis=1), np.median(seen, axis=1)


def rows(x: np.ndarray, log: list[int]) -> Any:
    key = (x * 3).astype(int) % 5
    order = np.argsort(key, kind="stable")
    starts = np.zeros(6, int)
    np.add.at(starts, key + 1, 1)
    starts = np.cumsum(starts)
    log.append(1)
    return np.array([x[order][starts[k] : starts[k + 1]].sum() for k in range(5)])


def outliers(x: np.ndarray, log: list[int]) -> Any:
    keep = np.ones(len(x), bool)
    for trip in range(10):
        new = np.abs(x - x[keep].mean()) <= 1.5 * x[keep].std()
        if (new == keep).all() or new.sum() < 3:
            break
        keep = new
        log.append(trip)
    return keep, x[keep]


# The most recordings of the first thirty calls, and of the next thirty. (A program for many lengths
# answers the outliers, but where a mask picks all: these lengths are recorded until they have cost too much.
# A median is other steps for odd windows, for even ones and for two: eight recordings, then it is cut.)
@pytest.mark.parametrize(
    ("fn", "first", "more"),
    [(objects, 20, 0), (clusters, 80, 0), (rows, 16, 0), (windows, 17, 8), (outliers, 16, 10)],
)
def test_recording_stops(fn: Callable[..., Any], first: int, more: int) -> None:
    jitted = npcompile.jit(fn)
    after = [0]
    for call in range(60):
        x, mine, theirs = numbers(call), [], []
        same(jitted(x, mine), fn(x, theirs), ulp=64, scale=1.0, where=f"call {call}")
        assert mine == theirs, call
        after.append(jitted.stats.recordings)
    assert after[30] <= first and after[60] - after[30] <= more, after


def grown(values: np.ndarray, log: list[int]) -> np.ndarray:
    made = values[: int(values[0])]
    log.append(1)
    return made * 2 + 1


def beside(x: np.ndarray, y: np.ndarray, log: list[int]) -> Any:
    a = x * 2 + y
    log.append(len(y))
    b = grown(y, log)
    return np.sqrt(a[:3] ** 2 + 1), b


def test_what_is_beside_goes_on() -> None:
    jitted = npcompile.jit(beside)
    rng = np.random.default_rng(0)

    def call() -> None:
        x, y = rng.random(40), rng.random(40)
        y[0] = rng.integers(5, 40)
        mine: list[int] = []
        theirs: list[int] = []
        same(jitted(x, y, mine), beside(x, y, theirs), ulp=4, scale=1.0)
        assert mine == theirs

    for _ in range(40):
        call()
    before, blocks = jitted.stats, jitted.npcompile_root().block_stats.replays
    for _ in range(20):
        call()
    assert jitted.stats.recordings == before.recordings
    assert jitted.npcompile_root().block_stats.replays >= blocks + 20
    assert jitted.stats.replays >= before.replays + 19


def spaced(x: np.ndarray, end: float) -> Any:
    return np.ogrid[0.0 : len(x) * end] * x[0]


def test_it_is_told_once() -> None:
    jitted = npcompile.jit(spaced)
    with pytest.warns(npcompile.NotCompiledWarning) as told:
        for call in range(60):
            jitted(numbers(call), 0.5 + call % 5)
    assert sum(OF_NO_USE in str(one.message) for one in told) == 1
    assert sum(OF_NO_USE in reason for reason in jitted.stats.reasons) == 1
    assert OF_NO_USE in str(npcompile.explain(jitted, numbers(0), 3, detail="program"))


def test_what_was_different_is_told() -> None:
    spacing = npcompile.jit(spaced)
    for call in range(60):
        spacing(numbers(call), 0.5 + call % 5)
    (reason,) = [reason for reason in spacing.stats.reasons if OF_NO_USE in reason]
    assert re.search(r"the last time, x: shape \(\d+,\), now \(\d+,\)", reason)


def test_a_replay_that_fails_is_told_with_its_line() -> None:
    def doubled(x):
        y = x * 2
        return y + 1

    jitted = npcompile.jit(doubled)
    jitted(np.arange(5.0))
    (state,) = jitted.npcompile_root().by_signature.values()

    def failing(*leaves: Any) -> Any:
        try:
            raise ValueError("no such place")
        except ValueError as error:
            raise Diverged from error

    state.ready.insert(0, (failing, 0))
    del state.ready[1:]
    same(jitted(np.arange(5.0)), doubled(np.arange(5.0)))
    (reason,) = jitted.stats.reasons
    assert re.search(r":\d+: its replay raised ValueError: no such place, where NumPy does not$", reason)


def test_sizes_that_settle_are_replayed() -> None:
    jitted = npcompile.jit(spaced)
    for call in range(50):
        jitted(numbers(call), 0.5 + call % 5)
    settled, before = np.arange(201.0), replace(jitted.stats)
    for _ in range(REST + 10):
        same(jitted(settled, 3.0), spaced(settled, 3.0), ulp=4, scale=1.0)
    assert jitted.stats.replays >= before.replays + 5
    assert jitted.stats.recordings <= before.recordings + 2


def test_many_kinds_of_arguments_are_recorded() -> None:
    def fn(x):
        return x + x

    jitted = npcompile.jit(fn)
    arrays = [np.ones((2,) * n, kind) for n in range(1, 6) for kind in ("f4", "f8", "i4", "i8", "c16")]
    for x in (*arrays, *arrays):
        same(jitted(x), fn(x))
    assert (jitted.stats.recordings, jitted.stats.replays) == (25, 25)


def test_a_balance() -> None:
    balance = RecordingBudget(WHOLE)
    for _ in range(17):
        assert not balance.rests()
        balance.recorded("kind")
    assert balance.spent and balance.useless
    assert [balance.rests() for _ in range(REST + 1)] == [True] * REST + [False]
    balance.recorded("kind")
    balance.recorded("kind")
    assert balance.rests()
    for _ in range(2 * COST):
        balance.replayed()
    assert not balance.spent and not balance.useless


class Sized:
    def __init__(self, x: np.ndarray) -> None:
        self.x = x


def of_sized(sized: Sized) -> Any:
    return sized.x[:3] * 2 + sized.x[-1]


def test_calls_that_wait_for_a_compilation_are_no_misses(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many there are before it ends: what is being compiled may well be for them."""
    monkeypatch.delenv("NPCOMPILE_BACKEND")
    jitted = npcompile.jit(of_sized)
    first, second = Sized(numbers(0)), Sized(np.arange(7.0))
    same(jitted(first), of_sized(first))
    jitted.wait()
    with monkeypatch.context() as patch:
        patch.setattr(RecordedProgram, "done", False)
        for _ in range(50):
            same(jitted(second), of_sized(second))
    jitted.wait()
    before = jitted.stats.replays
    for sized in (second, first, second):
        same(jitted(sized), of_sized(sized))
    assert jitted.stats.replays == before + 3
    assert jitted.stats.recordings == 2 and not jitted.stats.reasons


def class_inside(x):
    class Scaled:
        factor = 2.0

        def __init__(self, v: Any) -> None:
            self.v = v

        def get(self) -> Any:
            return self.v * self.factor

    return Scaled(x).get() + 1


def data_class_inside(x):
    @dataclass
    class Scaled:
        v: Any
        factor: float = 2.0

    made = Scaled(x)
    return made.v * made.factor + 1


def named_tuple_inside(x):
    made = namedtuple("made", "v factor")(x, 2.0)
    return made.v * made.factor + 1


@pytest.mark.parametrize("fn", [class_inside, data_class_inside, named_tuple_inside])
def test_a_class_that_is_another_at_each_call_is_soon_left_alone(fn: Callable[..., Any]) -> None:
    jitted = npcompile.jit(fn)
    for n in range(100):
        x = np.arange(3.0) + n
        same(jitted(x), x * 2 + 1)
    assert jitted.stats.recordings <= 20
