"""Random programs that ask which object a value is: sentinels, states, clones, caches, members of lists.

`python -m tests.fuzz identity --seed 0 --programs 20000 --shard 3/30` runs every 30th of so many.
"""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import numpy as np

import npcompile
from npcompile.frontend.rewrite.literals import literals
from tests.programs.identity_programs import LIMIT, PAIR, RATE, Color, Model, Record, Settings
from tests.programs.identity_scenarios import VALUES, again, shown
from tests.programs.identity_values import ASKED, LITERALS, STATEMENTS, WAYS
from tests.programs.random_python_programs import module_of

CALLS = 6
LENGTHS = (4, 4, 6, 4, 9, 6)
PRELUDE = """import copy
import functools
import json
import math
import pickle

import numpy as np
from tests.programs.identity_programs import *
from tests.programs.identity_programs import Watched

SENTINEL = None
BOUND, SHARE, COUPLE, TEXT = 1000, 2.5, (1000, 2.5), "a b"


"""
_COMPARED = ("small", "large", "float", "nan", "bool", "float64", "int64", "float32")  # `max` takes these


class IdentityGrower:
    """The source of one program of `program(o, values, v, w, x, cache, keep, default)`."""

    def __init__(self, rng: random.Random, kind: str) -> None:
        self.rng = rng
        self.compares = kind in _COMPARED
        self.lines: list[str] = []
        self.names = ["v", "w"]
        self.rows = ["values"]
        self.objects = ["o"]
        self.made = 0
        self.looped = False
        for _ in range(rng.randint(3, 9)):
            self.statement("    ")
        handed = self.rng.sample(self.names, min(len(self.names), 3))
        self.lines.append(f"    return out, x, {', '.join(handed)}, {rng.choice(self.rows)}")

    @property
    def source(self) -> str:
        head = "def program(o, values, v, w, x, cache, keep, default=SENTINEL):\n    out = []\n"
        return PRELUDE + head + "".join(f"{line}\n" for line in self.lines)

    def pick(self, *choices: str) -> str:
        return self.rng.choice(choices)

    def new(self) -> str:
        self.made += 1
        return f"n{self.made}"

    def value(self) -> str:
        """An expression for a value."""
        name = self.pick(*self.names)
        choices = [name, name, name, "default", "SENTINEL", "values[0]", "values[-1]"]
        choices += [f"{one}.alpha" for one in self.objects]
        choices += [f"(lambda: {name})()", f"next(iter([{name}]))", f"({name}, 1)[0]", f"{{1: {name}}}[1]"]
        choices += [f"getattr({self.pick(*self.objects)}, 'alpha')", f"{self.pick(*self.rows)}[0]"]
        if self.rng.random() < 0.3:
            choices = [self.pick(*LITERALS)]
        elif self.rng.random() < 0.3:
            choices = [self.pick(*WAYS).format(v=name, w=self.pick(*self.names), row=self.pick(*self.rows))]
        if self.compares and choices[1:]:
            choices += [f"max({name}, {self.pick(*self.names)})", f"min([{name}, {self.pick(*self.names)}])"]
        return self.rng.choice(choices)

    def question(self) -> str:
        one, other, row = self.value(), self.value(), self.pick(*self.rows)
        return self.pick(
            f"{one} is {other}",
            f"{one} is {other}",
            f"{one} is not {other}",
            f"{one} in {row}",
            f"{one} not in ({other}, {self.value()})",
            f"{row}.count({one})",
            f"[{one}, {other}].index({self.pick(one, other)})",
            f"id({one}) == id({other})",
            f"[{one}] == [{other}]",
            f"[at for at, item in enumerate({row}) if item is {one}]",
            f"any(item is {one} for item in {row})",
        )

    def statement(self, indent: str) -> None:
        put = self.lines.append
        choice = self.rng.randrange(20)
        if choice < 3:
            put(f"{indent}out.append({self.question()})")
        elif choice == 3:
            put(f"{indent}x = {self.pick('x * 1.5', 'np.abs(x) + 1', 'x + x[0]', 'x - x.max()')}")
        elif choice == 4:
            put(f"{indent}if {self.value()} is {self.value()}:")
            put(f"{indent}    x = x * 2.0")
            if self.rng.random() < 0.5:
                put(f"{indent}else:")
                put(f"{indent}    x = x + 1.0")
        elif choice == 5:
            name, text = self.new(), self.value()
            put(f"{indent}{name} = {text}")
            self.names.append(name)
        elif choice == 6:
            row, value = self.new(), self.value()
            made = self.pick(f"[{value} for _ in range(3)]", f"[{value}, {self.value()}]")
            put(f"{indent}{row} = {made}")
            self.rows.append(row)
        elif choice == 7:
            put(f"{indent}{self.pick(*self.rows)}.append({self.value()})")
        elif choice == 8:
            put(f"{indent}{self.pick(*self.objects)}.alpha = {self.value()}")
        elif choice == 9:
            name = self.new()
            put(f"{indent}{name} = Model({self.value()})")
            self.objects.append(name)
        elif choice == 10:
            put(f"{indent}keep({self.pick(self.value(), f'[{self.value()}]', f'({self.value()}, 2)')})")
        elif choice == 11:
            put(f"{indent}best = {self.value()}")
            put(f"{indent}for item in {self.pick(*self.rows)}:")
            put(f"{indent}    if best is {self.value()} or item is {self.value()}:")
            put(f"{indent}        best = item")
            put(f"{indent}        x = x * 0.5 + 1.0")
            if "best" not in self.names:
                self.names.append("best")
        elif choice == 12:
            key = self.pick(f"id({self.pick(*self.names)})", "'last'", "0")
            put(f"{indent}if {key} in cache:")
            put(f"{indent}    out.append(cache[{key}] is {self.value()})")
            put(f"{indent}else:")
            put(f"{indent}    cache[{key}] = {self.pick(*self.names)}")
        elif choice == 13:
            put(f"{indent}try:")
            put(f"{indent}    raise ValueError({self.value()})")
            put(f"{indent}except ValueError as error:")
            put(f"{indent}    out.append(error.args[0] is {self.value()})")
        elif choice < 18:
            text = self.pick(*STATEMENTS).format(v=self.value(), w=self.value(), row=self.pick(*self.rows))
            self.lines += [indent + line for line in text.split("\n")]
        elif choice == 18:
            put(f"{indent}if {self.pick(*ASKED)} is {self.pick('np.True_', 'np.False_', 'True', 'False')}:")
            put(f"{indent}    x = x - 0.5")
            put(f"{indent}out.append({self.pick(*ASKED)} is {self.pick(*ASKED)})")
        else:
            put(f"{indent}if o.key is not o.alpha:")
            put(f"{indent}    o.key = {self.pick('o.alpha', self.value())}")
            put(f"{indent}    o.computed += 1")


