"""Conway's Game of Life on a bounded board: neighbours by shifted views, births and survivors by masks.

python examples/life.py
"""

from __future__ import annotations

import numpy as np

import npcompile
from side_by_side import compare

GLIDER = np.array([[0, 1, 0], [0, 0, 1], [1, 1, 1]], dtype=np.int8)
R_PENTOMINO = np.array([[0, 1, 1], [1, 1, 0], [0, 1, 0]], dtype=np.int8)


def neighbours(Z):
    """How many of the eight cells around each inner cell live."""
    return (
        Z[:-2, :-2] + Z[:-2, 1:-1] + Z[:-2, 2:]
        + Z[1:-1, :-2] + Z[1:-1, 2:]
        + Z[2:, :-2] + Z[2:, 1:-1] + Z[2:, 2:]
    )  # fmt: skip


def generation(Z):
    """One step, in place. The border stays dead."""
    N = neighbours(Z)
    alive = Z[1:-1, 1:-1] == 1
    birth = (N == 3) & ~alive
    survive = ((N == 2) | (N == 3)) & alive
    Z[...] = 0
    Z[1:-1, 1:-1][birth | survive] = 1
    return Z


@npcompile.jit
def evolve(Z, age, generations):
    """Plays so many generations. `age` counts for how long each cell has lived without a break."""
    population = np.zeros(generations, dtype=np.int64)
    for i in range(generations):
        generation(Z)
        inner = age[1:-1, 1:-1]
        inner[Z[1:-1, 1:-1] == 1] += 1
        age[Z == 0] = 0
        population[i] = Z.sum()
    return population


def soup(size, seed):
    """A random board with a glider in one corner and the R-pentomino in the middle."""
    rng = np.random.default_rng(seed)
    Z = np.zeros((size, size), dtype=np.int8)
    Z[1:-1, 1:-1] = rng.random((size - 2, size - 2)) < 0.2
    Z[1:4, 1:4] = GLIDER
    half = size // 2
    Z[half : half + 3, half : half + 3] = R_PENTOMINO
    return Z


def example(size=128, seed=0, generations=60):
    return evolve, (soup(size, seed), np.zeros((size, size), dtype=np.int32), generations)


def show(Z):
    for row in Z:
        print("".join(".#"[cell] for cell in row))


def main():
    Z = np.zeros((12, 24), dtype=np.int8)
    Z[1:4, 1:4] = GLIDER
    age = np.zeros(Z.shape, dtype=np.int32)
    population = evolve(Z, age, 20)
    show(Z)
    print(f"a glider after 20 generations: {population[-1]} cells, the oldest {age.max()} generations old")
    compare(example)


if __name__ == "__main__":
    main()
