"""Small programs around array work, as `constructs.py` has it: functions and classes."""

from __future__ import annotations

import enum
import functools

import numpy as np

from tests.programs.constructs import LOG


def walrus(x, k, box):
    return y * 2 if (y := x.sum()) < 1e9 else x


def star_args(x, k, box):
    def f(a, *rest, by=1.0, **more):
        return a * by + sum(rest) + more["z"]

    return f(*[x, x, 1.0], **{"by": 2.0, "z": 3.0})  # noqa: PIE804


def chained_compare(x, k, box):
    return x * 2 if 0 <= k < 10 else x


def nonlocal_counter(x, k, box):
    count = 0
    y = x

    def step(by):
        nonlocal count, y
        count += 1
        y = y * by

    step(2.0)
    step(3.0)
    return y + count


def nonlocal_after(x, k, box):
    total = x * 0

    def add(a):
        nonlocal total
        total = total + a

    for a in (x, x + 1):
        add(a)
    return total


def lambda_default(x, k, box):
    fs = [lambda a, i=i: a * i for i in range(3)]
    return fs[0](x) + fs[1](x) + fs[2](x)


def class_inside(x, k, box):
    class Local:
        factor = 2.0

        def __init__(self, a):
            self.a = a

        def run(self):
            return self.a * self.factor

    return Local(x).run() + 1


class Base:
    gain = 2.0

    def __init__(self, a):
        self.a = a

    def run(self):
        return self.a * self.gain

    @classmethod
    def make(cls, a):
        return cls(a + 1)

    @staticmethod
    def helper(a):
        return a * 3

    @property
    def twice(self):
        return self.a * 2

    @twice.setter
    def twice(self, value):
        self.a = value / 2

    @functools.cached_property
    def norm(self):
        return self.a.sum()


class Derived(Base):
    def __init__(self, a):
        super().__init__(a * 2)
        self.extra = a

    def run(self):
        return super().run() + self.extra


def super_call(x, k, box):
    return Derived(x).run() * 2


def class_method(x, k, box):
    return Derived.make(x).run() + Base.helper(x)


def class_method_through(x, k, box):
    return Base(x).make(x).run() + Base(x).helper(x)


def property_set(x, k, box):
    b = Base(x)
    b.twice = x * 6
    b.twice += 1
    return b.a + b.twice


def cached_prop(x, k, box):
    b = Base(x)
    return x * b.norm + b.norm


class Dynamic:
    def __init__(self, values):
        self.values = values

    def __getattr__(self, name):
        if name in self.values:
            return self.values[name]
        raise AttributeError(name)


def get_attr(x, k, box):
    d = Dynamic({"w": x, "b": 2.0})
    return d.w * d.b


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a = a
        self.b = b


def slots(x, k, box):
    s = Slotted(x, x * 2)
    s.b = s.b + 1
    return s.a * s.b


class Layer:
    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return np.tanh(x * self.w)


def callable_object(x, k, box):
    net = [Layer(2.0), Layer(3.0)]
    for layer in net:
        x = layer(x)
    return x


class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, obj, owner=None):
        return self if obj is None else getattr(obj, self.name)

    def __set__(self, obj, value):
        setattr(obj, self.name, abs(value))


class Described:
    v = Positive()

    def __init__(self, v):
        self.v = v


def descriptor(x, k, box):
    d = Described(-x)
    return d.v + 1


def logged(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        LOG.append(f.__name__)
        return f(*args, **kwargs)

    return wrapper


def doubled(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return 2 * f(*args, **kwargs)

    return wrapper


@logged
def with_log(x):
    return x * 2


@doubled
def with_double(x):
    return x + 1


def wraps_decorated(x, k, box):
    return with_double(x) - 1


def wraps_logged(x, k, box):
    return with_log(x) + 1


class Side(enum.IntEnum):
    LEFT = 1
    RIGHT = -1


class Rate(float, enum.Enum):
    HALF = 0.5


def enum_operands(x, k, box):
    side = Side.LEFT if k == 1 else Side.RIGHT
    y = np.maximum(side * (x - 0.5), 0) + Rate.HALF
    y[side] = side
    y[2:4] = Rate.HALF * 3
    return y, (side * box.t) ** 2, x[side] * side, -side, side + 1, side == 1, np.sum(y, axis=Side.LEFT - 1)
