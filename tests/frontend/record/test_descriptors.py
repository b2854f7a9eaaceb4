"""Attributes that a class works out by code of the user's: descriptors and `__getattr__`, followed like other
functions and never stale."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same


class Field:
    """Holds its value in the object, and counts in it how often one was stored."""

    factor = 1.0

    def __set_name__(self, owner, name):
        self.slot = "_" + name

    def __get__(self, obj, owner=None):
        return self if obj is None else getattr(obj, self.slot) * self.factor

    def __set__(self, obj, value):
        setattr(obj, self.slot, np.asarray(value, dtype=float))
        obj.writes += 1


class Negative(Field):
    def __get__(self, obj, owner=None):
        return -getattr(obj, self.slot)


class Once:
    """Worked out at first, then found in the object."""

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, obj, owner=None):
        value = obj.__dict__[self.name] = obj.x.sum()
        return value


class Grid:
    x: Any = Field()
    total = Once()

    def __init__(self, x):
        self.writes = 0
        self.x = x
        self.table = {"shift": 1.5}

    def __getattr__(self, name):
        if name.startswith("twice_"):
            return 2 * getattr(self, name[6:])
        try:
            return self.__dict__["table"][name]
        except KeyError:
            raise AttributeError(name) from None


def read(grid, k):
    return grid.x * k + grid.twice_x


def stored(grid, k):
    grid.x = grid.x * k + 1
    other = Grid(grid.x)
    grid.x += 1
    return grid.x + grid.twice_x + other.x + other.twice_x, grid.writes, other.writes


def made_up(grid, k):
    return grid.x * k + grid.shift


def absent(grid, k):
    try:
        return grid.nothing * k
    except AttributeError as error:
        return str(error), grid.x * k


def once(grid, k):
    return grid.total * k


def of_object(grid: Grid) -> None:
    grid.__dict__["twice_x"] = np.ones(4)
    grid.__dict__["shift"] = 9.0
    grid.nothing = 3.0  # type: ignore[attr-defined]


def of_class(grid: Grid) -> None:
    Grid.twice_x = 7.0  # type: ignore[attr-defined]
    Grid.nothing = 5.0  # type: ignore[attr-defined]


def of_descriptor(grid: Grid) -> None:
    Grid.__dict__["x"].factor = 3.0


def another(grid: Grid) -> None:
    kept = Negative()
    kept.slot = "_x"
    Grid.x = kept


def plain(grid: Grid) -> None:
    value = grid.x
    Grid.x = property(lambda self: value + 100)


def function_of_class(grid: Grid) -> None:
    Field.__get__ = lambda self, obj, owner=None: getattr(obj, self.slot) + 50.0  # type: ignore[assignment]


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("later", [of_object, of_class, of_descriptor, another, plain, function_of_class])
@pytest.mark.parametrize("program", [read, stored, made_up, absent, once])
def test_right_at_each_call(
    program: Callable[..., Any], later: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    kept = {kind: dict(vars(kind)) for kind in (Grid, Field)}
    jitted = npcompile.jit(program)
    try:
        replays = 0
        grids = Grid(np.arange(4.0)), Grid(np.arange(4.0))
        for call in range(9):
            if call == 5:
                replays = jitted.stats.replays
                later(grids[0])
                later(grids[1]) if later is of_object else None
            found = []
            for fn, grid in zip((program, jitted), grids, strict=True):
                try:
                    found.append(fn(grid, 1.5 + call))
                except Exception as error:
                    found.append((type(error), str(error)))
            same(found[1], found[0], where=f"call {call}")
            same(grids[1].__dict__, grids[0].__dict__, where=f"after call {call}")
        assert replays >= 2, jitted.stats
    finally:
        for kind, held in kept.items():
            for name in [*vars(kind)]:
                if name not in held:
                    delattr(kind, name)
            for name in ("x", "__get__"):
                if name in held:
                    setattr(kind, name, held[name])
        Grid.__dict__["x"].__dict__.pop("factor", None)


class Holder:
    """Holds functions as they are: in an object none of them binds."""

    def __init__(self, solve: Any) -> None:
        self.solve = solve
        self.matrix = np.eye(3) * 2


def solved(holder, k):
    return holder.solve(holder.matrix * k) + 1


@npcompile.jit
def twice(matrix):
    return matrix * 2


HELD = [np.linalg.inv, np.transpose, twice, np.sqrt, abs]


@pytest.mark.parametrize("function", HELD, ids=operator.attrgetter("__name__"))
def test_functions_that_an_object_holds(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted, holder = npcompile.jit(solved), Holder(function)
    for call in range(4):
        same(jitted(holder, 1.5 + call), solved(holder, 1.5 + call))
    assert (jitted.stats.recordings, jitted.stats.replays) == (1, 3), jitted.stats
    for other in (np.linalg.pinv, np.negative):
        holder.solve = other
        same(jitted(holder, 0.5), solved(holder, 0.5))
    Holder.solve = property(lambda self: np.cos)  # type: ignore[attr-defined]
    try:
        same(jitted(holder, 0.5), solved(holder, 0.5))
    finally:
        del Holder.solve  # type: ignore[attr-defined]
