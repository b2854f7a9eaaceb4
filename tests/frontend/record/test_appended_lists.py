"""Lists, dicts and deques of objects from outside: what is appended, put in, and read again."""

from __future__ import annotations

import copy
import random
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same
from tests.programs.history_program_generator import HistoryGrower
from tests.programs.jit_lane import sharing
from tests.programs.random_history_programs import check

X = np.arange(1.0, 5.0)


class Inner:
    def __init__(self) -> None:
        self.kept: list[Any] = [np.zeros(4)]


class Model:
    """What the functions below work on."""

    def __init__(self) -> None:
        self.history: list[Any] = [0.5]
        self.other: list[Any] = [1.5]
        self.table: dict[Any, Any] = {"t": 0.25}
        self.cache: dict[Any, Any] = {}
        self.recent: deque[Any] = deque([0.5, 1.5], maxlen=3)
        self.pair: Any = (np.ones(4), 2.0)
        self.deep = {"losses": [0.25], "steps": [0]}
        self.inner = Inner()
        self.masks = (np.array([True, False, True, False]), np.array([False, True, False, True]))
        self.layers: Any = (Inner(), Inner())


def last(m: Any, x: Any) -> Any:
    m.history.append(x.sum())
    return x * m.history[-1]


def last_two(m: Any, x: Any) -> Any:
    m.history.append(x.sum())
    m.history.append(x.max())
    return x * (m.history[-1] - m.history[-2]) + m.history[-3]


def before(m: Any, x: Any) -> Any:
    y = x + m.history[-1]
    m.history.append(y.sum())
    return y + m.history[-1] + m.history[-2]


def first(m: Any, x: Any) -> Any:
    y = x + m.history[0]
    m.history.append(y.mean())
    return y


def how_many(m: Any, x: Any) -> Any:
    n = len(m.history)
    m.history.append(x.sum() * 100)
    return x * n + len(m.history)


def any_yet(m: Any, x: Any) -> Any:
    y = x * 2 if m.history else x
    m.history.append(y.sum())
    return y if m.history else y + 1


def an_alias(m: Any, x: Any) -> Any:
    history = m.history
    history.append(x.sum())
    return x + m.history[-1] + history[-1]


def two_lists(m: Any, x: Any) -> Any:
    m.history.append(x.sum())
    return x + m.other[-1]


def answered(m: Any, x: Any) -> Any:
    m.history.append(x.sum())
    return m.history


def arrays(m: Any, x: Any) -> Any:
    m.inner.kept.append(x * 2)
    return m.inner.kept[-1] + m.inner.kept[0]


def records(m: Any, x: Any) -> Any:
    m.history.append({"x": x * 2, "sum": x.sum(), "parts": [x + 1, (x.max(), 3)]})
    return m.history[-1]["x"] + m.history[-1]["parts"][0]


def in_a_dict(m: Any, x: Any) -> Any:
    m.deep["losses"].append(x.sum())
    m.deep["steps"].append(len(m.deep["steps"]))
    return x + m.deep["losses"][-1]


def a_window(m: Any, x: Any) -> Any:
    m.recent.append(x.sum())
    return x + m.recent[-1]


def what_a_window_holds(m: Any, x: Any) -> Any:
    total = sum(m.recent)
    m.recent.append(x.sum())
    return x * total


def a_cache(m: Any, x: Any) -> Any:
    m.cache = {"x": x, "y": x * x}
    return m.cache["y"] * m.cache["x"]


def a_list_anew(m: Any, x: Any) -> Any:
    m.history = []
    for k in range(3):
        m.history.append(x * k)
    return m.history[1] + m.history[-1]


def given_twice(m: Any, x: Any) -> Any:
    made = [x * 2]
    m.history = made
    m.other = made
    made.append(x + 1)
    return made


def within(m: Any, x: Any) -> Any:
    inside = {"x": x * 2}
    m.table = {"one": inside, "two": [inside]}
    inside["more"] = x.sum()
    return {"inside": inside}


def swapped(m: Any, x: Any) -> Any:
    m.history, m.other = m.other, m.history
    m.history.append(x.sum())
    return x + m.history[-1]


def new_keys(m: Any, x: Any) -> Any:
    m.cache["x"] = x * 2
    m.cache["y"] = m.cache["x"] + 1
    return m.cache["y"] * len(m.cache)


def new_keys_gone_through(m: Any, x: Any) -> Any:
    m.table["y"] = x.sum()
    return sum(m.table.values()) * x, list(m.table), list(m.table.items())


def if_not_there(m: Any, x: Any) -> Any:
    if "m" not in m.cache:
        m.cache["m"] = np.zeros(4)
    m.cache["m"] = 0.9 * m.cache["m"] + x
    return m.cache["m"]


def by_default(m: Any, x: Any) -> Any:
    state = m.cache.setdefault((0, "w"), {"m": np.zeros(4), "t": 0})
    state["t"] += 1
    state["m"] = state["m"] * 0.5 + x
    return state["m"] / state["t"]


def a_tuple(m: Any, x: Any) -> Any:
    a, k = m.pair
    m.pair = (a * k + x, k + 1)
    return m.pair[0]


