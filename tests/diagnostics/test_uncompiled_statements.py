"""What is left to Python and costs more than a tenth of the time is told once, with what to write instead.
The clock is the test's own: what a statement takes is what it says it takes."""

from __future__ import annotations

import ast
import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.partition.partitioned import Block
from npcompile.tiering import statement_profile


class Clock:
    """Stands still but where a statement spends time."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


CLOCK = Clock()


@functools.lru_cache(maxsize=0)  # which is not followed, and keeps nothing
def spend(seconds):
    CLOCK.now += seconds


@pytest.fixture(autouse=True)
def by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    monkeypatch.setattr(statement_profile, "clock", CLOCK)


def statement(x, seconds):
    """Between two blocks that take nothing, Python."""
    total = 0.0
    for _ in range(40):
        x = x * 0.5 + 1
        spend(seconds)
        x = x + 1
    return x, total


def whole_loop(x, seconds):
    found = []
    for key in {"a": 1, "b": 2}:
        found.append(key.upper())
        spend(seconds)
    for _ in range(40):
        x = x * 0.5 + 1
    return x, found


def helper(x, seconds):
    for _ in range(5):
        x = x * 2 + 1
        spend(seconds)
    return x


def in_a_helper(x, seconds):
    for _ in range(40):
        x = helper(x, seconds) * 0.01
    return x


def left_by_break(x, seconds):
    for trip in range(40):
        x = x * 0.5 + 1
        if trip > 3:
            spend(seconds)
            break
        x = x + 1
    return x


def by_raising(x, seconds):
    for _ in range(3):
        x = x * 0.5 + 1
        try:
            spend(seconds)
            raise KeyError(1)
        except KeyError:
            x = x + 1
    return x


LINES: dict[Callable[..., Any], tuple[int, str]] = {
    statement: (5, "spend(seconds)"),
    whole_loop: (2, "for key in"),
    in_a_helper: (-4, "spend(seconds)"),
    left_by_break: (3, "if trip > 3"),
    by_raising: (4, "spend(seconds)"),
}


def told(jitted: Any, *args: Any, calls: int = 12) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", npcompile.NotCompiledWarning)
        for _ in range(calls):
            jitted(*args)
    return [item for item in found if issubclass(item.category, npcompile.NotCompiledWarning)]


@pytest.mark.parametrize("function", LINES, ids=lambda function: function.__name__)
def test_what_costs_is_told_once_and_where(function: Callable[..., Any]) -> None:
    jitted = npcompile.jit(function)
    (warning,) = told(jitted, np.ones(4), 1.0)
    line, text = LINES[function]
    text_of = str(warning.message)
    assert f"{__file__}:{function.__code__.co_firstlineno + line}: " in text_of, text_of
    assert "100% of its time" in text_of and text in text_of and "instead: " in text_of
    assert warning.filename == __file__
    assert not told(jitted, np.ones(4), 1.0)


@pytest.mark.parametrize("function", LINES, ids=lambda function: function.__name__)
def test_waits_are_not_told(function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls that wait for a hundred seconds, of which they compute a part in a thousand."""
    monkeypatch.setattr(statement_profile, "wall", lambda: CLOCK.now * 1000.0)
    assert not told(npcompile.jit(function), np.ones(4), 0.1)


@pytest.mark.parametrize("function", LINES, ids=lambda function: function.__name__)
def test_what_costs_little_is_not_told(function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing, or a part of the time that is small."""

    def slow(self: Any, *args: Any) -> Any:
        CLOCK.now += 100.0
        return call(self, *args)

    call = statement_profile.Watch.of
    monkeypatch.setattr(statement_profile.Watch, "of", slow)
    assert not told(npcompile.jit(function), np.ones(4), 0.0)
    assert not told(npcompile.jit(function), np.ones(4), 0.01)


def test_blocks_are_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of the time goes into blocks: they are compiled."""
    call = Block.__call__

    def slow(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        CLOCK.now += 1.0
        return call(self, *args, **kwargs)

    monkeypatch.setattr(Block, "__call__", slow)
    assert not told(npcompile.jit(statement), np.ones(4), 0.0)
    assert len(told(npcompile.jit(statement), np.ones(4), 0.5)) == 1


def test_strict_raises_with_what_to_write_instead() -> None:
    jitted = npcompile.jit(statement, strict=True)
    with pytest.raises(npcompile.NotCompiledError, match=r"100% of its time .* instead: "):
        for _ in range(12):
            jitted(np.ones(4), 1.0)


def test_nothing_is_measured_once_it_was() -> None:
    jitted = npcompile.jit(statement)
    told(jitted, np.ones(4), 0.0)
    (state,) = jitted.npcompile_root().by_signature.values()
    assert state.partitioned.watch is None and jitted.npcompile_root().session is None


def test_answers_and_effects_are_the_same_while_it_is_measured() -> None:
    seen: list[float] = []

    def function(x, kept):
        for trip in range(6):
            x = x * 0.5 + trip
            kept.append(float(x[0]))
            seen.append(trip)
            if trip == 4:
                return x, kept
        return x

    jitted = npcompile.jit(function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", npcompile.NotCompiledWarning)
        for _ in range(12):
            got, want = jitted(np.ones(4), []), function(np.ones(4), [])
            assert np.array_equal(got[0], want[0]) and got[1] == want[1]
    assert seen == [0, 1, 2, 3, 4] * 24


def test_what_numpy_does_faster_is_told_from_what_is_around_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop that calls no block may be one because NumPy does its array work in less time: that costs
    nothing that could be had."""
    made = statement_profile.outline

    def with_faster(fn: Any, levels: Any, *rest: Any) -> Any:
        (loop,) = (node for node in ast.walk(statement_profile.tree_of(fn)[0]) if isinstance(node, ast.For))
        levels.faster.add(loop.body[0])
        levels.small.add(loop.body[0])
        return made(fn, levels, *rest)

    def function(x, first, second):
        for trip in (4, 5, 6, 7, 8):
            spend(first)
            x[trip - 4] += int(str(trip))
            spend(second)
        return x

    monkeypatch.setattr(statement_profile, "outline", with_faster)
    assert not told(npcompile.jit(function), np.ones(8), 1.0, 0.0)
    (warning,) = told(npcompile.jit(function), np.ones(8), 0.5, 0.5)
    assert f"{__file__}:{function.__code__.co_firstlineno + 4}: 50% of its time" in str(warning.message)


@npcompile.jit
def jitted_itself(x, seconds):
    spend(seconds)
    return x * 0.5 + 1


class Stepping:
    @npcompile.jit
    def step(self, x, seconds):
        spend(seconds)
        return x * 0.5 + 1


def calls_jitted(x, seconds):
    found = []
    for _ in range(40):
        found.append(jitted_itself(x, seconds))
    return found


def calls_a_jitted_method(x, seconds):
    stepping, found = STEPPING, []
    for _ in range(40):
        found.append(stepping.step(x, seconds))
    return found


STEPPING = Stepping()


@pytest.mark.parametrize("fn", [calls_jitted, calls_a_jitted_method])
def test_what_is_jitted_itself_tells_itself_what_it_costs(fn: Callable[..., Any]) -> None:
    for warning in told(npcompile.jit(fn), np.ones(8), 1e-3):
        assert str(warning.message).startswith(("jitted_itself: ", "step: "))
