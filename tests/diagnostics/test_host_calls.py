"""What takes a tenth of a recorded function's time and is left to NumPy for want of an op is told, once."""

from __future__ import annotations

import ast
import re
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.tiering import host_call_profile, statement_profile


class Clock:
    """A clock that goes on where it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    made = Clock()
    monkeypatch.setattr(host_call_profile, "clock", made)
    return made


class Slow:
    """Stands for an array that takes time to be made."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        self.clock, self.seconds = clock, seconds

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        self.clock.now += self.seconds
        return np.ones(2)


def summed(x: Any, slow: Any) -> Any:
    y = np.sqrt(x) + 1
    total = np.add(slow, 1)
    return y + total


LINE = summed.__code__.co_firstlineno + 2


def call(jitted: Any, clock: Clock, seconds: float, times: int = 8) -> None:
    for _ in range(times):
        jitted(np.ones(2), Slow(clock, seconds))


def test_it_is_told_once_where_and_what_to_write(clock: Clock) -> None:
    jitted = npcompile.jit(summed, wait=True)
    place = re.escape(f"{__file__}:{LINE}: 100% of its time goes into")
    match = f"{place}.*no op takes this call.*; instead: "
    with pytest.warns(npcompile.NotCompiledWarning, match=match) as told:
        call(jitted, clock, 0.5)
    assert len(told) == 1 and jitted.stats.replays == 7
    call(jitted, clock, 0.5)


def test_what_costs_little_is_not(clock: Clock) -> None:
    jitted = npcompile.jit(summed, wait=True)
    call(jitted, clock, 1e-9)
    assert jitted.stats.replays == 7 and not jitted.stats.reasons


def test_waits_are_not(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wait takes most of the processor time of a call that does little else: compiling saves none of it."""
    monkeypatch.setattr(host_call_profile, "wall", walls := Clock())

    class Waiting(Slow):
        def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
            walls.now += 1.0
            return super().__array__(dtype, copy)

    jitted = npcompile.jit(summed, wait=True)
    for _ in range(8):
        jitted(np.ones(2), Waiting(clock, 0.04))
    assert jitted.stats.replays == 7 and not jitted.stats.reasons


def test_a_busy_machine_changes_nothing(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at the wall's clock finds that a second was another program's."""
    monkeypatch.setattr(host_call_profile, "wall", Ticking())
    jitted = npcompile.jit(summed, wait=True)
    with pytest.warns(npcompile.NotCompiledWarning, match="100% of its time goes into"):
        call(jitted, clock, 0.5)


def test_strict_raises(clock: Clock) -> None:
    jitted = npcompile.jit(summed, wait=True, strict=True)
    with pytest.raises(npcompile.NotCompiledError, match=f"{LINE}: .* instead: "):
        call(jitted, clock, 0.5)


class Ticking(Clock):
    """A clock by which everything takes as long."""

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


class Pair:
    def __init__(self, first: Any, second: Any) -> None:
        self.first, self.second = first, second


def paired(x: Any) -> Any:
    return Pair(x + 1, [x * 2, x.sum()])


@pytest.mark.filterwarnings("error::npcompile.NotCompiledWarning")
def test_objects_that_are_answered_are_no_calls_of_numpys(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_call_profile, "clock", Ticking())
    jitted = npcompile.jit(paired, wait=True)
    for _ in range(8):
        assert jitted(np.ones(2)).second[1] == 2.0
    assert jitted.stats.replays == 7


def test_a_part_of_a_statement_is_told_as_the_statement() -> None:
    tree = ast.parse("def f(g, x):\n    for i in x:\n        g[i] = h(i).d\n    return g\n")
    call = next(node for node in ast.walk(tree) if isinstance(node, ast.Call))
    part = ast.copy_location(ast.Assign([ast.Name("made", ast.Store())], call), call)
    assert ast.unparse(statement_profile.written(tree, part)) == "g[i] = h(i).d"
