"""Containers among the arguments that grow at each call: what is around the append is recorded once."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

CALLS = 100


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


def appended(u, history, dt):
    u[1:-1] += dt * (u[2:] - 2 * u[1:-1] + u[:-2])
    history.append(float(u.max()))
    return u.sum()


def by_key(u, history, dt):
    u[1:-1] += dt * (u[2:] - 2 * u[1:-1] + u[:-2])
    history[len(history)] = float(u.max())
    return u.sum()


def note(history, value):
    history.append(value)


def by_a_helper(u, history, dt):
    u[1:-1] += dt * (u[2:] - 2 * u[1:-1] + u[:-2])
    note(history, float(u.max()))
    return u.sum()


def read_again(u, history, dt):
    history.append(u[0] * dt)
    u += history[-1] + len(history)
    return u * 2, history[0]


@pytest.mark.parametrize(
    ("fn", "make"),
    [(appended, list), (appended, deque), (by_key, dict), (by_a_helper, list), (read_again, list)],
)
def test_the_function_is_recorded_once(fn: Any, make: Any) -> None:
    jitted = npcompile.jit(fn)
    u, history = np.linspace(0, 1, 9), make()
    v, expected = u.copy(), make()
    for call in range(CALLS):
        dt = 0.1 + call % 3
        same(jitted(u, history, dt), fn(v, expected, dt))
        same((u, list(history)), (v, list(expected)))
    assert history == expected
    assert jitted.stats.recordings < 25, jitted.stats
    assert jitted.stats.replays + jitted.stats.plain_calls > CALLS - 25
    if fn is not read_again:
        assert jitted.stats.plain_calls == 0


def twice(u, history, other):
    history.append(u[0] * 2)
    other.append(u.sum())
    return u + len(history) + len(other)


def answered(u, history, other):
    y = u * 2
    z = y + 1
    history.append(y)
    return history, z


def between(u, history, other):
    loss = (u**2).mean()
    history.append(loss)
    u -= 0.1 * u * history[-1]
    history.append(float(loss) / 2)
    return u.max()


def if_given(u, history, other=None):
    v = u * 3
    if other is not None:
        other.append(u.max())
    history.append({"sum": u.sum(), "n": len(u)})
    return v


def raising(u, history, other):
    history.append(u * 2)
    if u[0] > 5:
        raise ValueError("too large")
    return u / 2


def emptied(u, history, other):
    history.append(u.sum())
    if len(history) > 3:
        history.clear()
    return u - 1


def bound_anew(u, history, other):
    history = list(history)
    history.append(u * 1.5)
    return history


def held(u, history, other):
    state = {"kept": history}
    state["kept"].append(u.sum())
    history.append(u.max())
    return state, u + 1


def gone_over(u, history, other):
    total = u * 0
    for item in history:
        total = total + item
    history.append(u.min())
    return total


HISTORIES = (twice, answered, between, if_given, raising, emptied, bound_anew, held, gone_over)


def two(call: int, kept: tuple[Any, Any]) -> tuple[Any, Any]:
    return kept


def one_twice(call: int, kept: tuple[Any, Any]) -> tuple[Any, Any]:
    return kept if call < 4 else (kept[0], kept[0])


def fresh(call: int, kept: tuple[Any, Any]) -> tuple[Any, Any]:
    return ([1.5] * (call % 3), [])


def of_other_kinds(call: int, kept: tuple[Any, Any]) -> tuple[Any, Any]:
    return (kept[0], kept[1]) if call < 5 else (deque([1.0], 2), None if call % 2 else np.zeros(2))


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("give", [two, one_twice, fresh, of_other_kinds])
@pytest.mark.parametrize("fn", HISTORIES)
def test_a_list_that_is_appended_to(fn: Any, give: Any) -> None:
    jitted = npcompile.jit(fn)
    ours: Any = ([], [])
    plain: Any = ([], [])
    for call in range(9):
        found = []
        for run, kept in ((jitted, ours), (fn, plain)):
            u, (history, other) = np.linspace(0.5, 1.0 + call, 4), give(call, kept)
            try:
                answer: Any = run(u, history, other)
            except Exception as error:
                answer = type(error), str(error)
            if answer is history:
                answer = "the list"
            found.append(listed((answer, u, history, other)))
        same(*found, where=f"call {call}")
    if give is two and fn in (answered, if_given):
        assert jitted.stats.recordings <= 2, jitted.stats
        assert jitted.stats.replays >= 7, jitted.stats


def listed(kept: Any) -> Any:
    if isinstance(kept, tuple):
        return tuple(map(listed, kept))
    return ["deque", *kept] if isinstance(kept, deque) else kept


def test_a_list_that_is_another_at_each_call() -> None:
    """Lists of other lengths that are not one list are signatures of their own."""

    def summed(arrays):
        total = 0.0
        for array in arrays:
            total = total + array
        return total

    jitted = npcompile.jit(summed)
    arrays = [np.arange(3.0) + place for place in range(6)]
    kept = [arrays[:2], arrays[:4]]
    for _ in range(5):
        for given in kept:
            same(jitted(given), summed(given))
    assert jitted.stats.plain_calls == 0


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_a_dict_that_holds_a_history() -> None:
    def note(state, x):
        state["history"].append(float(x.sum()))
        state["x"] = x * 2
        return state["x"].max()

    jitted = npcompile.jit(note)
    ours, plain = ({"history": [], "x": None} for _ in range(2))
    for call in range(40):
        x = np.arange(3.0) + call
        assert jitted(ours, x) == note(plain, x)
        np.testing.assert_equal(ours, plain)
        if call == 20:
            recorded = jitted.stats.recordings
    assert jitted.stats.recordings == recorded, jitted.stats


@pytest.mark.usefixtures("native_runtime")
def test_long_and_short_tuples_at_one_place() -> None:
    """A long tuple is known by its type, a short one by its items, in the native runtime, too."""

    def scaled(x, t):
        return x * 2 if t[0] == "a" else x * 3 + len(t)

    jitted = npcompile.jit(scaled, wait=True)
    x = np.arange(5.0)
    for t in (("a",) * 300, ("a", 2), ("b", 2), ("b",), ("a",), ("b",) * 300, ("c", 3)):
        for _ in range(5):
            same(jitted(x, t), scaled(x, t))
    assert not jitted.stats.reasons, jitted.stats
