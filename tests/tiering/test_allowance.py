"""Calls pay for recordings and cuts: these begin once enough is paid, and end past what is left."""

from __future__ import annotations

import linecache
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy import constants, linalg, signal

import npcompile
from npcompile.frontend.catalog.called_libraries import calls_libraries
from npcompile.frontend.rewrite import source
from npcompile.tiering import deferred_calls, overhead
from tests.checker import same

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")


class Clock:
    """Goes on by `step` each time that it is looked at, and by what a call is said to take."""

    def __init__(self, step: float) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now

    def takes(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[float], Clock]]:
    """Budgets by a clock that machinery moves by so many seconds at each look."""
    with monkeypatch.context() as patch:
        patch.setattr(deferred_calls, "later", lambda seconds, function: lambda: None)
        for name, value in (("FIRST", 0.1), ("KEPT", 2.0), ("ALLOWANCE", math.inf)):
            patch.setattr(overhead, name, value)

        def begin(step: float) -> Clock:
            made = Clock(step)
            patch.setattr(overhead, "clock", made)
            return made

        yield begin


def written(name: str, lines: list[str]) -> Any:
    """A function in a file of its own: what is jitted needs its source."""
    text = "\n".join([f"def {name}(x):", *(f"    {line}" for line in lines), ""])
    file = f"<written {name} {abs(hash(text))}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    space: dict[str, Any] = {"np": np}
    exec(compile(text, file, "exec"), space)
    return space[name]


def steps(x: np.ndarray) -> np.ndarray:
    y = x * 2 + 1
    return np.sqrt(y) - y.mean()


