"""Native loops read and store attributes of users' objects, as Python does."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest

import npcompile
from npcompile.diagnostics.stats import Stats
from npcompile.frontend.loops.entry.objects import objects_of
from npcompile.frontend.loops.run.iterators import state_of


class Grid:
    """An object as users write them."""

    scale = 0.25

    def __init__(self, n: int = 6) -> None:
        self.x: Any = np.arange(float(n))
        self.y: Any = self.x[::-1]
        self.dt: Any = 0.5
        self.count: Any = 0
        self.small: Any = np.float32(1.5)
        self.last: Any = None
        self.names = ["a"]


class Sets(Grid):
    """An object that notes which attributes are stored."""

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__.setdefault("noted", []).append((name, repr(value)))
        self.__dict__[name] = value


class Counted(Grid):
    """An object with a property."""

    @property
    def total(self) -> Any:
        self.__dict__["reads"] = self.__dict__.get("reads", 0) + 1
        return self.__dict__["reads"]


class Asks(Grid):
    """An object that answers for attributes that it lacks, and for those that it has."""

    def __getattribute__(self, name: str) -> Any:
        value = object.__getattribute__(self, name)
        if name == "count":
            object.__setattr__(self, "asked", object.__getattribute__(self, "__dict__").get("asked", 0) + 1)
        return value


class Slots:
    """An object without a dictionary."""

    __slots__ = ("count", "x")

    def __init__(self) -> None:
        self.x: Any = np.arange(5.0)
        self.count: Any = 3


@dataclass(frozen=True)
class Frozen:
    """An object whose attributes are not stored."""

    x: Any = field(default_factory=lambda: np.arange(4.0))
    mass: float = 2.5


class Point(NamedTuple):
    """A tuple with names."""

    mass: Any
    at: Any


def state(value: Any, seen: dict[int, int] | None = None) -> Any:
    """Return all that tells objects apart: values, types, and which of them are one."""
    seen = {} if seen is None else seen
    if id(value) in seen and not isinstance(value, int | float | str | np.generic | type(None)):
        return "again", seen[id(value)]
    seen[id(value)] = len(seen)
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.strides, value.tobytes(), value.base is None
    if isinstance(value, tuple | list):
        return type(value).__name__, [state(one, seen) for one in value]
    if isinstance(value, Slots):
        return [(name, state(getattr(value, name), seen)) for name in ("x", "count") if hasattr(value, name)]
    if hasattr(value, "__dict__"):
        return type(value).__name__, [(name, state(one, seen)) for name, one in vars(value).items()]
    return type(value).__name__, repr(value)


def outcome(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    given = copy.deepcopy(args)
    try:
        answer: Any = function(*given)
    except Exception as error:
        answer = error.__class__, str(error), _lines(error)
    return state((answer, given))


def _lines(error: Exception) -> list[int]:
    """Return the lines of this file at which an exception passed, but for the line of `outcome`."""
    lines = []
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == __file__:
            lines.append(traceback.tb_lineno)
        traceback = traceback.tb_next
    return lines[1:]


def check(function: Callable[..., Any], *arguments: tuple[Any, ...], native: bool = True) -> Stats:
    """Assert that calls do what plain Python does, natively unless said otherwise."""
    jitted = npcompile.jit(function, wait=True)
    for args in arguments:
        for call in range(3):
            assert outcome(jitted, args) == outcome(function, args), f"call {call}"
    assert (jitted.stats.loop_entries > 0) == native, jitted.stats
    return jitted.stats


def moves(self: Any, v: Any, n: Any) -> Any:
    for i in range(n):
        self.x[i] += self.dt * v[i]
        self.count += 1
        self.last = i
    return self.count


def test_items_and_numbers() -> None:
    stats = check(moves, (Grid(), np.ones(6), 6))
    assert stats.loop_leaves == 0


def test_what_was_stored_stays_where_an_index_is_out_of_bounds() -> None:
    check(moves, (Grid(), np.ones(9), 9))


def test_no_trips_store_nothing() -> None:
    check(moves, (Grid(), np.ones(6), 0))


def test_a_number_that_python_makes_big() -> None:
    grid = Grid()
    grid.count = (1 << 63) - 3
    stats = check(moves, (grid, np.ones(6), 6))
    assert stats.loop_leaves > 0


def sums(self: Any, n: Any) -> Any:
    self.count = 0
    for i in range(n):
        self.count += self.x[i] * self.scale
        self.small *= 2
    return self.count, self.small


def test_a_number_takes_another_type() -> None:
    assert check(sums, (Grid(), 6), (Grid(), 0), (Grid(), 1)).loop_leaves == 0


def two(one: Any, other: Any, n: Any) -> Any:
    for i in range(n):
        one.count += 1
        other.count += one.count
        other.x[i] = one.x[i - 1] + other.count
    return one.count, other.count


def test_two_names_of_one_object() -> None:
    grid = Grid()
    check(two, (grid, grid, 6), (Grid(), Grid(), 6), (grid, grid, 5))


def swaps(self: Any, n: Any) -> Any:
    for i in range(n):
        self.x, self.y = self.y, self.x
        self.x[i] += i
    return self.x


def test_arrays_change_places() -> None:
    check(swaps, (Grid(), 5), (Grid(), 4))


def makes(self: Any, n: Any) -> Any:
    for i in range(n):
        made = np.zeros(3)
        made[i % 3] = self.x[i]
        self.last = made
    return made


def test_an_array_made_in_the_loop() -> None:
    check(makes, (Grid(), 5))


def nested(pair: Any, n: Any) -> Any:
    for i in range(n):
        pair.one.count += i
        pair.other.x[i] = pair.one.count
        pair.total += pair.other.count
    return pair.total


class Pair:
    def __init__(self, one: Any, other: Any) -> None:
        self.one, self.other, self.total = one, other, 0


def test_objects_within_objects() -> None:
    grid = Grid()
    check(nested, (Pair(Grid(), Grid()), 5), (Pair(grid, grid), 5))


def mass(p: Any, n: Any) -> Any:
    total = 0.0
    for i in range(n):
        total += p.mass * i
    return total


def test_named_tuples_and_frozen_dataclasses() -> None:
    check(mass, (Point(2.5, 1), 5), (Frozen(), 5), (Point(np.float32(2), 1), 5))


def sets_mass(p: Any, n: Any) -> Any:
    for i in range(n):
        p.x[i] = p.mass
        p.mass = 2.0
    return p.mass


def test_stores_that_are_refused() -> None:
    check(sets_mass, (Frozen(), 3), native=False)


def adds(self: Any, n: Any) -> Any:
    for i in range(n):
        self.x += i
        self.x[i] = self.count
    return self.x


def test_in_place_operations_store_the_array() -> None:
    check(adds, (Grid(), 5))
    check(adds, (Frozen(), 3), native=False)


def test_slots() -> None:
    def counts(self: Any, n: Any) -> Any:
        for i in range(n):
            self.x[i] = self.count
            self.count += 2
        return self.count

    check(counts, (Slots(), 5), (Slots(), 7))


@pytest.mark.parametrize("kind", [Sets, Asks])
def test_objects_with_code_for_attributes(kind: Any) -> None:
    def counts(self: Any, v: Any, n: Any) -> Any:
        for i in range(n):
            self.count += 1
            v[i] += self.count
        return v

    check(counts, (kind(), np.ones(5), 5), native=False)


def test_properties() -> None:
    def counts(self: Any, v: Any, n: Any) -> Any:
        for i in range(n):
            v[i] += self.total
        return v

    check(counts, (Counted(), np.ones(5), 5), native=False)


def tells(self: Any, v: Any, n: Any) -> Any:
    for i in range(n):
        self.count += 1
        v[i] += self.count
        if i % 40 == 39:
            v[i] = told(self)
            self.count *= 3
    return v


def told(grid: Any) -> float:
    return float(repr((grid.count, grid.small)).count("1")) + grid.count


def test_python_sees_what_was_stored() -> None:
    assert check(tells, (Grid(3), np.ones(120), 120)).loop_leaves > 0


def missing(self: Any, v: Any, n: Any) -> Any:
    for i in range(n):
        v[i] += self.dt
        if i == n - 2:
            self.fresh = i
        if i == n - 1:
            v[i] += self.lacks
    return v


def test_attributes_that_are_not_there() -> None:
    check(missing, (Grid(), np.ones(50), 50))


def test_an_attribute_becomes_a_property() -> None:
    class Changing(Grid):
        pass

    def counts(self: Any, v: Any) -> Any:
        for i in range(len(v)):
            v[i] += self.dt
        return v

    jitted = npcompile.jit(counts, wait=True)
    grid = Changing()
    for _ in range(3):
        np.testing.assert_array_equal(jitted(grid, np.ones(4)), np.full(4, 1.5))
    Changing.dt = property(lambda self: 3.0)
    np.testing.assert_array_equal(jitted(grid, np.ones(4)), np.full(4, 4.0))


def test_an_attribute_that_is_not_changed_stays_the_object() -> None:
    def counts(self: Any, v: Any) -> Any:
        for i in range(len(v)):
            v[i] += self.dt
            if v[i] > 100:
                self.dt = 1.0
                self.count += 1
        return v

    jitted = npcompile.jit(counts, wait=True)
    grid = Grid()
    grid.dt, grid.count = float("1.25"), int("123456")
    dt, count = grid.dt, grid.count
    for _ in range(3):
        jitted(grid, np.ones(4))
        assert grid.dt is dt
        assert grid.count is count
    assert jitted.stats.loop_entries > 0


BOARD = Grid()


def test_objects_of_the_module() -> None:
    def counts(v: Any) -> Any:
        for i in range(len(v)):
            BOARD.count += 1
            v[i] += BOARD.dt
        return v, BOARD.count

    jitted = npcompile.jit(counts, wait=True)
    for _ in range(4):
        BOARD.count = 0
        answer, count = jitted(np.ones(4))
        np.testing.assert_array_equal(answer, np.full(4, 1.5))
        assert (count, BOARD.count) == (4, 4)
    assert jitted.stats.loop_entries > 0


def test_the_state_of_an_iterator_is_no_object_of_the_user_s() -> None:
    assert objects_of({".iterator0": state_of(iter(np.ones(2)))}, ["np.sqrt"]) is None


class Walk:
    """An object with methods."""

    def __init__(self, n: int) -> None:
        self.x: Any = np.zeros(n)
        self.grid = Grid(n)
        self.speed: Any = 0.5
        self.limit: Any = n
        self.steps: Any = 0

    def pull(self, i: Any, by: Any = 2) -> Any:
        return self.grid.x[i] * self.speed / by

    def bounded(self, i: Any) -> Any:
        return self.pull(i) if i < self.limit else self.pull(i - 1, by=4)

    def step(self, i: Any) -> None:
        self.x[i] = self.bounded(i)
        self.x[i + 1] += self.clipped(self.x[i])

    def stumble(self, i: Any) -> None:
        self.x[i] += self.speed
        if i % 30 == 29:
            self.steps += self.limit
            self.x[i] = self.steps

    def count(self, i: Any) -> Any:
        self.steps += i
        return self.steps

    @staticmethod
    def clipped(value: Any) -> Any:
        return value if value < 1.0 else value - 1.0

    def depth(self, i: Any) -> Any:
        return 0 if i <= 0 else 1 + self.depth(i - self.speed)


def pulls(self: Any, v: Any) -> Any:
    for i in range(len(v)):
        v[i] = self.bounded(i) + self.clipped(v[i])
    return v


def test_methods_that_read() -> None:
    assert check(pulls, (Walk(6), np.ones(6))).loop_leaves == 0


def test_an_exception_within_a_method() -> None:
    check(pulls, (Walk(6), np.ones(9)))


def walks(self: Any, n: Any) -> Any:
    for i in range(n):
        self.step(i)
        self.steps += 1
    return self.steps


def test_methods_that_change_arrays() -> None:
    stats = check(walks, (Walk(6), 5))
    assert (stats.loop_leaves, stats.native_loops) == (0, 1)


def test_an_exception_after_a_method_changed_an_array() -> None:
    check(walks, (Walk(6), 6))


def stumbles(self: Any, n: Any) -> Any:
    for i in range(n):
        self.stumble(i)
        self.limit += 1
    return self.steps


def test_a_method_that_is_left_half_way() -> None:
    """The sum is beyond 64 bits from the second time on, and the item before it is stored."""
    walk = Walk(90)
    walk.steps = 2**63 - 150
    assert check(stumbles, (walk, 90)).loop_leaves > 0
    assert check(stumbles, (Walk(90), 90)).loop_leaves == 0


def counts_by_method(self: Any, v: Any) -> Any:
    for i in range(len(v)):
        v[i] += self.speed
        if i % 30 == 29:
            v[i] = self.count(i)
            self.speed += 1
    return v


def test_methods_that_store_attributes() -> None:
    assert check(counts_by_method, (Walk(6), np.ones(90))).loop_leaves == 0


def recurses(self: Any, v: Any) -> Any:
    for i in range(len(v)):
        v[i] = self.depth(i)
    return v


def test_a_method_that_calls_itself() -> None:
    check(recurses, (Walk(6), np.ones(9)))


def force(one: Any, other: Any, i: Any) -> Any:
    return one.x[i] * other.dt + other.x[i] * one.scale


def forces(one: Any, other: Any, v: Any) -> Any:
    for i in range(len(v)):
        v[i] = force(one, other, i)
        v[i] += force(other=one, one=other, i=i)
        one.dt += v[i]
    return v


def test_functions_of_objects() -> None:
    grid = Grid()
    assert check(forces, (Grid(), Grid(), np.ones(6)), (grid, grid, np.ones(6))).loop_leaves == 0


def test_another_method_of_the_class_and_of_the_object() -> None:
    class Other(Walk):
        pass

    jitted = npcompile.jit(pulls, wait=True)

    def same(walk: Any) -> None:
        for _ in range(2):
            np.testing.assert_array_equal(jitted(walk, np.ones(4)), pulls(walk, np.ones(4)))

    walk = Other(6)
    same(walk)
    Other.bounded = lambda self, i: self.speed * i  # type: ignore[method-assign]
    same(walk)
    walk.bounded = lambda i: -i  # type: ignore[method-assign]
    same(walk)


class Hidden:
    """An object with a private attribute, and one of the very name as it is written."""

    def __init__(self) -> None:
        self.__rate: Any = 0.5
        vars(self)["__rate"] = 7.0

    def runs(self, v: Any) -> Any:
        for i in range(len(v)):
            v[i] += self.__rate
        return v


def test_private_names() -> None:
    jitted = npcompile.jit(Hidden.runs, wait=True)
    for _ in range(3):
        np.testing.assert_array_equal(jitted(Hidden(), np.ones(3)), np.full(3, 1.5))


def counts_no_trip(self: Any, n: Any) -> Any:
    for i in range(n):
        self.x[i] = i
        if n is None:
            self.count += 1
    return self.x


def test_an_int_of_many_bits_that_the_loop_does_not_read() -> None:
    given = Slots()
    given.count = 1 << 50
    check(counts_no_trip, (given, 4))
