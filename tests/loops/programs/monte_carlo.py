"""Monte Carlo with given numbers: walks, samplers and estimates whose randomness comes in as an array."""

from __future__ import annotations

import math

import numpy as np

from tests.loops.programs.program import loop


@loop(
    lambda n, rng: (rng.random(n), rng.random(n)),
    sizes=(0, 1, 9),
    realistic=60_000,
    float32=lambda rng: (rng.random(8).astype(np.float32), rng.random(8).astype(np.float32)),
    shorter_second=lambda rng: (rng.random(5), rng.random(3)),
)
def pi_by_darts(x, y):
    inside = 0
    for i in range(len(x)):
        if x[i] * x[i] + y[i] * y[i] <= 1.0:
            inside += 1
    return 4 * inside / len(x)


@loop(
    lambda n, rng: (np.where(rng.random((8, 8)) < 0.5, -1, 1), rng.random((n, 3)), 0.44),
    sizes=(0, 9),
    realistic=12_000,
    int8_spins=lambda rng: (
        np.where(rng.random((4, 4)) < 0.5, -1, 1).astype(np.int8),
        rng.random((9, 3)),
        0.44,
    ),
    one_spin=lambda rng: (np.ones((1, 1), np.int64), rng.random((4, 3)), 0.1),
)
def ising(spins, given, beta):
    n, m = spins.shape
    accepted = 0
    for u, v, w in given:
        i, j = int(u * n), int(v * m)
        around = spins[(i + 1) % n, j] + spins[i - 1, j] + spins[i, (j + 1) % m] + spins[i, j - 1]
        cost = 2 * spins[i, j] * around
        if cost <= 0 or w < math.exp(-beta * cost):
            spins[i, j] = -spins[i, j]
            accepted += 1
    return accepted, spins.sum()


@loop(
    lambda n, rng: (rng.standard_normal(n), rng.random(n)),
    sizes=(0, 1, 8),
    realistic=50_000,
    shorter_chances=lambda rng: (rng.standard_normal(4), rng.random(2)),
)
def metropolis(steps, chances):
    x, accepted = 0.0, 0
    chain = np.empty(len(steps))
    for i, (step, chance) in enumerate(zip(steps, chances)):  # noqa: B905
        proposal = x + step
        ratio = math.exp(min(0.0, (x * x - proposal * proposal) / 2))
        if chance < ratio:
            x = proposal
            accepted += 1
        chain[i] = x
    return chain[: len(chances)], accepted


@loop(
    lambda n, rng: (rng.integers(0, 4, n),),
    sizes=(0, 12),
    realistic=120_000,
    uint8=lambda rng: (rng.integers(0, 4, 12).astype(np.uint8),),
    another_direction=lambda rng: (np.array([0, 1, 7, 2]),),
)
def walk_on_a_grid(directions):
    x = y = farthest = 0
    for d in directions:
        if d == 0:
            x += 1
        elif d == 1:
            x -= 1
        elif d == 2:
            y += 1
        elif d == 3:
            y -= 1
        else:
            break
        farthest = max(farthest, abs(x) + abs(y))
    return x, y, farthest


@loop(
    lambda n, rng: (rng.random(6), rng.random(n)),
    sizes=(0, 1, 9),
    realistic=60_000,
    float32_weights=lambda rng: (rng.random(5).astype(np.float32), rng.random(6)),
    no_weight=lambda rng: (np.zeros(3), rng.random(4)),
)
def draws_by_weight(weights, given):
    total = 0.0
    for w in weights:
        total += w
    counts = [0] * len(weights)
    for u in given:
        left = u * total
        for k, w in enumerate(weights):
            left -= w
            if left < 0:
                counts[k] += 1
                break
        else:
            counts[-1] += 1
    return counts, total


@loop(
    lambda n, rng: (rng.standard_normal((n, 20)), 100.0, 0.02, 0.2, 105.0, 0.05),
    sizes=(0, 1, 4),
    realistic=6000,
    float32=lambda rng: (rng.standard_normal((3, 4)).astype(np.float32), 100.0, 0.02, 0.2, 105.0, 0.05),
)
def asian_option(normals, spot, rate, volatility, strike, dt):
    paths = len(normals)
    total = 0.0
    drift = (rate - 0.5 * volatility**2) * dt
    for path in normals:
        price, mean = spot, 0.0
        for z in path:
            price *= math.exp(drift + volatility * math.sqrt(dt) * z)
            mean += price
        mean /= len(path)
        total += max(mean - strike, 0.0)
    return total / paths if paths else math.nan


@loop(
    lambda n, rng: (n, 12_345),
    sizes=(0, 9),
    realistic=60_000,
    uint32_state=lambda rng: (9, np.uint32(12_345)),
    int64_state=lambda rng: (9, np.int64(12_345)),
)
def congruential_generator(n, state):
    bins = np.zeros(10, dtype=np.int32)
    for _ in range(n):
        state = (1_103_515_245 * state + 12_345) % 2_147_483_648
        bins[int(state / 2_147_483_648 * 10)] += 1
    return bins, state


@loop(
    lambda n, rng: (np.arange(n), rng.random(n)),
    sizes=(0, 1, 8),
    realistic=80_000,
    number_of_one=lambda rng: (np.arange(3), np.array([0.5, 0.5, 1.0])),
)
def shuffle(x, given):
    for i in range(len(x) - 1, 0, -1):
        j = int(given[i] * (i + 1))
        x[i], x[j] = x[j], x[i]
    return x


@loop(
    lambda n, rng: (rng.random(n), rng.random(n)),
    sizes=(0, 1, 30),
    realistic=20_000,
    float32=lambda rng: (rng.random(8).astype(np.float32), rng.random(8).astype(np.float32)),
    shorter_second=lambda rng: (rng.random(5), rng.random(3)),
)
def epidemic_by_events(waits, choices):
    healthy, ill, well = 90, 10, 0
    time, most = 0.0, ill
    history = np.zeros((len(waits), 3), dtype=np.int32)
    for k in range(len(waits)):
        infection, recovery = 0.3 * healthy * ill / 100, 0.1 * ill
        rate = infection + recovery
        if rate <= 0:
            healthy, ill, well = 90, 10, 0
            continue
        time -= math.log(1.0 - waits[k]) / rate
        if choices[k] * rate < infection:
            healthy, ill = healthy - 1, ill + 1
        else:
            ill, well = ill - 1, well + 1
        most = max(most, ill)
        history[k] = healthy, ill, well
    return time, most, history
