"""The native runtime enters loops that take objects, functions and containers as Python's packing does."""

from __future__ import annotations

import copy
import gc
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import npcompile
from npcompile.frontend.loops.run.exchange import Exchange


class Ball:
    """An object with a dictionary, and an attribute of its class."""

    gravity = 0.5

    def __init__(self, n: int = 5) -> None:
        self.x: Any = np.arange(float(n))
        self.count: Any = 1
        self.path: Any = [0.5, 1.5]
        self.other: Any = None

    def moved(self, step: Any) -> Any:
        """Return a place, and count."""
        self.count += 1
        return self.x[1] + step


class Slotted:
    """An object without a dictionary."""

    __slots__ = ("count", "x")

    def __init__(self) -> None:
        self.x: Any = np.arange(4.0)
        self.count: Any = 2


@dataclass
class Rates:
    """An object with defaults of its class."""

    rate: Any = 0.25
    count: Any = 0


class Place(NamedTuple):
    """A tuple with names."""

    x: Any
    y: Any


def adds(ball: Any, n: int) -> Any:
    for i in range(n):
        ball.count += i
        ball.x[i % len(ball.x)] += 0.5
    return ball.count


def grows(ball: Any, n: int) -> Any:
    total = 0.0
    for i in range(n):
        ball.path.append(i * ball.gravity)
        total += ball.path[i]
    return total


def calls(ball: Any, n: int) -> Any:
    total = 0.0
    for i in range(n):
        total += ball.moved(i)
    return total


def two(one: Any, other: Any, n: int) -> Any:
    for i in range(n):
        one.count += other.count + i
    return one.count


def inner(ball: Any, n: int) -> Any:
    for i in range(n):
        ball.other.count += ball.count + i
    return ball.other.count


def rated(rates: Any, n: int) -> Any:
    total = 0.0
    for i in range(n):
        total += rates.rate * i
        rates.count += 1
    return total


def placed(place: Any, n: int) -> Any:
    total = 0
    for i in range(n):
        total += place.x * i + place.y
    return total


def recorded(record: Any, x: Any) -> Any:
    for i in range(len(x)):
        record["count"] += x[i] * record["rate"]
    return record["count"]


def known_missing(ball: Any, n: int) -> Any:
    total = 0
    for i in range(n):
        total += i if ball.other is None else 2 * i
    return total


def known_true(ball: Any, n: int) -> Any:
    total = 0
    for i in range(n):
        total += i if ball.other else 2 * i
    return total


def known_kind(ball: Any, n: int) -> Any:
    total = 0
    for i in range(n):
        total += i if isinstance(ball.other, float) else 2 * i
    return total


def chained(ball: Any, n: int) -> Any:
    found = []
    while ball is not None:
        found.append(ball.count)
        ball = ball.other
    return found


def captured(x: Any, n: int, scale: Any) -> Any:
    seen = 0

    def weight(k: Any, shift: Any = 0.5) -> Any:
        nonlocal seen
        seen += 1
        return k * scale + shift

    total = 0.0
    for i in range(n):
        total += weight(i) * x[i % len(x)]
    return total, seen


def contained(items: Any, table: Any, pair: Any, text: Any, n: int) -> Any:
    total = 0
    for i in range(n):
        total += items[i % len(items)] * pair[0] + table[1] + (text[i % len(text)] == "a")
        items.append(total % 7)
    return total + pair[1]


def drained(queue: Any, n: int) -> Any:
    total = 0
    for i in range(n):
        total += queue.popleft()
        queue.append(i)
    return total


SETTINGS = np.arange(6.0)


def reads_module(n: int) -> Any:
    total = 0.0
    for i in range(n):
        total += SETTINGS[i % 6]
    return total


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (adds, (Ball(), 30)),
    (adds, (Slotted(), 30)),
    (grows, (Ball(), 30)),
    (calls, (Ball(), 30)),
    (two, (Ball(), Rates(), 30)),
    (rated, (Rates(), 30)),
    (placed, (Place(2, 3), 30)),
    (recorded, ({"rate": 2, "count": 1.0}, np.arange(30.0))),
    (captured, (np.arange(4.0), 30, 1.5)),
    (contained, ([1, 2, 3], {1: 5}, (2, 3), "banana", 30)),
    (drained, (deque([1, 2, 3]), 30)),
    (reads_module, (30,)),
]


