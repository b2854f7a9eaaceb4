"""Classes that are changed where they are, and what `hasattr` and `isinstance` say of what changes.

A row of `CHANGED` makes a function that reads, and the change. To add a kind, add a row.
"""

from __future__ import annotations

import abc
import dataclasses
import gc
import types
import typing
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

X = np.arange(1.0, 7.0)
Made = tuple[Callable[..., Any], Callable[[], None]]


def looked_for(holder: Any) -> Made:
    return lambda x: x * (2 if hasattr(holder, "extra") else 3), lambda: setattr(holder, "extra", 1)


def of_numpy() -> Made:
    return lambda x: x * (2 if hasattr(np, "around_") else 3), lambda: setattr(np, "around_", 1)


def registered() -> Made:
    class Kind(abc.ABC):
        @abc.abstractmethod
        def step(self) -> None: ...

    class One:
        pass

    one = One()

    def fn(x):
        return x * (2 if isinstance(one, (int, Kind)) else 3) * (5 if issubclass(One, Kind) else 7)

    return fn, lambda: (Kind.register(One), None)[1]


def asks_itself() -> Made:
    class Meta(type):
        yes = True

        def __instancecheck__(cls, other: object) -> bool:
            return Meta.yes

        def __subclasscheck__(cls, other: object) -> bool:
            return Meta.yes

    class Kind(metaclass=Meta):
        pass

    def fn(x):
        return x * (2 if isinstance(x, Kind) else 3) * (5 if issubclass(int, Kind) else 7)

    return fn, lambda: setattr(Meta, "yes", False)


def protocol() -> Made:
    @typing.runtime_checkable
    class Steps(typing.Protocol):
        def step(self) -> None: ...

    class One:
        pass

    one: Any = One()
    return lambda x: x * (2 if isinstance(one, Steps) else 3), lambda: setattr(one, "step", lambda: None)


def says_its_class() -> Made:
    class Kind:
        says: type = int

    class One:
        @property  # type: ignore[misc]
        def __class__(self) -> type:
            return Kind.says

    one = One()
    return lambda x: x * (2 if isinstance(one, int) else 3), lambda: setattr(Kind, "says", str)


def bases() -> Made:
    class First:
        pass

    class Second:
        pass

    class One(First):
        pass

    one = One()
    return lambda x: x * (2 if isinstance(one, First) else 3), lambda: setattr(One, "__bases__", (Second,))


def called() -> Made:
    class One:
        pass

    one = One()
    return lambda x: x * (2 if callable(one) else 3), lambda: setattr(One, "__call__", lambda self: 1)


def right_operator() -> Made:
    class One:
        def __init__(self, x: Any) -> None:
            self.x = x

        def __add__(self, other: Any) -> Any:
            return self.x + other.x

    class Other(One):
        pass

    return lambda x: One(x) + Other(x), lambda: setattr(Other, "__radd__", lambda self, other: self.x * 9)


def truth() -> Made:
    class One:
        pass

    return lambda x: x * (2 if One() else 3), lambda: setattr(One, "__bool__", lambda self: False)


def no_ufunc() -> Made:
    class One:
        __array_ufunc__: Any = None

        def __radd__(self, other: Any) -> Any:
            return other * 10

    one = One()
    return lambda x: x + one, lambda: setattr(One, "__array_ufunc__", lambda self, *args: 5.0)


def default_of_one() -> Made:
    class One:
        pass

    one = One()
    return lambda x: x * getattr(one, "k", 3), lambda: setattr(One, "__getattr__", lambda self, name: 7.0)


def objects(change: Callable[[Any], None]) -> Callable[[], Made]:
    """Of a function that makes an object, whose class is changed."""

    def make() -> Made:
        class One(metaclass=type("Meta", (type,), {})):
            def __init__(self, x: Any) -> None:
                self.x = x

        def fn(x):
            one = One(x)
            one.k = 3.0
            return one.x * one.k

        return fn, lambda: change(One)

    return make


def new(cls: Any, x: Any) -> Any:
    return types.SimpleNamespace(x=np.zeros(3))


def called_by_its_class(cls: Any, x: Any) -> Any:
    return type.__call__(cls, x * 10)


def of_a_name(self: Any, name: str) -> Any:
    return 5.0 if name == "k" else object.__getattribute__(self, name)


def after_init() -> Made:
    @dataclasses.dataclass
    class One:
        x: Any

    return lambda x: One(x).x * 2, lambda: setattr(One, "__post_init__", lambda self: setattr(self, "x", 4.0))


CHANGED: dict[str, Callable[[], Made]] = {
    "hasattr of a module": lambda: looked_for(types.ModuleType("some_module")),
    "hasattr of a class": lambda: looked_for(type("Some", (), {})),
    "hasattr of numpy": of_numpy,
    "a class is registered": registered,
    "a metaclass answers": asks_itself,
    "a protocol": protocol,
    "an object says its class": says_its_class,
    "other bases": bases,
    "callable": called,
    "an operator of the right operand": right_operator,
    "the truth of an object": truth,
    "whether ufuncs may take it": no_ufunc,
    "a default, then __getattr__": default_of_one,
    "objects: __new__": objects(lambda kind: setattr(kind, "__new__", new)),
    "objects: the metaclass's __call__": objects(
        lambda kind: setattr(type(kind), "__call__", called_by_its_class)
    ),
    "objects: __getattribute__": objects(lambda kind: setattr(kind, "__getattribute__", of_a_name)),
    "objects: a property goes before": objects(
        lambda kind: setattr(kind, "k", property(lambda self: 9.0, lambda self, value: None))
    ),
    "objects: __post_init__": after_init,
}


# Python's answer stays: a dataclass's `__init__` calls what there was when it was generated.
UNCHANGED = {"objects: __post_init__"}

# Where a class works something out, it runs uncompiled, and that is told.
pytestmark = pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")


@pytest.fixture(params=["interpreter", "compiled"])
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if request.param == "interpreter":
        monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    else:
        request.getfixturevalue("native_runtime")
    yield
    if hasattr(np, "around_"):
        del np.around_


def outcome(fn: Callable[..., Any]) -> Any:
    try:
        return fn(X)
    except TypeError as error:
        return str(error)


@pytest.mark.usefixtures("backend")
@pytest.mark.parametrize("name", CHANGED)
def test_the_next_answer_is_the_new_one(name: str) -> None:
    fn, change = CHANGED[name]()
    jitted = npcompile.jit(fn, wait=True)
    before = outcome(fn)
    for _ in range(3):
        same(outcome(jitted), before)
    change()
    after = outcome(fn)
    assert (repr(after) != repr(before)) is (name not in UNCHANGED)
    for _ in range(3):
        same(outcome(jitted), after)


def test_what_dies_is_told_once_its_class_says_so() -> None:
    class One:
        def __init__(self, x: Any) -> None:
            self.x = x

    jitted = npcompile.jit(lambda x: One(x).x * 2, wait=True)
    for _ in range(3):
        jitted(X)
    gc.collect()  # objects of a recording may be part of a cycle
    died: list[int] = []
    One.__del__ = lambda self: died.append(1)  # type: ignore[attr-defined]
    for count in range(1, 4):
        jitted(X)
        assert len(died) == count
