"""Functions, closures, objects and generators around loops, and module constants within them."""

from __future__ import annotations

import math

import numpy as np

from tests.loops.programs.program import loop

SCALE = 0.75
OFFSETS = (1, -1, 2)
TABLE = np.arange(8, dtype=np.float32)
LIMITS = {"most": 40}


@loop(
    lambda n, rng: (rng.standard_normal(n),),
    sizes=(0, 1, 9),
    realistic=60_000,
    float32=lambda rng: (rng.standard_normal(6).astype(np.float32),),
)
def module_constants(x):
    total = 0.0
    for i in range(len(x)):
        total = total * SCALE + x[i] * TABLE[i % 8]
        total += OFFSETS[i % 3] * math.pi
        if total > LIMITS["most"]:
            total -= LIMITS["most"]
    return total


def clamp(value, low=-1.0, high=1.0):
    if value < low:
        return low
    if value > high:
        return high
    return value


@loop(
    lambda n, rng: (rng.standard_normal(n) * 2,),
    sizes=(0, 1, 6),
    realistic=80_000,
    float32_or_python=lambda rng: ((rng.standard_normal(6) * 2).astype(np.float32),),
    integers=lambda rng: (rng.integers(-3, 4, 6),),
)
def helper_with_defaults(x):
    total = 0
    last = None
    for value in x:
        last = clamp(value)
        total += last + clamp(value, high=0.5) - clamp(high=2, value=value, low=-2)
    return total, last


def minimum_and_maximum(x, start, end):
    low = high = x[start]
    for i in range(start + 1, end):
        if x[i] < low:
            low = x[i]
        if x[i] > high:
            high = x[i]
    return low, high


@loop(
    lambda n, rng: (rng.standard_normal(n), 5),
    sizes=(0, 4, 11),
    realistic=120_000,
    uint8=lambda rng: (rng.integers(0, 256, 9).astype(np.uint8), 4),
)
def helper_that_returns_two(x, width):
    spread = []
    for start in range(0, len(x), width):
        low, high = minimum_and_maximum(x, start, min(start + width, len(x)))
        spread.append(high - low)
    return spread


def accumulate_into(out, at, *values, **weights):
    for value in values:
        out[at] += value * weights.get("weight", 1)


@loop(lambda n, rng: (np.zeros(4), rng.random(n)), sizes=(0, 1, 6), realistic=20_000)
def helper_that_writes(out, x):
    for i in range(len(x)):
        accumulate_into(out, i % 4, x[i], 1, weight=2)
        accumulate_into(out, i % 3, x[i])
    return out


def with_closure(gain, offset):
    calls = 0

    def closure(x):
        nonlocal calls
        calls += 1
        total = 0.0

        def step(value):
            return gain * value + offset - total / 8

        for value in x:
            total += step(value)
        return total, calls > 0

    return closure


loop(
    lambda n, rng: (rng.standard_normal(n),),
    sizes=(0, 1, 6),
    realistic=120_000,
    float32=lambda rng: (rng.standard_normal(5).astype(np.float32),),
)(with_closure(0.5, 2))


@loop(
    lambda n, rng: (lambda t: t * t + 1, rng.standard_normal(n)),
    sizes=(0, 1, 6),
    realistic=80_000,
    ufunc=lambda rng: (np.negative, rng.standard_normal(4)),
    builtin=lambda rng: (abs, rng.standard_normal(4)),
    raising=lambda rng: (lambda t: 1 / int(t), np.array([2.0, 0.5, 3.0])),
)
def function_as_argument(f, x):
    total = 0.0
    for i, value in enumerate(x):
        x[i] = f(value)
        total += x[i]
    return total


@loop(lambda n, rng: (n,), sizes=(0, 1, 2, 9), realistic=26, numpy_integer=lambda rng: (np.int64(8),))
def fibonacci_recursive(n):
    if n < 2:
        return n
    return fibonacci_recursive(n - 1) + fibonacci_recursive(n - 2)


@loop(lambda n, rng: (n % 4, n % 7), sizes=(0, 2, 9), realistic=500, deeper=lambda rng: (2, 4))
def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def place_queens(row, n, columns, left, right):
    if row == n:
        return 1
    found = 0
    for column in range(n):
        if columns[column] or left[row - column] or right[row + column]:
            continue
        columns[column] = left[row - column] = right[row + column] = True
        found += place_queens(row + 1, n, columns, left, right)
        columns[column] = left[row - column] = right[row + column] = False
    return found


@loop(lambda n, rng: (n,), sizes=(1, 4, 5), realistic=10)
def queens(n):
    return place_queens(0, n, np.zeros(n, bool), np.zeros(2 * n, bool), np.zeros(2 * n, bool))


def pairwise(x, low, high):
    if high - low <= 4:
        total = 0.0
        for i in range(low, high):
            total += x[i]
        return total
    middle = (low + high) // 2
    return pairwise(x, low, middle) + pairwise(x, middle, high)


@loop(
    lambda n, rng: (rng.standard_normal(n),),
    sizes=(0, 3, 17),
    realistic=80_000,
    float32=lambda rng: (rng.standard_normal(11).astype(np.float32),),
)
def pairwise_sum(x):
    return pairwise(x, 0, len(x))


class Oscillator:
    """A user's object: numbers and an array in its attributes."""

    damping = 0.1

    def __init__(self, x, v):
        self.x, self.v = x, v
        self.steps = 0
        self.trace = np.zeros(4)

    def step(self, h):
        a = -self.x - self.damping * self.v
        self.v += h * a
        self.x += h * self.v
        self.steps += 1
        self.trace[self.steps % 4] = self.x

    @property
    def energy(self):
        return 0.5 * (self.x * self.x + self.v * self.v)