def check(source: str, kind: str, rng: random.Random, folder: Path, number: int) -> Any:
    """Calls a program six times, plain and jitted, with the same values; returns the jitted function."""
    pool = VALUES[kind]
    schedule = []
    for at in range(CALLS):
        v = rng.choice(pool)
        w = rng.choice((v, again(v), rng.choice(pool)))
        values = [rng.choice((v, w, again(v), rng.choice(pool))) for _ in range(rng.randint(2, 3))]
        schedule.append((v, w, values, at and rng.choice((None, v, again(w), rng.choice(pool))), LENGTHS[at]))
    known = [thing for v, w, values, given, _ in schedule for thing in (v, w, *values, given)]
    plain, jitted = (module_of(source, folder, f"identity_{number}_{name}") for name in ("plain", "jitted"))
    program = npcompile.jit(jitted.program, wait=True)
    for module in (plain, jitted):
        module.SENTINEL = pool[0]
    worlds = [
        _play(fn, schedule, [*known, *_held(module)])
        for module, fn in ((plain, plain.program), (jitted, program))
    ]
    for at, (want, got) in enumerate(zip(*worlds, strict=True)):
        assert got == want, f"call {at + 1}: {_difference(got, want)}"
    return program


def _difference(got: Any, want: Any, where: str = "") -> str:
    """The first part in which two answers differ."""
    kinds = (tuple, list)
    if isinstance(got, kinds) and isinstance(want, kinds) and len(got) == len(want):
        for at, (one, other) in enumerate(zip(got, want, strict=True)):
            if one != other:
                return _difference(one, other, f"{where}[{at}]")
    return f"{where} {got} where Python gives {want}"


def _held(module: Any) -> list[Any]:
    """The literals of a program, and the values that its module has names for."""
    held = [module.BOUND, module.SHARE, module.COUPLE, module.TEXT, LIMIT, RATE, PAIR, np.nan, np.pi, math.pi]
    held += [
        Settings.LIMIT,
        Settings.RATE,
        Settings.MISSING,
        *Color,
        *(one.value for one in Color),
        Record.alpha,
    ]
    return [*held, *literals(module.program.__code__)]


def _play(fn: Any, schedule: list[Any], known: list[Any]) -> list[Any]:
    o, cache, kept = Model(schedule[0][0]), {}, []
    told: list[Any] = []
    for at, (v, w, values, given, length) in enumerate(schedule):
        if given != 0 or type(given) is not int:
            o.alpha = given
        x = np.arange(float(length)) + at
        row = list(values)
        try:
            answer = shown(fn(o, row, v, w, x, cache, kept.append), known)
        except Exception as error:
            answer = type(error), str(error), shown(error.args, known)
        told.append((answer, shown([vars(o), row, *cache.values(), kept], known)))
    return told
