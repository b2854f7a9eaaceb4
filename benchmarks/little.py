"""Whole programs whose calls are short, or other ones each time: what is compiled of them is to pay."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from beside import Program, measure

sys.path.append(str(Path(__file__).resolve().parent.parent / "examples"))

import group_by
import kalman
import particle_in_cell


def shortest_paths(weights, source):
    """Dijkstra's, the nearest node found by a scan of an array."""
    n = len(weights)
    distance = np.full(n, np.inf)
    distance[source] = 0.0
    done = np.zeros(n, bool)
    for _ in range(n):
        u = int(np.argmin(np.where(done, np.inf, distance)))
        done[u] = True
        for v in range(n):
            if not done[v] and distance[u] + weights[u, v] < distance[v]:
                distance[v] = distance[u] + weights[u, v]
    return distance


def optical_flow(first, second, alpha, trips):
    """Horn and Schunck's."""
    ix = np.gradient(first, axis=1)
    iy = np.gradient(first, axis=0)
    it = second - first
    u, v = np.zeros_like(first), np.zeros_like(first)
    for _ in range(trips):
        mean_u = (np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1)) / 4
        mean_v = (np.roll(v, 1, 0) + np.roll(v, -1, 0) + np.roll(v, 1, 1) + np.roll(v, -1, 1)) / 4
        part = (ix * mean_u + iy * mean_v + it) / (alpha**2 + ix**2 + iy**2)
        u, v = mean_u - ix * part, mean_v - iy * part
    return u, v


def independent_components(X, count, trips):
    """FastICA, one component after the other."""
    X = X - X.mean(axis=1, keepdims=True)
    d, E = np.linalg.eigh(np.cov(X))
    Z = E @ np.diag(1.0 / np.sqrt(d)) @ E.T @ X
    W = np.zeros((count, len(Z)))
    for p in range(count):
        w = np.ones(len(Z)) / (p + 1.0)
        w[p] += 1.0
        w /= np.sqrt((w**2).sum())
        for _ in range(trips):
            projected = w @ Z
            g = np.tanh(projected)
            new = (Z * g).mean(axis=1) - (1 - g**2).mean() * w
            new -= W[:p].T @ (W[:p] @ new)
            new /= np.sqrt((new**2).sum())
            done = abs(abs((new * w).sum()) - 1) < 1e-8
            w = new
            if done:
                break
        W[p] = w
    return W @ Z


def sieve(n):
    prime = np.ones(n + 1, bool)
    prime[:2] = False
    for k in range(2, int(n**0.5) + 1):
        if prime[k]:
            prime[k * k :: k] = False
    return np.flatnonzero(prime)


def interpolated(x, xp, fp):
    return np.interp(x, xp, fp)


def standardised(x):
    return (x - x.mean()) / x.std()


def many_lengths(f, arrays):
    return [f(x) for x in arrays]


def labelled(name, x):
    return {name: x * 2 + 1, "name": f"{name}!"}


def new_texts(f, x):
    new_texts.count += 1
    return [f(f"run {new_texts.count}, {k}", x) for k in range(20)]


new_texts.count = 0


class Base:
    def __init__(self, scale):
        self.scale = scale


def scaled(model, x):
    return x * model.scale + 1


def new_classes(f, x):
    return [f(type("Model", (Base,), {})(2.0), x) for _ in range(20)]


def queens(board, row):
    """Count the ways to complete a board."""
    n = len(board)
    if row == n:
        return 1
    count = 0
    for column in range(n):
        before = board[:row]
        if not np.any((before == column) | (np.abs(before - column) == row - np.arange(row))):
            board[row] = column
            count += queens(board, row + 1)
    return count


def matrix_power(A, n, m):
    result = np.eye(len(A), dtype=np.int64)
    while n:
        if n & 1:
            result = result @ A % m
        A = A @ A % m
        n >>= 1
    return result


def images(n: int) -> tuple[Any, ...]:
    y, x = np.mgrid[:n, :n] / n
    return np.sin(6 * x) * np.cos(5 * y), np.sin(6 * x + 0.1) * np.cos(5 * y), 1.0, 40


def signals(n: int) -> tuple[Any, ...]:
    t = np.linspace(0, 8, n)
    sources = np.stack([np.sin(2 * t), np.sign(np.sin(3 * t)), t % 1.0])
    return np.array([[1.0, 1.0, 1.0], [0.5, 2.0, 1.0], [1.5, 1.0, 2.0]]) @ sources, 3, 200


def graph(n: int) -> tuple[Any, ...]:
    return np.random.default_rng(0).uniform(1, 10, (n, n)), 0


def called(f, *args):
    return f(*args)


def example(title: str, made: Any, size: int) -> Program:
    """One of the examples: its function, and fresh arguments for each run."""
    return Program(title, called, [made(size)[0].__wrapped__], lambda: made(size)[1])


LENGTHS = [np.random.default_rng(n).standard_normal(n) for n in range(20, 5020)]

PROGRAMS = [
    example("Kalman filter, a step", kalman.one_step, 2),
    example("Kalman filter, 100 steps", kalman.example, 100),
    example("group by: keys", group_by.example, 20_000),
    example("group by: pivot", group_by.table, 20_000),
    example("group by: running", group_by.accumulated, 20_000),
    example("group by: monthly", group_by.months, 20_000),
    example("particle in cell: a step", particle_in_cell.example, 20_000),
    example("particle in cell: phase space", particle_in_cell.histogram, 20_000),
    Program("Dijkstra by array scan, 60", called, [shortest_paths], lambda: graph(60)),
    Program("Horn-Schunck, 30 by 30", called, [optical_flow], lambda: images(30)),
    Program("FastICA, 3 by 500", called, [independent_components], lambda: signals(500)),
    Program("sieve of 100", called, [sieve], lambda: (100,)),
    Program(
        "interpolation of 10 points",
        called,
        [interpolated],
        lambda: (np.linspace(0, 1, 10), np.linspace(0, 1, 5), np.arange(5.0)),
    ),
    Program("5,000 lengths", many_lengths, [standardised], lambda: (LENGTHS,)),
    Program("new texts at each call", new_texts, [labelled], lambda: (np.ones(20),)),
    Program("new classes at each call", new_classes, [scaled], lambda: (np.ones(20),)),
    Program("six queens", called, [queens], lambda: (np.zeros(6, int), 0)),
    Program(
        "matrix powers modulo m",
        called,
        [matrix_power],
        lambda: (np.arange(16).reshape(4, 4), 10**18, 10**9 + 7),
    ),
]


if __name__ == "__main__":
    measure(__doc__, "little programs: speed beside plain Python and NumPy", "little", PROGRAMS)
