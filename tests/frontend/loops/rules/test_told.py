"""An item whose type alone counts is looked at, too: a list may hold items of another type than expected."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

import npcompile


def asks_none(x: Any) -> Any:
    found = 0
    for i in range(len(x)):
        if x[i] is None:
            x[i] = i
            found += 1
        elif x[i] is not None:
            found += 10
    return found


def asks_none_within(x: Any) -> Any:
    found = 0
    for i in range(len(x)):
        if i > 2 and x[i] is not None and i < 9:
            found += 1
        found += 100 if x[i] is None or i == 5 else 3
        seen = not x[i] is None  # noqa: E714
        found += seen
    return found


def while_none(x: Any) -> Any:
    i = steps = 0
    while steps < 40:
        steps += 1
        while i < len(x) and x[i] is not None:
            i += 1
        i = (i + 1) % len(x)
    return i, steps


def truths(x: Any) -> Any:
    found = 0
    for i in range(len(x)):
        if x[i]:
            found += 1
        if not x[i]:
            found += 10
        found += 5 if x[i] and i else 7
    return found


def lengths(x: Any) -> Any:
    found = 0
    for i in range(len(x)):
        found += len(x[i])
    return found


def compared(x: Any) -> Any:
    found = 0
    for i in range(len(x)):
        if x[i] == (1, 2, 3):
            found += 1
        found += x[i] != (4,)
    return found


def unused(x: Any) -> Any:
    def second(item: Any, value: Any) -> Any:
        return value

    found = 0
    for i in range(len(x)):
        found += second(len(x[i]), i)
    return found


def of_dict(x: Any) -> Any:
    found = 0
    for i in range(len(x)):
        if x[i] is None:
            found += 1
    return found


MANY = 40
INTS = [3, 4, None, None, 5, None, 7, 8, 9, 10, 11, 12]
PAIRS = [(1, 2), (3, 4), (), None, (5, 6, 7), (8, 9), 3, 4, "ab", (1, 2)]
ROWS = [[1, 2], [3], None, [], None, [4, 5], 3, [6]]
CASES: list[tuple[Callable[..., Any], Any]] = [
    (asks_none, INTS),
    (asks_none, PAIRS),
    (asks_none, ROWS),
    (asks_none_within, INTS),
    (asks_none_within, PAIRS),
    (while_none, INTS),
    (while_none, PAIRS),
    (truths, INTS),
    (truths, PAIRS),
    (truths, ROWS),
    (lengths, PAIRS[:3] + PAIRS[4:6]),
    (lengths, PAIRS),
    (compared, PAIRS),
    (compared, PAIRS[:6]),
    (unused, PAIRS[:3] + PAIRS[8:]),
    (unused, PAIRS),
    (of_dict, dict(enumerate(INTS * MANY))),
    (of_dict, dict(enumerate(PAIRS * MANY))),
]


@pytest.mark.parametrize("place", range(len(CASES)))
def test_items_of_other_types_are_seen(place: int) -> None:
    function, items = CASES[place]
    items = items * MANY if isinstance(items, list) else items
    jitted = npcompile.jit(function, wait=True)
    regular = [items[0]] * len(items) if isinstance(items, list) else dict.fromkeys(items, items[0])
    for given in (regular, items, regular, items, items):
        mine, plain = copy.deepcopy(given), copy.deepcopy(given)
        try:
            want = function(plain)
        except TypeError as error:
            with pytest.raises(TypeError) as raised:
                jitted(mine)
            assert str(raised.value) == str(error)
        else:
            assert jitted(mine) == want
        assert mine == plain
        jitted.wait()
    assert jitted.stats.loop_entries
