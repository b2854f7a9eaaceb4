"""Jitted functions as callbacks of libraries: solvers, quadrature, optimisers, metrics, and plain loops."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq, least_squares, minimize
from sklearn.neighbors import NearestNeighbors

from beside import Program, measure

SCALAR = 0.9  # the least part of plain Python's speed for a callback of 0.2 microseconds


def scalar(x):
    return x * x * x - 2.0 * x - 5.0


def longer(x):
    return (x * x * x - 2.0 * x - 5.0) * (x * x * x + 3.0 * x * x - x) + x * x - 3.0 * x + 2.0


def loop(f, n):
    total = 0.0
    for k in range(n):
        total += f(k * 0.001)
    return total


def root(f):
    return brentq(f, 1.0, 4.0)


def gauss(x):
    return np.exp(-x * x)


def integral(f):
    return quad(f, -3.0, 3.0)[0]


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def simplex(f, x0):
    return minimize(f, x0, method="Nelder-Mead", options={"maxiter": 150}).x


def lotka_volterra(t, y):
    a, b = y
    return [1.5 * a - a * b, a * b - 3.0 * b]


def lorenz(t, y):
    x, y, z = y
    return np.array([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z])


def trajectory(f, y0):
    return solve_ivp(f, (0.0, 2.0), y0).y[:, -1]


T = np.linspace(0.0, 4.0, 60)
MEASURED = 2.5 * np.exp(-1.3 * T) + 0.5 + 0.01 * np.sin(37.0 * T)


def residuals(p):
    return p[0] * np.exp(-p[1] * T) + p[2] - MEASURED


def jacobian(p):
    e = np.exp(-p[1] * T)
    return np.stack([e, -p[0] * T * e, np.ones_like(T)], axis=1)


def fitted(f, df):
    return least_squares(f, [1.0, 1.0, 0.0], jac=df).x


def fitted_by_differences(f):
    return least_squares(f, [1.0, 1.0, 0.0]).x


def manhattan(a, b):
    return np.sum(np.abs(a - b))


def weighted(a, b):
    d = a - b
    return np.sqrt((d * d * np.array([1.0, 2.0, 3.0])).sum())


def nearest(metric, points):
    found = NearestNeighbors(n_neighbors=3, algorithm="brute", metric=metric).fit(points)
    return found.kneighbors(points)[0]


def mapped(f, xs):
    return list(map(f, xs))


def ordered(f, xs):
    return sorted(xs, key=f)


def points(n: int) -> tuple[Any, ...]:
    return (np.random.default_rng(0).standard_normal((n, 3)),)


def numbers() -> tuple[Any, ...]:
    return ([0.1 * k for k in range(200)],)


PROGRAMS = [
    Program("a loop over a scalar callback", loop, [scalar], lambda: (1000,), SCALAR, SCALAR),
    Program("a loop over a longer one", loop, [longer], lambda: (1000,), SCALAR, SCALAR),
    Program("map over a scalar callback", mapped, [scalar], numbers, SCALAR, SCALAR),
    Program("sorted by a scalar callback", ordered, [scalar], numbers, SCALAR, SCALAR),
    Program("brentq", root, [scalar]),
    Program("quad", integral, [gauss]),
    Program("Nelder-Mead", simplex, [rosenbrock], lambda: (np.full(5, 1.2),)),
    Program("solve_ivp, lists", trajectory, [lotka_volterra], lambda: ([10.0, 5.0],)),
    Program("solve_ivp, arrays", trajectory, [lorenz], lambda: ([1.0, 1.0, 1.0],)),
    Program("least_squares", fitted, [residuals, jacobian]),
    Program("least_squares, by differences", fitted_by_differences, [residuals]),
    Program("k-NN, a metric", nearest, [manhattan], lambda: points(40)),
    Program("k-NN, a weighted metric", nearest, [weighted], lambda: points(40)),
]


if __name__ == "__main__":
    measure(__doc__, "callbacks: speed beside plain Python and NumPy", "callbacks", PROGRAMS)
