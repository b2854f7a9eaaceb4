"""Objects as people write them, which the tests of effects, loops and resuming work on.

A module of its own: pytest rewrites `assert` in test modules, and their functions then have no source.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np

JOURNAL: list[Any] = []  # the operations done, in order


class Clock:
    """A clock that goes on by one at each look."""

    ticks = 0

    @classmethod
    def now(cls) -> int:
        cls.ticks += 1
        JOURNAL.append(("clock", cls.ticks))
        return cls.ticks


class State:
    """Mutable, as simulations are."""

    def __init__(self) -> None:
        self.u = np.zeros(4)
        self.t = 0.0
        self.n = 0
        self.hist: list[Any] = []
        self.kept: dict[str, Any] = {"t": 0.0}
        self.inner = Inner()

    @property
    def level(self) -> float:
        return self.t

    @level.setter
    def level(self, value: float) -> None:
        JOURNAL.append(("level", float(value)))
        self.t = value

    def applied(self, function: Any, *args: Any) -> Any:
        self.n += 1
        return function(*args)

    def step(self, x: Any) -> None:
        self.u = self.u + x * 0.5
        self.t += 0.5
        self.n += 1

    def note(self, value: Any) -> None:
        JOURNAL.append(("note", float(value)))
        self.n += 1


class Inner:
    def __init__(self) -> None:
        self.v = np.ones(4)
        self.deep = {"w": [np.ones(4)]}


@dataclasses.dataclass
class Record:
    x: Any
    n: int = 0


class Accumulator:
    """An object with operators of its own."""

    def __init__(self) -> None:
        self.sum = np.zeros(4)

    def __iadd__(self, other: Any) -> Accumulator:
        JOURNAL.append("iadd")
        self.sum = self.sum + other
        return self

    def __setitem__(self, key: Any, value: Any) -> None:
        JOURNAL.append(("setitem", key))
        self.sum[key] = value

    def __call__(self, value: Any) -> Any:
        JOURNAL.append(("call", float(value)))
        return value * 2


@contextlib.contextmanager
def entered(name: str) -> Iterator[None]:
    JOURNAL.append("enter " + name)
    try:
        yield
    finally:
        JOURNAL.append("leave " + name)
