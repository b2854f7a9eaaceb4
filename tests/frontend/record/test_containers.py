"""Containers: what their length, their order or a comparison of what they hold decides is never stale."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

X = np.arange(3.0)
NUMBERS = (3, 5, 4, 3, 1, 300, 301, 3)  # CPython has one object for each of the small ones

Function = Callable[..., Any]

REPEATED: dict[str, Function] = {
    "list": lambda x, n: x.sum() + np.array([1.0] * n),
    "tuple": lambda x, n: x.sum() + np.array((1.0,) * n),
    "number first": lambda x, n: x.sum() + np.array(n * [1.0]),
    "twice": lambda x, n: np.array([([np.nan] * (n - 1)) + ([x.sum()] * n)] * 2),
    "of arrays": lambda x, n: np.concatenate([x] * n),
    "of traced numbers": lambda x, n: np.array([x.sum()] * n),
    "length": lambda x, n: x * len([0] * n),
    "sum": lambda x, n: x * sum([1.0] * n),
    "truth": lambda x, n: x * 2 if [0] * (n - 1) else x,
}


def repeated_in_place(x: Any, n: int) -> Any:
    made = [1.0]
    made *= n
    return x.sum() + np.array(made)


def added_in_place(x: Any, n: int) -> Any:
    made = [x]
    made += [x + 1] * n
    return np.stack(made)


def unpacked(x: Any, n: int) -> Any:
    _, *rest = [1] * n
    return x * len(rest)


def sorted_in_place(x: Any, n: int) -> Any:
    made = [3, n, 1]
    made.sort()
    return x * np.array(made)


def sorted_by(x: Any, n: int) -> Any:
    made = [5, 1, 3]
    made.sort(key=lambda item: abs(item - n))
    return x * np.array(made)


def removed(x: Any, n: int) -> Any:
    made = [3, n, 4, 5, 300, 301, 1]
    made.remove(n)
    return x.sum() * np.array(made)


def updated_set(x: Any, n: int) -> Any:
    made = {1, 2}
    made.update([n])
    return x * len(made)


def defaulted(x: Any, n: int) -> Any:
    made = {(3, 1): 4}
    made.setdefault((n, 1), 6)
    return x * len(made)


COMPARED: dict[str, Function] = {
    "dicts": lambda x, n: x * 2 if {"a": n} == {"a": 3} else x,
    "dicts in a tuple": lambda x, n: x * 2 if ({"a": n},) == ({"a": 3},) else x,
    "dict in a list": lambda x, n: x * 2 if {"a": n} in [{"a": 3}] else x,
    "values of a dict": lambda x, n: x * 2 if 3 in {"a": n}.values() else x,
    "items of a dict": lambda x, n: x * 2 if ("a", 3) in {"a": n}.items() else x,
    "lists": lambda x, n: x * 2 if [[n]] == [[3]] else x,
    "sets": lambda x, n: x * 2 if {n} == {3} else x,
    "any of a generator": lambda x, n: x * 2 if any(v > 3 for v in (n, 1)) else x,
    "all of a generator": lambda x, n: x * 2 if all(v > 3 for v in (n, 4)) else x,
    "any of an array": lambda x, n: x * 2 if any(x > n) else x,
    "any of a list": lambda x, n: x * 2 if any([n - 3, 0]) else x,
    "least of a generator": lambda x, n: x * min(v for v in (n, 4)),
    "most of a generator, or none": lambda x, n: x * max((v for v in (n, 4) if v > 4), default=2),
    "index in a list": lambda x, n: x * [n, 3].index(3),
    "index in a tuple": lambda x, n: x * (300, n, 4, 301, 5, 1, 3).index(n),
    "count": lambda x, n: x * [3, n, 4].count(3),
    "text": lambda x, n: x * 2 if f"{ {'a': n} }" == "{'a': 3}" else x,
    "key that is a tuple": lambda x, n: x * {(3, 1): 4}.get((n, 1), 5),
    "key that is complex": lambda x, n: x * {3j: 4}.get(n * 1j, 5),
    "union": lambda x, n: x * len({1, 2}.union((n,))),
    "bytes": lambda x, n: x * len(b"a".ljust(n)),
}
DEFINED: list[Function] = [
    repeated_in_place, added_in_place, unpacked, sorted_in_place, sorted_by, removed, updated_set, defaulted,
]  # fmt: skip
PROGRAMS = {**REPEATED, **COMPARED, **{fn.__name__: fn for fn in DEFINED}}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_a_number_that_decides_through_a_container(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    plain = PROGRAMS[name]
    jitted = npcompile.jit(plain)
    for n in NUMBERS:
        same(jitted(X, n), plain(X, n))


def test_how_often_a_list_is_repeated_is_a_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(lambda x, n: x.sum() + np.array([1.0] * n))
    for n in (3, 3, 5, 5, 3):
        jitted(X, n)
    assert (jitted.stats.programs, jitted.stats.replays, jitted.stats.divergences) == (2, 3, 2)


class Holder:
    def __init__(self) -> None:
        self.items: set[int] = set()


HELD: set[int] = set()

OF_SETS: dict[str, Function] = {
    "length of an argument": lambda x, s, o: x * len(s),
    "truth of an argument": lambda x, s, o: x * 2 if s else x,
    "length in a list": lambda x, s, o: x * len([s][0]),
    "length of a global": lambda x, s, o: x * len(HELD),
    "truth of a global": lambda x, s, o: x * 2 if not HELD else x,
    "length of an attribute": lambda x, s, o: x * len(o.items),
    "truth of an attribute": lambda x, s, o: x * 2 if o.items else x,
    "what is in an argument": lambda x, s, o: x * 2 if 3 in s else x,
    "sum": lambda x, s, o: x * sum(s),
}


@pytest.mark.parametrize("kind", [set, frozenset])
@pytest.mark.parametrize("name", OF_SETS)
@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_sets_from_outside(name: str, kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    plain, holder = OF_SETS[name], Holder()
    jitted = npcompile.jit(plain)
    for content in ({1, 2}, {1, 2}, {1, 3, 4}, set(), {1}, {5, 6}):
        for held in (HELD, holder.items):
            held.clear()
            held.update(content)
        same(jitted(X, kind(content), holder), plain(X, kind(content), holder))


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_a_list_of_many_small_numbers_is_an_argument_as_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(lambda x, numbers: x * np.array(numbers).sum())
    for numbers in ([1, 2] * 2000, [1, 3] * 2000, [1, 2]):
        same(jitted(X, numbers), X * sum(numbers))
    assert "a container of more than 64 things" in jitted.stats.reasons[0]


NAN = float("nan")
# Containers find a NaN by its identity.
AMONG: list[Callable[[float, float, Any], Any]] = [
    lambda a, b, x: (x * 2, a in [b, 1.0]),
    lambda a, b, x: (x * 2, a not in (1.0, b)),
    lambda a, b, x: (x * 2, [a, 1.0] == [b, 1.0]),
    lambda a, b, x: (x * 2, (a, 1.0) < (b, 2.0)),
    lambda a, b, x: (x * 2, {"k": a} == {"k": b}),
    lambda a, b, x: (x * 2, [1.0, b].count(a)),
    lambda a, b, x: (x * 2, [a, b, 1.0].index(1.0), [b, a].index(a)),
    lambda a, b, x: (x * 2, x[0] in [a, b], [x[0]] == [b], [x[0], 1.0].count(a)),
    lambda a, b, x: (x * 2, a in (NAN, 1.0), [b, 1.0] <= [a, 2.0]),
]


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("fn", AMONG)
def test_a_nan_is_equal_to_none_but_one_object_with_itself(
    fn: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn)
    other = float("nan")
    numbers = [
        (1.5, 2.5),
        (2.5, 2.5),
        (NAN, NAN),
        (1.5, 2.5),
        (NAN, other),
        (2.5, 2.5),
        (NAN, 1.0),
        (1.0, NAN),
    ]
    for first in (3.0, NAN):
        for a, b in [*numbers, *numbers]:
            x = np.array([first, 1.0])
            same(jitted(a, b, x), fn(a, b, x), where=f"{a}, {b}")
    assert jitted.stats.replays


COPIED: dict[str, Callable[[Any], Any]] = {
    "tuple": lambda row: tuple(row) + (2,),
    "times": lambda row: 2 * tuple(row),
    "list": lambda row: list(row) + [2],
    "reversed": lambda row: tuple(reversed(row)) + (2,),
    "zip": lambda row: [a * b for a, b in zip(row, row, strict=True)],
    "enumerate": lambda row: [place * item for place, item in enumerate(row)],
    "iter": lambda row: [*iter(row), 2],
    "next": lambda row: [next(iter(row)), 2],
    "least": lambda row: [min(tuple(row) + (1,)), max(tuple(row))],
    "a part": lambda row: tuple(row)[1:] + (2,),
}


class Held:
    def __init__(self, row: list[Any]) -> None:
        self.row = row


@pytest.mark.parametrize("name", COPIED)
@pytest.mark.parametrize(
    "use", [lambda x, row: x * sum(row), lambda x, row: x + np.prod(row)], ids=["sum", "prod"]
)
def test_copies_of_lists_from_outside(monkeypatch: pytest.MonkeyPatch, name: str, use: Any) -> None:
    """What a list holds is read and checked where it is copied: the copies were of what it had held."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    monkeypatch.setenv("NPCOMPILE_WAIT", "1")
    copied = COPIED[name]

    def fn(x: Any, held: Any) -> Any:
        return use(x, copied(held.row))

    jitted = npcompile.jit(fn)
    for row in ([20, 4], [20, 3], [20, 4], [25, 4], [20, 2], [2, 20]):
        same(jitted(X, Held(row)), fn(X, Held(row)), where=str(row))
