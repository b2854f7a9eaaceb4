"""Classes, properties, descriptors, dataclasses, context managers and generators around arrays, as people
write them.

Arguments by name as in `cut_hazards.py`; `b` is an object of the class that the function's `made` names.
"""

# ruff: noqa: B007
# (the ugliness is what is tested)

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

import numpy as np


class Body:
    scale = 2.0

    def __init__(self, x):
        self.x = x
        self.v = np.zeros_like(x)
        self.t = 0
        self.hist = []
        self.__p = 1.0
        self.cache = {}

    @property
    def energy(self):
        return float((self.v**2).sum() + (self.x**2).sum())

    def force(self):
        return -self.x * self.scale

    def step(self, dt):
        self.v += dt * self.force()
        self.x = self.x + dt * self.v
        self.t += dt
        self.hist.append(self.energy)

    def priv(self):
        self.__p *= 1.5
        self.x = self.x * self.__p
        return self.__p

    @staticmethod
    def st(x):
        return x * 3

    @classmethod
    def cl(cls, x):
        return x * cls.scale

    def __add__(self, o):
        r = type(self)(self.x + (o.x if isinstance(o, Body) else o))
        return r

    def __getitem__(self, i):
        return self.x[i]

    def __setitem__(self, i, v):
        self.x[i] = v

    def __len__(self):
        return len(self.x)

    def __iadd__(self, o):
        self.x += o
        self.t += 1
        return self

    def __bool__(self):
        return self.t < 3

    def __iter__(self):
        return iter(self.x)

    def __contains__(self, v):
        return bool((self.x == v).any())

    def __eq__(self, o):
        return isinstance(o, Body) and np.array_equal(self.x, o.x)

    __hash__ = None

    def __call__(self, y):
        self.t += 1
        return self.x * y


class Sub(Body):
    scale = 0.5

    def __init__(self, x):
        super().__init__(x * 2)
        self.extra = 1

    def force(self):
        self.extra += 1
        return super().force() * 2 + self.extra


class Mix:
    def step(self, dt):
        super().step(dt * 2)
        self.mixed = getattr(self, "mixed", 0) + 1


class Multi(Mix, Sub):
    pass


def method_step(b):
    b.step(0.5)
    b.step(0.25)
    return b.x.sum()


method_step.made = Body


def sub_step(b):
    for _ in range(3):
        b.step(0.5)
    return b.x * 2


sub_step.made = Sub


def multi_step(b):
    for _ in range(3):
        b.step(0.5)
    return b.x * 2, b.mixed


multi_step.made = Multi


def priv(b):
    for _ in range(3):
        b.priv()
    return b.x


priv.made = Body


def ops(b):
    c = b + b + 1.0
    c[1] = 5.0
    c += 2
    s = 0
    while c:
        c += 1
        s += len(c)
    for v in c:
        s = s + v
    if 7.5 in c:
        s += 100
    return c.x, s, b == b, c(b.x), b[1:3] * 2


ops.made = Sub


def statcls(b):
    return Body.st(b.x), b.st(b.x), Sub.cl(b.x), b.cl(b.x), type(b).scale


statcls.made = Body


def cached(b):
    key = len(b.x)
    if key not in b.cache:
        b.cache[key] = np.sin(b.x) * 2
        b.t += 1
    return b.cache[key] + b.x


cached.made = Body


def setattr_dyn(b):
    for nm in ("q", "r", "s"):
        setattr(b, nm, b.x * len(nm))
    b.__dict__["w"] = b.x + 1
    del b.hist
    return b.q + b.r + getattr(b, "nope", 1.0), hasattr(b, "hist"), vars(b)["w"]


setattr_dyn.made = Body


def boundmeth(b):
    f = b.force
    s = b.step
    for i in range(4):
        s(0.25)
    return f(), [m(b.x) for m in (b.st, b.cl, b)]


boundmeth.made = Sub


@dataclass
class P:
    x: np.ndarray
    v: np.ndarray
    n: int = 0
    tags: list = field(default_factory=list)

    def __post_init__(self):
        self.m = self.x.mean()


@dataclass(frozen=True)
class F:
    x: np.ndarray
    k: float = 2.0


def dc(a):
    p = P(a, a * 0)
    for i in range(4):
        p.v = p.v + 0.125 * p.x
        p.x = p.x - p.v
        p.n += 1
        p = dataclasses.replace(p, x=p.x * 1.5)
        p.tags.append(i)
    return p.x, p.v, p.n, p.m, p.tags


def fdc(a):
    f = F(a)
    for i in range(3):
        f = dataclasses.replace(f, x=f.x * f.k, k=f.k + 1)
    try:
        f.k = 3
    except dataclasses.FrozenInstanceError as e:
        return f.x, f.k, str(e)


class Lazy:
    def __init__(self, a):
        self.a = a
        self.n = 0

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        self.n += 1
        v = self.a * len(name)
        setattr(self, name, v)
        return v


def lazy(b):
    s = b.foo + b.barr
    s = s + b.foo
    return s, b.n


lazy.made = Lazy


class Desc:
    def __set_name__(self, o, n):
        self.n = "_" + n

    def __get__(self, o, t=None):
        if o is None:
            return self
        o.reads = getattr(o, "reads", 0) + 1
        return o.__dict__[self.n]

    def __set__(self, o, v):
        o.__dict__[self.n] = np.clip(v, 0, 5)


class HasD:
    z = Desc()

    def __init__(self, a):
        self.z = a


def descr(b):
    for i in range(5):
        b.z = b.z * 1.7 + 0.1
        b.z += 1
    return b.z, b.reads


descr.made = HasD
