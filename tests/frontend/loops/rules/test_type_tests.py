"""Native loops answer `isinstance` and `type` by the types of values."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tests.frontend.loops.jitted import check


@pytest.fixture(autouse=True)
def _loops_become_native(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", "0")


KINDS = (int, np.integer)
N = 200


def of_items(x: Any) -> Any:
    s = 0
    for v in x:
        if isinstance(v, np.floating):
            s += v * 2
        elif isinstance(v, int | np.integer):
            s += v * 3
        if isinstance(s, float) and not isinstance(v, str | bool):
            s += 1
        if isinstance(v, KINDS) or isinstance(v, numbers.Complex):
            s -= 1
        if type(s) is int:
            s += 5
        if type(s) == np.float64 != type(v):  # noqa: E721
            s += 7
    return s


@pytest.mark.parametrize("dtype", [float, np.float32, int, np.longlong, np.uint8, complex, bool])
def test_items_of_arrays_have_the_class_of_their_dtype(dtype: Any) -> None:
    check(of_items, (np.arange(N) % 5).astype(dtype), native=dtype is not np.longlong)


def by_weights(x: Any, w: Any) -> Any:
    s = 0.0
    for i in range(len(x)):
        if isinstance(w, int):
            s += x[i] * w
        elif isinstance(w, float):
            s -= x[i] * w
        elif isinstance(w, list | tuple):
            s += w[i % 2]
        elif isinstance(w, np.ndarray):
            s += w[i % 3]
        elif isinstance(w, dict):
            s += w[i % 2]
        else:
            s += 1
    return s


WEIGHTS: list[Any] = [4, True, 4.5, [1.0, 2.0], (2, 3), np.arange(3.0), {0: 1.0, 1: 2.0}, None, 1j]


@pytest.mark.parametrize("weights", WEIGHTS, ids=lambda one: type(one).__name__)
def test_ways_that_types_decide_are_the_only_ones(weights: Any) -> None:
    check(by_weights, np.arange(float(N)), weights)


def of_an_item_that_is_missing(x: Any) -> Any:
    n = 0
    for i in range(len(x) + 1):
        if isinstance(x[i], float):
            n += 1
    return n


def of_an_item_where_there_is_one(x: Any) -> Any:
    n = 0
    for i in range(len(x) + 1):
        if i < len(x) and type(x[i]) is np.float64:
            n += 1
    return n


@pytest.mark.parametrize("function", [of_an_item_that_is_missing, of_an_item_where_there_is_one])
def test_a_value_is_evaluated_before_its_class_is_asked_for(function: Any) -> None:
    check(function, np.arange(float(N)))


class Odd(type):
    def __instancecheck__(cls, value: Any) -> bool:
        return value > 10


class Large(metaclass=Odd):
    pass


def of_a_class_that_decides(x: Any) -> Any:
    n = 0
    for v in x:
        if isinstance(v, Large):
            n += 1
    return n


def test_a_class_that_decides_what_is_of_it_is_asked() -> None:
    check(of_a_class_that_decides, np.arange(float(N)), native=False)


@dataclass
class Shape:
    side: float


class Square(Shape):
    pass


def of_objects(x: Any, shape: Any) -> Any:
    s = 0.0
    for v in x:
        if isinstance(shape, Square):
            s += v * shape.side
        elif isinstance(shape, Shape):
            s -= v * shape.side
    return s


@pytest.mark.parametrize("kind", [Shape, Square])
def test_objects_have_their_class_and_its_bases(kind: Any) -> None:
    check(of_objects, np.arange(float(N)), kind(2.0))
