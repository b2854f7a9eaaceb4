"""Dicts of other kinds from outside (ordered, with defaults), and dicts copied and compared: right at each
call, whatever becomes of them between two calls, and recorded whole."""

from __future__ import annotations

import enum
import itertools
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same


class Key:
    """Any two show as the same text."""

    def __repr__(self) -> str:
        return "Key()"


class Side(enum.Enum):
    LEFT = 1
    RIGHT = 2


ONE, TWO = Key(), Key()


class State:
    def __init__(self) -> None:
        self.by = {ONE: 1.0, TWO: 2.0}
        self.rules: dict[Any, float] = {np.sin: 2.0, len: 3.0, Key: 4.0, Side.LEFT: 5.0, items: 6.0}
        self.p: Any = OrderedDict(w=np.arange(4.0), b=2.0)
        self.h: Any = defaultdict(list)
        self.n: Any = defaultdict(float)
        self.units = {"m": 1, "s": -1}
        self.deep = OrderedDict(a=OrderedDict(x=np.ones(3)))


def items(s, k):
    return s.p["w"] * k + s.p["b"]


def stored(s, k):
    s.p["w"] = s.p["w"] * k
    s.h["loss"].append(s.p["w"].sum())
    s.n["steps"] += 1
    s.n["t"] += k
    return s.n["t"]


def gone_over(s, k):
    scaled = {name: value * k for name, value in s.p.items()}
    return scaled, list(s.p), sorted(s.p), len(s.p), "w" in s.p, s.p.get("zz", 3) * k, "w" not in s.h


def zipped(s, k):
    return [
        (place, name, value * k) for place, (name, value) in enumerate(zip(s.p, s.p.values(), strict=True))
    ]


def copied(s, k):
    one = dict(s.units)
    one["m"] = one.get("m", 0) + 1
    other = dict(s.units, kg=k)
    return one == s.units, one != other, s.units == {"m": 1, "s": -1}, one, other, np.ones(3) * k


def made(s, k):
    kept = OrderedDict((name, value * 2) for name, value in s.p.items())
    groups: Any = defaultdict(list)
    for i in range(3):
        groups[i % 2].append(s.p["w"] * i * k)
    return OrderedDict(x=s.p["w"] * k, y=k), kept, groups


def entered(s, k):
    return s.h["new"], s.n["new"] * k, s.n["new"]


def missing(s, k):
    try:
        return s.p["missing"] * k
    except KeyError as error:
        return str(error), s.p["w"] * k


def nested(s, k):
    s.deep["a"]["y"] = s.deep["a"]["x"] * k
    return s.deep["a"]["y"] + 1


def chained(s, k):
    return [x * k for x in itertools.chain.from_iterable([[s.p["w"]], [s.p["w"] + 1]])]


def moved(s, k):
    s.p.move_to_end("w")
    return list(s.p), s.p["w"] * k


def moved_first(s, k):
    s.p["new"] = s.p["w"] * k
    s.p.move_to_end("new", last=False)
    made = OrderedDict(a=k, b=s.p["b"])
    made.move_to_end("a", last=True)
    try:
        s.p.move_to_end("missing")
    except KeyError as error:
        return list(s.p), list(made), str(error), s.p["new"] + 1


def held_twice(s, k):
    made = OrderedDict(a=s.p["w"] * k)
    s.kept = made
    made["b"] = k
    return made is s.kept, made


def keyed(s, k):
    s.by[ONE] = s.by[ONE] + k
    return s.by[ONE] * k + 10 * s.by[TWO]


def ruled(s, k):
    return [k * s.rules[one] for one in (np.sin, np.cos, len, Key, Side.LEFT, items) if one in s.rules]


def looked_up(s, k):
    return s.rules.get(Side.RIGHT, 1.0) * k, s.rules.get(Key, 1.0) * k, np.median not in s.rules


PROGRAMS = (
    keyed,
    ruled,
    looked_up,
    items,
    stored,
    gone_over,
    zipped,
    copied,
    made,
    entered,
    missing,
    nested,
    chained,
    moved,
    moved_first,
    held_twice,
)
IN_PIECES = (held_twice,)


def nothing(s: State, call: int) -> None:
    pass


def another(s: State, call: int) -> None:
    if call == 3:
        s.p["extra"] = np.ones(2)
        s.rules[np.cos] = 7.0
    if call == 5:
        s.p.move_to_end("w")  # the order of the dict below stays
        s.units["m"] = 5
        s.by[ONE], s.by[TWO] = s.by[TWO], s.by[ONE]
        s.rules[Side.RIGHT] = s.rules.pop(Key)
    if call == 6:
        s.h = defaultdict(int, loss=[])
        s.n.default_factory = int
    if call == 7:
        s.p = dict(s.p)
    if call == 8:
        s.p.pop("extra")
        s.units["s"] = True
        s.n.default_factory = None


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("change", [nothing, another])
@pytest.mark.parametrize("program", PROGRAMS)
def test_right_at_each_call(
    program: Callable[..., Any], change: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(program)
    plain, ours = State(), State()
    for call in range(10):
        found = []
        for fn, state in ((program, plain), (jitted, ours)):
            change(state, call)
            try:
                found.append(fn(state, 1.5 + call))
            except Exception as error:
                found.append((type(error), str(error)))
        same(shown(found[1]), shown(found[0]), where=f"call {call}")
        same(shown(vars(ours)), shown(vars(plain)), where=f"state after call {call}")
    if change is nothing and program not in IN_PIECES:
        assert jitted.stats.replays >= 8, jitted.stats
        assert jitted.stats.host_calls == 0


def shown(value: Any) -> Any:
    """Dicts as their types, functions for what is not there, and items in order."""
    if isinstance(value, dict):
        factory = getattr(value, "default_factory", None)
        return type(value).__name__, factory, [(key, shown(item)) for key, item in value.items()]
    return type(value)(map(shown, value)) if type(value) in (list, tuple) else value


def first_of(p, k):
    return p["w"] * k + p["b"] + len(p)


@pytest.fixture
def arguments() -> Iterator[Any]:
    yield OrderedDict(w=np.arange(3.0), b=1.0)


def test_as_arguments(arguments: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(first_of)
    for call in range(8):
        if call == 4:
            arguments["more"] = 1
            arguments.move_to_end("b", last=False)
        same(jitted(arguments, 2.0 + call), first_of(arguments, 2.0 + call), where=f"call {call}")
    assert jitted.stats.replays == 6
    same(jitted(dict(arguments), 2.0), first_of(arguments, 2.0))


class Shy:
    """What shows one runs code of the user's, which may need what is not there yet."""

    def __str__(self) -> str:
        raise RuntimeError("shown")

    __repr__ = __str__


def by_shy_keys(d: Any, key: Any, x: Any) -> Any:
    d[key] = x * d[key]
    return [d[one] + 1 for one in d], {key: x * 2}[key]


def test_keys_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted, key = npcompile.jit(by_shy_keys), Shy()
    for call in range(3):
        ours, plain = {key: np.arange(3.0)}, {key: np.arange(3.0)}
        same(jitted(ours, key, float(call)), by_shy_keys(plain, key, float(call)))
        same(ours[key], plain[key])
    assert not jitted.stats.reasons
