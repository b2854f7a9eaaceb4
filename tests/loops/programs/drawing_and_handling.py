"""Simulations that draw their own random numbers, and loops that handle the exceptions of some trips."""

from __future__ import annotations

import math

import numpy as np

from tests.loops.programs.program import loop


@loop(
    lambda n, rng: (np.where(rng.random((8, 8)) < 0.5, -1, 1), 0.44, n, 5),
    sizes=(0, 60),
    realistic=60_000,
    one_spin=lambda rng: (np.ones((1, 1), np.int8), 0.1, 20, 6),
)
def ising_by_draws(spins, beta, steps, seed):
    rng = np.random.default_rng(seed)
    n, m = spins.shape
    accepted = 0
    for _ in range(steps):
        i, j = rng.integers(n), rng.integers(m)
        around = spins[(i + 1) % n, j] + spins[i - 1, j] + spins[i, (j + 1) % m] + spins[i, j - 1]
        cost = 2 * spins[i, j] * around
        if cost <= 0 or rng.random() < math.exp(-beta * cost):
            spins[i, j] = -spins[i, j]
            accepted += 1
    return accepted, spins.sum(), rng.standard_normal()


@loop(
    lambda n, rng: (n, 3, 1.5),
    sizes=(0, 1, 40),
    realistic=40_000,
    no_time=lambda rng: (30, 4, 0.0),
)
def queue_by_draws(customers, seed, load):
    np.random.seed(seed)
    free, waited, longest = 0.0, 0.0, 0.0
    now = 0.0
    for _ in range(customers):
        now += np.random.uniform(0.0, 2.0)
        wait = max(0.0, free - now)
        waited += wait
        longest = max(longest, wait)
        free = now + wait + load * np.random.rand()
        if np.random.randint(20) == 0:
            free += 1.0
    return waited, longest, np.random.random_sample()


@loop(
    lambda n, rng: (rng.integers(-3, 4, n), rng.integers(0, 12, n)),
    sizes=(0, 1, 30),
    realistic=50_000,
    all_zeros=lambda rng: (np.zeros(9, np.int64), np.arange(9)),
    int8=lambda rng: (rng.integers(-3, 4, 20).astype(np.int8), rng.integers(0, 25, 20).astype(np.uint8)),
)
def ratios_of_neighbours(values, places):
    total, zeros, outside = 0.0, 0, 0
    for k in range(len(values)):
        try:
            other = int(values[places[k]])
            total += k / other
        except ZeroDivisionError:
            zeros += 1
        except IndexError as error:
            outside += len(str(error)) > 0
        else:
            total -= 0.5
    return total, zeros, outside


@loop(
    lambda n, rng: (rng.standard_normal(n) * 3,),
    sizes=(0, 12),
    realistic=20_000,
    overflows=lambda rng: (np.array([1.0, 900.0, 2.0]),),
    nan=lambda rng: (np.array([np.nan, 1.0]),),
)
def logistic_or_its_limit(x):
    out = np.empty(len(x))
    for k in range(len(x)):
        try:
            power = math.exp(float(x[k]))
        except OverflowError:
            power = math.inf
        with np.errstate(invalid="ignore"):
            out[k] = 1 / (1 + power) - x[k] * 0.0
    return out
