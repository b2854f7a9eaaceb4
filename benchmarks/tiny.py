"""Functions whose arrays are so small that a call costs more than its arithmetic, as people write them."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np


def length_of_vector(v):
    return np.sqrt(np.sum(v * v))


def norm(v):
    return np.linalg.norm(v)


def normalised(v):
    return v / np.linalg.norm(v)


def distance(p, q):
    return np.sqrt(((p - q) ** 2).sum())


def dot_of_three(a, b):
    return np.dot(a, b)


def cross_of_three(a, b):
    return np.cross(a, b)


def rotation(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def rotated(R, v):
    return R @ v


def quaternion_product(a, b):
    w1, x1, y1, z1 = a
    w2, x2, y2, z2 = b
    return np.array(
        [
            w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2,
            w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2,
            w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2,
            w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2,
        ]
    )


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def log_sum_exp(x):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def relu(x):
    return np.maximum(x, 0)


def polynomial(x):
    return 3 * x**3 - 2 * x**2 + x - 5


def horner(c, x):
    r = np.zeros_like(x)
    for a in c:
        r = r * x + a
    return r


def polyval(c, x):
    return np.polyval(c, x)


def clip_and_scale(x):
    return np.clip(x, 0, 1) * 255


def solve_two(A, b):
    return np.linalg.solve(A, b)


def solve_two_by_hand(A, b):
    det = A[0, 0] * A[1, 1] - A[0, 1] * A[1, 0]
    x = (b[0] * A[1, 1] - A[0, 1] * b[1]) / det
    return np.array([x, (A[0, 0] * b[1] - b[0] * A[1, 0]) / det])


def mean_and_std(x):
    return x.mean(), x.std()


def standardised(x):
    return (x - x.mean()) / x.std()


def weighted_mean(x, w):
    return np.average(x, weights=w)


def is_close(a, b):
    return np.allclose(a, b)


def angle_between(a, b):
    return np.arccos(np.clip(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)), -1, 1))


def masked_mean(x):
    return x[x > 0].mean()


def interpolated(x):
    return np.interp(x, [0.0, 1.0, 2.0], [0.0, 10.0, 0.0])


def swapped(x, i, j):
    x[i], x[j] = x[j], x[i]
    return x


def moving_average(x):
    return (x[:-2] + x[1:-1] + x[2:]) / 3


def scalar_formula(m, v, h):
    return 0.5 * m * v**2 + m * 9.81 * h


def gravity(p, q, m):
    d = q - p
    r = math.sqrt(d @ d)
    return m * d / r**3


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def accumulate(total, x):
    total += x
    return total


def arguments(*shapes: tuple[int, ...] | float | int) -> tuple[Any, ...]:
    random = np.random.default_rng(0)
    return tuple(random.uniform(0.2, 2.0, one) if isinstance(one, tuple) else one for one in shapes)


def taking(fn: Any, *shapes: Any) -> tuple[Any, Callable[[], tuple[Any, ...]]]:
    return fn, functools.partial(arguments, *shapes)


TINY = [
    taking(length_of_vector, (3,)),
    taking(norm, (3,)),
    taking(normalised, (3,)),
    taking(distance, (3,), (3,)),
    taking(dot_of_three, (3,), (3,)),
    taking(cross_of_three, (3,), (3,)),
    taking(rotation, 0.3),
    taking(rotated, (3, 3), (3,)),
    taking(quaternion_product, (4,), (4,)),
    taking(softmax, (10,)),
    taking(log_sum_exp, (10,)),
    taking(sigmoid, (20,)),
    taking(relu, (20,)),
    taking(polynomial, (20,)),
    taking(horner, (5,), (20,)),
    taking(polyval, (5,), (20,)),
    taking(clip_and_scale, (20,)),
    taking(solve_two, (2, 2), (2,)),
    taking(solve_two_by_hand, (2, 2), (2,)),
    taking(mean_and_std, (20,)),
    taking(standardised, (20,)),
    taking(weighted_mean, (20,), (20,)),
    taking(is_close, (20,), (20,)),
    taking(angle_between, (3,), (3,)),
    taking(masked_mean, (20,)),
    taking(interpolated, (20,)),
    taking(swapped, (20,), 3, 7),
    taking(moving_average, (20,)),
    taking(scalar_formula, 2.0, 3.0, 4.0),
    taking(gravity, (3,), (3,), 5.0),
    taking(rosenbrock, (10,)),
    taking(accumulate, (20,), (20,)),
]


# -- steps of a simulation, its state kept in different ways ------------------------------------------------


class Simulation:
    def __init__(self, n: int) -> None:
        self.u, self.v, self.k, self.t = np.linspace(0, 1, n), np.zeros(n), 0.3, 0.0

    def step(self, dt):
        self.v += dt * (-self.k * self.u)
        self.u = self.u + dt * self.v
        self.t += dt
        return np.sum(self.u * self.u)

    def nested(self) -> tuple[Any, ...]:
        return [self.u, self.v], (self.k, {"t": [self.t]})


def step_arrays(u, v, dt):
    v += dt * (-0.3 * u)
    u = u + dt * v
    return u, np.sum(u * u)


def step_state(state, dt):
    state["v"] += dt * (-state["k"] * state["u"])
    state["u"] = state["u"] + dt * state["v"]
    state["t"] += dt
    return np.sum(state["u"] * state["u"])


def step_triples(state, dt):
    (u, v), (k, _) = state
    v += dt * (-k * u)
    u += dt * v
    return np.sum(u * u)


def march(u, trips):
    for _ in range(trips):
        un = u.copy()
        u[1:-1] = un[1:-1] + 0.1 * (un[2:] - 2 * un[1:-1] + un[:-2])
        u[0] = 0
        u[-1] = 1
    return u


def relax(u, tolerance):
    u = u.copy()
    trips, error = 0, 1.0
    while error > tolerance:
        new = u.copy()
        new[1:-1] = 0.5 * (u[2:] + u[:-2])
        error = np.abs(new - u).max()
        u = new
        trips += 1
    return u, trips


def advance(simulation, trips):
    for _ in range(trips):
        simulation.step(0.01)
    return simulation.u


# -- guards ------------------------------------------------------------------------------------------------

A, B, C, D, E, F, G, H, K, L = (0.1 * k for k in range(1, 11))


class Guarded:
    def __init__(self) -> None:
        for k in range(10):
            setattr(self, f"a{k}", np.linspace(0, 1, 16) + k)
            setattr(self, f"n{k}", 0.5 + k)

    def few(self, x):
        return x * 2

    def many(self, x):
        x = x * A + self.a0 * self.n0
        x = x * B + self.a1 * self.n1
        x = x * C + self.a2 * self.n2
        x = x * D + self.a3 * self.n3
        x = x * E + self.a4 * self.n4
        x = x * F + self.a5 * self.n5
        x = x * G + self.a6 * self.n6
        x = x * H + self.a7 * self.n7
        x = x * K + self.a8 * self.n8
        return x * L + self.a9 * self.n9
