"""A loop that returns a name's value natively ends its function without Python's going on."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.partition import native_loop


def first_above(x: Any, limit: Any) -> Any:
    for i in range(len(x)):
        value = x[i]
        if value > limit:
            return value
    return None


def given(x: Any, limit: Any) -> Any:
    for i in range(len(x)):
        if x[i] > limit:
            return x
        if i == 7:
            return limit
    return None


def rebound(x: Any, limit: Any) -> Any:
    for i in range(len(x)):
        if x[i] > limit:
            return limit
        if i > 4:
            limit = i
    return x


def parts(x: Any, limit: Any) -> Any:
    found = []
    for i in range(len(x)):
        found.append(i)
        part = x[: i + 1]
        if x[i] > limit:
            return part
        if i == 12:
            return found
    return found


def unbound(x: Any, limit: Any) -> Any:
    for i in range(len(x)):
        if i == 20:
            late = i
        if x[i] > limit:
            return late
    return None


def nested(x: Any, limit: Any) -> Any:
    seen = 0

    def passes(value: Any) -> Any:
        nonlocal seen
        seen += 1
        return value > limit

    for i in range(len(x)):
        if passes(x[i]):
            return seen
    return -seen


FUNCTIONS = [first_above, given, rebound, parts, unbound, nested]
X = np.arange(30.0)


def outcome(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """Return a call's value, its type and which argument it is, or its exception."""
    mine = copy.deepcopy(args)
    try:
        value = function(*mine)
    except UnboundLocalError as error:
        return str(error)
    place = next((place for place, one in enumerate(mine) if one is value), None)
    return type(value), repr(value), place if isinstance(value, np.ndarray | list) else None, repr(mine)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__name__)
def test_values_are_pythons(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    jitted = npcompile.jit(function, wait=True)
    calls = [(X, 3), (X, 9.5), (X, 40), (X.astype(int), 3), ([*range(30)], 5), (X, 25), (X[:0], 3)]
    for _ in range(6):
        for args in calls:
            assert outcome(jitted, args) == outcome(function, args)
            jitted.wait()
    assert jitted.stats.loop_entries


def test_python_does_not_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    jitted = npcompile.jit(first_above, wait=True)
    for _ in range(40):
        assert jitted(X, 3) == 4.0
        jitted.wait()
    gone_on: list[Any] = []
    go_on = native_loop.go_on
    monkeypatch.setattr(native_loop, "go_on", lambda *args: (gone_on.append(args), go_on(*args))[1])
    before = jitted.stats.loop_entries
    for _ in range(20):
        assert jitted(X, 3) == 4.0
    assert jitted.stats.loop_entries > before and not gone_on
