"""Loops over elements, none of them waited for: first call, the worst of the next six, and steady."""

from __future__ import annotations

import dataclasses
import gc
import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import container_programs
import loop_programs
import npcompile
from timing import header, parser, save

REPEATS = 3  # functions that are jitted anew, one after the other: the median counts
NEXT = 6  # calls after the first that are looked at one by one
STEADY = 7  # calls once everything is settled; the least counts
SETTLING = 1.0  # seconds of calls until then
# A first call is to take at most so many times a plain one and so many seconds, and so are later ones.
FIRST, LATER = (1.5, 0.15), (1.05, 0.001)


def peaks(x, height):
    out, best = [], None
    for i in range(1, len(x) - 1):
        if x[i - 1] < x[i] > x[i + 1] and x[i] > height:
            out.append(i)
            if best is None or x[i] > x[best]:
                best = i
    return np.array(out), best


def pendulum(n, dt, length):
    g = 9.81

    def acceleration(th, om):
        return -g / length * np.sin(th) - 0.1 * om

    theta, omega = 1.0, 0.0
    angles = []
    for _ in range(n):
        omega = omega + acceleration(theta, omega) * dt
        theta = theta + omega * dt
        angles.append(theta)
    return np.array(angles)


def gauss(t):
    return np.exp(-t * t)


def romberg(f, a, b, n):
    R = np.zeros((n, n))
    h = b - a
    R[0, 0] = 0.5 * h * (f(a) + f(b))
    for i in range(1, n):
        h *= 0.5
        s = 0.0
        for k in range(1, 2**i, 2):
            s += f(a + k * h)
        R[i, 0] = 0.5 * R[i - 1, 0] + s * h
        for j in range(1, i + 1):
            R[i, j] = R[i, j - 1] + (R[i, j - 1] - R[i - 1, j - 1]) / (4**j - 1)
    return R[n - 1, n - 1]


def biquad(x, b, a):
    y = np.zeros_like(x)
    x1 = x2 = y1 = y2 = 0.0
    for n in range(len(x)):
        y[n] = b[0] * x[n] + b[1] * x1 + b[2] * x2 - a[1] * y1 - a[2] * y2
        x2, x1 = x1, x[n]
        y2, y1 = y1, y[n]
    return y


def moving_average(x, alpha):
    out = np.empty_like(x)
    out[0] = x[0]
    for i in range(1, len(x)):
        out[i] = alpha * x[i] + (1 - alpha) * out[i - 1]
    return out


