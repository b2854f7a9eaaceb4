"""Loops over elements that call users' classes and functions, and short functions, for `loop_calls.py`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor)

    @property
    def norm(self):
        return (self.x * self.x + self.y * self.y) ** 0.5


def vectors(n):
    at, speed, out = Vector(0.0, 1.0), Vector(0.5, 0.25), []
    for _ in range(n):
        at = at + speed * 0.01
        out.append(at.norm)
    return np.array(out)


class Table:
    def __init__(self, values):
        self.values = values

    def __getitem__(self, place):
        return self.values[place]

    def __len__(self):
        return len(self.values)

    def __iter__(self) -> Iterator[Any]:
        yield from self.values


def items_of(table):
    total = np.float64(0)
    for i in range(len(table)):
        total += table[i]
    return total


def gone_over(table):
    total = np.float64(0)
    for value in table:
        total += value
    return total


class Memo:
    def __init__(self):
        self.known = {}

    def __call__(self, n):
        if n not in self.known:
            self.known[n] = np.sqrt(n) + 1
        return self.known[n]


def called_object(n):
    memo, total = Memo(), np.float64(0)
    for i in range(n):
        total += memo(i % 1000)
    return total


def clipped(value, low, high):
    return min(max(value, low), high)


def helper(x):
    out = []
    for value in x:
        out.append(clipped(value, -1.0, 1.0))
    return np.array(out)


def helper_with_closure(x, k):
    def scaled(value):
        return value * k + 1

    total = np.float64(0)
    for value in x:
        total += scaled(value)
    return total


def helper_with_arrays(n):
    at = np.zeros(3)
    for _ in range(n):
        at = advanced(at, 0.1)
    return at


def advanced(at, by):
    return at + np.array([by, -by, by * 2])


def short(x):
    total = 0.0
    for value in x:
        total += value * value
    return np.sqrt(total)


def short_with_arrays(x):
    out = []
    for i in range(100):
        y = x * i + 1
        out.append(y.sum())
    return np.array(out)


def short_search(x):
    best, where = -np.inf, None
    for i, value in enumerate(x):
        if value > best:
            best, where = value, i
    return best, where


def straight(x):
    a = x[0]
    b = x[1]
    for _ in range(200):
        a, b = b, a * 0.5 + b * 0.25
    c = np.sin(x) + a
    d = c * b - x
    return d.sum(), d.max()
