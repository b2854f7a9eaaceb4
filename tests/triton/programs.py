"""The programs whose kernels are looked at, and arguments for them.

Numbers are not among the arguments: on a GPU they are tensors there, which Inductor's CPU backend, the one
that this lane goes through, would take for numbers of the host.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


def kmeans(X, means):
    return np.argmin(np.linalg.norm(X - means[:, None], axis=2), axis=0)


def error_function(x):
    """Abramowitz and Stegun 7.1.26."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    series = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t
    return np.sign(x) * (1 - series * np.exp(-x * x))


def normal(x):
    return 0.5 * (1 + error_function(x / np.sqrt(2.0)))


def black_scholes(price, strike, years, rate, volatility):
    root = volatility * np.sqrt(years)
    d1 = (np.log(price / strike) + (rate + 0.5 * volatility * volatility) * years) / root
    discounted = strike * np.exp(-rate * years)
    call = price * normal(d1) - discounted * normal(d1 - root)
    return call, call - price + discounted


def stencil(u):
    u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
    return u


def statistics(x):
    return x.sum(), x.mean(axis=0), x.std()


def masked(x, y):
    x[x < 0] = 0.5
    x += np.where(y > 0, y, -1)
    return x


def positive_zero(x):
    return x + 0, x * 1 + 0.0


def half_precision(x):
    return (x * x + x) * x


def single_precision(x, y):
    return np.sqrt(x / y)


def square(x):
    return x**2 + 1


def escape(z, c, count):
    inside = np.abs(z) <= 2.0
    count += inside
    return np.where(inside, z * z + c, z)


def eight_trips(z, c, count):
    inside = np.abs(z) <= 2.0
    count += inside
    z[:] = np.where(inside, z * z + c, z)


def _complex(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


def _escape(rng: np.random.Generator) -> tuple[Any, ...]:
    return _complex(rng, 30, 40), _complex(rng, 30, 40), np.zeros((30, 40), np.int64)


def _kmeans(rng: np.random.Generator) -> tuple[Any, ...]:
    return rng.normal(size=(1000, 2)), rng.normal(size=(3, 2))


def _black_scholes(rng: np.random.Generator) -> tuple[Any, ...]:
    low, high = [[1], [1], [1], [0.01], [0.1]], [[2], [2], [3], [0.1], [0.5]]
    return tuple(rng.uniform(low, high, size=(5, 1000)))


def _half(rng: np.random.Generator) -> tuple[Any, ...]:
    return (rng.normal(size=1000).astype("float16"),)


def _single(rng: np.random.Generator) -> tuple[Any, ...]:
    return tuple(rng.uniform(1e-3, 2, size=(2, 1000)).astype("float32"))


class Case(NamedTuple):
    function: Callable[..., Any]
    arguments: Callable[[np.random.Generator], tuple[Any, ...]]
    ulp: float = 0  # the most that interpreted kernels may be off NumPy, in units in the last place
    scale: float = 0.0  # the size of the numbers that are added up
    trips: int = 0  # of a loop with this body; they are composed to one program


CASES = {
    case.function.__name__: case
    for case in (
        Case(kmeans, _kmeans),
        Case(black_scholes, _black_scholes),
        Case(stencil, lambda rng: (rng.normal(size=(100, 90)),)),
        Case(statistics, lambda rng: (rng.normal(size=(300, 400)),), ulp=4, scale=300.0),
        Case(masked, lambda rng: (rng.normal(size=(30, 40)), rng.normal(size=(30, 40)))),
        Case(positive_zero, lambda rng: (np.where(rng.random(100) < 0.5, -0.0, 1.0),)),
        Case(half_precision, _half),
        Case(single_precision, _single),
        Case(square, lambda rng: (rng.normal(size=1000),)),
        Case(escape, _escape, ulp=2, scale=4.0),  # the interpreter rounds the products of fused multiply-adds
        Case(eight_trips, _escape, ulp=64, scale=4.0, trips=8),
    )
}
