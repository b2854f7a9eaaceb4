# ruff: noqa: B007 - the names that loops bind are compared
"""Dicts with texts as keys in native loops: their items are read and stored as attributes of objects are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.frontend.loops.jitted import check

RATES = {"decay": 0.5, "gain": 2.0, "name": "rates"}


def damped(x, parameters):
    y = np.zeros_like(x)
    for i in range(1, len(x)):
        y[i] = y[i - 1] * parameters["decay"] + x[i] * parameters["gain"]
        if parameters["limit"] is not None and y[i] > parameters["limit"]:
            y[i] = parameters["limit"]
    return y


@pytest.mark.parametrize("limit", [None, 3, 2.5, np.float32(1.5)])
def test_parameters(limit: Any) -> None:
    check(damped, np.linspace(-1, 2, 20), {"decay": 0.5, "gain": np.float32(2), "limit": limit})


def by_module(x):
    y = np.zeros_like(x)
    for i in range(1, len(x)):
        y[i] = y[i - 1] * RATES["decay"] + x[i]
    return y


def test_a_dict_of_the_module(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.linspace(-1, 2, 20)
    check(by_module, x)
    jitted = npcompile.jit(by_module)
    for decay in (0.5, 0.25, 3, np.float32(0.5)):
        monkeypatch.setitem(RATES, "decay", decay)
        for _ in range(3):
            got, want = jitted(x), by_module(x)
            assert got.dtype == want.dtype
            np.testing.assert_array_equal(got, want)
            jitted.wait()
    assert jitted.stats.loop_entries


def by_keywords(x, **options):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * options["factor"]
    return total, options


def test_keywords() -> None:
    jitted = npcompile.jit(by_keywords)
    for _ in range(4):
        assert jitted(np.arange(9.0), factor=3, other="a") == by_keywords(np.arange(9.0), factor=3, other="a")
        jitted.wait()
    assert jitted.stats.loop_entries


def gathered(x):
    found = {"sum": 0.0, "count": 0, "least": None, "kind": "all"}
    for i in range(len(x)):
        found["sum"] += x[i]
        found["count"] += 1
        if found["least"] is None or x[i] < found["least"]:
            found["least"] = x[i]
    return found, list(found)


def test_items_that_are_stored() -> None:
    check(gathered, np.array([2.0, -1.0, 5.0, -3.0]))
    check(gathered, np.array([2, -1, 5, -3]))


def stepped(state, n):
    for k in range(n):
        state["x"], state["v"] = state["x"] + state["dt"] * state["v"], state["v"] - state["dt"] * state["x"]
        state["trace"][k % len(state["trace"])] += state["x"]
        state["steps"] = k
    return state["x"]


def test_state_that_is_changed() -> None:
    state = {"x": 1.0, "v": 0.0, "dt": 0.01, "trace": np.zeros(4), "steps": -1}
    check(stepped, state, 9)
    check(stepped, state, 0)
    check(stepped, state | {"x": np.float32(1)}, 9)
    check(stepped, state | {"steps": "none"}, 9)


def nested(config, x):
    for i in range(len(x)):
        x[i] = x[i] * config["model"]["scale"] + config["offset"]
        config["model"]["seen"] += 1
    return x


def test_dicts_within_dicts() -> None:
    check(nested, {"model": {"scale": 3, "seen": 0}, "offset": 0.5}, np.arange(6.0))


@dataclass
class Model:
    """An object with a dict and a text."""

    settings: dict[str, Any] = field(default_factory=lambda: {"scale": 2.0, "mode": "up"})
    name: str = "left"

    def scaled(self, value):
        return value * self.settings["scale"] if self.settings["mode"] == "up" else value


def within_object(model, x):
    for i in range(len(x)):
        if model.name == "left":
            x[i] += model.scaled(x[i])
        else:
            x[i] -= model.settings["scale"]
    return x


def test_dicts_and_texts_of_objects() -> None:
    for model in (Model(), Model(name="right"), Model({"scale": 3, "mode": "down"})):
        check(within_object, model, np.arange(6.0))


def helped(x, parameters):
    total = 0.0
    for i in range(len(x)):
        total += rate(parameters, x[i])
    return total


def rate(parameters, value):
    return parameters["gain"] * value if value > parameters["least"] else 0.0


def test_a_dict_given_to_a_function() -> None:
    check(helped, np.linspace(-2, 2, 9), {"gain": 2, "least": 0.5})


def failing(x, parameters):
    for i in range(len(x)):
        parameters["done"] = i
        x[i] *= parameters["factor"]
        if i == 3:
            parameters["late"] = i
            x[i + parameters["beyond"]] = 0.0
    return x


def test_keys_that_are_missing_and_new() -> None:
    x = np.arange(6.0)
    check(failing, x, {"done": 0, "factor": 2.0, "beyond": 100})
    check(failing, x, {"done": 0, "factor": 2.0, "beyond": 1})
    check(failing, x, {"done": 0, "factor": 2.0})
    check(failing, x, {"factor": 2.0, "beyond": 1}, native=False)  # each trip, or the first one, is Python's
    check(failing, x, {"done": 0, "beyond": 1}, native=False)


def aliased(first, second, x):
    for i in range(len(x)):
        first["a"] += 1
        second["a"] *= 2
        x[i] = first["a"]
    return x.tolist()


def test_two_names_of_one_dict() -> None:
    record = {"a": 1}
    want = {"a": 1}
    jitted = npcompile.jit(aliased)
    for _ in range(4):
        x = np.zeros(5)
        assert jitted(record, record, x) == aliased(want, want, x) and record == want
        assert jitted({"a": 5}, {"a": 1}, x) == [6, 7, 8, 9, 10]
        jitted.wait()
    assert jitted.stats.loop_entries


def by_attribute(model, items, n):
    total = 0
    for i in range(n):
        model.count += 1
        total += items["count"]
    return total, model.count


class Counter:
    """An object with a number."""

    def __init__(self) -> None:
        self.count = 0


def test_an_objects_own_dictionary() -> None:
    jitted = npcompile.jit(by_attribute)
    for _ in range(4):
        one, other = Counter(), Counter()
        assert jitted(one, vars(one), 9) == by_attribute(other, vars(other), 9)
        jitted.wait()


def of_module(items, n):
    total = 0
    for i in range(n):
        items["SEEN"] += 1
        total += SEEN
    return total


SEEN = 0


def test_the_modules_own_names(monkeypatch: pytest.MonkeyPatch) -> None:
    jitted = npcompile.jit(of_module)
    for _ in range(4):
        monkeypatch.setitem(globals(), "SEEN", 0)
        want = of_module(globals(), 9)
        monkeypatch.setitem(globals(), "SEEN", 0)
        assert jitted(globals(), 9) == want
        jitted.wait()


class Doubling(dict[str, Any]):
    """A dict that gives other values than it holds."""

    def __getitem__(self, key: str) -> Any:
        return 2 * dict.__getitem__(self, key)


def test_a_class_of_dicts() -> None:
    check(damped, np.arange(6.0), Doubling(decay=0.5, gain=1.0, limit=2), native=False)


def other_uses(parameters, x):
    for i in range(len(x)):
        x[i] *= parameters["scale"] + len(parameters)
        parameters[str(i)] = i
        if "3" in parameters:
            parameters.pop("scale", None)
            parameters["scale"] = 2
    return x


def test_what_changes_the_dict_is_pythons() -> None:
    jitted = npcompile.jit(other_uses)
    for _ in range(4):
        mine, plain = {"scale": 3.0}, {"scale": 3.0}
        np.testing.assert_array_equal(jitted(mine, np.arange(6.0)), other_uses(plain, np.arange(6.0)))
        assert mine == plain and list(mine) == list(plain)
        jitted.wait()
