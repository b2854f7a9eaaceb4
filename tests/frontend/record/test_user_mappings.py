"""Dicts of the user's own kinds (`class Bunch(dict)`): what is read of one is read as attributes are, right
at each call, whatever becomes of it between two calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same


class Bunch(dict[str, Any]):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__  # type: ignore[assignment]


class Config(dict[str, Any]):
    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class Itself(dict[str, Any]):
    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.__dict__ = self


class Doubled(dict[str, Any]):
    def __getitem__(self, key: str) -> Any:
        return 2 * dict.__getitem__(self, key)


class Plain(dict[str, Any]):
    rate = 0.25


class Zero(dict[str, Any]):
    def __missing__(self, key: str) -> float:
        return 0.0


class Holder:
    def __init__(self, kind: Any) -> None:
        self.p = kind(w=np.arange(3.0), b=2.0, n=3, name="one", deep=kind(w=np.ones(3)))


def attributes(h, x):
    return h.p.w * x + h.p.b + h.p.n


def items(h, x):
    p = h.p
    return p["w"] * x + p["b"] * p["deep"]["w"], p["n"] * 2.5


def both(h, x):
    p = h.p
    return (p.w + p["w"]) * x + p["b"] * p.b, p.n - p["n"]


def by_name(h, x):
    return x * h.p["n"] if h.p["name"] == "one" else x - h.p["b"]


def stored(h, x):
    h.p["b"] = h.p["b"] + 1.0
    y = x * h.p["b"]
    h.p["w"] = y
    return h.p["w"] + y


def attribute_stored(h, x):
    h.p.b = h.p["b"] + 1.0
    return x * h.p["b"] + h.p.b


def written(h, x):
    h.p["w"] += x
    h.p["deep"]["w"][1:] = h.p["w"][:-1]
    return h.p["deep"]["w"].sum()


def of_class(h, x):
    return x * h.p.rate + h.p["b"]


def missing(h, x):
    return x * h.p["missing"]


PROGRAMS = (attributes, items, both, by_name, stored, attribute_stored, written, of_class, missing)
KINDS = (Bunch, Config, Itself, Doubled, Plain, Zero)


def nothing(h: Holder, call: int) -> None:
    pass


def other_items(h: Holder, call: int) -> None:
    if call == 3:
        h.p["w"], h.p["name"] = np.arange(3) * 5, "two"
    if call == 5:
        h.p["b"], h.p["n"] = 3, 2.0
    if call == 7:
        del h.p["b"]


def others(h: Holder, call: int) -> None:
    if call == 3:
        h.p = type(h.p)(w=np.ones(3), b=7.0, n=0, name="one", deep=h.p)
    if call == 5:
        h.p["deep"] = h.p
    if call == 6:
        h.p = dict(h.p)
    if call == 7:
        h.p = Bunch(w=np.ones(2), b=1, n=1, name="one", deep=Plain(w=np.zeros(2)))


def outcome(program: Any, h: Holder, call: int) -> Any:
    try:
        return program(h, np.linspace(0.5, 1.5 + call, len(h.p["w"])))
    except Exception as error:
        return type(error), str(error)


def held(value: Any) -> Any:
    return type(value).__name__, [(key, item) for key, item in value.items() if not isinstance(item, dict)]


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("change", [nothing, other_items, others])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_right_at_each_call(
    program: Callable[..., Any], kind: Any, change: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(program)
    plain, ours = Holder(kind), Holder(kind)
    for call in range(9):
        change(plain, call)
        change(ours, call)
        same(outcome(jitted, ours, call), outcome(program, plain, call), where=f"call {call}")
        same(held(ours.p), held(plain.p), where=f"what is held after call {call}")


@pytest.mark.parametrize("kind", [Bunch, Config])
@pytest.mark.parametrize("program", [attributes, items, both, by_name])
def test_is_followed_whole(program: Callable[..., Any], kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted, h = npcompile.jit(program), Holder(kind)
    for call in range(6):
        h.p["b"], h.p["w"] = 0.5 * call, h.p["w"] + call
        outcome(jitted, h, call)
    assert (jitted.stats.recordings, jitted.stats.replays) == (1, 5), jitted.stats


def test_another_method_of_the_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")

    class Table(dict[str, Any]):
        __getattr__ = dict.__getitem__

    for name, method in (
        ("__getitem__", Doubled.__getitem__),
        ("__getattr__", lambda self, name: len(name)),
        ("w", 5.0),
    ):
        jitted, h = npcompile.jit(both), Holder(Table)
        for call in range(4):
            same(outcome(jitted, h, call), outcome(both, h, call))
        setattr(Table, name, method)
        for call in range(4):
            same(outcome(jitted, h, call), outcome(both, h, call))
        Table.__getattr__ = dict.__getitem__  # type: ignore[method-assign]
        for left in ("__getitem__", "w"):
            if left in vars(Table):
                delattr(Table, left)
