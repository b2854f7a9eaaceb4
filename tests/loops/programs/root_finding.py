"""Root finding and quadrature: loops that end when a number is small enough."""

from __future__ import annotations

import math

import numpy as np

from tests.loops.programs.program import loop


@loop(
    lambda n, rng: (rng.random(n) * 10,),
    sizes=(0, 1, 5),
    realistic=12_000,
    float32=lambda rng: (rng.random(4).astype(np.float32),),
    zero_and_negative=lambda rng: (np.array([0.0, -1.0, 4.0, np.inf, np.nan]),),
    integers=lambda rng: (rng.integers(1, 99, 4),),
    python_list=lambda rng: ([2.0, 9, 0.25],),
)
def cube_roots_by_newton(x):
    out = np.empty(len(x))
    steps = 0
    for i, value in enumerate(x):
        guess = value if value > 1 else 1.0
        for _ in range(60):
            following = (2 * guess + value / (guess * guess)) / 3
            steps += 1
            if abs(following - guess) <= 1e-12 * abs(following):
                guess = following
                break
            guess = following
        out[i] = guess
    return out, steps


def cubic(x):
    return x * x * x - x - 2


@loop(
    lambda n, rng: (1.0, 2.0 + n / 1000, 1e-12),
    sizes=(0, 7),
    realistic=1000,
    numpy_bounds=lambda rng: (np.float64(1), np.float64(2), 1e-9),
    float32_bounds=lambda rng: (np.float32(1), np.float32(2), np.float32(1e-5)),
    integer_bounds=lambda rng: (1, 2, 1e-6),
    no_change_of_sign=lambda rng: (2.0, 3.0, 1e-6),
)
def bisection(low, high, tolerance):
    flow = cubic(low)
    if flow * cubic(high) > 0:
        raise ValueError("no change of sign")
    steps = 0
    while high - low > tolerance:
        middle = (low + high) / 2
        fmiddle = cubic(middle)
        steps += 1
        if fmiddle == 0:
            return middle, steps
        if (fmiddle < 0) == (flow < 0):
            low, flow = middle, fmiddle
        else:
            high = middle
    return (low + high) / 2, steps


@loop(
    lambda n, rng: (1.0, 2.0, 1e-13, n),
    sizes=(0, 1, 20),
    realistic=60,
    same_points=lambda rng: (1.5, 1.5, 1e-13, 5),
    same_points_of_numpy=lambda rng: (np.float64(1.5), np.float64(1.5), 1e-13, 5),
)
def secant(x0, x1, tolerance, most):
    f0, f1 = cubic(x0), cubic(x1)
    for step in range(most):
        if abs(f1) < tolerance:
            return x1, step
        x0, x1 = x1, x1 - f1 * (x1 - x0) / (f1 - f0)
        f0, f1 = f1, cubic(x1)
    return x1, None


@loop(
    lambda n, rng: (rng.random(n), rng.random(n) * 2 * math.pi),
    sizes=(0, 1, 4),
    realistic=15_000,
    circular=lambda rng: (np.zeros(3), np.array([0.0, 1.0, -2.0])),
)
def kepler(eccentricity, anomaly):
    out = np.zeros_like(anomaly)
    for i in range(len(out)):
        e, m = eccentricity[i] * 0.9, anomaly[i]
        angle = m
        while True:
            change = (angle - e * math.sin(angle) - m) / (1 - e * math.cos(angle))
            angle -= change
            if abs(change) < 1e-10:
                break
        out[i] = angle
    return out


@loop(
    lambda n, rng: (0.0, 2.0, n),
    sizes=(0, 1, 8),
    realistic=120_000,
    numpy_bounds=lambda rng: (np.float32(0), np.float32(2), 6),
    backwards=lambda rng: (2, 0, 4),
)
def simpson(a, b, n):
    h = (b - a) / (2 * n)
    total = math.exp(-a * a) + math.exp(-b * b)
    for i in range(1, 2 * n):
        x = a + i * h
        total += (4 if i % 2 else 2) * math.exp(-x * x)
    return total * h / 3


@loop(lambda n, rng: (0.0, 2.0, n), sizes=(1, 4), realistic=20)
def romberg(a, b, n):
    table = np.zeros((n, n))
    h = b - a
    table[0, 0] = 0.5 * h * (math.cos(a) + math.cos(b))
    for i in range(1, n):
        h *= 0.5
        total = 0.0
        for k in range(1, 2**i, 2):
            total += math.cos(a + k * h)
        table[i, 0] = 0.5 * table[i - 1, 0] + total * h
        for j in range(1, i + 1):
            table[i, j] = table[i, j - 1] + (table[i, j - 1] - table[i - 1, j - 1]) / (4**j - 1)
    return table[n - 1, n - 1]


@loop(
    lambda n, rng: (n,),
    sizes=(1, 2, 5),
    realistic=500,
)
def legendre_roots(n):
    roots, weights = np.zeros(n), np.zeros(n)
    for i in range((n + 1) // 2):
        z = math.cos(math.pi * (i + 0.75) / (n + 0.5))
        previous = math.inf
        while abs(z - previous) > 1e-14:
            p1, p2 = 1.0, 0.0
            for j in range(n):
                p1, p2 = ((2 * j + 1) * z * p1 - j * p2) / (j + 1), p1
            derivative = n * (z * p1 - p2) / (z * z - 1) if z * z != 1 else math.nan
            previous, z = z, z - p1 / derivative
        roots[i], roots[n - 1 - i] = -z, z
        weights[i] = weights[n - 1 - i] = 2 / ((1 - z * z) * derivative * derivative)
    return roots, weights


@loop(
    lambda n, rng: (rng.standard_normal(n + 1), 0.7),
    sizes=(0, 1, 6),
    realistic=120_000,
    complex_point=lambda rng: (rng.standard_normal(5), 0.5 + 0.5j),
    float32_of_numpy=lambda rng: (rng.standard_normal(5).astype(np.float32), np.float32(0.5)),
    integers=lambda rng: (rng.integers(-5, 5, 6), 3),
    big_integers=lambda rng: (list(range(1, 30)), 1000),
)
def horner(coefficients, x):
    value = derivative = 0
    for c in coefficients:
        derivative = derivative * x + value
        value = value * x + c
    return value, derivative


@loop(
    lambda n, rng: (0.0, 1.0, n),
    sizes=(0, 1, 30),
    realistic=300,
)
def golden_section(low, high, most):
    ratio = (math.sqrt(5) - 1) / 2
    c, d = high - ratio * (high - low), low + ratio * (high - low)
    for _ in range(most):
        if abs(high - low) < 1e-10:
            break
        if (c - 0.3) ** 2 < (d - 0.3) ** 2:
            high = d
        else:
            low = c
        c, d = high - ratio * (high - low), low + ratio * (high - low)
    return (low + high) / 2
