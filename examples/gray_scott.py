"""Reaction and diffusion of two chemicals after Gray and Scott, on views that overlap.

    python examples/gray_scott.py

The solver is handed the whole arrays and their inner part at once: two names for the same memory.
"""

from __future__ import annotations

import numpy as np

import npcompile
from side_by_side import compare

# Du, Dv, feed, kill
PATTERNS = {
    "bacteria": (0.16, 0.08, 0.035, 0.065),
    "coral": (0.16, 0.08, 0.060, 0.062),
    "zebrafish": (0.16, 0.08, 0.035, 0.060),
    "worms": (0.16, 0.08, 0.054, 0.063),
}


def laplacian(Z):
    return Z[:-2, 1:-1] + Z[1:-1, :-2] - 4 * Z[1:-1, 1:-1] + Z[1:-1, 2:] + Z[2:, 1:-1]


def wrap(Z):
    """A border that repeats the other side."""
    Z[0, :] = Z[-2, :]
    Z[-1, :] = Z[1, :]
    Z[:, 0] = Z[:, -2]
    Z[:, -1] = Z[:, 1]


@npcompile.jit
def step(U, V, u, v, Du, Dv, F, k):
    """One time step. u and v are the inner parts of U and V, and written in place."""
    uvv = u * v * v
    u += Du * laplacian(U) - uvv + F * (1 - u)
    v += Dv * laplacian(V) + uvv - (F + k) * v
    wrap(U)
    wrap(V)


@npcompile.jit
def simulate(UV, steps, pattern):
    """Many steps on a structured pair of arrays; returns how much of V there was on the way."""
    Du, Dv, F, k = PATTERNS[pattern]
    U, V = UV
    u, v = U[1:-1, 1:-1], V[1:-1, 1:-1]
    mass = []
    for i in range(steps):
        Lu = laplacian(U)
        Lv = laplacian(V)
        uvv = u * v * v
        u += Du * Lu - uvv + F * (1 - u)
        v += Dv * Lv + uvv - (F + k) * v
        wrap(U)
        wrap(V)
        if i % 25 == 0:
            mass.append(v.mean())
    return np.array(mass)


def start(size, seed):
    rng = np.random.default_rng(seed)
    U = np.ones((size + 2, size + 2))
    V = np.zeros((size + 2, size + 2))
    r, middle = max(size // 10, 1), size // 2
    U[middle - r : middle + r, middle - r : middle + r] = 0.50
    V[middle - r : middle + r, middle - r : middle + r] = 0.25
    U += 0.05 * rng.uniform(-1, 1, U.shape)
    V += 0.05 * rng.uniform(0, 1, V.shape)
    return U, V


def one_step(size=192, seed=0, pattern="coral"):
    U, V = start(size, seed)
    return step, (U, V, U[1:-1, 1:-1], V[1:-1, 1:-1], *PATTERNS[pattern])


def example(size=192, seed=0, steps=100, pattern="coral"):
    return simulate, (start(size, seed), steps, pattern)


def main():
    for pattern in PATTERNS:
        UV = start(64, 0)
        mass = simulate(UV, 200, pattern)
        print(f"{pattern:10} V: {mass[0]:.4f} at first, {mass[-1]:.4f} after 200 steps")
    print("\none step a call:", end="")
    compare(one_step)
    print("\n100 steps a call:", end="")
    compare(example)


if __name__ == "__main__":
    main()
