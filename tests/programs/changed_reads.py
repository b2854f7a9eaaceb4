"""Functions, and changes of what they read, made one after the other: each gives `fn(x)` and the changes.

What is changed is made anew for each. `test_changed_reads.py` compares with plain Python after each change.
"""

from __future__ import annotations

import collections
import contextvars
import dataclasses
import enum
import functools
import os
import types
import typing
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

Changing = tuple[Callable[[Any], Any], list[Callable[[], Any]]]


def put(obj: Any, name: str, *values: Any) -> list[Callable[[], Any]]:
    return [functools.partial(setattr, obj, name, value) for value in values]


def names_of_a_class_and_its_bases() -> Changing:
    class A:
        k = 2.0

    class B(A):
        pass

    one = B()
    gone = [lambda: delattr(one, "k"), lambda: delattr(B, "k")]
    changes = [*put(B, "k", 3.0), *put(one, "k", 4.0), *put(B, "k", 5.0), *gone, *put(A, "k", 7)]
    return lambda x: x * one.k, changes


def other_bases() -> Changing:
    class A:
        k = 2.0

        def get(self, x):
            return x * self.k

        @staticmethod
        def more(x):
            return x + 1

    class Other:
        k = 3.0

        def get(self, x):
            return x - self.k

        @staticmethod
        def more(x):
            return x + 2

    class B(A):
        def get(self, x):
            return super().get(x) + 1

    one = B()
    changes = [*put(B, "__bases__", (Other,)), *put(Other, "get", lambda self, x: x * 9), *put(B, "k", 8.0)]
    return lambda x: one.get(x) + B.more(x) * B.k, changes


def another_class_and_another_dict() -> Changing:
    class A:
        def get(self, x):
            return x * self.k  # type: ignore[attr-defined]

    class B(A):
        def get(self, x):
            return x - self.k  # type: ignore[attr-defined]

    one: Any = A()
    one.k = 2.0
    changes = [*put(one, "__class__", B), *put(one, "__dict__", {"k": 5.0}), *put(one, "__class__", A)]
    return lambda x: one.get(x), [*changes, lambda: vars(one).update(k=7)]


def descriptors() -> Changing:
    class Held:
        def __init__(self, value: float) -> None:
            self.value = value

        def __get__(self, one: Any, kind: Any) -> Any:
            return self.value

        def __set__(self, one: Any, value: Any) -> None:
            self.value = value

    class A:
        k: Any = Held(2.0)

    one = A()
    changes = [*put(one, "k", 4.0), *put(A, "k", Held(5.0)), *put(Held, "__get__", lambda *_: 9.0)]
    changes += [*put(A, "k", property(lambda self: 7.0)), *put(A, "k", 3.0), *put(one, "k", 6.0)]
    return lambda x: x * one.k, changes


def what_is_missing() -> Changing:
    class A:
        pass

    one: Any = A()

    def fn(x):
        try:
            return x * one.k
        except AttributeError:
            return -x

    changes = [*put(A, "__getattr__", lambda self, name: 2.0, lambda self, name: 3.0), *put(one, "k", 5.0)]
    return fn, [*changes, lambda: delattr(one, "k"), lambda: delattr(A, "__getattr__")]


def cells_and_what_is_in_them() -> Changing:
    k: Any = 2.0
    table, items = np.ones(6), [1.0]

    def set_k(value: Any) -> None:
        nonlocal k
        k = value

    def set_table() -> None:
        nonlocal table
        table = np.zeros(6)

    changes = [lambda: set_k(3), set_table, lambda: items.append(2.0), lambda: set_k(np.ones(6)), items.clear]
    return lambda x: x * k + table + len(items), changes


def an_empty_cell() -> Changing:
    k = 2.0

    def fn(x):
        try:
            return x * k
        except NameError:
            return -x

    def empty() -> None:
        nonlocal k
        del k

    def fill() -> None:
        nonlocal k
        k = 8.0

    return fn, [empty, fill]


def counters_of_closures() -> Changing:
    count, log = 0, []

    def counted(x):
        nonlocal count
        count += 1
        log.append(float(x[0]))
        return x * count

    def reset() -> None:
        nonlocal count
        count = 100

    return lambda x: (counted(counted(x)), count, log[-2:]), [reset, log.clear]