def test_another_size_is_recorded_once_it_is_paid_for(
    clock: Callable[[float], Clock], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock(5e-6)
    monkeypatch.setattr(overhead, "EACH", 1e-5)
    monkeypatch.setattr(overhead, "KINDS", 1)
    jitted = npcompile.jit(steps)
    one, other = np.arange(5.0), np.arange(7.0)
    same(jitted(one), steps(one))
    assert jitted.stats.recordings == 1
    calls = 0
    while jitted.stats.recordings == 1:
        calls += 1
        same(jitted(other), steps(other))
        assert calls < 200_000
    assert calls > 1


def test_whoever_waits_need_not_pay(clock: Callable[[float], Clock]) -> None:
    clock(0.0005)
    jitted = npcompile.jit(steps)
    for n in (5, 7):
        same(jitted(np.arange(float(n))), steps(np.arange(float(n))))
        jitted.wait()
    assert jitted.stats.recordings == 2


def test_calls_that_take_long_pay_more(clock: Callable[[float], Clock]) -> None:
    clock(0.0)
    allowance = overhead.Allowance()
    allowance.settle(0.001, 0.02)
    assert allowance.of_later(0.0) == overhead.EACH  # nothing is left over of a first call's
    allowance.settle(1.0, 0.0)
    assert allowance.saved == overhead.PAID
    for _ in range(100):
        allowance.settle(10.0, 0.0)
    assert allowance.saved == overhead.KEPT


@pytest.mark.parametrize("took", [1e-5, 1e-3, 0.02, 1.0])
@pytest.mark.parametrize("spends", [0.0, 0.3, 1.0, 1.3])
def test_a_later_call_spends_a_part_of_what_it_takes(
    took: float, spends: float, clock: Callable[[float], Clock]
) -> None:
    clock(0.0)
    allowance = overhead.Allowance()
    allowance.settle(took, 0.1)
    spent = 0.0
    for call in range(1, 2000):
        most = allowance.of_later(took)
        if call <= 1 / overhead.PART:
            assert most <= overhead.EACH + overhead.PAID * took * 1.001
        machinery = spends * most if call % 20 else most
        spent += machinery
        allowance.settle(took, machinery)
    each = overhead.PART * overhead.EACH + overhead.PAID * took
    assert spent <= 2000 * 1.3 * each + 2 * overhead.EACH


@pytest.mark.parametrize("count", [1500, 5000])
def test_long_code_is_not_looked_at_before_it_is_paid_for(
    count: int, clock: Callable[[float], Clock], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock(1e-6)
    fn = written("long", ["a, b = x[0], x[1]", *(f"a = a * 0.5 + {i}" for i in range(count)), "return a"])
    jitted = npcompile.jit(fn)
    looks = []
    monkeypatch.setattr("npcompile.frontend.rewrite.source._search_texts", lambda *args: looks.append(args))
    for _ in range(5):
        same(jitted(np.arange(3.0)), fn(np.arange(3.0)))
    assert not looks


def test_a_recording_that_takes_too_long_is_given_up(
    clock: Callable[[float], Clock], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock(2e-4)
    monkeypatch.setattr(overhead, "EACH", 0.05)
    fn = written("many", ["y = x", *(f"y = y * 0.5 + {i}" for i in range(300)), "return y"])
    jitted = npcompile.jit(fn)
    x = np.arange(5.0)
    same(jitted(x), fn(x))
    assert jitted.stats.recordings == 1 and jitted.stats.programs == 0
    for _ in range(400):
        same(jitted(x), fn(x))
    assert jitted.npcompile_root().block_stats.programs > 1  # shorter ones


def deeper(n: int, x: Any) -> Any:
    return x + 1 if n == 0 else deeper(n - 1, x) + deeper(n - 1, x)


def test_recursion_is_left_when_it_takes_too_long(clock: Callable[[float], Clock]) -> None:
    clock(0.001)

    def tree(x: Any) -> Any:
        return deeper(9, x)

    jitted = npcompile.jit(tree)
    began = overhead.clock()
    same(jitted(np.arange(3.0)), tree(np.arange(3.0)))
    assert overhead.clock() - began < 0.5  # 1023 calls, of two looks or more each


def detrended(x: np.ndarray) -> np.ndarray:
    return signal.detrend(x) * 2 + 1


class Norm:
    def of(self, x: Any) -> Any:
        return linalg.norm(x)


def by_helpers(x: np.ndarray) -> Any:
    def of_each(parts: Any) -> list[Any]:
        return [detrended(part) for part in parts]

    return of_each([x, x + 1])


def by_methods(x: np.ndarray) -> Any:
    return Norm().of(x)


def kept(history: list[Any], x: np.ndarray) -> Any:
    y = signal.detrend(x) * 2
    history.append(y[0])
    return y


def of_constants(x: np.ndarray) -> Any:
    return np.sqrt(x) * constants.c


def test_what_calls_libraries_is_told_by_its_code() -> None:
    assert all(map(calls_libraries, (detrended, by_helpers, by_methods, npcompile.jit(detrended))))
    assert not any(map(calls_libraries, (steps, of_constants, deeper, np.sqrt, npcompile.jit(steps))))


@pytest.mark.parametrize("fn", [detrended, by_helpers])
def test_first_calls_of_what_calls_libraries_are_its_own(
    fn: Any, clock: Callable[[float], Clock], monkeypatch: pytest.MonkeyPatch
) -> None:
    time = clock(1e-6)
    monkeypatch.setattr(overhead, "EACH", 0.0)
    looks: list[Any] = []
    look = source._search_texts
    monkeypatch.setattr(source, "_search_texts", lambda *args: looks.append(args) or look(*args))
    jitted = npcompile.jit(fn)
    x = np.arange(8.0)
    for n in (8, 9, 8):
        same(jitted(np.arange(float(n))), fn(np.arange(float(n))))
    assert not looks and not jitted.stats.recordings and jitted.stats.plain_calls == 3
    jitted.npcompile_root().allowance.settle(10.0, 0.0)  # a call that took long
    same(jitted(x), fn(x))
    assert looks and jitted.stats.recordings
    for _ in range(5):
        time.takes(1.0)
        jitted.npcompile_root().allowance.settle(10.0, 0.0)
        same(jitted(x), fn(x))
    assert jitted.stats.replays


def test_what_is_waited_for_need_not_be_earned(clock: Callable[[float], Clock]) -> None:
    clock(1e-6)
    waiting = npcompile.jit(detrended, wait=True)
    waiting(np.arange(8.0))
    assert waiting.stats.recordings
    jitted = npcompile.jit(detrended)
    jitted(np.arange(8.0))
    assert not jitted.stats.recordings
    jitted.wait()
    jitted(np.arange(8.0))
    assert jitted.stats.recordings


def test_containers_are_not_read_of_before_it_is_paid_for(
    clock: Callable[[float], Clock], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock(1e-6)
    monkeypatch.setattr(overhead, "EACH", 0.0)
    looks: list[Any] = []
    look = source._search_texts
    monkeypatch.setattr(source, "_search_texts", lambda *args: looks.append(args) or look(*args))

    jitted, x = npcompile.jit(kept), np.arange(8.0)
    mine: list[Any] = []
    theirs: list[Any] = []
    jitted(mine, x)
    assert not looks
    jitted.npcompile_root().allowance.settle(10.0, 0.0)
    for _ in range(4):
        jitted(mine, x)
    for _ in range(5):
        kept(theirs, x)
    assert looks and mine == theirs and jitted.npcompile_root()._growing.places == {0}


def test_each_of_the_first_signatures_has_a_first_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overhead, "FIRST", 0.1)
    monkeypatch.setattr(overhead, "KEPT", 2.0)
    allowance = overhead.Allowance()
    for _ in range(overhead.KINDS):
        for way in (False, True):
            allowance.begin(way)
            assert allowance.of_recordings(0.0) >= overhead.FIRST
            allowance.settle(0.0, overhead.FIRST)
    for way in (False, True):
        allowance.begin(way)
        assert allowance.of_recordings(0.0) == overhead.EACH


def test_calls_after_a_first_one_do_what_it_has_left(
    clock: Callable[[float], Clock], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overhead, "EACH", 1e-5)
    loop = ["for i in range(9):", *(f"    y = y * 0.5 + {i}" for i in range(40))]
    parts = ["y = x", *loop, *loop, *loop, "return y"]
    x = np.arange(5.0)

    def recorded(calls: int) -> list[int]:
        clock(1e-3)
        fn = written("parts", parts)
        jitted, found = npcompile.jit(fn), []
        for _ in range(calls):
            same(jitted(x), fn(x))
            found.append(jitted.stats.recordings)
        return found

    assert recorded(4) == [2, 3, 3, 3]
    monkeypatch.setattr(overhead, "FURTHER_CALLS", 0)
    assert recorded(4) == [2, 2, 2, 2]


def test_a_first_recording_has_a_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(overhead, "clock", lambda: now[0])
    call = overhead.Call(overhead.Allowance())
    call.machinery, now[0] = 0.2, 0.3
    assert call.is_past(0.1)
    now[0] = 2.0
    assert not call.is_past(0.1)
    assert call.allowance is not None
    call.allowance.first = False  # type: ignore[attr-defined]
    assert call.is_past(0.1)


def test_what_is_done_further_is_bounded(clock: Callable[[float], Clock]) -> None:
    clock(0.0)
    allowance = overhead.Allowance()
    allowance.settle(0.001, 0.02)
    allowance.further = overhead.FURTHER
    assert allowance.of_all(1.0) == allowance.of_recordings(1.0) == overhead.FURTHER + overhead.SHARE
    allowance.settle(1.0, overhead.FURTHER)
    assert not allowance.further and allowance.saved == 0.0
    assert allowance.of_all(0.0) == overhead.EACH


def test_first_calls_of_many_functions_share_a_fund(
    clock: Callable[[float], Clock], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock(5e-4)
    monkeypatch.setattr(overhead, "FUND", 0.05)
    monkeypatch.setattr(overhead, "fund", overhead.Fund())
    x = np.arange(5.0)
    functions = [written(f"steps{i}", ["y = x * 2 + 1", f"return np.sqrt(y) - {i}"]) for i in range(40)]
    jitted = [npcompile.jit(function) for function in functions]
    for mine, plain in zip(jitted, functions, strict=True):
        same(mine(x), plain(x))
    assert 0 < sum(mine.stats.recordings for mine in jitted) < 30
    clock(5e-6)
    last, calls = jitted[-1], 0
    while not last.stats.recordings:  # its calls earn that
        calls += 1
        same(last(x), functions[-1](x))
        assert calls < 200_000
    other = jitted[-2]
    other.wait()
    same(other(x), functions[-2](x))
    assert other.stats.recordings == 1


def test_time_fills_the_fund_of_first_calls(
    clock: Callable[[float], Clock], monkeypatch: pytest.MonkeyPatch
) -> None:
    time = clock(0.0)
    monkeypatch.setattr(overhead, "FUND", 1.0)
    monkeypatch.setattr(overhead, "fund", overhead.Fund())
    allowances = [overhead.Allowance() for _ in range(4)]
    allowances[0].begin()
    allowances[0].settle(2.0, 1.5)
    allowances[1].begin()
    assert not allowances[1].first
    allowances[2].begin(waits=True)
    assert allowances[2].first
    allowances[1].renew()
    allowances[1].begin()
    assert allowances[1].first
    time.takes(4.0)
    assert overhead.fund.left == pytest.approx(4 * overhead.SHARE - 0.5)
    allowances[3].begin()
    assert allowances[3].first
    time.takes(100.0)
    assert overhead.fund.left == overhead.FUND
