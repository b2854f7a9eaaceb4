"""Calls that raise, once it is known that such do: the function itself is all the Python that they run."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

pytestmark = [
    pytest.mark.usefixtures("native_runtime"),
    pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning"),
]

x = np.arange(20000.0) + 1


def checked(a: Any, k: Any) -> Any:
    if k < 0:
        raise ValueError(k)
    return (a * 2).sum()


def of_key(a: Any, k: Any) -> Any:
    return {"a": a}[k] * 2 + a


def added(a: Any, b: Any) -> Any:
    return (a * 2 + b).sum()


def looped(a: Any, b: Any) -> Any:
    made = np.zeros(a.shape)
    for i in range(1, len(b)):
        made[i] = a[i] - made[i - 1]
    return made + (a * b * 3 + 1).sum()


def logged(a: Any, b: Any) -> Any:
    out = []
    try:
        out.append(1)
        made = a * 2 + b
        made = made * made
    finally:
        out.pop()
    return made.sum()


RAISING: dict[str, tuple[Callable[..., Any], tuple[Any, ...], tuple[Any, ...]]] = {
    "a check": (checked, (x, -1), (x, 1)),
    "a key": (of_key, (x, "b"), (x, "a")),
    "shapes": (added, (x, x[:-1].copy()), (x, x)),
    "shapes, after a loop": (looped, (x[:9], x[:8].copy()), (x[:9], x[:9])),
    "shapes, in a block": (logged, (x, x[:-1].copy()), (x, x)),
}


def python_calls(function: Callable[..., Any], args: tuple[Any, ...]) -> int:
    """How many functions of Python's a call runs."""
    calls = 0

    def profile(frame: Any, event: str, arg: Any) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(profile)
    try:
        function(*args)
    except Exception:
        pass
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("name", RAISING)
def test_calls_that_always_raise_are_the_function_itself(name: str) -> None:
    function, bad, good = RAISING[name]
    jitted = npcompile.jit(function, wait=True)
    for _ in range(40):
        with contextlib.suppress(Exception):
            jitted(*bad)
    with pytest.raises(Exception) as wanted:
        function(*bad)
    with pytest.raises(type(wanted.value)) as got:
        jitted(*bad)
    assert str(got.value) == str(wanted.value)
    assert python_calls(jitted, bad) == python_calls(function, bad)
    for _ in range(8):
        same(jitted(*good), function(*good))
    assert jitted.stats.programs or function is looped, jitted.stats


@pytest.mark.parametrize("name", ["a check", "a key", "shapes, in a block"])
def test_good_calls_between_bad_ones_are_replayed(name: str) -> None:
    function, bad, good = RAISING[name]
    jitted = npcompile.jit(function, wait=True)
    for call in range(200):
        with contextlib.suppress(Exception):
            jitted(*bad)
        if call == 100:
            recordings, replays = jitted.stats.recordings, jitted.stats.replays
        same(jitted(*good), function(*good))
    assert jitted.stats.recordings == recordings, jitted.stats
    assert jitted.stats.replays >= replays + 95, jitted.stats


def test_good_calls_that_come_after_many_bad_ones_are_recorded() -> None:
    jitted = npcompile.jit(checked, wait=True)
    for bad in (1, 2, 3):  # in each rhythm, a good one at last is among those that are recorded
        for call in range(60 * (bad + 1)):
            with contextlib.suppress(ValueError):
                jitted(x, 1 if call % (bad + 1) == bad else -1)
        before = jitted.stats.replays
        jitted(x, 1)
        assert jitted.stats.replays == before + 1, (bad, jitted.stats)
        jitted = npcompile.jit(checked, wait=True)


class Data:
    limit = 1.0


def limited(a: Any) -> Any:
    if Data.limit > 0:
        raise ValueError("limit")
    return a * 2 + 1


def looping(a: Any, log: list[float]) -> Any:
    for _ in range(3):
        log.append(1.0)
        a = a * 2 + Data.limit
        a = a * a - 1
    if Data.limit > 0:
        raise ValueError("limit")
    return a


@pytest.mark.parametrize("cut", [False, True])
def test_when_the_data_change_calls_are_replayed_again(monkeypatch: pytest.MonkeyPatch, cut: bool) -> None:
    function = looping if cut else limited
    more: tuple[Any, ...] = ([],) if cut else ()
    jitted = npcompile.jit(function, wait=True)
    for limit in (1.0, 0.0, 1.0, 0.0, 1.0, 0.0):
        monkeypatch.setattr(Data, "limit", limit)
        for _ in range(40):
            if limit:
                with pytest.raises(ValueError, match="limit"):
                    jitted(x, *more)
            else:
                same(jitted(x, *more), function(x, *more))
        if not limit:
            before = jitted.stats.replays
            for _ in range(4):
                jitted(x, *more)
            assert jitted.stats.replays == before + 4, jitted.stats
    assert jitted.stats.recordings < 20, jitted.stats


def handled(a: Any) -> Any:
    try:
        v = a[50000]
    except IndexError:
        v = 1.0
    return (a * v).sum()


def suppressed(a: Any) -> Any:
    v = 1.0
    with contextlib.suppress(ZeroDivisionError):
        v = 1 / (len(a) - 20000)
    return (a * v).sum()


@pytest.mark.parametrize(
    ("function", "line", "name"), [(handled, 2, "IndexError"), (suppressed, 3, "ZeroDivisionError")]
)
def test_what_raises_within_a_function_at_each_call_is_told(function: Any, line: int, name: str) -> None:
    jitted = npcompile.jit(function, wait=True)
    for _ in range(8):
        same(jitted(x), function(x))
    (reason,) = jitted.stats.reasons
    at = function.__code__.co_firstlineno + line
    assert f":{at}: it raises {name}" in reason
    assert "as it raised" in str(npcompile.explain(jitted, x, detail="program"))