def defaults_of_a_method() -> Changing:
    class A:
        def __init__(self, x: Any, k: float = 2.0, *, m: float = 1.0) -> None:
            self.x, self.k, self.m = x, k, m

        def get(self, more=3.0):
            return self.x * self.k + self.m * more

    init: Any = A.__init__
    changes = [*put(init, "__defaults__", (5.0,)), *put(init, "__kwdefaults__", {"m": 7.0})]
    changes += [lambda: init.__kwdefaults__.update(m=8.0), *put(A.get, "__defaults__", (9.0,))]
    return lambda x: A(x).get(), changes


def defaults_of_data_classes() -> Changing:
    @dataclasses.dataclass
    class A:
        x: Any
        k: float = 2.0
        parts: list[float] = dataclasses.field(default_factory=lambda: [1.0])

    @dataclasses.dataclass
    class B(A):
        m: float = 3.0

        def get(self):
            return self.x * self.k + self.m * len(self.parts)

    init: Any = B.__init__
    made = init.__defaults__[1]
    changes = [*put(A.__init__, "__defaults__", (9.0, made)), *put(B, "m", 6.0)]
    return lambda x: (B(x).get(), B.m), [*changes, *put(init, "__defaults__", (9.0, made, 8.0), (1, [], 2.0))]


def an_init_of_another_data_class() -> Changing:
    @dataclasses.dataclass
    class A:
        k: Any
        x: Any = 2.0

    @dataclasses.dataclass
    class B:
        x: Any
        k: Any = 5.0

    return lambda x: (x * 2, B(x).k), put(B, "__init__", A.__init__)


def named_tuples() -> Changing:
    class Pair(typing.NamedTuple):
        x: Any
        k: float = 2.0

        def get(self):
            return self.x * self.k

        @property
        def half(self):
            return self.k / 2

    def fn(x):
        pair = Pair(x)
        return pair.get() + pair.half, pair._replace(k=4.0).get(), pair[1]

    changes = [*put(Pair.__new__, "__defaults__", (5.0,)), *put(Pair, "get", lambda self: self.x)]
    return fn, [*changes, *put(Pair, "half", property(lambda self: 9.0))]


def members_of_an_enumeration() -> Changing:
    class Planet(enum.Enum):
        EARTH = (5.0, 6.0)
        MARS = (6.0, 3.0)

        def __init__(self, mass: float, radius: float) -> None:
            self.mass, self.radius = mass, radius

        @property
        def gravity(self):
            return self.mass / self.radius

    held = types.SimpleNamespace(here=Planet.EARTH)
    changes = [*put(Planet.EARTH, "mass", 9.0), *put(held, "here", Planet.MARS)]
    changes += [
        *put(Planet.MARS, "radius", 1.0, np.ones(6)),
        *put(Planet, "gravity", property(lambda _: 1.0)),
    ]
    return lambda x: (x * held.here.mass + held.here.gravity, Planet.MARS.radius * x), changes


def flags() -> Changing:
    class Way(enum.Flag):
        A = 1
        B = 2

    held = types.SimpleNamespace(way=Way.A)

    def fn(x):
        return x * 2 if Way.A in held.way else x * 3 if held.way & Way.B else x

    return fn, put(held, "way", Way.B, Way.A | Way.B, Way(0))


def what_is_allowed() -> Changing:
    held: Any = types.SimpleNamespace(allowed=[0.5, 1.5])
    changes = [lambda: held.allowed.append(2.0), lambda: held.allowed.__setitem__(0, 3.0)]
    changes += put(held, "allowed", (1.0,), [], [np.float64(3.0), 1], {1.0}, {3.0: 1})

    def fn(x):
        return x * (2 if x[2] in held.allowed else 3) * (5 if 1.0 in held.allowed else 7)

    return fn, changes


