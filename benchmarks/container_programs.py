"""Python programs that keep things in containers, for `loop_calls.py`: tries, rings, texts, histories of
objects, tables in tuples."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


def trie(words):
    root = {}
    for word in words:
        node = root
        for letter in word:
            node = node.setdefault(letter, {})
        node["end"] = node.get("end", 0) + 1

    def count(node):
        return sum(count(held) if key != "end" else 1 for key, held in node.items())

    return np.int64(count(root))


def ring(n):
    people = deque(range(n))
    while len(people) > 1:
        people.rotate(-2)
        people.popleft()
        people.appendleft(0)
        people.pop()
    return np.int64(people[0])


def shifted_text(text):
    made = ""
    for letter in text:
        if letter.isalpha():
            made += chr((ord(letter) - 97 + 3) % 26 + 97)
        else:
            made += letter
    return np.int64(len(made))


@dataclass
class Body:
    at: float
    speed: float
    trail: list = field(default_factory=list)

    def move(self, dt):
        self.speed -= self.at * dt
        self.at += self.speed * dt
        self.trail.append(self.at)


def trail(n):
    body = Body(1.0, 0.0)
    for _ in range(n):
        body.move(0.01)
    return np.array(body.trail)


def total(items):
    found = 0.0
    for value in items:
        found += value
    return np.float64(found)


def first(items):
    return items[0] * np.float64(2)


def paired(n):
    pairs = list(zip(range(n), range(n), strict=True))
    found = dict(pairs)
    return np.int64(len(found) + len(pairs))


def _words(n: int) -> list[str]:
    return [f"w{i * i % 971}x{i % 13}" for i in range(n)]


def _floats(n: int) -> tuple[float, ...]:
    return tuple(map(float, range(n)))


PROGRAMS: list[tuple[str, Callable[..., Any], Callable[[], tuple[Any, ...]]]] = [
    ("a tree of 1,000 words", trie, lambda: (_words(1_000),)),
    ("a tree of 20,000 words", trie, lambda: (_words(20_000),)),
    ("ring", ring, lambda: (60_000,)),
    ("letter by letter", shifted_text, lambda: ("the quick brown fox " * 5_000,)),
    ("2,000 moves of an object", trail, lambda: (2_000,)),
    ("40,000 moves of an object", trail, lambda: (40_000,)),
    ("a long tuple", total, lambda: (_floats(100_000),)),
    ("a long tuple's first", first, lambda: (_floats(100_000),)),
    ("list of 100,000 pairs", paired, lambda: (100_000,)),
]