def masks(m: Any, x: Any) -> Any:
    y = x.copy()
    for mask in m.masks:
        y[mask] += 1
    return y * len(m.masks)


def objects_in_a_tuple(m: Any, x: Any) -> Any:
    for layer in m.layers:
        x = x + layer.kept[0]
        layer.cache = x
    return x


def shown(m: Any, x: Any) -> Any:
    m.table["t"] = x.sum()
    _show(m.table)
    return x + 1


def _show(table: Any) -> None:
    print(table)


FUNCTIONS: list[Callable[..., Any]] = [
    last, last_two, before, first, how_many, any_yet, an_alias, two_lists, answered, arrays, records,
    in_a_dict, a_window, what_a_window_holds, a_cache, a_list_anew, given_twice, within, swapped, new_keys,
    new_keys_gone_through, if_not_there, by_default, a_tuple, masks, objects_in_a_tuple, shown,
]  # fmt: skip


def one_list(m: Any) -> None:
    m.other = m.history


def one_dict(m: Any) -> None:
    m.cache = m.table


def emptied(m: Any) -> None:
    m.history.clear()
    m.cache.clear()


def others(m: Any) -> None:
    m.history, m.recent, m.table = [np.float32(3), True], deque([2], maxlen=1), {"a": 1.0, "t": 2.0}


def whole_numbers(m: Any) -> None:
    m.history, m.pair, m.cache = [1, 2, 3], (np.arange(4), 3), {"x": 1, "m": X}


def exchanged(m: Any) -> None:
    m.masks, m.layers = m.masks[::-1], (m.layers[1], m.layers[1])


def nothing(m: Any) -> None:
    pass


CHANGES = [nothing, one_list, one_dict, emptied, others, whole_numbers, exchanged]


def held(m: Any) -> Any:
    return {
        key: vars(value) if isinstance(value, Inner) else value
        for key, value in vars(m).items()
        if key != "layers"
    }


def containers(value: Any, found: list[int]) -> list[int]:
    """The containers in what is given, by their identities, each as the place where it was met first."""
    if isinstance(value, dict | list | deque):
        found.append(id(value))
    if isinstance(value, dict | list | tuple | deque):
        for item in value.values() if isinstance(value, dict) else value:
            containers(item, found)
    return found


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_as_plain_python(
    function: Any, change: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(function)
    one, other = Model(), Model()
    for call in range(9):
        if call == 5:
            change(one)
            change(other)
        got, want = outcome(jitted, one, call), outcome(function, other, call)
        printed = capsys.readouterr().out
        assert printed[: len(printed) // 2] == printed[len(printed) // 2 :]
        same(listed(got), listed(want))
        same(listed(held(one)), listed(held(other)))
        at, there = containers([got, held(one)], []), containers([want, held(other)], [])
        assert [at.index(place) for place in at] == [there.index(place) for place in there]
        assert sharing(listed(got), listed(held(one))) == sharing(listed(want), listed(held(other)))


def outcome(function: Any, m: Any, call: int) -> Any:
    try:
        return function(m, X * (call + 1))
    except Exception as error:
        return type(error)


def listed(value: Any) -> Any:
    """What lies in containers, as lists."""
    if isinstance(value, dict):
        return [[list(map(repr, value)), *map(listed, value.values())]]
    return [type(value).__name__, *map(listed, value)] if isinstance(value, list | tuple | deque) else value


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_is_followed_whole(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted, m = npcompile.jit(function), copy.deepcopy(Model())
    for call in range(12):
        jitted(m, X * (call + 1))
    if function not in (masks, objects_in_a_tuple, a_list_anew, shown):  # loops and printing cut a function
        assert not any(state.partitioned for state in jitted.npcompile_root().by_signature.values()), (
            jitted.stats
        )
    assert jitted.stats.replays >= 8, jitted.stats


@pytest.mark.parametrize("seed", range(0, 80, 20))
@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_random_programs(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    for number in range(seed, seed + 20):
        check(HistoryGrower(random.Random(number)).source, tmp_path, number)


def a_list_given(x: Any, history: Any, state: Any) -> Any:
    y = x * 0.5 + history[-1]
    history.append(y.sum())
    return y * history[-1] + len(history)


def a_state_given(x: Any, history: Any, state: Any) -> Any:
    state["u"] = state["u"] * 0.5 + x
    state["n"] += 1.5
    state["past"]["u"].append(state["u"])
    state["past"]["sum"].append(state["u"].sum())
    return state["past"]["u"][-1] + state["past"]["sum"][-1]


@pytest.mark.parametrize("function", [a_list_given, a_state_given])
@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_arguments_that_grow(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(function)
    one: Any = [0.5], {"u": X, "n": 0.5, "past": {"u": [], "sum": []}}
    other = copy.deepcopy(one)
    for call in range(20):
        if call == 15:
            for history, state in (one, other):
                history[-1], state["past"]["sum"] = 3, history
        same(jitted(X * call, *one), function(X * call, *other))
        same(listed(one), listed(other))
    assert jitted.stats.recordings <= 18, jitted.stats  # three lengths are recorded before it is known
    assert jitted.stats.replays >= 8, jitted.stats