def lists_that_are_compared() -> Changing:
    held: Any = types.SimpleNamespace(a=[1.0, 2.0], b={"k": 1.0})

    def fn(x):
        k = x[0]
        return (
            x * (2 if held.a == [k, 2.0] else 3),
            [*held.a] < [k, 3.0],
            held.b == {"k": k},
            [k] in ([1.0], held.a),
        )

    changes = [lambda: held.a.append(2.0), lambda: held.b.update(k=2.0), held.a.clear]
    return fn, [*changes, *put(held, "a", (1.0, 2.0), [1, 2])]


def arguments_of_reductions() -> Changing:
    held = types.SimpleNamespace(axis=0, keep=True, shape=(2, 3), kind="f4")

    def fn(x):
        return x.reshape(held.shape).astype(held.kind).sum(axis=held.axis, keepdims=held.keep)

    changes = [*put(held, "axis", 1, (0, 1), None, -1), *put(held, "keep", False)]
    return fn, [*changes, *put(held, "shape", (3, 2), [6, 1]), *put(held, "kind", np.float64, np.dtype("i4"))]


def lists_of_functions() -> Changing:
    functions: list[Any] = [np.sin, lambda v: v * 2, abs]

    def fn(x):
        for function in functions:
            x = function(x)
        return x

    changes = [
        functions.reverse,
        lambda: functions.__setitem__(0, np.cos),
        lambda: functions.append(np.negative),
    ]
    return fn, [*changes, lambda: functions.pop() and None]


def arrays_that_are_other_arrays() -> Changing:
    table: Any = np.arange(6)
    held = types.SimpleNamespace(out=np.zeros(6), same=table)

    def fn(x):
        np.multiply(x, 2, out=held.out)
        return held.out + table, held.same is table

    changes = [*put(table, "dtype", np.dtype("f8")), lambda: table.fill(3.0), *put(held, "same", table[:])]
    return fn, [*changes, *put(held, "out", np.zeros(12)[::2], np.zeros(6, "f4"), table)]


def other_containers() -> Changing:
    chain = collections.ChainMap({"k": 1.0}, {"k": 2.0, "j": 3.0})
    proxied: dict[str, float] = {"a": 1.0}
    counter, ring, user = (
        collections.Counter("aab"),
        collections.deque([1.0, 2.0], 3),
        collections.UserDict(a=1.0),
    )
    proxy = types.MappingProxyType(proxied)

    def fn(x):
        return (
            x * chain["k"] + chain["j"],
            proxy["a"] * x,
            counter["a"] * x,
            ring[0] * len(ring) * x,
            user["a"],
        )

    changes = [lambda: chain.maps[0].pop("k"), lambda: proxied.update(a=3.0), lambda: counter.update("a")]
    changes += [lambda: ring.append(3.0), lambda: ring.append(4.0), lambda: user.update(a=5.0)]
    return fn, [*changes, lambda: chain.maps.insert(0, {"j": 7.0})]


def what_is_referred_to_weakly() -> Changing:
    class A:
        k = 2.0

    held: Any = types.SimpleNamespace(one=A())
    ref = weakref.ref(held.one)

    def fn(x):
        one = ref()
        return -x if one is None else x * one.k

    return fn, [*put(held.one, "k", 3.0), *put(held, "one", None)]


def surroundings() -> Changing:
    variable = contextvars.ContextVar("variable", default=2.0)

    def fn(x):
        return x * variable.get() * float(os.environ.get("NPCOMPILE_TEST_CHANGING", "2")), str(x / 3)

    changes = [lambda: variable.set(3.0), lambda: os.environ.update(NPCOMPILE_TEST_CHANGING="5")]
    return fn, [*changes, lambda: np.set_printoptions(precision=3), lambda: variable.set(4)]


def remembered() -> Changing:
    k = [2.0]

    class A:
        v = 2.0

        @functools.cached_property
        def twice(self):
            return self.v * 2

    @functools.lru_cache
    def asked(n):
        return k[0] * n

    one: Any = A()
    changes = [lambda: k.__setitem__(0, 5.0), asked.cache_clear, *put(one, "v", 7.0)]
    return lambda x: x * asked(3) + one.twice, [
        *changes,
        lambda: delattr(one, "twice"),
        *put(one, "twice", 1.0),
    ]