@pytest.fixture
def packed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Note the entries of which Python packs the values."""
    found: list[Any] = []
    pack = Exchange.pack
    monkeypatch.setattr(Exchange, "pack", lambda self, names: (found.append(names), pack(self, names))[1])
    yield found


def alike(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and bool(np.array_equal(one, other))
    if isinstance(one, Slotted):
        return alike([one.x, one.count], [other.x, other.count])
    if isinstance(one, Ball | Rates):
        return alike(vars(one), vars(other))
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return alike([*one.items()], [*other.items()])
    if isinstance(one, list | tuple | deque):
        return len(one) == len(other) and all(map(alike, one, other))
    return bool(one == other)


def same(jitted: Any, args: tuple[Any, ...]) -> None:
    """Assert that a call does what the plain function does."""
    mine, plain = copy.deepcopy(args), copy.deepcopy(args)
    assert alike(jitted(*mine), jitted.__wrapped__(*plain))
    assert alike(mine, plain)


def entered(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """Return a jitted function whose loop is entered without Python for these arguments."""
    jitted = npcompile.jit(function, wait=True)
    for _ in range(300):
        same(jitted, args)
        jitted.wait()
        if jitted.stats.loop_entries > 9:
            break
    return jitted


@pytest.mark.parametrize(
    "case", CASES, ids=[f"{case[0].__name__}-{type(case[1][0]).__name__}" for case in CASES]
)
def test_python_packs_nothing(case: Any, packed: list[Any]) -> None:
    function, args = case
    jitted = entered(function, args)
    packed.clear()
    before = jitted.stats.loop_entries
    for _ in range(9):
        same(jitted, args)
    assert jitted.stats.loop_entries > before
    assert not packed


def test_attributes_of_other_types_and_places_are_seen() -> None:
    jitted = entered(adds, (Ball(), 30))
    balls = [Ball() for _ in range(6)]
    balls[0].count = 1.5
    balls[1].x = np.arange(5)
    del balls[2].count
    balls[3].count = 1 << 62
    balls[4].x = [1.0, 2.0]
    balls[5].gravity = 2
    for ball in balls[:2] + balls[3:]:
        same(jitted, (ball, 30))
    with pytest.raises(AttributeError):
        jitted(balls[2], 30)
    same(jitted, (Slotted(), 30))


@pytest.mark.parametrize("function", [known_missing, known_true, known_kind])
@pytest.mark.parametrize("first", [None, 1.5, 3, np.float32(2)], ids=repr)
def test_attributes_that_only_their_types_are_asked_of(function: Any, first: Any) -> None:
    ball = Ball()
    ball.other = first
    jitted = entered(function, (ball, 30))
    for other in (None, 0.0, 2.5, 0, True, 1 << 50, 1 << 70, np.float32(0), "", (), [1], np.ones(1), Rates()):
        ball.other = other
        same(jitted, (ball, 30))
        jitted.wait()


def test_a_chain_that_had_one_link() -> None:
    jitted = entered(chained, (Ball(), 30))
    ball = Ball()
    for count in range(4):
        ball.count = count
        same(jitted, (ball, 30))
        longer = Ball()
        longer.other, ball = ball, longer


def test_changes_of_a_class_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    jitted = entered(calls, (Ball(), 30))
    monkeypatch.setattr(Ball, "moved", lambda self, step: self.x[2] * step)
    same(jitted, (Ball(), 30))
    monkeypatch.undo()
    same(jitted, (Ball(), 30))
    own = Ball()
    own.moved = max  # type: ignore[method-assign]
    with pytest.raises(TypeError):
        jitted(own, 30)
    grown = entered(grows, (Ball(), 30))
    monkeypatch.setattr(Ball, "gravity", 3)
    same(grown, (Ball(), 30))
    own = Ball()
    own.gravity = 0.125
    same(grown, (own, 30))


def test_a_property_that_a_class_gets_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    jitted = entered(adds, (Ball(), 30))
    asked = []
    monkeypatch.setattr(
        Ball, "count", property(lambda self: asked.append(1) or 3, lambda self, value: None), raising=False
    )
    made = Ball()
    made.__dict__["count"] = 7
    assert jitted(made, 30) == 3
    assert len(asked) == 31


def test_one_object_by_two_names() -> None:
    jitted = entered(two, (Ball(), Ball(), 30))
    one, plain = Ball(), Ball()
    assert jitted(one, one, 30) == two(plain, plain, 30)
    assert one.count == plain.count


def test_an_object_that_is_its_own_attribute() -> None:
    ball = Ball()
    ball.other = Ball()
    jitted = entered(inner, (ball, 30))
    one, plain = Ball(), Ball()
    one.other, plain.other = one, plain
    assert jitted(one, 30) == inner(plain, 30)
    assert one.count == plain.count


def test_a_record_that_is_the_dictionary_of_an_object() -> None:
    def both(ball: Any, record: Any, n: int) -> Any:
        for i in range(n):
            ball.count += record["count"] + i
        return record["count"]

    jitted = entered(both, (Ball(), {"count": 1, "text": "longer"}, 30))
    one, plain = Ball(), Ball()
    assert jitted(one, vars(one), 30) == both(plain, vars(plain), 30)
    assert one.count == plain.count


def test_functions_that_share_a_variable_and_those_that_do_not() -> None:
    def counter() -> tuple[Any, Any]:
        count = 0

        def up() -> Any:
            nonlocal count
            count += 1
            return count

        def down() -> Any:
            nonlocal count
            count -= 2
            return count

        return up, down

    def turns(up: Any, down: Any, n: int) -> Any:
        total = 0
        for i in range(n):
            total += up() * i - down()
        return total

    jitted = npcompile.jit(turns, wait=True)
    for _ in range(12):
        assert jitted(*counter(), 30) == turns(*counter(), 30)
        jitted.wait()
    assert jitted(counter()[0], counter()[1], 30) == turns(counter()[0], counter()[1], 30)
    assert jitted(*counter(), 30) == turns(*counter(), 30)


def test_lists_are_what_they_were_when_the_loop_was_typed() -> None:
    jitted = entered(contained, ([1, 2, 3], {1: 5}, (2, 3), "banana", 30))
    same(jitted, ([1.5, 2, 3], {1: 5}, (2, 3), "banana", 30))
    same(jitted, ([1, 2, 3], {1: 5.5}, (2, 3), "banana", 30))
    same(jitted, ([1, 2, 3], {1: 5}, (2.5, 3), "banana", 30))
    same(jitted, ([1, 2, 3], {1: 5}, (2, 3), b"banana", 30))
    same(jitted, ([1, 2.5, "a" * 3], {1: 5}, (0, 3), "banana", 2))


def test_exceptions_leave_attributes_as_python_does() -> None:
    def divides(ball: Any, n: int) -> Any:
        for i in range(n):
            ball.count += 1
            ball.x[i] = 1 / (n - 2 - i)

    jitted = npcompile.jit(divides, wait=True)
    for _ in range(12):
        jitted(Ball(40), 1)
        jitted.wait()
    one, plain = Ball(40), Ball(40)
    for function, ball in ((jitted, one), (divides, plain)):
        with pytest.raises(ZeroDivisionError):
            function(ball, 30)
    assert alike(one, plain)


def test_an_entry_keeps_no_object_alive() -> None:
    jitted = entered(adds, (Ball(), 30))
    ball = Ball()
    jitted(ball, 30)
    seen = weakref.ref(ball)
    del ball
    gc.collect()
    assert seen() is None
