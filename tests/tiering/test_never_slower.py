"""Calls are the plain function's where that takes less time, and no more is compiled than calls are worth."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.partition.call import PartitionedCalls
from npcompile.partition.root_function import RootFunction
from npcompile.runtime.plain_streaks import MOST as MOST_PASSED
from npcompile.runtime.plain_streaks import PlainStreak
from npcompile.runtime.recorded_program import RecordedProgram
from npcompile.runtime.specialization import seconds_taken
from npcompile.runtime.tiers import Event, Tier
from npcompile.tiering import block_contest
from npcompile.tiering.block_contest import FIRST, LONGER, SETTLING, UNJUDGED
from npcompile.tiering.compile_budget import COMPILING, FREE, RATE, CompileBudget
from npcompile.tiering.contest import MOST, Contest
from tests.checker import same
from tests.runtime.test_fast_path import frames

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")


class Clock:
    """A clock that calls move on: plain ones by `plain` seconds, others by `ours`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.plain, self.ours = 1e-3, 1e-3
        self.turns: list[str] = []
        self.at: list[int] = []  # calls that were answered by blocks
        self.calls = 0
        monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
        monkeypatch.setattr("npcompile.partition.call.are_held", lambda: True)
        monkeypatch.setattr("npcompile.runtime.specialization.are_held", lambda: True)
        monkeypatch.setattr(block_contest, "clock", lambda: self.now)
        for name in ("plain", "run"):
            monkeypatch.setattr(PartitionedCalls, name, self.moving(name, getattr(PartitionedCalls, name)))

    def moving(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def moved(*args: Any) -> Any:
            self.now += self.plain if name == "plain" else self.ours
            self.turns.append(name)
            self.at += [self.calls] if name == "run" else []
            return call(*args)

        return moved


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def told(x: np.ndarray, log: list[int]) -> Any:
    y = x * 2 + 1
    log.append(len(log))
    return np.sqrt(y) * x


def called(clock: Clock, count: int, jitted: npcompile.Jitted | None = None) -> npcompile.Jitted:
    """A function that is cut into blocks, called so often. Each call is done once."""
    jitted = jitted or npcompile.jit(told)
    mine: list[int] = []
    theirs: list[int] = []
    x = np.arange(4.0)
    for clock.calls in range(count):
        same(jitted(x, mine), told(x, theirs))
    assert mine == theirs == [*range(count)]
    return jitted


def test_blocks_that_lose_rest_ever_longer(clock: Clock) -> None:
    clock.ours = 2e-3
    jitted = called(clock, 1000)
    gaps = [later - at for at, later in zip(clock.at, clock.at[1:], strict=False) if later - at > 8]
    assert len(clock.at) < SETTLING + 3 * (MOST + 2), clock.at
    # (Before, some calls were not looked at as nothing of them was compiled.)
    assert all(gap > FIRST * LONGER**n for n, gap in enumerate(gaps[-3:])) and len(gaps) in (3, 4), gaps
    assert jitted.stats.calls == 1000


def test_blocks_that_win_are_seldom_beside_plain_calls(clock: Clock) -> None:
    clock.plain = 1.9e-3
    called(clock, 1000)
    first = clock.turns.index("plain")  # the log is found to grow before
    assert clock.turns[first : first + SETTLING + 1] == ["plain", *["run"] * SETTLING]
    assert clock.turns.count("plain") <= 4 * MOST and len(clock.at) >= 1000 - 4 * MOST


def test_a_long_call_shows_at_once_that_blocks_lose(clock: Clock) -> None:
    clock.plain, clock.ours = 0.01, 0.02
    called(clock, 300)
    first = clock.turns.index("plain")
    assert clock.turns[first + 1] == "run" and clock.at[first] == first + 1
    recorded = [at for at in clock.at if first < at <= first + UNJUDGED]  # all but the last record a block
    assert recorded == [*range(first + 1, first + 1 + len(recorded))]
    rest = clock.at[clock.at.index(recorded[-1]) :]
    assert len(rest) > 2 and all(later - at > FIRST for at, later in itertools.pairwise(rest)), clock.at


def test_blocks_that_lost_may_win_later(clock: Clock) -> None:
    clock.ours = 2e-3
    jitted = called(clock, 100)
    clock.ours = 0.5e-3
    clock.at.clear()
    called(clock, 600, jitted)
    assert len(clock.at) > 300


def test_a_call_that_raises_is_no_part_of_a_contest(clock: Clock) -> None:
    def checked(x: np.ndarray, log: list[int]) -> Any:
        if len(log) % 3 == 2:
            log.append(-1)
            raise ValueError("every third")
        return told(x, log)

    jitted = npcompile.jit(checked)
    mine: list[int] = []
    for call in range(90):
        if call % 3 == 2:
            with pytest.raises(ValueError, match="every third"):
                jitted(np.ones(3), mine)
        else:
            same(jitted(np.ones(3), mine), np.sqrt(np.full(3, 3.0)))
    assert len(mine) == 90


def test_a_function_that_calls_itself_is_measured_once(clock: Clock) -> None:
    @npcompile.jit
    def halves(x: np.ndarray, log: list[int]) -> Any:
        log.append(len(x))
        if len(x) < 2:
            return float(x.sum())
        return halves(x[: len(x) // 2], log) + halves(x[len(x) // 2 :], log)

    for _ in range(60):
        log: list[int] = []
        assert halves(np.arange(8.0), log) == 28.0
        assert log == [8, 4, 2, 1, 1, 2, 1, 1, 4, 2, 1, 1, 2, 1, 1]


def test_replays_that_lost_are_tried_again(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds_taken()  # by the real clock, once for the process
    ticks = itertools.count()
    monkeypatch.setattr(time, "thread_time", lambda: float(next(ticks)))  # each call takes a second

    def chain(x: np.ndarray) -> Any:
        return np.sqrt(np.sin(x) ** 2 + 1.5)

    jitted = npcompile.jit(chain)
    x = np.arange(5.0)

    def contest(of_replays: float, of_numpy: float) -> None:
        """The next call is the last one of a contest that is as good as decided."""
        (state,) = jitted.npcompile_root().by_signature.values()
        state.trial = state.trial or Contest()
        for _ in range(MOST):
            state.trial.note(True, of_replays)
            state.trial.note(False, of_numpy)
        same(jitted(x), chain(x))

    jitted(x)
    (state,) = jitted.npcompile_root().by_signature.values()
    for longer in (FIRST, FIRST * LONGER):
        contest(1e9, 1e-12)
        assert state.tier is Tier.RESTING and state.aside and not state.ready
        before = jitted.stats.replays
        for _ in range(longer + MOST_PASSED):
            if state.aside is None:
                break
            same(jitted(x), chain(x))
        assert state.aside is None and state.trial is not None and jitted.stats.replays <= before + 1
    contest(1e-12, 1e9)
    before = jitted.stats.replays
    for _ in range(5):
        same(jitted(x), chain(x))
    assert jitted.stats.replays == before + 5 and state.tier is Tier.RECORDING


# -- calls that are passed on ------------------------------------------------------------------------------


def test_what_is_like_the_call_before() -> None:
    passing = PlainStreak()
    passing.begin((1.0, np.ones((2, 3)), str), 4)
    assert passing.takes((2.5, np.zeros((2, 3)), str))
    assert not passing.takes((2, np.zeros((2, 3)), str))
    assert not passing.takes((2.5, np.zeros((3, 2)), str))
    assert not passing.takes((2.5, np.zeros((2, 3), "f4"), str))
    assert not passing.takes((2.5, np.zeros((2, 3)), int))
    assert not passing.takes((2.5, np.zeros((2, 3))))
    assert passing.left == 3
    passing.begin((1.0, np.ones((2, 3))), 4, any_lengths=True)
    assert passing.takes((2.5, np.zeros((5, 1)))) and not passing.takes((2.5, np.zeros(3)))
    passing.begin(([1.0],), 4)  # a list may hold anything at the next call
    assert not passing.takes(([1.0],)) and not passing.takes((2.5, np.zeros((3, 2)), str))


@pytest.mark.usefixtures("native_runtime")
def test_a_plain_call_asks_no_python_and_all_are_counted() -> None:
    def scalar(x: Any, power: Any = 2) -> Any:
        return x**power - 2

    jitted = npcompile.jit(scalar)
    jitted(1.5)
    jitted(1.5)
    (state,) = jitted.npcompile_root().by_signature.values()
    state.ready = []
    state.move(Event.TOO_SMALL)
    for call in range(3 * MOST_PASSED):
        assert frames(lambda x=call / 4: jitted(x))[-1:] == [scalar.__qualname__]
        assert len(frames(lambda x=call / 4: jitted(x))) == 1
        assert jitted.stats.calls == 2 * call + 4 == jitted.stats.plain_calls + 2
    big = np.ones(1000)
    for _ in range(3):  # other arguments are looked at
        np.testing.assert_array_equal(jitted(big), scalar(big))
    assert len(jitted.npcompile_root().by_signature) == 2
    with pytest.raises(TypeError, match="unsupported operand"):
        jitted("text")


@pytest.mark.usefixtures("native_runtime")
def test_new_code_is_seen_though_calls_are_passed_on() -> None:
    def scalar(x: float) -> float:
        return x + 1

    jitted = npcompile.jit(scalar)
    jitted(1.5)
    jitted(1.5)
    (state,) = jitted.npcompile_root().by_signature.values()
    state.ready = []
    state.move(Event.TOO_SMALL)
    for _ in range(5):
        assert jitted(1.5) == 2.5
    scalar.__code__ = (lambda x: x + 2).__code__
    for _ in range(5):
        assert jitted(1.5) == 3.5


@pytest.mark.usefixtures("started")
def test_most_calls_of_other_lengths_pass_while_their_kernels_are_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NPCOMPILE_SPENDING", "0")

    def distance(x: np.ndarray, y: np.ndarray) -> Any:
        return np.sqrt(np.sum((x - y) ** 2))

    jitted = npcompile.jit(distance)
    for length in range(3, 9):
        same(jitted(np.ones(length), np.zeros(length)), distance(np.ones(length), np.zeros(length)))
    (group,) = jitted.npcompile_root()._groups.values()
    assert group.general is not None and not group.general.done
    looked: list[Any] = []
    answer = RootFunction._answer
    monkeypatch.setattr(RootFunction, "_answer", lambda *args: looked.append(args) or answer(*args))
    for _ in range(10):
        for length in range(20, 24):
            x, y = np.arange(length), np.ones(length)
            for _ in range(25):
                same(jitted(x, y), distance(x, y))
    assert len(looked) <= 150 and jitted.stats.calls == 1006


# -- how much is compiled ----------------------------------------------------------------------------------


class Never:
    """A job of the compiler's that is not done."""

    done = from_disk = counted = False
    error = general = None
    kernels = 0

    def wait(self, timeout: float | None = None) -> None:
        pass


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many segments were given to the compiler, for each program."""
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.setenv("NPCOMPILE_SPENDING", "1")
    found: list[int] = []

    def start(self: Any) -> None:
        self.parked = False
        found.append(len(self.segments))
        self.jobs = [Never() for _ in self.segments]

    monkeypatch.setattr(RecordedProgram, "start", start)
    return found


def queens(board: np.ndarray, row: int) -> int:
    n = len(board)
    if row == n:
        return 1
    count = 0
    for column in range(n):
        before = board[:row]
        if not np.any((before == column) | (np.abs(before - column) == row - np.arange(row))):
            board[row] = column
            count += queens(board, row + 1)
    return count


def matrix_power(A: np.ndarray, n: int, m: int) -> np.ndarray:
    result = np.eye(len(A), dtype=np.int64)
    while n:
        if n & 1:
            result = result @ A % m
        A = A @ A % m
        n >>= 1
    return result


def many_powers(A: np.ndarray, most: int) -> list[int]:
    return [int(matrix_power(A, n, 10**9 + 7).sum()) for n in range(most)]


def sieve(n: int) -> np.ndarray:
    prime = np.ones(n + 1, bool)
    prime[:2] = False
    for k in range(2, int(n**0.5) + 1):
        if prime[k]:
            prime[k * k :: k] = False
    return np.flatnonzero(prime)


def smoothed(x: np.ndarray) -> np.ndarray:
    s = np.zeros_like(x)
    for i in range(20):
        s = s * 0.5 + x * i
    return s


def square_root(x: np.ndarray) -> np.ndarray:
    root = x
    for _ in range(50):
        step = (root * root - x) / (2 * root)
        root = root - step
        if np.abs(step).max() < 1e-12:
            break
    return root


def halves(x: np.ndarray) -> Any:
    if len(x) < 2:
        return x.sum()
    middle = len(x) // 2
    return halves(x[:middle] * 2 - 1) + halves(x[middle:] + 3)


CASES: list[tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = [
    (queens, lambda: (np.zeros(6, int), 0)),
    (many_powers, lambda: (np.eye(2, dtype=int), 60)),
    (sieve, lambda: (100,)),
    (smoothed, lambda: (np.arange(8.0),)),
    (square_root, lambda: (np.arange(1, 9.0),)),
    (halves, lambda: (np.arange(64.0),)),
]


@pytest.mark.parametrize(("fn", "make"), CASES)
def test_bounded_work_has_bounded_compiling(
    fn: Callable[..., Any], make: Callable[[], tuple[Any, ...]], started: list[int]
) -> None:
    jitted = npcompile.jit(fn)
    for _ in range(4):
        same(jitted(*make()), fn(*make()))
    assert sum(started) <= FREE / COMPILING, started


@pytest.mark.parametrize(("fn", "make"), CASES)
def test_no_call_waits_for_kernels_of_small_parts(
    fn: Callable[..., Any], make: Callable[[], tuple[Any, ...]], started: list[int], monkeypatch: Any
) -> None:
    monkeypatch.setattr(
        "npcompile.tiering.compile_budget.RATE", 0
    )  # whatever the work of calls, on any machine
    jitted = npcompile.jit(fn, wait=True)
    for _ in range(4):
        same(jitted(*make()), fn(*make()))
    assert not started and not jitted.stats.compilations


def test_a_call_waits_for_a_small_function_and_for_large_parts(started: list[int]) -> None:
    small = npcompile.jit(lambda x: np.sqrt(x) * 2 + 1, wait=True)
    small(np.arange(5.0))
    assert started == [1]
    large = npcompile.jit(smoothed, wait=True)
    large(np.arange(1e6))
    assert len(started) > 1


def test_what_calls_took_decides_what_else_is_compiled(started: list[int]) -> None:
    jitted = npcompile.jit(lambda x: np.sqrt(x) * 2 + 1)
    jitted(np.arange(5.0))
    ((entry,),) = [state.entries for state in jitted.npcompile_root().by_signature.values()]
    spending = CompileBudget()
    assert not spending.allows(entry, 1, waiting=True, part=True)
    assert not spending.allows(entry, 10, waiting=True, part=True, seconds=1e-6)
    enough = COMPILING * 1.1 / RATE * 1e-9
    assert spending.allows(entry, 10, waiting=True, part=True, seconds=enough / 10)
    spending = CompileBudget()
    entry.host_calls = 1  # calls beside the kernels stay as they are
    assert not spending.allows(entry, 10, waiting=True, part=True, seconds=enough / 10)


def test_what_waits_is_compiled_when_its_calls_have_done_enough(
    started: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("npcompile.tiering.compile_budget.FREE", 0)
    monkeypatch.setattr("npcompile.tiering.compile_budget.COMPILING", 2_000_000.0)  # nanoseconds

    def little(x: Any) -> Any:
        return np.sqrt(x) * 2 + 1

    jitted = npcompile.jit(little)
    x = np.arange(5.0)
    calls = 0
    while not started and calls < 10_000:
        same(jitted(x), little(x))
        calls += 1
    assert 10 < calls < 10_000 and started == [1]


def test_large_work_is_compiled_at_once(started: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("npcompile.tiering.compile_budget.FREE", 0)
    jitted = npcompile.jit(lambda x: np.sqrt(x) * 2 + 1)
    jitted(np.arange(1e6))
    assert started == [1]
