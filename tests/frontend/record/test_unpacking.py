"""What is taken apart, gone over or put into a list: where each number comes from is known at each call."""

from __future__ import annotations

import itertools
import math
import sys
from collections import deque, namedtuple
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

CALLS = 4

Triple = namedtuple("Triple", "a b c")


class Row:
    def __init__(self, *items: Any) -> None:
        self.items = items

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)


def flat(x: Any) -> Any:
    a, b, c, d = x.flat
    return math.atan2(a + b, d), c


def flat_star(x: Any) -> Any:
    a, *b = x.flat
    return a * 2 + b[0], x.T.flat


def flat_of_columns(x: Any) -> Any:
    a, b, _, _ = x.T.flat
    return a * 2 + b


def flat_iterator(x: Any) -> Any:
    a, *b = iter(x.flat)
    return a * 2 + b[2]


def too_many(x: Any) -> Any:
    it = x.flat
    try:
        a, b = it
    except ValueError as error:
        return str(error), it.index
    return a, b


def zipped(x: Any) -> Any:
    return [a + b for a, b in zip(x.flat, x.flat, strict=True)]


def zipped_columns(x: Any) -> Any:
    return [a + b for a, b in zip(x.flat, x.T.flat, strict=True)]


def zipped_with_range(x: Any) -> Any:
    total = 0.0
    for a, b in zip(x.flat, range(4), strict=True):
        total = total + a * b
    return total


def numbered(x: Any) -> Any:
    return {place: a * 2 for place, a in enumerate(x.flat)}


def zip_of_one(x: Any) -> Any:
    a, *_ = zip(x.flat)
    return a[0] * 2


def memory(x: Any) -> Any:
    a, b = memoryview(x[0])
    return a * 2 + b


def broadcast(x: Any) -> Any:
    (a, b), _, _, _ = np.broadcast(x, x + 1)
    return a * 2 + b


def in_any_order(x: Any) -> Any:
    a, b, _, _ = np.nditer(x)
    return a * 2 + b


def with_places(x: Any) -> Any:
    (_, a), (_, b), _, _ = np.ndenumerate(x)
    return a * 2 + b


def nested(x: Any) -> Any:
    total = 0.0
    for a, b in [iter(x[0]), x[1].flat]:
        total = total + a * 2 + b
    return total


def starred_object(x: Any) -> Any:
    a, *b = Row(*x.flat)
    *c, d = Row(*x.flat)
    return a, b, c, d * 2


def starred_tuple(x: Any) -> Any:
    a, *b = Triple(x[0, 0], x[1, 0], x[1, 1])
    *c, d = Triple(*x[0], x[1, 1])
    return a * 2, b, c, d


def extended(x: Any) -> Any:
    made: list[Any] = []
    made.extend(x[0])
    made.extend(x.flat)
    return made[0] * 2 + made[4]


def extended_by_zip(x: Any) -> Any:
    made: list[Any] = []
    made.extend(zip(x[0], x.T.flat))  # noqa: B905  # as long as the shorter
    return made[1][1] * 2


def added(x: Any) -> Any:
    made: list[Any] = [1]
    made += x.flat
    return made[1] * 2 + made[4]


def replaced(x: Any) -> Any:
    made: list[Any] = [1, 2, 3]
    made[:2] = x[1]
    return made[0] * 2 + made[1]


def inserted(x: Any) -> Any:
    made: list[Any] = [1, 2]
    made[1:1] = x.flat
    return made[1] * 2 + made[4]


def every_second(x: Any) -> Any:
    made: list[Any] = [0, 0, 0, 0]
    made[::2] = x[1]
    return made[0] * 2 + made[2]


def in_a_deque(x: Any) -> Any:
    a, *b = deque(x.flat)
    return a * 2, b, list(itertools.chain(x.flat))[2] * 2


FUNCTIONS = [flat, flat_star, flat_of_columns, flat_iterator, too_many, zipped, zipped_columns]
FUNCTIONS += [zipped_with_range, numbered, zip_of_one, memory, broadcast, in_any_order, with_places, nested]
FUNCTIONS += [starred_object, starred_tuple, extended, extended_by_zip, added, replaced, inserted]
FUNCTIONS += [every_second, in_a_deque]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_other_values_give_another_answer(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(f)
    for call in range(CALLS):
        x = np.arange(4.0).reshape(2, 2) * (call + 1) + call
        same(plain(jitted(x)), plain(f(x)))
    if f in (flat, flat_iterator, zipped, zipped_with_range, numbered, extended, starred_object):
        assert jitted.stats.replays


def plain(value: Any) -> Any:
    """Flat views as what they give."""
    if isinstance(value, tuple):
        return tuple(plain(item) for item in value)
    return list(value) if isinstance(value, np.flatiter) else value


def first_two(items: Any) -> Any:
    a, b = items
    return a * 2 + b


GIVEN = {
    "iterator": lambda k: iter([k, 2.0]),
    "map": lambda k: map(float, [k, k + 1]),
    "flat": lambda k: np.array([k, 1.0]).flat,
    "set": lambda k: {k, k + 1.0},
    "zip": lambda k: iter(next(zip([k], [2.0], strict=True))),
}


@pytest.mark.parametrize("kind", GIVEN)
def test_what_is_given_is_drawn_at_each_call(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(first_two)
    for call in range(CALLS):
        same(jitted(GIVEN[kind](float(call))), first_two(GIVEN[kind](float(call))))


def test_a_long_loop_unpacks_its_items_without_hooks_once_recording_is_over() -> None:
    def sums(items: list[int]) -> int:
        total = 0
        for one, other in itertools.product(items, items):
            total += one ^ other
        return total

    calls = 0

    def count(frame: FrameType, event: str, _: Any) -> None:
        nonlocal calls
        calls += event == "call" and Path(frame.f_code.co_filename).name == "unpacking.py"

    items = [*range(40)]
    jitted = npcompile.jit(sums)
    sys.setprofile(count)
    try:
        answer = jitted(items)
    finally:
        sys.setprofile(None)
    assert answer == sums(items)
    assert jitted.stats.recordings == 1
    assert calls < 400  # two a trip were 3,200
