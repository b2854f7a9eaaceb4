"""The head of every random program of `python_program_generator.py`: names that its statements use."""

# ruff: noqa: F401, F811  (programs use it)

from collections import Counter, OrderedDict, defaultdict, deque
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial, reduce
from heapq import heappop, heappush
from itertools import accumulate, chain, count, islice, pairwise, product
from operator import add as operator_add
from operator import attrgetter, itemgetter
from typing import NamedTuple

import numpy as np

K = 2
G = np.array([1.5])
D = {"u": np.array([0.5]), "n": 0}
LOG = []
SET = {1, 3}
STREAM = np.random.default_rng(7)


def wrap(p):
    return p % 4


def helper(p, q, w=0.5):
    r = p * w
    r += q
    return r % 4


def in_place(p, q):
    p *= 0.5
    p += q % 2
    return p[::-1]


def looping(p, count):
    for step in range(count % 6):
        p = (p * 0.5 + step) % 4
        if p.sum() > 9:
            break
    else:
        p = p - 1
    return p


def rows(p, count):
    for i in range(count % 6):
        LOG.append("row")
        yield p * i
    LOG.append("end")


def rec(p, n):
    if n <= 0:
        return p
    return (rec(p * 0.5, min(n, 5) - 1) + n) % 4


def total(*parts, **named):
    found = 0
    for part in parts:
        found = found + part
    for name in sorted(named):
        found = found * named[name]
    return found % 4


def memo(p, kept=[]):  # noqa: B006  (what is tested)
    kept.append(float(p.sum()) % 4)
    return p + len(kept) % 3


def refuse(p):
    if p.sum() % 2 > 0.75:
        raise ValueError(f"refused {p.shape}")
    return p * 0.5


@contextmanager
def guard(name, p):
    LOG.append(name)
    try:
        yield p * 0.5
    except KeyError as error:
        LOG.append(str(error))
    finally:
        LOG.append("left " + name)


class Gate:
    def __init__(self, p):
        self.p = p
        self.n = 0

    def __enter__(self):
        self.n += 1
        LOG.append("gate")
        return self

    def __exit__(self, kind, error, trace):
        self.n -= 1
        LOG.append(kind is None)
        return kind is not None and issubclass(kind, KeyError)


class Point(NamedTuple):
    p: np.ndarray
    q: np.ndarray

    @classmethod
    def of(cls, p):
        return cls(p, p * 0.5)

    def twice(self):
        return (self.p + self.q) % 4


def delegated(p):
    try:
        yield p
        found = yield from rows(p, 2)
        yield p if found is None else found
    finally:
        LOG.append("closed")


def stopping(p, n):
    yield float(p.sum())
    if n > 1:
        raise ValueError(f"stopped at {n}")
    yield n


@cache
def grid(n):
    return np.arange(n) * 0.5


@cache
def mean_of(n):
    return (n + 1) / 2


@dataclass
class Pair:
    p: np.ndarray
    q: np.ndarray
    n: int = 0
    tags: list = field(default_factory=list)


class Thing:
    rate = 0.5

    def __init__(self, x):
        self.x = x
        self.y = x * 0.5
        self.n = 0
        self.hist = []
        self.table = {"u": x + 1, "k": 1}
        self.__hidden = 1

    @property
    def half(self):
        return self.x * 0.5

    @half.setter
    def half(self, value):
        self.n += 1
        self.x = value * 2 % 4

    def force(self):
        return wrap(self.y - self.x * self.rate)

    def step(self, dt):
        self.y += dt * self.force()
        self.x = wrap(self.x + dt * self.y)
        self.y %= 4
        self.n += 1
        self.hist.append(self.energy())

    def run(self, count):
        for i in range(count % 6):
            self.step(0.5)
            if self.n % 5 == 4:
                return i
            self.__hidden = (self.__hidden * 3 + i) % 7
        return self.__hidden

    def energy(self):
        return float(np.sum(self.x % 2))

    def __iadd__(self, other):
        self.x = wrap(self.x + other)
        self.n += 1
        return self

    def __getitem__(self, key):
        return self.table[key]

    def __setitem__(self, key, value):
        self.n += 1
        self.table[key] = value

    def __call__(self, p):
        self.n += 1
        return wrap(p + self.n)

    def __len__(self):
        return len(self.x)


class Heavy(Thing):
    rate = 0.25

    def __init__(self, x):
        super().__init__(x)
        self.mass = 2.0

    def force(self):
        self.n += 1
        return wrap(super().force() / self.mass)