@loop(
    lambda n, rng: (Oscillator(1.0, 0.0), n, 0.01),
    sizes=(0, 1, 6),
    realistic=80_000,
    numpy_state=lambda rng: (Oscillator(np.float64(1), np.float32(0)), 5, 0.01),
    array_state=lambda rng: (Oscillator(np.ones(2), np.zeros(2)), 5, 0.01),
)
def steps_of_an_object(oscillator, n, h):
    energy = 0.0
    for _ in range(n):
        oscillator.step(h)
        energy += oscillator.energy
    return energy, oscillator.steps


@loop(
    lambda n, rng: (Oscillator(1.0, 0.0), n),
    sizes=(0, 1, 6),
    realistic=60_000,
    raises_half_way=lambda rng: (Oscillator(1.0, None), 3),
)
def attributes_in_a_loop(o, n):
    for i in range(n):
        o.x = o.x * 0.5 + o.trace[i % 4]
        o.trace[(i + 1) % 4] += o.x
        o.steps += i & 1
        o.v += o.damping
    return o.x


class Counter:
    """A method whose loops read and write the object's own attributes."""

    def __init__(self, bins):
        self.counts = np.zeros(bins, dtype=np.int64)
        self.total = 0
        self.largest = None

    def add(self, x):
        for value in x:
            self.counts[value % len(self.counts)] += 1
            self.total += value
            if self.largest is None or value > self.largest:
                self.largest = value
        return self


@loop(
    lambda n, rng: (Counter(5), rng.integers(0, 99, n)),
    sizes=(0, 1, 9),
    realistic=80_000,
    int8=lambda rng: (Counter(3), rng.integers(0, 99, 9).astype(np.int8)),
    no_bins=lambda rng: (Counter(0), np.array([1, 2])),
)
def method_with_a_loop(counter, x):
    counter.add(x)
    return counter.total, counter.largest


def positive(x):
    for value in x:
        if value > 0:
            yield value


@loop(
    lambda n, rng: (rng.standard_normal(n),),
    sizes=(0, 1, 6),
    realistic=200_000,
    integers=lambda rng: (rng.integers(-5, 5, 6),),
)
def over_a_generator(x):
    total, count = 0.0, 0
    for i, value in enumerate(positive(x)):
        total += value / (i + 1)
        count += 1
    return total, count


@loop(
    lambda n, rng: (rng.standard_normal(n),),
    sizes=(0, 1, 6),
    realistic=80_000,
    float32=lambda rng: (rng.standard_normal(5).astype(np.float32),),
)
def generator_expressions(x):
    squares = sum(value * value for value in x)
    largest = max((abs(value) for value in x), default=None)
    above = [i for i in range(len(x)) if x[i] > 0]
    return squares, largest, above, any(value > 1 for value in x), all(value < 1 for value in x)


@loop(
    lambda n, rng: (rng.random(n) + 0.1,),
    sizes=(0, 1, 5),
    realistic=12_000,
    outside_the_domain=lambda rng: (np.array([0.5, -1.0]),),
    overflowing=lambda rng: (np.array([1.0, 800.0]),),
    float32=lambda rng: ((rng.random(4) + 0.1).astype(np.float32),),
    integers=lambda rng: (np.array([1, 2, 3]),),
)
def functions_of_math(x):
    total = 0.0
    for value in x:
        total += math.sqrt(value) + math.log(value) * math.exp(value) - math.atan2(value, 2)
        total += math.floor(value * 10) + math.ceil(value) + math.hypot(value, 1) + math.fabs(-value)
        total += math.copysign(1, -value) + math.fmod(value, 0.3) + math.tanh(value) + math.log1p(value)
        if math.isnan(value) or math.isinf(value) or not math.isfinite(total):
            return None
        total += math.gcd(int(value * 100), 12) + math.trunc(float(value))
    return total


@loop(
    lambda n, rng: (rng.random(n) + 0.1,),
    sizes=(0, 1, 5),
    realistic=20_000,
    exact=False,
    float32=lambda rng: ((rng.random(4) + 0.1).astype(np.float32),),
    integers=lambda rng: (np.array([1, 2, 3]),),
    negative_is_nan=lambda rng: (np.array([0.5, -1.0]),),
    complex=lambda rng: (np.array([0.5 + 1j, -1.0]),),
)
def scalar_ufuncs(x):
    total = 0
    for value in x:
        total = total + np.exp(-value) * np.cos(value) + np.sqrt(value) + np.log(value + 1)
        total = total + np.abs(value) + np.square(value) + np.sin(value)
    return total


@loop(
    lambda n, rng: (rng.standard_normal(n), rng.standard_normal(n)),
    sizes=(0, 1, 5),
    realistic=6000,
    with_nan=lambda rng: (np.array([np.nan, 1.0, -0.0]), np.array([1.0, np.nan, 0.0])),
    int8_and_uint8=lambda rng: (np.array([-128, 5], np.int8), np.array([200, 5], np.uint8)),
    float16=lambda rng: (np.array([1, 2], np.float16), np.array([3, 0], np.float16)),
)
def exact_scalar_ufuncs(a, b):
    out = []
    for x, y in zip(a, b):  # noqa: B905
        out.append(np.maximum(x, y) + np.minimum(x, 0.5))
        out.append(np.fmax(x, y) * np.sign(y))
        out.append(np.floor(x) - np.ceil(y) + np.trunc(x))
        out.append(np.isnan(x) | np.signbit(y) if x.dtype.kind == "f" else x == y)
        out.append(np.where(x > y, x, y))
        out.append(np.clip(x, -1, 1))
    return out
