"""Innermost `while` loops whose bounds are checked before the first trip: random ones do what Python does."""

from __future__ import annotations

import ast
import builtins
import copy
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.frontend.loop_pipeline import TypedLoop, loop_source, typed_loop
from npcompile.frontend.loops.entry.values import type_of
from npcompile.frontend.loops.run.exchange import arrays_in
from npcompile.lower.loops.codegen.emitter import OVERFLOW
from npcompile.lower.loops.ir import SMALL
from npcompile.lower.loops.nest_ir import LoopNest
from tests.frontend.loops.jitted import assert_same, outcome
from tests.frontend.loops.native import begin

CALLS = 250
SEEDS = 8


class Grower:
    """Writes a function of one `while` loop that moves ints, and ends after some trips at most."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.indent = " " * 4
        tests = [self.test() for _ in range(rng.choice((1, 1, 2)))]
        lines = [f"while {' and '.join(tests)}:"]
        body = [*self.moves(), *(self.use() for _ in range(rng.randrange(1, 4)))]
        rng.shuffle(body)
        body.insert(0, "t += 1\nif t > 40: break")
        lines += [f"{self.indent}{line}" for text in body for line in text.split("\n")]
        self.source = "\n".join(lines) + "\n"

    def test(self) -> str:
        below = (
            "i < hi",
            "i <= hi",
            "i < len(a)",
            "i < j",
            "i + 2 < hi",
            "i != hi",
            "0 <= i < hi",
            "i * 2 < hi",
        )
        above = ("j >= lo", "j > 0", "lo < j", "j - 1 >= lo", "j >= p", "k > -1", "a[j] > lo", "j > i")
        return self.rng.choice(below if self.rng.random() < 0.7 else above)

    def moves(self) -> list[str]:
        made = []
        for name in self.rng.sample(("i", "j", "k"), self.rng.choice((1, 2, 2, 3))):
            up = self.rng.random() < (0.85 if name == "i" else 0.3)
            step = self.rng.choice(("1", "1", "1", "2", "p", "p", "-1", "lo", "(1 if t % 3 else 2)"))
            move = f"{name} {'+' if up else '-'}= {step}"
            if step in "1p" and self.rng.random() < 0.2:
                move = f"{name} = {step} + {name}" if up else f"{name} = {name} - {step}"
            match self.rng.randrange(8):
                case 0:
                    move = f"if b[t % len(b)] > 2: {move}"
                case 1:
                    move = f"if {self.test()}: {move}\nelse: {self.rng.choice('ijk')} -= 1"
                case 2:
                    move = f"{move}\nif t % 4 == 3: continue"
            made.append(move)
        return made

    def place(self) -> str:
        name = self.rng.choice("iiijjk")
        return name + self.rng.choice(("", "", "", " + 1", " - 1", " - p", " + k - k", " // 2"))

    def use(self) -> str:
        one, other = self.place(), self.place()
        text = self.rng.choice(
            (
                f"a[{one}] = t",
                f"a[{one}] = a[{other}]",
                f"t += b[{one}] > 3",
                f"a[{one}] += b[{other}]",
                f"if a[{one}] > b[{other}]: break",
                f"c = {one}\na[c] = {self.rng.choice('ijk')}",
            )
        )
        return f"if {self.test()}:\n    a[{one}] = j" if self.rng.random() < 0.2 else text


def arguments(rng: random.Random, wide: bool) -> dict[str, Any]:
    n = rng.randrange(0, 9)
    a = np.array([rng.randrange(9) for _ in range(2 * n)], dtype=np.int64)
    b = np.array([rng.randrange(6) for _ in range(max(n, 1) + rng.randrange(3))], dtype=np.int64)
    a, other = a[:n], a[rng.choice((slice(n, None), slice(None, n), slice(1, n + 1)))]
    ints = {name: rng.randrange(-3, n + 3) for name in ("j", "k", "lo", "hi")}
    ints |= {"i": rng.randrange(-2, 3), "p": rng.choice((1, 1, 2, 3, 0, -1)), "t": 0}
    if rng.random() < 0.5:  # what most loops are given
        ints |= {"i": 0, "j": n - 1, "k": rng.randrange(n + 1), "lo": 0, "hi": n, "p": rng.choice((1, 2, 3))}
    if wide:
        name = rng.choice(("i", "j", "k", "p", "hi", "lo"))
        ints[name] = rng.choice((1, -1)) * ((1 << 63) - rng.randrange(1, 4))
    return {"a": a, "b": other if rng.random() < 0.3 and n else b, **ints}


def shared(names: dict[str, Any]) -> dict[str, Any]:
    """Return names with a copy of the memory that their two arrays share."""
    base = names["b"].base.copy()
    offsets = [names[name].ctypes.data - names["b"].base.ctypes.data for name in "ab"]
    arrays = {
        name: base[offset // 8 : offset // 8 + len(names[name])]
        for name, offset in zip("ab", offsets, strict=True)
    }
    return names | arrays


def run_natively(loop: TypedLoop, given: dict[str, Any], names: dict[str, Any]) -> tuple[bool, str | None]:
    """Run a loop; tell if it was done to its end, and why not. names: those that it binds are put there."""
    words = loop.exchange.pack(given)
    number = loop.job.function(loop.exchange.address(words))
    bound, _frames = loop.unpack(words, arrays_in(given.values()))
    names |= {name: value for name, value in bound.items() if name[0] != "."}
    return loop.finishes[number], loop.exits[number].why


def crossed_out(flags: Any, n: Any, p: Any) -> Any:
    j = p * p
    while j < n:
        flags[j] += 1
        j += p
        if flags[0] > 50:
            break
        flags[0] += 1
    return flags, j


def inserted(a: Any, n: Any, p: Any) -> Any:
    for i in range(p, n):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key
    return a


def met(a: Any, n: Any, p: Any) -> Any:
    i, j, met = p - 1, n - 1, 0
    while i < j:
        if a[i] + a[j] < 9:
            i += 1
        elif a[i] + a[j] > 9:
            j -= 1
        else:
            met += 1
            i += 1
            j -= 1
    return i, j, met


def shrunk(a: Any, n: Any, p: Any) -> Any:
    items = [1.5] * len(a)
    i = 0
    while i < n:
        items[i] = a[i] + 1
        if i % 3 == p:
            items.pop()
        i += 1
    return items, a


@pytest.mark.parametrize("function", [crossed_out, inserted, met, shrunk])
def test_loops_that_pass_the_ends_of_arrays(function: Callable[..., Any]) -> None:
    a = np.array([3, 1, 9, 0, 4, 7, 2, 5])
    jitted = npcompile.jit(function)
    for n, p in [(8, 1)] * 4 + [(8, 0), (9, 1), (8, -1), (7, 2), (12, 2), (0, 1), (-3, 1), (8, 1 << 62)]:
        want, plain = outcome(function, (a, n, p))
        got, mine = outcome(jitted, (a, n, p))
        assert_same(got, want, f"{n}, {p}")
        assert_same(mine, plain, f"the arguments of {n}, {p}")
        jitted.wait()
    assert jitted.stats.loop_entries, npcompile.explain(jitted)


@pytest.mark.parametrize("function", [crossed_out, met])
def test_a_loop_without_checks(function: Callable[..., Any]) -> None:
    a = np.array([3, 1, 9, 0, 4, 7, 2, 5])
    (nest,) = begin(function, a, 8, 1).loop.region.nests.values()
    assert isinstance(nest, LoopNest) and nest.is_counted
    assert (nest.clock is None) == (function is met)
    items = [node for node in nest.unchecked if str(node.array) in ("a", "flags")]
    assert len(items) >= 4 or function is crossed_out


@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_loops(seed: int) -> None:
    check(seed)


def check(seed: int) -> bool:
    """Compare a random loop with Python; tell if it has a version without checks."""
    rng = random.Random(seed)
    text = Grower(rng).source
    loop = ast.parse(text).body[0]
    assert isinstance(loop, ast.While)
    plain, source = compile(text, "loop", "exec"), loop_source(loop)
    typed: dict[frozenset[str], TypedLoop] = {}
    for number in range(CALLS):
        names = arguments(rng, number % 5 == 0)
        mine = copy.deepcopy(names) if names["b"].base is None else shared(names)
        given = {name: mine.get(name, getattr(builtins, name, None)) for name in source.reads}
        ints = {name: value for name, value in given.items() if type(value) is int}
        wide = frozenset(ints if any(abs(value) >= SMALL for value in ints.values()) else ())
        if wide not in typed:
            types = {name: type_of(value) for name, value in given.items()}
            typed[wide] = typed_loop(source.flow, types, wide)  # type: ignore[arg-type]
        native = typed[wide]
        native.job.wait()
        assert native.job.error is None, native.job.error
        is_done, why = run_natively(native, given, mine)
        raised = None
        with np.errstate(all="ignore"):
            try:
                exec(plain, {}, names)
            except Exception as error:
                raised = error
        message = f"seed {seed}, call {number}: {raised!r}\n{text}\n{native.region}"
        assert is_done != (raised is not None) or why == OVERFLOW, message
        for name, value in names.items():
            if why != OVERFLOW and (raised is None or isinstance(value, np.ndarray)):
                assert type(mine[name]) is type(value), f"{name}: {message}"
                assert np.array_equal(mine[name], value), f"{name}: {mine[name]} for {value}: {message}"
    return any(isinstance(nest, LoopNest) for one in typed.values() for nest in one.region.nests.values())
