"""Loops that draw random numbers one by one draw NumPy's own stream, and leave its state as NumPy does."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.frontend.loops.run.generators import held
from tests.frontend.loops.jitted import Programs
from tests.loops.random_check import compile_loops_alone

MANY = 40
program = Programs()
PCG, MT, SFC, PHILOX = np.random.PCG64, np.random.MT19937, np.random.SFC64, np.random.Philox


@program(PCG, 0)
@program(PCG, 1)
@program(PCG, MANY)
@program(MT, MANY)
@program(SFC, MANY)
@program(PHILOX, MANY)
@program(np.random.PCG64DXSM, MANY)
def of_each_kind(bits: Any, n: Any) -> Any:
    rng = np.random.Generator(bits(7))
    total, x, y, z, u, e, k = 0.0, None, None, None, None, None, None
    for _ in range(n):
        x = rng.random()
        y = rng.standard_normal()
        z = rng.normal(1, 2.5)
        u = rng.uniform(-1, 3)
        e = rng.exponential(0.5) + rng.standard_exponential()
        k = rng.integers(6)
        total += x * y + z - u * e + k
    return total, [*map(type, (x, y, z, u, e, k))], rng.random(), rng.integers(1 << 40), rng.standard_normal()


@program(PCG, MANY, 3)
@program(MT, MANY, 2)
@program(SFC, 5, 0, native=None)
@program(PCG, 5, -1, native=None)
def arrays(bits: Any, n: Any, size: Any) -> Any:
    rng = np.random.Generator(bits(7))
    total, kept = 0.0, []
    try:
        for i in range(n):
            x, y = rng.random(2)
            i, j = rng.integers(0, 9, 2)
            z = rng.normal(0, 2.5, size)
            u = rng.uniform(-1, 3, size=(2, size))
            e = rng.standard_normal(size) + rng.exponential(0.5, size)
            k = rng.integers(1 << 40, size=size)
            total += x * y + z[i % size] - u[1, 0] * e[0] + k[-1] + i - j + rng.random(size=None)
            kept.append(k[i % size])
    except (ValueError, IndexError) as error:
        return total, str(error), rng.random()
    return total, kept, x, z, u, k, rng.random(), rng.integers(1 << 40)


@program(5, MANY)
def arrays_of_the_module(seed: Any, n: Any) -> Any:
    np.random.seed(seed)
    old = np.random.RandomState(4)
    total = 0.0
    for i in range(n):
        k = old.randint(0, 50, size=3)
        m = np.random.randint(9, size=(2, 2))
        total += np.random.uniform(0, 2, 3)[i % 3] + old.random_sample(2)[0] + k[1] * m[0, 1]
        total += np.random.random(2)[1]
    return total, k, m, old.rand(), np.random.rand()


@program(PCG, 6)
def refused_arrays(bits: Any, n: Any) -> Any:
    rng = np.random.Generator(bits(7))
    total = 0.0
    try:
        for i in range(n):
            total += rng.random(3)[0] + rng.normal(0, 3 - i, 2)[1]
    except ValueError as error:
        return total, str(error), rng.random()
    return total


@program(PCG, MANY, 6)
@program(MT, MANY, (1 << 32) + 7)
@program(SFC, MANY, 1)
@program(PHILOX, 3, 0, native=None)
def choices(bits: Any, n: Any, most: Any) -> Any:
    rng = np.random.Generator(bits(7))
    levels, few = np.array([0.5, -1.5, np.inf]), np.arange(9, dtype=np.int8)[::-2]
    total, step, level, place, item = 0.0, None, None, None, None
    try:
        for i in range(n):
            step = rng.choice(np.array([-1, 1, i]))
            level = rng.choice(levels)
            item = rng.choice(few)
            place = rng.choice(most)
            total += step * item + (level if level < 9 else 0.25) + place % 1000
    except ValueError as error:
        return total, str(error), rng.random()
    return total, [*map(type, (step, level, place, item))], rng.random(), rng.integers(1 << 40)


@program(PCG, 30)
def choices_of_nothing(bits: Any, n: Any) -> Any:
    rng = np.random.Generator(bits(7))
    total = 0.0
    x = np.arange(30.0)
    try:
        for i in range(n):
            total += rng.choice(x[i : 29 - i // 2])
    except ValueError as error:
        return total, str(error), rng.random()
    return total


@program(3, MANY)
def ints_of_all_widths(seed: Any, n: Any) -> Any:
    rng = np.random.default_rng(seed)
    found = []
    for i in range(n):
        found.append(rng.integers(1))
        found.append(rng.integers(-5, 5))
        found.append(rng.integers(0, 1 << 32))
        found.append(rng.integers(0, (1 << 32) + 1))
        found.append(rng.integers(-(1 << 62), (1 << 62) + i))
        found.append(rng.integers(np.int8(100)))
        found.append(rng.integers(low=3, high=(1 << 33) + 5))
    return found, rng.random(), type(found[0])


@program(3, MANY)
def of_the_module(seed: Any, n: Any) -> Any:
    np.random.seed(seed)
    total, k, m = 0.0, 0, 0
    for i in range(n):
        k = np.random.randint(10)
        m = np.random.randint(-3, 1 << 35)
        total += np.random.rand() - np.random.random() * np.random.uniform(0, i + 1.5) + k + m * 1e-9
        total += np.random.random_sample() if k > 3 else np.random.randint(1)
    return total, type(k), type(m), np.random.randint(1000), np.random.rand(), np.random.randn()


@program(5, MANY)
def of_a_state(seed: Any, n: Any) -> Any:
    rng = np.random.RandomState(seed)
    walk = np.zeros(n)
    for i in range(1, n):
        walk[i] = walk[i - 1] + (1 if rng.rand() < 0.5 else -1) * rng.randint(3)
    return walk, rng.randn()


@program(11, 300)
def metropolis(seed: Any, n: Any) -> Any:
    rng = np.random.default_rng(seed)
    x, accepted = 0.0, 0
    chain = np.empty(n)
    for i in range(n):
        proposal = x + rng.uniform(-1.0, 1.0)
        if rng.random() < np.exp(-0.5 * (proposal * proposal - x * x)):
            x = proposal
            accepted += 1
        chain[i] = x
    return chain, accepted, rng.random()


@program(11, 20)
def until(seed: Any, n: Any) -> Any:
    rng = np.random.default_rng(seed)
    steps, place = 0, 0
    while rng.random() < 0.98 or place < n:
        place += 1 if rng.random() < 0.5 and rng.random() < 0.9 else 0
        steps += 1
    return steps, place, rng.random()


def toss(rng: Any, p: Any) -> Any:
    return 1 if rng.random() < p else 0


@program(2, MANY)
def in_a_function(seed: Any, n: Any) -> Any:
    rng = np.random.default_rng(seed)
    heads = 0
    for i in range(n):
        heads += toss(rng, i / n)
    return heads, rng.random()


class Walker:
    def __init__(self, seed: Any) -> None:
        self.rng = np.random.default_rng(seed)
        self.x = 0.0

    def step(self) -> Any:
        self.x += self.rng.standard_normal()
        return self.x


@program(2, MANY)
def in_a_method(seed: Any, n: Any) -> Any:
    walker = Walker(seed)
    own = walker.rng
    most = 0.0
    for _ in range(n):
        most = max(most, walker.step())
    return most, walker.x, walker.rng is own, walker.rng.random()


@program(2, MANY)
def in_a_lambda(seed: Any, n: Any) -> Any:
    rng = np.random.default_rng(seed)
    draw = lambda top: rng.random() * top  # noqa: E731
    total = 0.0
    for i in range(n):
        total += draw(i)
    return total, rng.random()


@program(2, MANY)
def that_leaves_amid(seed: Any, n: Any) -> Any:
    rng = np.random.default_rng(seed)
    total, odd = 0.0, 0
    for i in range(n):
        x = rng.random()
        try:
            total += x / (i % 13)
        except ZeroDivisionError:
            odd += rng.integers(3)
        if i % 17 == 5:
            total += rng.normal(0, 1, 3).sum()
        total += rng.random()
    return total, odd, rng.random()


@program(2, MANY, -1.0)
@program(2, MANY, np.nan)
@program(2, MANY, -0.0)
def that_numpy_refuses(seed: Any, n: Any, scale: Any) -> Any:
    rng = np.random.default_rng(seed)
    total = 0.0
    try:
        for i in range(n):
            total += rng.random()
            total += rng.normal(0.0, scale if i == 20 else 1.0)
    except ValueError as error:
        return str(error), total, rng.random()
    return total, rng.random()


@program(2, 30)
def no_range(seed: Any, n: Any) -> Any:
    rng = np.random.default_rng(seed)
    total = 0
    for i in range(n):
        total += rng.random()
        total += rng.integers(25 - i)
    return total


@program(2, 30)
def no_distance(seed: Any, n: Any) -> Any:
    rng = np.random.default_rng(seed)
    total = 0.0
    for i in range(n):
        total += rng.uniform(0, 25.5 - i)
    return total


@program(2, 30)
def two_names(seed: Any, n: Any) -> Any:
    one = np.random.default_rng(seed)
    other = np.random.default_rng(seed + 1)
    total = 0.0
    for i in range(n):
        rng = one if i % 3 else other
        total += rng.random() - other.random()
    return total, rng is other, one.random(), other.random()


def in_a_comprehension(seed: Any, n: Any) -> Any:
    np.random.seed(seed)
    found = []
    for i in range(n):
        found.append(sum([np.random.rand() for _ in range(i % 3)]))
    return found, np.random.rand()


program(2, 30, native=None)(in_a_comprehension)


@pytest.mark.parametrize("name", program.cases)
def test_jitted_as_plain(name: str, jitted: dict[str, tuple[Any, list[Any]]]) -> None:
    program.check(name, *jitted[name])


def drawn(rng: Any, n: Any) -> Any:
    total = 0.0
    for _ in range(n):
        total += rng.random()
    return total


def test_native_code_waits_for_the_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_loops_alone(monkeypatch)
    rng = np.random.default_rng(1)
    jitted = npcompile.jit(drawn)
    for _ in range(3):
        jitted(rng, 100)
        jitted.wait()
    entries, before = jitted.stats.loop_entries, rng.bit_generator.state
    thread = threading.Thread(target=jitted, args=(rng, 100))
    with held([rng, rng]):
        thread.start()
        thread.join(0.2)
        assert thread.is_alive() and rng.bit_generator.state == before
    thread.join(60)
    assert jitted.stats.loop_entries > entries > 0
    want = np.random.default_rng(1)
    want.random(400)
    assert rng.random() == want.random()