def edit_distance(a, b):
    d = np.zeros((len(a) + 1, len(b) + 1), dtype=int)
    d[:, 0] = np.arange(len(a) + 1)
    d[0, :] = np.arange(len(b) + 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[-1, -1]


def sums_by_key(x):
    sums = {}
    for i in range(len(x)):
        key = i % 97
        sums[key] = sums.get(key, 0.0) + x[i]
    return sum(sums.values())


class Walker:
    def __init__(self):
        self.at, self.history = 0.0, []

    def step(self, dt):
        self.at = self.at + np.sin(self.at + 1) * dt
        self.history.append(self.at)


def walk(n):
    walker = Walker()
    for _ in range(n):
        walker.step(0.01)
    return np.array(walker.history)


def longest_hailstone(n):
    best = 0
    for i in range(1, n):
        at, steps = i, 0
        while at != 1:
            at = at // 2 if at % 2 == 0 else 3 * at + 1
            steps += 1
        best = max(best, steps)
    return np.int64(best)


def positive_ones(x):
    def doubled():
        for value in x:
            if value > 0:
                yield value * 2

    return np.array([value + 1 for value in doubled()])


def texts(x):
    parts = []
    for i, value in enumerate(x):
        try:
            parts.append(f"{i}:{value:.2f}" if value > 0 else str(int(value)))
        except ValueError:
            continue
    return len("".join(parts)), x.sum()


def nearest_first(weights, source):
    n = len(weights)
    distance, done = np.full(n, np.inf), np.zeros(n, bool)
    distance[source] = 0
    for _ in range(n):
        nearest = np.argmin(np.where(done, np.inf, distance))
        done[nearest] = True
        distance = np.minimum(distance, distance[nearest] + weights[nearest])
    return distance


def _normal(n: int) -> Any:
    return np.random.default_rng(0).standard_normal(n)


COEFFICIENTS = np.array([0.2, 0.3, 0.2]), np.array([1.0, -0.5, 0.2])
WORDS = "kitten sitting on a mat" * 12, "sitting kitten at a mall" * 12
PROGRAMS: list[tuple[str, Callable[..., Any], Callable[[], tuple[Any, ...]]]] = [
    ("peaks, 16,000", peaks, lambda: (_normal(16_000), 0.5)),
    ("peaks, 250,000", peaks, lambda: (_normal(250_000), 0.5)),
    ("pendulum, 16,000 steps", pendulum, lambda: (16_000, 0.001, 2.0)),
    ("pendulum, 32,000 steps", pendulum, lambda: (32_000, 0.001, 2.0)),
    ("Romberg, a callable", romberg, lambda: (gauss, 0.0, 2.0, 15)),
    (
        "biquad filter",
        biquad,
        lambda: (_normal(100_000), *COEFFICIENTS),
    ),
    ("moving average, float32", moving_average, lambda: (_normal(200_000).astype(np.float32), 0.3)),
    (
        "edit distance",
        edit_distance,
        lambda: WORDS,
    ),
    ("sums by key", sums_by_key, lambda: (_normal(100_000),)),
    ("an object's steps", walk, lambda: (30_000,)),
    ("hailstones", longest_hailstone, lambda: (3000,)),
    ("a generator", positive_ones, lambda: (_normal(250_000),)),
    ("texts", texts, lambda: (_normal(16_000),)),
    ("nearest first, 300", nearest_first, lambda: (np.abs(_normal(90_000)).reshape(300, 300), 0)),
]


@dataclass
class Row:
    """Seconds of a call."""

    name: str
    plain: float
    first: float
    worst: float  # of the next ones
    steady: float


def seconds(call: Callable[..., Any], arguments: tuple[Any, ...]) -> float:
    gc.collect(0)
    start = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - start


def measured(name: str, fn: Callable[..., Any], make: Callable[[], tuple[Any, ...]]) -> Row:
    plain = min(seconds(fn, make()) for _ in range(5))
    firsts, worsts = [], []
    for _ in range(REPEATS):
        jitted = npcompile.jit(fn)
        firsts.append(seconds(jitted, make()))
        worsts.append(max(seconds(jitted, make()) for _ in range(NEXT)))
        jitted.wait(60.0)
    end = time.perf_counter() + SETTLING
    while time.perf_counter() < end:
        seconds(jitted, make())
        jitted.wait(60.0)
    steady = min(seconds(jitted, make()) for _ in range(STEADY))
    plain = min(plain, *(seconds(fn, make()) for _ in range(5)))
    return Row(name, plain, statistics.median(firsts), statistics.median(worsts), steady)


def _times(took: float, plain: float, most: tuple[float, float]) -> str:
    return f"{took / plain:.2f}{'!' if took > most[0] * plain + most[1] else ' '}"


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--only", nargs="*", default=(), metavar="WORD", help="programs of such names alone")
    chosen = options.parse_args()
    warnings.simplefilter("ignore", npcompile.NotCompiledWarning)
    header("loops over elements: times a plain call")
    print(f"{'':28}{'plain':>12}{'first call':>18}{'worst of next 6':>18}{'steady':>9}")
    rows = []
    for program in [*PROGRAMS, *loop_programs.PROGRAMS, *container_programs.PROGRAMS]:
        if not all(word in program[0] for word in chosen.only):
            continue
        row = measured(*program)
        first = f"{row.first * 1e3:.0f} ms {_times(row.first, row.plain, FIRST):>7}"
        worst = f"{row.worst * 1e3:.1f} ms {_times(row.worst, row.plain, LATER):>7}"
        steady = _times(row.steady, row.plain, (1 / 0.95, 0.0))
        print(f"{row.name:28}{row.plain * 1e3:>9.2f} ms{first:>18}{worst:>18}{steady:>9}", flush=True)
        rows.append(dataclasses.asdict(row))
    save(chosen.json, "loop calls", measured=rows)


if __name__ == "__main__":
    main()
