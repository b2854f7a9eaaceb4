"""`jit` of what is no plain function: classes, properties, partials."""

from __future__ import annotations

import copy
import dataclasses
import enum
import functools
import inspect
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import npcompile

X = np.arange(1.0, 4.0)


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    yield


class Plain:
    scale = 2.0

    def __init__(self, v: float) -> None:
        self.v, self.calls = v, 0

    def method(self, x: Any, by: float = 1.0) -> Any:
        self.calls += 1
        return self.helper(x) * by + self.half

    def helper(self, x: Any) -> Any:
        return x * self.v

    @staticmethod
    def static(x: Any) -> Any:
        return x + 1

    @classmethod
    def of_class(cls, x: Any) -> Any:
        return x * cls.scale

    @property
    def half(self) -> Any:
        return np.ones(3) * self.v / 2

    @half.setter
    def half(self, value: float) -> None:
        self.v = value * 2

    def parts(self, x: Any) -> Iterator[Any]:
        for k in range(3):
            yield x * k + self.v

    async def later(self, x: Any) -> Any:
        return x

    def __call__(self, x: Any) -> Any:
        return x - self.v

    def __add__(self, other: Any) -> Any:
        return type(self)(self.v + other.v)


class Derived(Plain):
    scale = 3.0

    def helper(self, x: Any) -> Any:
        return super().helper(x) + 1


def same_class(name: str) -> type:
    names = {key: value for key, value in vars(Plain).items() if key not in ("__dict__", "__weakref__")}
    return type(name, (), names)


Whole: Any = npcompile.jit(same_class("Whole"))


@npcompile.jit
@dataclasses.dataclass
class Data:
    v: float

    def method(self, x: Any) -> Any:
        return x * self.v


def history(kind: Any) -> list[Any]:
    found: list[Any] = []
    one = kind(2.0)
    for k in range(5):
        found += [one.method(X), one.method(X, by=2.0), kind.method(one, X), one.static(X), kind.static(X)]
        found += [one.of_class(X), kind.of_class(X), one.half, list(one.parts(X)), one(X), (one + one).v]
        found += [one.v, one.calls]
        one.half = float(k)
    return found


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_a_class_is_one_whose_methods_are_jitted() -> None:
    assert isinstance(Whole, type) and isinstance(Whole(1.0), Whole)
    assert repr(history(Whole)) == repr(history(Plain))
    for name in ("method", "helper", "__call__", "parts"):
        assert isinstance(vars(Whole)[name], npcompile.Jitted)
    assert vars(Whole)["__init__"] is vars(Plain)["__init__"]
    assert Whole.method.stats.replays and Whole.__call__.stats.replays
    assert inspect.iscoroutinefunction(Whole.later)

    class Further(Whole):
        scale = 3.0

        def helper(self, x: Any) -> Any:
            return super().helper(x) + 1

    assert repr(history(Further)) == repr(history(Derived))


def test_a_dataclass_stays_one() -> None:
    one = Data(2.0)
    for _ in range(4):
        np.testing.assert_array_equal(one.method(X), X * 2)
    assert one == Data(2.0) and dataclasses.asdict(one) == {"v": 2.0}
    assert Data.method.stats.replays == 3
    again = pickle.loads(pickle.dumps(one))
    np.testing.assert_array_equal(again.method(X), X * 2)
    np.testing.assert_array_equal(copy.deepcopy(one).method(X), X * 2)


class Called(type):
    """Makes objects in Python."""

    def __call__(cls, *args: Any) -> Any:
        one = super().__call__(*args)
        one.made = True
        return one

    def __getitem__(cls, k: int) -> str:
        return cls.__name__ * k


@npcompile.jit
class Made(metaclass=Called):
    made = False

    def method(self, x: Any) -> Any:
        return x * 2


@npcompile.jit
class Reduction(enum.Enum):
    MEAN = "mean"
    MAX = "max"

    def of(self, x: Any) -> Any:
        return getattr(np, self.value)(x)


def test_classes_of_any_metaclass_stay_classes() -> None:
    assert isinstance(Made, Called) and Made[2] == "MadeMade" and Made().made
    assert isinstance(Reduction, type) and [one.name for one in Reduction] == ["MEAN", "MAX"]
    assert Reduction("max") is Reduction.MAX is pickle.loads(pickle.dumps(Reduction.MAX))
    for _ in range(3):
        np.testing.assert_array_equal(Made().method(X), X * 2)
        assert [one.of(X) for one in Reduction] == [2.0, 3.0]
    assert Made.method.stats.replays and Reduction.of.stats.replays


def test_a_property_is_one_whose_getter_is_jitted() -> None:
    class Holder:
        v = 2.0
        doubled = npcompile.jit(property(lambda self: X * self.v, lambda self, value: None, doc="said"))

    one = Holder()
    for v in (2.0, 2.0, 3.0, 3.0):
        one.v = v
        np.testing.assert_array_equal(one.doubled, X * v)
    one.doubled = 5
    assert vars(Holder)["doubled"].__doc__ == "said"
    assert vars(Holder)["doubled"].fget.stats.replays == 3


def test_descriptors_of_functools_are_those_of_jitted_functions() -> None:
    class Holder:
        @npcompile.jit
        @functools.cached_property
        def once(self) -> Any:
            return X * 2

        scaled = npcompile.jit(functools.partialmethod(lambda self, by, x: x * by, 3.0))

        @npcompile.jit
        @functools.singledispatchmethod
        def of(self, x: Any) -> Any:
            return x * 2

        @of.register
        def _(self, x: str) -> Any:
            return x + "!"

    for _ in range(3):
        one = Holder()
        np.testing.assert_array_equal(one.once, X * 2)
        assert one.once is one.once
        np.testing.assert_array_equal(one.scaled(X), X * 3)
        np.testing.assert_array_equal(one.of(X), X * 2)
        assert one.of("text") == "text!"
    for name in ("once", "scaled", "of"):
        assert vars(Holder)[name].func.stats.replays == 2


def test_classes_of_others_are_called_as_they_are() -> None:
    with pytest.warns(npcompile.NotCompiledWarning):
        assert npcompile.jit(int)("3") == 3
    with pytest.raises(TypeError, match="takes a function"):
        npcompile.jit(3)
    made = npcompile.jit(functools.partial(Plain.static))
    np.testing.assert_array_equal(made(X), X + 1)
