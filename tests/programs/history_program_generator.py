"""Grows programs on what an object holds: lists, dicts, deques and tuples, read and stored in any order."""

from __future__ import annotations

import random

PRELUDE = """
import numpy as np
from collections import deque


class Thing:
    def __init__(self, x):
        self.x = x
        self.n = 0
        self.kept = []


class Model:
    def __init__(self):
        self.u, self.v = np.arange(4.0), np.ones(4)
        self.n, self.t = 300, 0.25
        self.h, self.g = [0.5], [1.5, 2.5]
        self.d, self.e = {"a": np.zeros(4), "t": 0.5}, {}
        self.q = deque([0.5, 1.5], maxlen=3)
        self.p = (np.ones(4), 2.0)
        self.o, self.s = Thing(np.ones(4)), Thing(np.zeros(4))
        self.all = (self.o, self.s)
        self.rng = np.random.default_rng(3)


def attempt(m, y):
    try:
        m.n += 1
        return np.linalg.inv(np.diag(y % 4))
    except np.linalg.LinAlgError:
        m.t += 1
        return np.diag(y)


def at_last(m, y):
    try:
        return np.linalg.inv(np.diag(y % 3))
    finally:
        m.t += 0.5


def put(d, key, y):
    d[key] = y
    return d


def shown(h):
    print(len(h), h[-1] if h else None)
    return len(h)


def added(h, y):
    h.append(y)
    return h[-1]


"""


class HistoryGrower:
    """One random program of `program(m, x, k)`: its source in `source`."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.names = ["x"]
        self.containers = ["m.h", "m.g", "m.o.kept"]
        for _ in range(rng.randint(3, 9)):
            self.statement()
        shown = [*self.names[-3:], self.rng.choice(["m.h", "m.d", "m.e", "m.p", "m.n", "m.q", "k"])]
        self.lines.append(f"return {', '.join(shown)}")

    @property
    def source(self) -> str:
        return PRELUDE + "def program(m, x, k):\n" + "".join(f"    {line}\n" for line in self.lines)

    def pick(self, *choices: str) -> str:
        return self.rng.choice(choices)

    def array(self) -> str:
        one = self.pick(*self.names, *self.names, "m.u", "m.v", "m.o.x", "m.s.x", "m.p[0]", 'm.d["a"]')
        number = self.number()
        return self.pick(
            one, f"(({one} + {number}) % 8)", f"{one} * 0.5", f"(({one} - {self.pick(*self.names)}) % 8)"
        )

    def number(self) -> str:
        return self.pick(
            "k", "m.n", "m.t", "m.p[1]", "len(m.h)", "len(m.d)", "m.h[-1]", "m.g[0]", "m.q[-1]", "sum(m.q)",
            "2.0", 'm.d["t"]', 'm.d.get("b", 0.25)', "(m.h[-1] if m.h else 0.5)", "m.o.n",
            'm.e.setdefault("z", 1.5)', "m.rng.integers(0, 4)", f"{self.pick(*self.names)}.max()",
        )  # fmt: skip

    def value(self) -> str:
        """What is stored or appended."""
        one, number = self.array(), self.number()
        return self.pick(
            one, one, number, f"({one}, {number})", f"[{one}, {number}]", f'{{"a": {one}, "n": {number}}}'
        )

    def statement(self) -> None:
        one, number = self.array(), self.number()
        name = f"y{len(self.lines)}"
        forms = [
            [f"{name} = {one}"],
            [f"{name} = {one} + {self.array()}"],
            [f"m.h.append({number})"],
            [f"m.h.append({number})", f"{name} = {one} * m.h[-1] % 8"],
            [f"m.g.append(np.sum({one}))"],
            [f"m.o.kept.append({self.value()})"],
            [f"m.q.append({number})"],
            [f"m.u = {one}"],
            [f"m.n += {self.pick('1', 'k')}"],
            [f"m.t = {number}"],
            [f"m.p = ({one}, {number})"],
            [f'm.d["{self.pick("a", "b")}"] = {one}'],
            [f'm.d["t"] = {number}'],
            [f'm.e["{self.pick("a", "b")}"] = {self.value()}'],
            [f"m.{self.pick('h', 'g')} = [{number}, 0.5]"],
            [f'm.d = {{"a": {one}, "t": {number}}}'],
            ["m.h, m.g = m.g, m.h"],
            ["m.g = m.h"],
            ["m.all[0].n += 1"],
            [f"m.o, m.s = {self.pick('m.s, m.o', 'm.o, m.o')}"],
            [f"m.all[1].x = {one}"],
            ["h = m.h", f"h.append({number})", f"{name} = {one} + len(h)"],
            [f'z = {{"a": {one}}}', "m.e = z", f'z["b"] = {number}', f'{name} = z["a"]'],
            [f"{name} = attempt(m, {one})[0]"],
            [f"{name} = at_last(m, {one})[0]"],
            [f"{name} = np.linalg.inv(np.diag({one} % 3))[1]"],
            [f"print({number})"],
            ["shown(m.h)"],
            [f"{name} = {one} * added(m.h, {number}) % 8"],
            [f'put(m.e, "c", {one})'],
            [f'put(m.d, "a", {one})', f'{name} = m.d["a"] * 0.5'],
            [f"m.u[0] = {number}"],
            [f"{self.pick('m.v', 'x', 'm.o.x')} += {number}"],
            [f'if "{self.pick("a", "b")}" in m.e: m.t = 0.5'],
            [f"{name} = {one}", f"for key in m.e: {name} = {name} + len(key)"],
            [f"for thing in m.all: thing.x = {one}"],
            [f"{name} = {one}", f"for v in m.q: {name} = {name} + v"],
            [f"{name} = m.rng.random(4) + {one}"],
            [f"m.h[-1] = {number}"],
        ]
        chosen = self.rng.choice(forms)
        self.lines += chosen
        if chosen[-1].startswith(f"{name} =") or chosen[0].startswith(f"{name} ="):
            self.names.append(name)
