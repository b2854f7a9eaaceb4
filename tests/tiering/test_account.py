"""Signatures pay for machinery that came to nothing: the plain function answers calls, unlooked at."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.partition.call import PartitionedCalls
from npcompile.runtime.function import RecordedFunction
from npcompile.runtime.specialization import Specialization
from npcompile.tiering import account, overhead

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
X = np.arange(6.0)


def test_machinery_is_a_small_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(account, "FREE", 0.01)
    owing = Specialization()
    spent = paid = 0.0
    for _ in range(1000):
        owing.charge(1e-3, 1e-5)
        spent, paid = spent + 1e-3, paid + owing.overdrawn
        owing.overdrawn = 0.0  # the plain function has taken that long
    assert spent <= account.FREE + overhead.PAID * (paid + 1000e-5) * 1.001
    owing = Specialization()
    for _ in range(1000):
        owing.charge(1e-6, 1e-4)
    assert owing.overdrawn == 0


def test_rests_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(account, "FREE", 0.0)
    owing = Specialization()
    owing.charge(5.0, 0.0)
    assert owing.overdrawn == overhead.EACH / overhead.PAID
    for _ in range(1000):
        owing.charge(5.0, 0.0)
    assert owing.overdrawn == account.MOST


class Looked:
    """Counts the calls that machinery in Python looks at."""

    def __init__(self) -> None:
        self.calls = 0


@pytest.fixture
def looked(native_runtime: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Looked]:
    """First calls are over at once, and whatever machinery takes after them is charged."""
    counted, answer = Looked(), RecordedFunction._answer

    def counting(self: Any, args: Any, kwargs: Any, call: Any) -> Any:
        counted.calls += 1
        return answer(self, args, kwargs, call)

    monkeypatch.setattr(account, "FREE", 0.0)
    monkeypatch.setattr(RecordedFunction, "_answer", counting)
    yield counted


def inverse(x: Any) -> Any:
    if x.size > 5:
        raise ValueError("too many")
    return 1 / x


def first_of(items: Any) -> Any:
    found = None
    for item in items:
        if item < 0:
            raise ValueError("negative")
        if found is None and item > 1:
            found = item
    if found is None:
        raise LookupError("none")
    return found


@pytest.mark.parametrize(
    ("function", "kept", "raises"),
    [(inverse, X[1:5], X), (first_of, [1.0, 2.0], [1.0, -2.0]), (first_of, [1, 2], [1, 0, 1])],
)
def test_calls_that_raise_pay(
    function: Callable[..., Any], kept: Any, raises: Any, looked: Looked, monkeypatch: pytest.MonkeyPatch
) -> None:
    jitted = npcompile.jit(function)
    for _ in range(60):
        with pytest.raises((ValueError, LookupError)):
            jitted(raises)
        np.testing.assert_array_equal(jitted(kept), function(kept))
    looked.calls = 0
    calls = 400
    for _ in range(calls):
        with pytest.raises((ValueError, LookupError)):
            jitted(raises)
    assert looked.calls < calls // 4
    assert jitted.stats.calls == 120 + calls


def test_a_rest_is_counted_in_seconds(native_runtime: None) -> None:
    @npcompile.jit(wait=True)
    def jitted(x: Any) -> Any:
        return np.sqrt(x) + x.size * 2.0

    for _ in range(3):
        jitted(X)
    (state,) = jitted.npcompile_root().by_signature.values()
    before = jitted.stats.plain_calls
    state.overdrawn = 0.02
    start = time.perf_counter()
    while state.overdrawn > 0:
        jitted(X)
    assert time.perf_counter() - start < 10
    plain = jitted.stats.plain_calls - before
    assert plain > 1
    jitted(X)
    assert jitted.stats.plain_calls - before == plain  # replays again
    state.overdrawn = 1e-9  # one call, however short, is enough
    jitted(X)
    jitted(X)
    assert jitted.stats.plain_calls - before == plain + 1


def test_calls_within_one_that_pays_are_counted_once(native_runtime: None) -> None:
    @npcompile.jit(wait=True)
    def inner(x: Any) -> Any:
        return x * 2

    @npcompile.jit(wait=True)
    def outer(x: Any) -> Any:
        return inner(x) + inner(x)

    for _ in range(3):
        outer(X), inner(X)
    (state,), (other,) = (one.npcompile_root().by_signature.values() for one in (outer, inner))
    state.overdrawn = other.overdrawn = 1e-9
    np.testing.assert_array_equal(outer(X), 4 * X)
    assert state.overdrawn <= 0
    assert other.overdrawn == 1e-9


def test_calls_within_calls_are_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    @npcompile.jit
    def jitted(n: int) -> int:
        total = 0
        while n > 0:
            total, n = total + n, n - 1
        return total

    for _ in range(3):
        assert jitted(4) == 10
    (state,) = [
        state for state in jitted.npcompile_root().by_signature.values() if state.partitioned is not None
    ]
    now = 0.0

    def slow(self: Any, state: Any, args: Any, kwargs: Any) -> str:
        nonlocal now
        now += 3.0
        return "the answer"

    monkeypatch.setattr(PartitionedCalls, "_answer", slow)
    monkeypatch.setattr(overhead, "clock", lambda: now)
    at_hand = overhead.Call()
    monkeypatch.setattr(overhead.this_thread, "call", at_hand)
    assert state.partitioned.answer(state, (4,), {}) == "the answer"
    assert at_hand.machinery == 3.0 and not at_hand.working


def test_no_rest_without_a_limit() -> None:
    assert account.FREE == math.inf  # in these tests, whose counts are the same on any machine


class Unhashable:
    """A class whose objects have no signature."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: float) -> None:
        self.value = value


def doubled(thing: Any) -> Any:
    return thing.value * 2


def test_calls_without_a_signature_pay_together(looked: Looked) -> None:
    jitted = npcompile.jit(doubled)
    for i in range(60):
        assert jitted([Unhashable(i)][0]) == 2 * i
    looked.calls = 0
    calls = 400
    for i in range(calls):
        assert jitted(Unhashable(i)) == 2 * i
    assert looked.calls < calls // 4


@pytest.mark.parametrize("function", [inverse, first_of])
def test_calls_pay_without_the_native_runtime(
    function: Callable[..., Any], looked: Looked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("npcompile.runtime.fast_path._of", lambda recorded: None)
    jitted = npcompile.jit(function)
    raises = X if function is inverse else [1.0, -2.0]
    for _ in range(60):
        with pytest.raises(ValueError):
            jitted(raises)
    looked.calls = 0
    calls = 400
    for _ in range(calls):
        with pytest.raises(ValueError):
            jitted(raises)
    assert looked.calls < calls // 4
    assert jitted.stats.calls == 60 + calls
